#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "gateway/model/source_spec.hpp"
#include "gateway/ports/output.hpp"
#include "gateway/sources/mcp/options.hpp"
#include "gateway/sources/mcp/suspendable_call.hpp"
#include "io/scope.hpp"

namespace gantry::gateway {

/// Returns whether tools of that server can run as tasks of 2025-11-25.
bool runs_tasks(const mcp::ServerDescription& server);

/// How a tool call runs on a server of 2025-11-25.
enum class TaskWish : std::uint8_t {
    kNone,    ///< an ordinary call
    kHandle,  ///< a task whose handle goes to the client
    kFollow,  ///< a task because the tool requires one, followed to its end by the gateway
};
Result<TaskWish> task_wish(const AdmittedCall& call, const ForwardedCapabilities& forwarded,
                           const mcp::ServerDescription& server);

/// Tasks of 2025-11-25 whose handles clients hold. Each lives in the session that created it, which stays open for it.
///
/// A modern client sees them in the extension's form: the result inside tasks/get, questions as inputRequests. A legacy
/// client sees them unchanged, under ids of ours.
class LegacyTasks {
public:
    /// All arguments must outlive it. `tell` receives the state of followed tasks: the task in the extension's form,
    /// under its id here.
    using Tell = std::function<void(Json task)>;
    LegacyTasks(const McpServerSpec& spec, const McpSourceOptions& options, Scope& scope, Tell tell);
    ~LegacyTasks();

    static bool is_id(std::string_view own_id) noexcept { return own_id.starts_with("t."); }

    /// Runs the tool as a task and answers with its handle, or with the result if the server did not create a task.
    Task<Result<Output>> start(const Context& ctx, const AdmittedCall& call, ReplyLine& line,
                               ForwardedCapabilitiesPtr forwarded, Lease lease);
    /// The same for a client that gets no handle: returns the request that waits for the task's result, already sent.
    Task<Result<std::shared_ptr<SuspendableCall>>> start_and_wait(const Context& ctx, const AdmittedCall& call,
                                                                  ReplyLine& line, ForwardedCapabilitiesPtr forwarded,
                                                                  Lease lease);
    /// Serves tasks/get, update, cancel and result by an id of ours. Fails with -32602 when that principal has no such
    /// task.
    Task<Result<Output>> serve(const Context& ctx, const AdmittedCall& call, ReplyLine& line);

    /// Sets the tasks that clients follow: the whole set, every time. Returns those that will be reported.
    std::set<std::string> follow(const std::set<std::string>& own_ids);
    /// The server reported progress of a task over this client.
    void heard(const mcp::Client& from, const mcp::TaskState& task);

    void close();
    std::size_t size() const noexcept { return tasks_.size(); }

private:
    struct Held;
    using HeldPtr = std::shared_ptr<Held>;

    Task<Result<Json>> create(const Context& ctx, const AdmittedCall& call, ReplyLine& line, Link& link);
    Result<std::string> keep(HeldPtr held);
    std::shared_ptr<SuspendableCall> wait_for_result(const HeldPtr& held);
    // `correlation_id`: of the client's request that this is done for; empty: for none.
    Task<Result<Json>> ask(const Context& ctx, const HeldPtr& held, std::string_view method,
                           std::string_view correlation_id);
    Task<Result<Output>> get(const Context& ctx, HeldPtr held, std::string_view correlation_id = {});
    Task<Result<Output>> get_as_is(const Context& ctx, HeldPtr held, const AdmittedCall& call);
    Task<Result<Output>> result_as_is(const Context& ctx, HeldPtr held, ReplyLine& line);
    Result<Output> update(const HeldPtr& held, const json::Span& responses);
    Task<Result<Output>> cancel(const Context& ctx, HeldPtr held, std::string_view correlation_id);
    Task<void> expire_old();
    Task<void> watch(HeldPtr held, std::string own_id);
    void news(Held& held, const std::string& own_id, std::string_view result) const;

    const McpServerSpec& spec_;
    const McpSourceOptions& options_;
    Scope& scope_;
    Tell tell_;
    std::map<std::string, HeldPtr, std::less<>> tasks_;
    Event changed_;
    bool sweeping_ = false;
};

}  // namespace gantry::gateway
