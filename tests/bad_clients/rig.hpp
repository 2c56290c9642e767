#pragma once

#include <gmock/gmock.h>
#include <signal.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bad_clients/bystander.hpp"
#include "bad_clients/process_memory.hpp"
#include "bad_clients/raw_client.hpp"
#include "bad_clients/requests.hpp"
#include "gateway/rig.hpp"
#include "support/paths.hpp"
#include "support/sanitized.hpp"

namespace gantry::testing {

/// Our own server with a tool for every feature, so that nothing has to be installed.
inline std::string everything_server(const std::string& more = {}) {
    return "  - name: every\n    command: " + gantry::test_support::built_path("examples/everything_server") +
           "\n    args: [--stdio]\n" + more;
}

inline const std::string kConfig = "demo_tools: true\nservers:\n" + everything_server();

/// A gateway process. Whatever a test does to it, the same process must still answer afterwards.
class BadClientTest : public ::testing::Test {
protected:
    void SetUp() override { start(kConfig); }
    void TearDown() override {
        if (!gateway_) return;
        EXPECT_EQ(::kill(pid_, 0), 0) << "the gateway is gone: " << gateway_->child().err();
        EXPECT_EQ(call_echo("still here"), "still here");
        gateway_.reset();  // before the servers that a test started for it
    }

    void start(const std::string& config, const std::string& state = {}) {
        gateway_.reset();
        gateway_ = std::make_unique<Gateway>(config, state);
        port_ = gateway_->port();
        pid_ = gateway_->child().pid();
    }

    /// Ends the gateway before a test's servers are destroyed; TearDown() then makes no further checks.
    void gateway_gone() {
        EXPECT_EQ(call_echo("still here"), "still here");
        gateway_.reset();
    }

    Gateway& gateway() { return *gateway_; }
    int port() const { return port_; }
    int pid() const { return pid_; }
    RawClient connect() const { return RawClient(port_); }

    /// The output of `gantry status --json` for this gateway.
    std::string status() { return ask({"status", "--json"}); }
    /// The output of a command with the same state folder.
    std::string ask(std::vector<std::string> words) {
        words.insert(words.begin(), gantry_program());
        words.insert(words.end(), {"--state-dir", gateway().state()});
        Child asked({.command = std::move(words), .env = {}});
        EXPECT_TRUE(asked.wait().has_value());
        return asked.out() + asked.err();
    }
    /// A value of /metrics, summed over all labels.
    double metric(const std::string& name) const {
        const std::string body = "\n" + say(request("GET", "/metrics", "")).body;
        double sum = 0;
        for (std::size_t at = body.find("\n" + name); at != std::string::npos; at = body.find("\n" + name, at + 1)) {
            const char after = body[at + 1 + name.size()];
            if (after == ' ' || after == '{') sum += std::stod(body.substr(body.find(' ', at + 1)));
        }
        return sum;
    }
    /// Distinguishes the processes of this test from others: pass it to a server as an argument.
    static std::string mark() {
        return "bad-client-" + std::to_string(::getpid()) + "-" +
               ::testing::UnitTest::GetInstance()->current_test_info()->name();
    }

    /// Number of open descriptors of the gateway.
    std::size_t descriptors() const {
        std::error_code gone;
        const std::filesystem::directory_iterator entries("/proc/" + std::to_string(pid_) + "/fd", gone);
        return static_cast<std::size_t>(std::distance(begin(entries), end(entries)));
    }
    /// The gateway's current memory and its peak, in bytes.
    std::size_t memory() const { return process_memory(pid_, "VmRSS:"); }
    std::size_t peak() const { return process_memory(pid_, "VmHWM:"); }

    static void expect_below(std::size_t used, std::size_t bound) {
        if (!kSanitized) EXPECT_LT(used, bound);
    }

    /// Sends one request on its own connection.
    RawReply say(const std::string& bytes) const {
        RawClient client = connect();
        client.send(bytes);
        return client.reply();
    }
    RawReply post(const std::string& body, const Fields& fields = {}, const std::string& path = "/mcp") const {
        return say(request("POST", path, body, fields));
    }
    RawReply post_modern(const std::string& id, const std::string& method, const std::string& params = {},
                         const std::string& name = {}) const {
        return post(modern(id, method, params), modern_fields(method, name));
    }
    std::string call_echo(const std::string& message) const {
        return post_modern("1", "tools/call", echo_params(message), "demo_echo").text();
    }

    /// Opens a legacy session completely; returns its id.
    std::string initialize(const std::string& path = "/mcp", const std::string& version = "2025-11-25",
                           const std::string& capabilities = "{}") const {
        const RawReply opened = post(initialize_body(version, capabilities), {}, path);
        const std::string session = opened.header("mcp-session-id");
        EXPECT_FALSE(session.empty()) << opened.head << opened.body;
        EXPECT_EQ(post(R"({"jsonrpc":"2.0","method":"notifications/initialized"})", {{"Mcp-Session-Id", session}}, path)
                      .status,
                  202);
        return session;
    }

private:
    std::unique_ptr<Gateway> gateway_;
    int port_ = 0;
    int pid_ = -1;
};

}  // namespace gantry::testing
