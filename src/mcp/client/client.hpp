#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "gantry/mcp/types.hpp"
#include "io/scope.hpp"
#include "mcp/client/list_cache.hpp"
#include "mcp/client/session.hpp"
#include "mcp/client/settings.hpp"
#include "mcp/client/supervisor.hpp"
#include "mcp/client/tool_schemas.hpp"

namespace gantry::mcp {

class Listener;

struct CallSettings {
    /// Empty: those of the client.
    std::optional<CallTimes> times;
    std::function<void(const Progress&)> on_progress;
    /// Checks arguments before sending and structured results after, against the tool's schemas as far as known.
    bool validate = true;
    /// How long a server of 2025-11-25 is asked to keep the task, if the call becomes one.
    std::optional<Duration> task_ttl;
};

/// How a task is followed to its end.
struct FollowSettings {
    /// The tool whose output schema the result is checked against; empty: not checked.
    std::string tool;
    /// Whoever stops waiting no longer wants the task. Without this it goes on and may be followed again.
    bool cancel_when_given_up = true;
};

/// A lasting client of one server: the same calls whatever its era, kept alive by a supervisor.
///
/// Belongs to one loop. Any number of calls may be in flight. Destroying it requires close() first.
///
/// A request that was never sent is tried again; one whose outcome is unknown is repeated only when that is safe:
/// it only reads, or the tool says it is idempotent. A call sees at most `call_reconnect_attempts` of that, whatever
/// it is made of, and ends with kOutcomeUnknown if any of them may have run.
class Client {
public:
    Client(Route route, ClientSettings settings);
    ~Client();
    Client(const Client&) = delete;
    Client& operator=(const Client&) = delete;

    /// The first connect; later ones are the supervisor's. Fails with a descriptive error and leaves nothing behind.
    Task<Result<void>> connect(const Context& ctx);
    /// Ends everything in bounded time. Later calls answer kInvalidArgument.
    Task<void> close();

    /// Where it waits before the next attempt to reconnect: makes it now.
    void hurry() noexcept { supervisor_.hurry(); }
    /// Opens a new session in the place of the live one, with whatever the transport uses by now.
    void renew() {
        if (const auto live = supervisor_.live_session()) supervisor_.renew(live);
    }
    ConnectionState state() const noexcept { return supervisor_.state(); }
    /// Why there is no connection, as far as known; empty while there is one.
    const std::optional<Error>& trouble() const noexcept { return supervisor_.trouble(); }
    void watch(Supervisor::OnState watcher) { supervisor_.watch(std::move(watcher)); }
    const ClientSettings& settings() const noexcept { return settings_; }
    const ServerDescription& server() const noexcept { return supervisor_.server(); }
    /// For tests and diagnostics.
    const ToolSchemas& schemas() const noexcept { return schemas_; }

    // Lists come whole, from memory while fresh. A list the server does not offer is empty. An entry that breaks the
    // rules is left out and told to on_skipped; the others stay.
    Task<Result<std::vector<Tool>>> list_tools(const Context& ctx, bool refresh = false);
    Task<Result<std::vector<Resource>>> list_resources(const Context& ctx, bool refresh = false);
    Task<Result<std::vector<ResourceTemplate>>> list_resource_templates(const Context& ctx, bool refresh = false);
    Task<Result<std::vector<Prompt>>> list_prompts(const Context& ctx, bool refresh = false);

    /// A task the server makes of the call is followed to its end.
    Task<Result<CallToolResult>> call_tool(const Context& ctx, std::string name, JsonObject arguments,
                                           CallSettings call = {});
    Task<Result<ReadResourceResult>> read_resource(const Context& ctx, std::string uri);
    Task<Result<GetPromptResult>> get_prompt(const Context& ctx, GetPromptParams params);
    Task<Result<CompleteResult>> complete(const Context& ctx, CompleteParams params);
    Task<Result<void>> set_log_level(const Context& ctx, LogLevel level);
    Task<Result<void>> ping(const Context& ctx);

    /// Ask to be told about changes of a resource; kept across reconnects.
    Task<Result<void>> subscribe(const Context& ctx, std::string uri);
    Task<Result<void>> unsubscribe(const Context& ctx, std::string uri);

    /// Asks a modern server to be told about changes of these tasks (SessionHandlers::on_task_changed): the whole set,
    /// every time; kept across reconnects. Answers those it will tell about. A legacy server tells or does not,
    /// unasked.
    Task<Result<std::set<std::string>>> follow_tasks(const Context& ctx, std::set<std::string> ids);

    // Tasks by hand: the extension on a modern server, the experimental form on 2025-11-25.
    using Started = std::variant<CallToolResult, TaskState>;
    /// Starts the tool as a task, or answers at once if the server prefers to or knows no tasks.
    Task<Result<Started>> start_tool(const Context& ctx, std::string name, JsonObject arguments, CallSettings call = {},
                                     bool prefer_task = true);
    Task<Result<TaskState>> get_task(const Context& ctx, std::string task_id);
    Task<Result<void>> cancel_task(const Context& ctx, std::string task_id);
    /// Follows the task, answering what it asks on the way, and returns what the tool would have returned.
    Task<Result<CallToolResult>> finish_task(const Context& ctx, TaskState task, FollowSettings follow = {});
    /// All tasks of ours the server knows. kUnsupported where the protocol or the server has no such list, as in the
    /// extension.
    Task<Result<std::vector<TaskState>>> list_tasks(const Context& ctx);

    /// Tells a legacy server that the roots changed; it then asks for them. A modern one asks whenever it needs them.
    Task<Result<void>> announce_roots(const Context& ctx);

    /// Any method, for what has no typed call; repeated after a lost connection only if `repeatable`.
    Task<Result<Json>> request(const Context& ctx, SessionRequest request, bool repeatable);

    /// Passes somebody's request on and brings the answer as it came (relay.hpp): no input rounds, no schemas, nothing
    /// from memory. `request` and all it refers to must live until the end; so must they for a stream's first piece.
    ///
    /// Errors. kRpc: the server's own, see rpc(). kConnection: it was never sent, also after the attempts a call gets.
    /// kOutcomeUnknown: it may have run; tried again only if `repeatable`. kTimeout, kCancelled: given up, and the
    /// server told. kLimit, kParse, kProtocol: the answer was none that may be passed on. kUnauthorized, kDenied: about
    /// our credentials, with no words of the server. kProtocol with rpc() set: -32020 or -32022, which concern this
    /// hop alone; for the first the tool's headers were looked up again, for the second the session was renewed, and
    /// one more attempt did not help.
    Task<Result<RelayAnswer>> relay(const Context& ctx, const RelayRequest& request, bool repeatable);

    /// The live session, or null: what was agreed on, and over which wire.
    std::shared_ptr<Session> session() const { return supervisor_.live_session(); }

private:
    struct ListSource {
        const char* method;
        const char* member;  // of the result, that holds the entries
        bool offered;        // the capability is declared
        bool announced;      // the server promised to tell about changes
    };
    template <class Page, class Item>
    Task<Result<std::vector<Item>>> list(const Context& ctx, bool refresh, ListSource source, ListCache<Item>& cache,
                                         std::vector<Item> Page::* items, Effort& effort);
    Task<Result<std::vector<Tool>>> list_tools(const Context& ctx, bool refresh, Effort& effort);
    template <class Answer>
    Task<Result<Answer>> ask(const Context& ctx, const char* method, Json params);
    Task<Result<Json>> request(const Context& ctx, SessionRequest request, bool repeatable, Effort& effort);
    struct Relaying;
    Task<Result<void>> recover(const Context& ctx, Relaying& relaying, Error error);
    Task<Result<void>> mirror_again(const Context& ctx, Relaying& relaying, Error error);

    /// Null when no list we have seen names it.
    ToolDefinition known_definition(const std::string& name) const;
    /// Null when the server does not list it, or when there is no need to ask.
    Task<Result<ToolDefinition>> definition_of(const Context& ctx, std::string name, Effort& effort);
    /// The definition the arguments fit; kSchema when they do not.
    Task<Result<ToolDefinition>> definition_for(const Context& ctx, const CallToolParams& params, bool validate,
                                                Effort& effort);
    Task<Result<void>> check_structured(const Context& ctx, std::string name, const CallToolResult& result);
    Task<Result<Json>> send_call(const Context& ctx, CallToolParams params, const CallSettings& call, Effort& effort);
    Task<Result<CallToolResult>> follow(const Context& ctx, TaskState task, bool cancel_when_given_up);
    Task<Result<CallToolResult>> finish_legacy_task(const Context& ctx, std::string task_id);
    Task<Result<TaskState>> advance(const Context& ctx, const TaskState& task, std::set<std::string>& answered);
    Task<Result<void>> answer_task(const Context& ctx, const TaskState& task, std::set<std::string>& answered);
    /// Whether calls carry Mcp-Param-* headers, which need the tool's schema.
    bool mirrors_headers() const noexcept;
    void drop_unusable(std::vector<Tool>& tools, bool tell) const;
    void left_out(Error why) const;

    Task<void> on_session(Context ctx, std::shared_ptr<Session> session);
    Task<Result<void>> listen(const Context& ctx, std::shared_ptr<Session> session);
    Task<void> stop_listening();
    void on_notification(const NotificationMessage& notification);
    void on_list_changed(ListKind kind);
    void on_gap();
    void on_list_announced(ListKind kind);
    void forget_lists();

    ClientSettings settings_;
    Wire wire_;
    Supervisor supervisor_;
    ListCache<Tool> tools_;
    ToolSchemas schemas_;  // of what is in tools_
    ListCache<Resource> resources_;
    ListCache<ResourceTemplate> templates_;
    ListCache<Prompt> prompts_;
    std::set<std::string> subscribed_;
    std::set<std::string> followed_tasks_;
    std::set<std::string> honoured_tasks_;  // by the present listener
    std::unique_ptr<Listener> listener_;
    AsyncMutex listening_;
    bool connected_before_ = false;
    bool closed_ = false;
};

}  // namespace gantry::mcp
