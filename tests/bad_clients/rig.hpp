#pragma once

#include <gmock/gmock.h>
#include <signal.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bad_clients/raw_client.hpp"
#include "gateway/rig.hpp"
#include "support/paths.hpp"

namespace gantry::testing {

using Fields = std::vector<std::pair<std::string, std::string>>;

/// The bytes of a request; `fields` replace what they name, an empty value leaves it out.
inline std::string request(const std::string& method, const std::string& path, const std::string& body,
                           const Fields& fields = {}) {
    Fields all{{"Host", "127.0.0.1"},
               {"Content-Type", "application/json"},
               {"Accept", "application/json, text/event-stream"},
               {"Content-Length", std::to_string(body.size())}};
    if (method != "POST") all.resize(1);
    if (method == "GET") all.emplace_back("Accept", "text/event-stream");
    for (const auto& [name, value] : fields) {
        std::erase_if(all, [&](const auto& field) { return field.first == name; });
        if (!value.empty()) all.emplace_back(name, value);
    }
    std::string text = method + " " + path + " HTTP/1.1\r\n";
    for (const auto& [name, value] : all) text += name + ": " + value + "\r\n";
    return text + "\r\n" + body;
}

inline const std::string kMeta =
    R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}})";

inline std::string modern(const std::string& id, const std::string& method, const std::string& params = {},
                          const std::string& meta = kMeta) {
    return R"({"jsonrpc":"2.0","id":)" + id + R"(,"method":")" + method + R"(","params":{)" + params +
           (params.empty() || meta.empty() ? "" : ",") + meta + "}}";
}

inline std::string legacy(const std::string& id, const std::string& method, const std::string& params = {}) {
    return R"({"jsonrpc":"2.0","id":)" + id + R"(,"method":")" + method + R"(","params":{)" + params + "}}";
}

inline Fields modern_fields(const std::string& method, const std::string& name = {}) {
    Fields fields{{"MCP-Protocol-Version", "2026-07-28"}, {"Mcp-Method", method}};
    if (!name.empty()) fields.emplace_back("Mcp-Name", name);
    return fields;
}

inline Fields operator+(Fields fields, const Fields& more) {
    fields.insert(fields.end(), more.begin(), more.end());
    return fields;
}

inline std::string echo_params(const std::string& message) {
    return R"("name":"demo_echo","arguments":{"message":")" + message + "\"}";
}

/// Our own server with a tool for everything, so that nothing has to be installed.
inline std::string everything_server(const std::string& more = {}) {
    return "  - name: every\n    command: " + gantry::test_support::built_path("examples/everything_server") +
           "\n    args: [--stdio]\n" + more;
}

inline const std::string kConfig = "demo_tools: true\nservers:\n" + everything_server();

/// A gateway as a process. Whatever a test did to it: afterwards the same process still answers.
class BadClientTest : public ::testing::Test {
protected:
    void SetUp() override { start(kConfig); }
    void TearDown() override {
        if (!gateway_) return;
        EXPECT_EQ(::kill(pid_, 0), 0) << "the gateway is gone: " << gateway_->child().err();
        EXPECT_EQ(call_echo("still here"), "still here");
        gateway_.reset();  // before the servers a test made for it
    }

    void start(const std::string& config, const std::string& state = {}) {
        gateway_.reset();
        gateway_ = std::make_unique<Gateway>(config, state);
        port_ = gateway_->port();
        pid_ = gateway_->child().pid();
    }

    /// Ends the gateway before the servers of a test go; TearDown() has then nothing more to ask it.
    void gateway_gone() {
        EXPECT_EQ(call_echo("still here"), "still here");
        gateway_.reset();
    }

    Gateway& gateway() { return *gateway_; }
    int port() const { return port_; }
    int pid() const { return pid_; }
    RawClient connect() const { return RawClient(port_); }

    /// Open descriptors of the gateway.
    std::size_t descriptors() const {
        std::error_code gone;
        const std::filesystem::directory_iterator entries("/proc/" + std::to_string(pid_) + "/fd", gone);
        return static_cast<std::size_t>(std::distance(begin(entries), end(entries)));
    }
    /// What the gateway holds in memory now, and the most it ever held, in bytes.
    std::size_t memory() const { return status_of_process("VmRSS:"); }
    std::size_t peak() const { return status_of_process("VmHWM:"); }

    /// Bounds hold for what users run: a sanitizer keeps what was freed, and more beside it.
    static void expect_below(std::size_t used, std::size_t bound) {
#if !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer)
        EXPECT_LT(used, bound);
#else
        static_cast<void>(used), static_cast<void>(bound);
#endif
    }

    /// One request on a connection of its own.
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

    /// Opens a legacy session and says so; its id.
    std::string initialize(const std::string& path = "/mcp", const std::string& version = "2025-11-25",
                           const std::string& capabilities = "{}") const {
        const RawReply opened = post(legacy("0", "initialize",
                                            R"("protocolVersion":")" + version + R"(","capabilities":)" + capabilities +
                                                R"(,"clientInfo":{"name":"bad","version":"1"})"),
                                     {}, path);
        const std::string session = opened.header("mcp-session-id");
        EXPECT_FALSE(session.empty()) << opened.head << opened.body;
        EXPECT_EQ(post(R"({"jsonrpc":"2.0","method":"notifications/initialized"})", {{"Mcp-Session-Id", session}}, path)
                      .status,
                  202);
        return session;
    }

private:
    std::size_t status_of_process(std::string_view line) const {
        std::ifstream status("/proc/" + std::to_string(pid_) + "/status");
        std::string word;
        while (status >> word) {
            std::size_t kilobytes = 0;
            if (word == line && status >> kilobytes) return kilobytes * 1024;
        }
        return 0;
    }

    std::unique_ptr<Gateway> gateway_;
    int port_ = 0;
    int pid_ = -1;
};

}  // namespace gantry::testing
