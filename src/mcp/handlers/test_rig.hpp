#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "io/loop.hpp"
#include "mcp/handlers/server.hpp"

namespace gantry::mcp {

/// Parses JSON written by the test.
Json json(std::string_view text);

/// The client's end of the line: records notifications and answers questions.
class FakeLine final : public ReplyChannel {
public:
    std::vector<Json> told;
    std::vector<Json> asked;  // {method, params}
    /// Null: the client cannot be asked.
    std::function<Result<std::string>(std::string_view method, const Json& params)> on_ask;
    /// Questions wait until this is set, so that a test can see several of them in flight.
    Event* gate = nullptr;
    Duration hung_up{};

    bool notify(std::string message) override;
    Task<Result<void>> room(const Context&) override { co_return Result<void>(); }
    bool can_ask() const noexcept override { return static_cast<bool>(on_ask); }
    Task<Result<std::string>> ask(const Context& ctx, std::string_view method, std::string params) override;
    void hang_up(Duration retry) override { hung_up = retry; }
};

/// A server, and clients that talk to it without a wire.
class Rig {
public:
    explicit Rig(ServerOptions options = {});
    ~Rig();

    Loop loop;
    Server server;
    FakeLine line;  // used unless a test supplies its own
    const http::Headers* headers = nullptr;
    std::optional<LogLevel> log_level;
    CancelSource cancel;

    static PeerPtr peer(Revision revision, std::string_view capabilities = "{}", std::string identity = "ann");
    static PeerPtr modern(std::string_view capabilities = "{}", std::string identity = "ann") {
        return peer(Revision::k2026_07_28, capabilities, std::move(identity));
    }
    static PeerPtr legacy(std::string_view capabilities = "{}", std::string identity = "ann") {
        return peer(Revision::k2025_11_25, capabilities, std::move(identity));
    }

    /// The whole response; null if nothing is sent.
    Json request(PeerPtr peer, std::string method, Json params = JsonObject{});
    Task<Json> request_task(PeerPtr peer, std::string method, Json params, FakeLine& line);
    /// The response's result; fails the test if it is an error.
    Json result(PeerPtr peer, std::string method, Json params = JsonObject{});
    /// The response's error code; 0 if it is a result.
    std::int64_t error(PeerPtr peer, std::string method, Json params = JsonObject{});
    Json call(PeerPtr peer, std::string tool, Json arguments = JsonObject{}) {
        return result(std::move(peer), "tools/call",
                      JsonObject{{"name", std::move(tool)}, {"arguments", std::move(arguments)}});
    }
    /// Runs the server's tasks until none makes progress.
    void settle();
};

/// The text of a result's first block.
std::string text_of(const Json& result);
ElicitParams form(std::string message, std::string_view schema);
CallToolResult text_result(std::string text);

}  // namespace gantry::mcp
