#pragma once
// Test support: servers that report what reached them (tests/peers/watched_server.mjs) behind the gateway, and clients
// that record notifications.

#include <gmock/gmock.h>

#include <atomic>
#include <map>
#include <mutex>
#include <set>

#include "gateway/rig.hpp"

namespace gantry::testing {

inline std::string watched_js() {
    return dual_era_js().empty() ? std::string() : peer_file("watched_server.mjs");
}

/// How the gateway reaches the server under test.
enum class Reached : std::uint8_t { kStdioLegacy, kStdioModern, kHttpLegacy, kHttpModern, kSse };
inline constexpr std::array kAllReached{Reached::kStdioLegacy, Reached::kStdioModern, Reached::kHttpLegacy,
                                        Reached::kHttpModern, Reached::kSse};
inline std::string to_string(Reached how) {
    switch (how) {
        case Reached::kStdioLegacy: return "stdio_legacy";
        case Reached::kStdioModern: return "stdio_modern";
        case Reached::kHttpLegacy: return "http_legacy";
        case Reached::kHttpModern: return "http_modern";
        case Reached::kSse: return "sse";
    }
    return {};
}

/// One watched server: a process of the test's own, or for stdio one that the gateway starts.
class Watched {
public:
    Watched(std::string name, Reached how, int port = 0) : name_(std::move(name)), how_(how) {
        if (how_ == Reached::kStdioLegacy || how_ == Reached::kStdioModern) return;
        std::vector<std::string> command{node(), watched_js(), name_, how_ == Reached::kSse ? "sse" : "http"};
        command.push_back(how_ == Reached::kHttpModern ? "modern" : "legacy");
        peer_ = std::make_unique<HttpPeer>(std::move(command), how_ == Reached::kSse ? "/sse" : "/mcp", port);
    }

    /// Its entry in the configuration.
    std::string entry(const std::string& more = {}) const {
        std::string text = "  - name: " + name_ + "\n";
        if (!peer_) {
            text += "    command: " + node() + "\n    args: [" + watched_js() + ", " + name_ + ", stdio]\n";
            text += std::string("    era: ") + (how_ == Reached::kStdioModern ? "modern" : "legacy") + "\n";
        } else {
            text += "    url: " + peer_->url() + "\n";
            if (how_ == Reached::kSse) text += "    transport: sse\n";
        }
        return text + more;
    }
    /// Its port; 0 on a pipe.
    int port() const {
        if (!peer_) return 0;
        const std::string& url = peer_->url();
        return std::stoi(url.substr(url.rfind(':') + 1));
    }
    std::string motto() const { return "watched://" + name_ + "/motto"; }

private:
    std::string name_;
    Reached how_;
    std::unique_ptr<HttpPeer> peer_;
};

/// Notifications that one client received.
struct Heard {
    std::mutex mutex;
    std::map<std::string, int> lists;  // by kind
    std::multiset<std::string> updated;
    std::vector<std::string> logs;
    std::vector<mcp::TaskState> tasks;

    int list_changes(const std::string& kind) {
        const std::scoped_lock lock(mutex);
        return lists[kind];
    }
    std::multiset<std::string> updates() {
        const std::scoped_lock lock(mutex);
        return updated;
    }
};

/// A client that records its notifications.
class Ear {
public:
    explicit Ear(ConnectOptions options) {
        options.handlers.on_list_changed = [heard = heard_](std::string_view what) {
            const std::scoped_lock lock(heard->mutex);
            ++heard->lists[std::string(what)];
        };
        options.handlers.on_resource_updated = [heard = heard_](const std::string& uri) {
            const std::scoped_lock lock(heard->mutex);
            heard->updated.insert(uri);
        };
        options.handlers.on_log = [heard = heard_](const mcp::LogMessage& message) {
            const std::scoped_lock lock(heard->mutex);
            heard->logs.push_back(message.data.dump());
        };
        options.handlers.on_task_changed = [heard = heard_](const mcp::TaskState& task) {
            const std::scoped_lock lock(heard->mutex);
            heard->tasks.push_back(task);
        };
        auto connected = connect(std::move(options));
        if (!connected) {
            ADD_FAILURE() << connected.error().to_string();
            return;
        }
        client_.emplace(*std::move(connected));
    }

    Client& client() { return *client_; }
    Heard& heard() { return *heard_; }
    bool lists(const std::string& tool) {
        auto tools = client_->list_tools();
        return tools && has_tool(*tools, tool);
    }
    std::string say(const std::string& tool, JsonObject arguments = {}, CallOptions call = {}) {
        auto result = client_->call(tool, std::move(arguments), std::move(call));
        return result ? result->text() : "failed: " + result.error().to_string();
    }

private:
    std::shared_ptr<Heard> heard_ = std::make_shared<Heard>();
    std::optional<Client> client_;
};

/// How a client reaches the gateway.
inline ConnectOptions over_http(const Gateway& gateway, Era era) {
    auto options = options_for(HttpServer{.url = gateway.url()});
    options.era = era;
    return options;
}
inline ConnectOptions over_sse(const Gateway& gateway) {
    auto options = options_for(HttpServer{.url = gateway.at("/sse"), .transport = HttpServer::Transport::kSse});
    options.era = Era::kLegacy;
    return options;
}
/// A private gateway on its stdin and stdout.
inline ConnectOptions over_stdio(const TempDir& folder, const std::string& config, Era era) {
    const std::string file = folder.path() + "/gantry.yaml";
    std::ofstream(file) << config;
    auto options = options_for(StdioServer{
        .command = gantry_program(), .args = {"stdio", "--config", file, "--state-dir", folder.path() + "/state"}});
    options.era = era;
    options.era_memory = EraMemory::kNone;
    return options;
}

}  // namespace gantry::testing
