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

class NotificationStream;

struct CallSettings {
    /// Empty: the client's defaults.
    std::optional<CallTimes> times;
    std::function<void(const Progress&)> on_progress;
    /// Validate arguments before sending and structured results on receipt, if the tool's schemas are known.
    bool validate = true;
    /// How long a 2025-11-25 server is asked to keep the task, if the call becomes one.
    std::optional<Duration> task_ttl;
};

/// How a task is polled to its end.
struct FollowSettings {
    /// The tool whose output schema the result is validated against; empty: not validated.
    std::string tool;
    /// Cancel the task if the caller stops waiting. If false, it continues and may be followed again.
    bool cancel_when_given_up = true;
};

/// A long-lived client of one server: the same calls for both eras, kept connected by a supervisor.
///
/// Single loop. Any number of calls may be in flight. close() is required before destruction.
///
/// A request that was never sent is retried; one with unknown outcome is retried only if that is safe: it is
/// read-only, or the tool is declared idempotent. A call spans at most `call_reconnect_attempts` attempts, however many
/// requests it consists of, and fails with kOutcomeUnknown if any of them may have run.
class Client {
public:
    Client(Route route, ClientSettings settings);
    ~Client();
    Client(const Client&) = delete;
    Client& operator=(const Client&) = delete;

    /// The first connect; later ones are the supervisor's. On failure nothing is left running.
    Task<Result<void>> connect(const Context& ctx);
    /// Connects if disconnected; concurrent callers share one connect. See Supervisor.
    Task<Result<void>> connect_on_demand(const Context& ctx);
    /// Shuts down in bounded time. Later calls fail with kInvalidArgument.
    Task<void> close();

    /// If it is backing off before a reconnect, attempts it now.
    void retry_now() noexcept { supervisor_.retry_now(); }
    /// Replaces the live session by a new one, using the transport's current configuration.
    void renew() {
        if (const auto live = supervisor_.live_session()) supervisor_.renew(live);
    }
    ConnectionState state() const noexcept { return supervisor_.state(); }
    /// Why there is no connection, as far as known; empty while connected.
    const std::optional<Error>& trouble() const noexcept { return supervisor_.trouble(); }
    void watch(Supervisor::OnState watcher) { supervisor_.watch(std::move(watcher)); }
    const ClientSettings& settings() const noexcept { return settings_; }
    const ServerDescription& server() const noexcept { return supervisor_.server(); }
    /// For tests and diagnostics.
    const ToolSchemas& schemas() const noexcept { return schemas_; }

    // Lists are returned with all pages, cached while fresh. A list the server does not offer is empty. An invalid
    // entry is skipped and reported to on_skipped; the others are kept.
    Task<Result<std::vector<Tool>>> list_tools(const Context& ctx, bool refresh = false);
    Task<Result<std::vector<Resource>>> list_resources(const Context& ctx, bool refresh = false);
    Task<Result<std::vector<ResourceTemplate>>> list_resource_templates(const Context& ctx, bool refresh = false);
    Task<Result<std::vector<Prompt>>> list_prompts(const Context& ctx, bool refresh = false);

    /// From the last list, even if that is stale; the list is fetched if it lacks the name. Null: the server does not
    /// list it.
    Task<Result<ToolDefinition>> find_tool(const Context& ctx, std::string name);

    /// If the server turns the call into a task, the task is followed to its end.
    Task<Result<CallToolResult>> call_tool(const Context& ctx, std::string name, JsonObject arguments,
                                           CallSettings call = {});
    Task<Result<ReadResourceResult>> read_resource(const Context& ctx, std::string uri);
    Task<Result<GetPromptResult>> get_prompt(const Context& ctx, GetPromptParams params);
    Task<Result<CompleteResult>> complete(const Context& ctx, CompleteParams params);
    Task<Result<void>> set_log_level(const Context& ctx, LogLevel level);
    Task<Result<void>> ping(const Context& ctx);

    /// Subscribes to changes of a resource; kept across reconnects.
    Task<Result<void>> subscribe(const Context& ctx, std::string uri);
    Task<Result<void>> unsubscribe(const Context& ctx, std::string uri);

    /// Subscribes to changes of these tasks on a modern server (SessionHandlers::on_task_changed), replacing the
    /// previous set; kept across reconnects. Returns the ids the server will report. A legacy server reports tasks or
    /// not, without a subscription.
    Task<Result<std::set<std::string>>> follow_tasks(const Context& ctx, std::set<std::string> ids);

    // Explicit tasks: the extension on a modern server, the experimental form on 2025-11-25.
    using Started = std::variant<CallToolResult, TaskState>;
    /// Starts the tool as a task, or returns its result if the server prefers that or does not support tasks.
    Task<Result<Started>> start_tool(const Context& ctx, std::string name, JsonObject arguments, CallSettings call = {},
                                     bool prefer_task = true);
    Task<Result<TaskState>> get_task(const Context& ctx, std::string task_id);
    Task<Result<void>> cancel_task(const Context& ctx, std::string task_id);
    /// Follows the task, answering its input requests, and returns what the tool would have returned.
    Task<Result<CallToolResult>> finish_task(const Context& ctx, TaskState task, FollowSettings follow = {});
    /// All tasks of this client known to the server. kUnsupported if the protocol or the server has no such list, as in
    /// the extension.
    Task<Result<std::vector<TaskState>>> list_tasks(const Context& ctx);

    /// Notifies a legacy server that the roots changed; it then asks for them. A modern one asks as needed.
    Task<Result<void>> announce_roots(const Context& ctx);

    /// Any method without a typed call; retried after a lost connection only if `repeatable`.
    Task<Result<Json>> request(const Context& ctx, SessionRequest request, bool repeatable);

    /// Forwards a request and returns the answer as received (relay.hpp): no input rounds, no schema validation, no
    /// caching. `request` and all it refers to must live until completion, for a stream until its first piece.
    ///
    /// Errors. kRpc: the server's own, see rpc(). kConnection: it was never sent, even after the attempts a call gets.
    /// kOutcomeUnknown: it may have run; retried only if `repeatable`. kTimeout, kCancelled: abandoned, and the server
    /// was notified. kLimit, kParse, kProtocol: the answer must not be forwarded. kUnauthorized, kDenied: about our
    /// credentials, without the server's text. kProtocol with rpc() set: -32020 or -32022, which concern this hop only;
    /// for the former the tool's headers were looked up again, for the latter the session was renewed, and one more
    /// attempt did not help.
    Task<Result<RelayAnswer>> relay(const Context& ctx, const RelayRequest& request, bool repeatable);

    /// The live session, or null: the negotiated revision, and the wire in use.
    std::shared_ptr<Session> session() const { return supervisor_.live_session(); }

private:
    struct ListSource {
        const char* method;
        const char* member;  // of the result, the array of entries
        bool offered;        // the capability was declared
        bool announced;      // the server promised notifications of changes
    };
    template <class Page, class Item>
    Task<Result<std::vector<Item>>> list(const Context& ctx, bool refresh, ListSource source, ListCache<Item>& cache,
                                         std::vector<Item> Page::* items, RetryBudget& budget);
    Task<Result<std::vector<Tool>>> list_tools(const Context& ctx, bool refresh, RetryBudget& budget);
    template <class Answer>
    Task<Result<Answer>> ask(const Context& ctx, const char* method, Json params);
    Task<Result<Json>> request(const Context& ctx, SessionRequest request, bool repeatable, RetryBudget& budget);
    struct Relaying;
    Task<Result<void>> recover(const Context& ctx, Relaying& relaying, Error error);
    Task<Result<void>> mirror_again(const Context& ctx, Relaying& relaying, Error error);

    /// Null if no list seen so far has it.
    ToolDefinition known_definition(const std::string& name) const;
    /// Null if the server does not list it, or if it is not needed.
    Task<Result<ToolDefinition>> definition_of(const Context& ctx, std::string name, RetryBudget& budget);
    /// The definition whose schema the arguments satisfy; kSchema if they do not.
    Task<Result<ToolDefinition>> definition_for(const Context& ctx, const CallToolParams& params, bool validate,
                                                RetryBudget& budget);
    Task<Result<void>> check_structured(const Context& ctx, std::string name, const CallToolResult& result);
    Task<Result<Json>> send_call(const Context& ctx, CallToolParams params, const CallSettings& call,
                                 RetryBudget& budget);
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
    ToolSchemas schemas_;  // of the tools in tools_
    ListCache<Resource> resources_;
    ListCache<ResourceTemplate> templates_;
    ListCache<Prompt> prompts_;
    std::set<std::string> subscribed_;
    std::set<std::string> followed_tasks_;
    std::set<std::string> honoured_tasks_;  // by the current listener
    std::unique_ptr<NotificationStream> listener_;
    AsyncMutex listening_;
    bool connected_before_ = false;
    bool closed_ = false;
};

}  // namespace gantry::mcp
