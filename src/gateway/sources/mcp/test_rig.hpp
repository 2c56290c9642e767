#pragma once
// A scripted server, a source in front of it and a caller, for the tests of this folder.

#include <gtest/gtest.h>

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gateway/sources/mcp/params.hpp"
#include "gateway/sources/mcp/source.hpp"
#include "gateway/sources/mcp/start_limiter.hpp"
#include "io/loop.hpp"
#include "mcp/transport/memory.hpp"
#include "mcp/transport/testing.hpp"

namespace gantry::gateway {

/// The pipeline's guard is not part of these tests, so this one admits the calls.
class Guard {
public:
    static AdmittedCall admit(ResolvedCall call) { return AdmittedCall(std::move(call)); }
};

}  // namespace gantry::gateway

namespace gantry::gateway::testing {

using mcp::testing::watchdog;

class Script;

/// One connection to the scripted server.
struct Peer {
    Script& script;
    int number = 0;
    std::shared_ptr<mcp::Connection> connection;
    /// Capabilities declared in initialize; null before.
    Json capabilities = nullptr;
    std::vector<std::string> heard = {};
    bool open = true;

    /// Sends a request from the server and returns the client's answer.
    Task<std::expected<Json, RpcError>> ask(std::string method, Json params);
    /// The same without waiting for the answer.
    Task<std::string> post(std::string method, Json params);
    Task<void> notify(std::string method, Json params = nullptr);

    std::map<std::string, std::expected<Json, RpcError>> answers = {};
    int asked = 0;
};
using PeerPtr = std::shared_ptr<Peer>;

/// A request as the server received it.
struct ReceivedRequest {
    std::string method;
    Json params;
    mcp::RequestId id;

    std::string text(const std::string& pointer) const {
        const Json* found = params.at_pointer(pointer);
        return found != nullptr && found->is_string() ? *found->if_string() : std::string();
    }
};

/// A server with scripted answers. Requests run concurrently.
class Script {
public:
    using Answer = std::expected<Json, RpcError>;
    using Handler = std::function<Task<Answer>(PeerPtr peer, ReceivedRequest asked)>;

    explicit Script(mcp::Revision spoken);

    mcp::Revision revision;
    /// The modern server opens legacy sessions too.
    bool both_eras = false;
    JsonObject capabilities;
    JsonArray tools;
    /// Tools listed on a connection in addition to `tools`.
    std::function<JsonArray(const Peer& peer)> more_tools = {};
    /// The number of connects that fail next; -1: all.
    int refuse = 0;
    int connecting = 0;
    std::vector<PeerPtr> peers;
    std::vector<std::string> heard;  // methods received, over all connections
    std::map<std::string, ReceivedRequest> last;
    bool gate = false;  // for handlers that wait

    void on(std::string method, Handler handler) { handlers_[std::move(method)] = std::move(handler); }
    /// Adds a tool and its handler.
    void tool(std::string name, Handler handler, JsonObject more = {});
    void reply(std::string method, Json result);

    std::size_t count(const std::string& method) const;
    std::size_t open_peers() const;
    Task<bool> until(std::function<bool()> condition);

    std::unique_ptr<mcp::Transport> transport();
    Task<void> close();

private:
    friend class ScriptTransport;
    void accept(std::unique_ptr<mcp::Connection> end);
    Task<void> serve(PeerPtr peer);
    Task<void> respond(PeerPtr peer, ReceivedRequest asked);
    Task<Answer> answer(PeerPtr peer, ReceivedRequest asked);

    std::map<std::string, Handler> handlers_;
    std::map<std::string, Handler> tool_handlers_;
    Scope scope_;
};

/// A reply line that records what the caller receives.
class Line final : public ReplyLine {
public:
    bool progress_wanted = false;
    std::optional<mcp::LogLevel> level = {};
    bool takes_logs = false;
    bool askable = false;
    std::vector<std::string> progresses;
    std::vector<std::string> logs;
    std::vector<std::pair<std::string, std::string>> questions;
    std::vector<Duration> pauses;
    /// The answer it gives to questions; empty: it never answers.
    std::string answer = R"({"action":"accept","content":{"name":"Ada"}})";

    bool wants_progress() const noexcept override { return progress_wanted; }
    void progress(std::string_view params) override { progresses.emplace_back(params); }
    std::optional<mcp::LogLevel> log_level() const noexcept override { return level; }
    bool takes_unasked_logs() const noexcept override { return takes_logs; }
    void log(std::string_view params) override { logs.emplace_back(params); }
    bool can_ask() const noexcept override { return askable; }
    Task<Result<std::string>> ask(const Context& ctx, std::string_view method, std::string params) override;
    void hang_up(Duration retry) override { pauses.push_back(retry); }
};

/// A caller: its principal and its client.
struct Caller {
    explicit Caller(std::string id, mcp::Revision revision = mcp::kLatestRevision, std::string capabilities = "{}",
                    std::string session = {});

    std::shared_ptr<const Principal> principal;
    ClientTraits traits;
    Line line;
};

struct CallWith {
    Verb verb = Verb::kCallTool;
    std::string arguments = "{}";
    std::optional<std::string> state = {};
    std::string responses = {};    // inputResponses
    std::string public_name = {};  // empty: the source's own name
    std::string more = {};         // additional members of params
    ItemPtr item = {};             // null: the item of that name that all clients are offered
    std::string correlation_id = {};
    Context ctx = watchdog();
};

/// A call that runs concurrently with the test.
struct Running {
    std::optional<Result<Output>> output;
    CancelSource stop;
};

struct Rig {
    explicit Rig(Loop& on, mcp::Revision revision);

    Loop& loop;
    Script server;
    mcp::Wire wire = mcp::Wire::kPipe;
    McpServerSpec spec;
    McpSourceOptions options;
    std::shared_ptr<McpSource> source;
    std::vector<SourceChange> changes;
    std::vector<std::string> problems;
    Scope scope;

    void make();
    /// Makes the source, starts it and waits until it is ready.
    Task<bool> start();
    Task<Result<Output>> call(Caller& caller, std::string own_name, CallWith with = {});
    std::shared_ptr<Running> begin(Caller& caller, std::string own_name, CallWith with = {});
    Task<bool> until(std::function<bool()> condition) { return server.until(std::move(condition)); }
    ItemPtr item(std::string_view name) const;
    Task<void> end();
};

/// Runs `body` with a rig on a loop of its own and cleans up.
void run(mcp::Revision revision, Task<void> (*body)(Rig& rig));

Json parse(std::string_view text);
/// {"content":[{"type":"text","text":…}]}
Json said(std::string text);
/// The text of the first content block.
std::string text_of(const Result<Output>& output);
std::string why(const Result<Output>& output);
std::int64_t code_of(const Result<Output>& output);
/// The key of the n-th question.
std::string key_of(const Output& output, std::size_t n = 0);
/// inputResponses that accept every question with a name.
std::string accept_all(const Output& output, std::string name);

inline constexpr auto kLegacy = mcp::Revision::k2025_11_25;
inline constexpr auto kModern = mcp::Revision::k2026_07_28;
inline const std::string kElicits = R"({"elicitation":{}})";

/// A handler that asks for a name, then greets.
Task<Script::Answer> greet(PeerPtr peer, ReceivedRequest asked);
/// A handler that returns its argument `word`.
Task<Script::Answer> echo(PeerPtr peer, ReceivedRequest asked);
/// A handler that answers once `gate` is open.
Task<Script::Answer> wait_for_gate(PeerPtr peer, ReceivedRequest asked);

}  // namespace gantry::gateway::testing
