#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gantry/mcp/types.hpp"
#include "mcp/handlers/task_table.hpp"
#include "mcp/server/call.hpp"

namespace gantry::mcp {

/// A handler's view of the call: the caller, and how to reach the client.
///
/// Asking. A legacy client is asked while its request is pending. A modern client is asked by ending the request: the
/// first ask without an answer fails, the handler returns that error, and the server answers `input_required`. The
/// client repeats the request with the answers and the handler RUNS AGAIN from the start; asks answered in earlier
/// rounds return at once. Therefore ask before any side effect, use the same keys in every run, and propagate their
/// errors.
///
///     auto name = co_await call.elicit(ctx, "user_name", {.message = "Who?", .requested_schema = …});
///     if (!name) co_return fail(name.error());
///
/// A task runs only once: an ask waits there until the client answers through the task.
class ServerCall {
public:
    ServerCall(const ServerCall&) = delete;
    ServerCall& operator=(const ServerCall&) = delete;

    const Peer& peer() const noexcept { return *peer_; }
    const PeerPtr& shared_peer() const noexcept { return peer_; }
    const ClientCapabilities& client() const noexcept { return peer_->capabilities; }
    const std::optional<Implementation>& client_info() const noexcept { return peer_->info; }
    /// The request's `_meta`.
    const JsonObject& meta() const noexcept { return meta_; }

    /// Reports progress. Returns false if the client did not ask for it, reads too slowly, or the value does not
    /// increase, which peers may rely on. In a task the message becomes its status message.
    bool progress(double progress, std::optional<double> total = {}, std::string_view message = {});
    /// Returns false if the client did not ask for messages of that level or the message was dropped.
    bool log(LogLevel level, Json data, std::string_view logger = {});
    /// Waits until progress() and log() have room again.
    Task<Result<void>> room(const Context& ctx);

    Task<Result<ElicitResult>> elicit(const Context& ctx, std::string key, ElicitParams params);
    Task<Result<CreateMessageResult>> sample(const Context& ctx, std::string key, CreateMessageParams params);
    Task<Result<std::vector<Root>>> roots(const Context& ctx, std::string key);
    /// Asks several questions in one round. Returns the validated answers by key; see read_answer().
    Task<Result<InputResponses>> ask_all(const Context& ctx, InputRequests requests);
    /// 0 in the first run, then the number of times the client has returned. Always 0 if no rounds are needed.
    std::int64_t round() const noexcept { return round_; }
    /// Decodes one answer as ElicitResult, CreateMessageResult or ListRootsResult.
    template <class T>
    Result<T> read_answer(const InputResponses& answers, std::string_view key) const;

    /// Fails unless the client declared all of `required`; the error tells the client what is missing.
    Result<void> need(const ClientCapabilities& required) const;

    /// Turns the call into a task: its request is answered with a handle and the handler continues. Returns false if
    /// the client does not support tasks; the call then continues as is. Only for tools declared with task support.
    Result<bool> become_task(std::string status_message = {});
    bool in_task() const noexcept { return task_ != nullptr; }

    /// Legacy HTTP: ends the response early; the client fetches the rest, including the answer, after `retry`.
    void hang_up(Duration retry);

private:
    friend class ServerCore;
    friend struct ToolRun;

    /// How the client can be asked.
    enum class Asking : std::uint8_t { kNever, kOnLine, kByRounds, kInTask };

    ServerCall(const Call& call, ReplyChannel& line, JsonObject meta, Asking asking);
    void adopt(TaskTable& table, TaskPtr task);
    /// The reply line is about to be destroyed.
    void detach() noexcept { line_ = nullptr; }

    Result<void> may_ask(const InputRequest& request) const;
    Error lacking(const ClientCapabilities& required, std::string_view what) const;
    Task<Result<Json>> ask(const Context& ctx, std::string key, InputRequest request);
    Task<Result<Json>> ask_on_line(const Context& ctx, std::string key, InputRequest request);
    Task<void> ask_into(Context ctx, std::string key, InputRequest request, std::optional<Result<Json>>& answer);
    Task<Result<InputResponses>> ask_in_task(const Context& ctx, InputRequests requests);
    Result<InputResponses> ask_by_rounds(InputRequests requests);
    bool notify(std::string_view method, Json params);

    PeerPtr peer_;
    ReplyChannel* line_;
    JsonObject meta_;
    std::string progress_token_;  // as spelt on the wire; empty: none
    std::optional<LogLevel> log_level_;
    Asking asking_;
    std::optional<double> last_progress_;

    // Multi-round state.
    std::int64_t round_ = 0;
    JsonObject answers_;     // sent by the client, or restored from its state
    JsonObject used_;        // those that a question of this run referred to
    InputRequests pending_;  // what the client has to answer next

    // Task state. Creates the task for this run; null if its tool may not become one.
    std::function<Result<bool>(std::string)> make_task_;
    TaskTable* table_ = nullptr;
    TaskPtr task_;
};

}  // namespace gantry::mcp
