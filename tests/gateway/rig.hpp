#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "gantry/client.hpp"
#include "gantry/json.hpp"
#include "interop/peers.hpp"
#include "support/child.hpp"
#include "support/paths.hpp"

namespace gantry::testing {

inline std::string gantry_program() {
    return gantry::test_support::built_path("gantry");
}

/// `gantry serve` as a child process, with a configuration written by the test.
class Gateway {
public:
    /// `config` is the configuration as YAML; `state` keeps keys between runs, empty: a new folder. `more` are further
    /// arguments. Returns once `started` has been printed, by default when every server has been tried.
    explicit Gateway(const std::string& config, std::string state = {}, const std::vector<std::string>& more = {},
                     std::string_view started = "Ctrl-C stops it") {
        rewrite(config);
        const std::string file = this->file();
        if (state.empty()) state = folder_.path() + "/state";
        state_ = state;
        std::vector<std::string> command{gantry_program(), "serve",       "--config",    file,
                                         "--listen",       "127.0.0.1:0", "--state-dir", state};
        command.insert(command.end(), more.begin(), more.end());
        child_ = std::make_unique<Child>(Child::Options{.command = std::move(command), .env = {}});
        if (!child_->wait_for_output(started)) {
            ADD_FAILURE() << "the gateway did not start: " << child_->err() << child_->out();
            return;
        }
        const std::string& out = child_->out();
        const auto at = out.find("http://");
        url_ = out.substr(at, out.find('\n', at) - at);
    }

    const std::string& url() const noexcept { return url_; }
    /// Another path of the same listener: "/health".
    std::string at(const std::string& path) const { return url_.substr(0, url_.rfind("/mcp")) + path; }
    int port() const { return std::stoi(url_.substr(url_.rfind(':') + 1)); }
    Child& child() noexcept { return *child_; }
    std::string file() const { return folder_.path() + "/gantry.yaml"; }
    const std::string& state() const noexcept { return state_; }

    /// Atomically replaces the configuration file.
    void rewrite(const std::string& config) const {
        std::ofstream(file() + ".new") << config;
        std::filesystem::rename(file() + ".new", file());
    }

private:
    TempDir folder_;
    std::string state_;
    std::unique_ptr<Child> child_;
    std::string url_;
};

/// An HTTP server of a test, which prints "listening PORT".
class HttpPeer {
public:
    /// `port` 0: any.
    explicit HttpPeer(std::vector<std::string> command, const std::string& path = "/mcp", int port = 0)
        : child_({.command = std::move(command), .env = {{"PORT", std::to_string(port)}}}) {
        if (!child_.wait_for_output("listening ")) {
            ADD_FAILURE() << "the server did not start: " << child_.err();
            return;
        }
        const auto at = child_.out().find("listening ") + 10;
        url_ = "http://127.0.0.1:" + std::to_string(std::stoi(child_.out().substr(at))) + path;
    }
    const std::string& url() const noexcept { return url_; }
    int pid() const noexcept { return child_.pid(); }

private:
    Child child_;
    std::string url_;
};

/// Runs one of the official TypeScript clients (tests/peers/client.mjs) and parses its output.
inline Json run_client(const std::string& version, const std::string& era, const std::string& transport,
                       const std::string& target, const Json& steps) {
    Child child(
        {.command = {node(), peer_file("client.mjs"), version, era, transport, target, steps.dump()}, .env = {}});
    if (!child.wait(std::chrono::seconds(120))) ADD_FAILURE() << "the client did not end: " << child.err();
    auto json = Json::parse(child.out());
    if (!json) {
        ADD_FAILURE() << "the client said: " << child.out() << child.err();
        return {};
    }
    return *std::move(json);
}

/// The text of the first content item of a step's result.
inline std::string text_of(const Json& run, std::size_t step) {
    const Json* text = run.at_pointer("/results/" + std::to_string(step) + "/content/0/text");
    return text == nullptr || !text->is_string() ? "no text in " + run.dump() : *text->if_string();
}

inline bool lists(const Json& run, std::string_view tool) {
    const Json* tools = run.find("tools");
    if (tools == nullptr || !tools->is_array()) return false;
    for (const Json& name : *tools->if_array()) {
        if (name == Json(tool)) return true;
    }
    return false;
}

inline std::string everything_stdio(const std::string& name, const std::string& more = {}) {
    return "  - name: " + name + "\n    command: " + node() + "\n    args: [" + everything_js() + ", stdio]\n" + more;
}
inline std::string dual_era_stdio(const std::string& name, const std::string& more = {}) {
    return "  - name: " + name + "\n    command: " + node() + "\n    args: [" + dual_era_js() + ", stdio]\n" + more;
}

}  // namespace gantry::testing
