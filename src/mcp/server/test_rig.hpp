#pragma once
// A backend whose tools do what tests need, behind a real endpoint on loopback.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "auth/seal/sealer.hpp"
#include "io/http/client.hpp"
#include "io/http/server.hpp"
#include "io/loop.hpp"
#include "io/net/egress.hpp"
#include "io/scope.hpp"
#include "io/sse/parser.hpp"
#include "io/sync.hpp"
#include "mcp/server/backend.hpp"
#include "mcp/server/http_endpoint.hpp"

// gtest's ASSERT_ returns a plain value, which a coroutine cannot.
#define CO_ASSERT(condition)                         \
    if (!(condition)) {                              \
        ADD_FAILURE() << "not true: " << #condition; \
        co_return;                                   \
    }

namespace gantry::mcp::testing {

/// Of sixteen bytes each, in the result of the tool "long".
inline constexpr std::size_t kLongPieces = 1u << 20;

/// Generous for a loaded machine; only a failing test waits for it.
inline Context patiently() {
    return Context::background().within(seconds(30));
}

class FakeBackend final : public Backend {
public:
    Task<std::expected<std::shared_ptr<const Identity>, Refusal>> identify(const Context& ctx,
                                                                           const RequestOrigin& origin) override;
    Task<std::shared_ptr<const ServerProfile>> profile(const Context& ctx, const Peer& peer) override;
    Task<Answer> answer(const Context& ctx, const Call& call, ReplyChannel& line) override;
    void heard(const Peer& peer, std::string_view method, const Json& params) override;
    Task<Result<std::unique_ptr<Watch>>> watch(const Context& ctx, PeerPtr peer, Interest wanted,
                                               std::function<void(const Change&)> tell) override;
    void session_ended(const Peer& peer) override;

    /// Notifies every watcher.
    void change(const Change& change);
    Task<bool> until(bool (*condition)(FakeBackend&));

    std::shared_ptr<ServerProfile> self = std::make_shared<ServerProfile>();
    bool open = false;          // what "wait" waits for
    bool slow_profile = false;  // profile() waits for it too
    bool demands = false;       // requires a Bearer token, whose text is the identity
    std::size_t waiting = 0;    // calls of "wait" in flight
    std::size_t cancelled = 0;
    std::size_t identities = 0;
    std::vector<std::string> seen;   // "method peer-revision"
    std::vector<std::string> noted;  // notifications
    std::vector<std::string> ended;  // sessions
    std::vector<PeerPtr> peers;      // of every call
    std::size_t dropped = 0;         // notifications of "flood"
    std::set<class FakeWatch*> watches;
    Event changed;

private:
    Task<Answer> call_tool(const Context& ctx, const Call& call, ReplyChannel& line);
};

/// One response, read completely.
struct Reply {
    int status = 0;
    std::map<std::string, std::string> headers;  // names in lower case
    std::string body;

    std::string header(const std::string& name) const;
    Json json() const;
    /// The error code in the body, 0 if there is none.
    std::int64_t error() const;
    bool is_stream() const { return header("content-type") == "text/event-stream"; }
    /// The messages of an event stream.
    std::vector<Json> messages() const;
};

/// An event stream being read.
class Events {
public:
    explicit Events(http::Response response) : response_(std::move(response)) {}
    int status() const { return response_.status(); }
    std::string header(const std::string& name) const {
        return std::string(response_.headers().get(name).value_or("-"));
    }
    /// Empty: the stream ended, cleanly or not.
    Task<std::optional<sse::Event>> next();
    /// The next event with data, as JSON; null if the stream ended.
    Task<Json> message();
    bool broken() const { return broken_; }
    void abort() { response_.abort(); }
    std::string last_id;

private:
    http::Response response_;
    sse::Parser parser_;
    bool broken_ = false;
};

using Fields = std::vector<std::pair<std::string, std::string>>;

struct Rig {
    Rig(Loop& loop, HttpEndpointOptions options);

    Task<Reply> send(std::string method, std::string body, Fields headers, std::string path = "/mcp");
    Task<std::optional<Events>> open(std::string method, std::string body, Fields headers, std::string path = "/mcp");

    /// A complete modern request; `params` are members after _meta.
    Task<Reply> modern(std::string id, std::string method, std::string params = "", Fields more = {});
    Task<std::optional<Events>> modern_stream(std::string id, std::string method, std::string params = "");
    /// A legacy message, in the session if there is one.
    Task<Reply> legacy(std::string body);
    Task<std::optional<Events>> legacy_stream(std::string body);
    /// initialize and initialized; keeps the session id.
    Task<bool> initialize(std::string version = "2025-11-25", std::string capabilities = R"({"elicitation":{}})");
    Fields session_headers() const;
    /// Replaces the endpoint, losing all its state.
    Task<void> restart();

    Loop& loop;
    HttpEndpointOptions options;
    auth::Sealer sealer;
    FakeBackend backend;
    FakeBackend other;  // under /other
    std::unique_ptr<HttpEndpoint> endpoint;
    net::EgressGuard guard;
    http::Client client;
    http::Server server;
    std::string session;
    std::string version = "2025-11-25";
    std::string token;  // Bearer

private:
    Task<void> serve(const Context& ctx, http::Exchange& exchange);
    Task<Result<http::Response>> request(std::string method, std::string body, Fields headers, std::string path);
};

using RigTest = Task<void> (*)(Rig& rig);
/// Runs `body` against a started endpoint, then closes everything.
void run_rig(RigTest body, HttpEndpointOptions options = {});

/// The headers and body of a modern request.
std::string modern_body(const std::string& id, const std::string& method, const std::string& params = "",
                        const std::string& meta = "");
Fields modern_headers(const std::string& method, const std::string& params = "");
std::string legacy_request(const std::string& id, const std::string& method, const std::string& params = "");
std::string call(const std::string& tool, const std::string& arguments = "{}");

}  // namespace gantry::mcp::testing
