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

/// What a handler has besides its arguments: who calls, and the way back.
///
/// Asking. A legacy client is asked while its request waits. A modern client is asked by ending the request: the
/// first ask whose answer is not there yet fails, the handler returns that error, and the server answers
/// `input_required`. The client comes back with the answers and the handler runs AGAIN from its beginning; asks
/// that were answered in earlier rounds return at once. So: ask before changing anything, under keys that are the
/// same in every run, and pass errors of asks up.
///
///     auto name = co_await call.elicit(ctx, "user_name", {.message = "Who?", .requested_schema = …});
///     if (!name) co_return fail(name.error());
///
/// Inside a task there is one run only: asks wait there until the client answers through the task.
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

    /// Tells how far the call is. False when the client did not ask for it, reads too slowly, or the value does not
    /// increase: peers may rely on that. In a task the message becomes its status message.
    bool progress(double progress, std::optional<double> total = {}, std::string_view message = {});
    /// False when the client does not want to hear it.
    bool log(LogLevel level, Json data, std::string_view logger = {});
    /// Waits until progress() and log() have room again.
    Task<Result<void>> room(const Context& ctx);

    Task<Result<ElicitResult>> elicit(const Context& ctx, std::string key, ElicitParams params);
    Task<Result<CreateMessageResult>> sample(const Context& ctx, std::string key, CreateMessageParams params);
    Task<Result<std::vector<Root>>> roots(const Context& ctx, std::string key);
    /// Several questions at once, in one round. The answers by key, each checked against its question; see
    /// read_answer().
    Task<Result<InputResponses>> ask_all(const Context& ctx, InputRequests requests);
    /// 0 in the first run, then how often the client has come back. Always 0 where no rounds are needed.
    std::int64_t round() const noexcept { return round_; }
    /// One of them as ElicitResult, CreateMessageResult or ListRootsResult.
    template <class T>
    Result<T> read_answer(const InputResponses& answers, std::string_view key) const;

    /// An error when the client did not declare all of it; the client is told what is missing.
    Result<void> need(const ClientCapabilities& required) const;

    /// From here on the call is a task: its request is answered with a handle, the handler goes on. False when the
    /// client does not know tasks; the call then just goes on. Only for tools declared with task support.
    Result<bool> become_task(std::string status_message = {});
    bool in_task() const noexcept { return task_ != nullptr; }

    /// Legacy HTTP: ends the response early; the client fetches the rest, answer included, after `retry`.
    void hang_up(Duration retry);

private:
    friend class ServerCore;
    friend struct ToolRun;

    /// How a client can be asked.
    enum class Asking : std::uint8_t { kNever, kOnLine, kByRounds, kInTask };

    ServerCall(const Call& call, ReplyLine& line, JsonObject meta, Asking asking);
    void adopt(TaskTable& table, TaskPtr task);
    /// The line is about to go away.
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
    ReplyLine* line_;
    JsonObject meta_;
    std::string progress_token_;  // as it was spelt; empty: none
    std::optional<LogLevel> log_level_;
    Asking asking_;
    std::optional<double> last_progress_;

    // By rounds.
    std::int64_t round_ = 0;
    JsonObject answers_;     // brought by the client, or kept in its state
    JsonObject used_;        // those a question of this run was about
    InputRequests pending_;  // what the client has to answer next

    // Tasks. The run makes one of itself; null when its tool may not.
    std::function<Result<bool>(std::string)> make_task_;
    TaskTable* table_ = nullptr;
    TaskPtr task_;
};

}  // namespace gantry::mcp
