// ToolTask: starting, following and cancelling tasks on the server.

#include "base/try.hpp"
#include "client/impl.hpp"
#include "mcp/client/time_limit.hpp"

namespace gantry {

struct ToolTask::Inside {
    std::shared_ptr<Client::Impl> client;
    std::string id;
    std::string tool;
    bool validate = true;
    /// Set if the server answered immediately.
    std::optional<mcp::CallToolResult> finished;
};

namespace {

using Self = std::shared_ptr<Client::Impl>;
using Held = std::shared_ptr<const ToolTask::Inside>;

Task<Result<ToolTask>> start(Context ctx, Self self, std::string tool, JsonObject arguments, CallOptions options) {
    GANTRY_CO_CHECK(co_await self->check_filter(ctx, tool));
    auto started = co_await self->mcp().start_tool(ctx, tool, std::move(arguments),
                                                   call_settings(options, self->mcp().settings()));
    if (!started) co_return fail(Error(started.error()).on_tool(tool));
    auto inside = std::make_shared<ToolTask::Inside>();
    inside->client = std::move(self);
    inside->tool = std::move(tool);
    inside->validate = options.validate;
    if (auto* task = std::get_if<mcp::TaskState>(&*started)) {
        inside->id = std::move(task->task_id);
    } else {
        inside->finished = std::get<mcp::CallToolResult>(std::move(*started));
    }
    co_return ToolTask(std::move(inside));
}

Task<Result<mcp::TaskState>> status(Context ctx, Self self, Held task) {
    if (task->finished) {
        mcp::TaskState state;
        state.status = mcp::TaskStatus::kCompleted;
        co_return state;
    }
    co_return co_await self->mcp().get_task(ctx, task->id);
}

Task<Result<mcp::CallToolResult>> result(Context ctx, Self self, Held task,
                                         std::optional<std::chrono::milliseconds> timeout) {
    if (task->finished) co_return *task->finished;
    const Context waiting = timeout ? ctx.within(*timeout) : ctx;
    Result<mcp::CallToolResult> done;
    if (auto state = co_await self->mcp().get_task(waiting, task->id); !state) {
        done = fail(state.error());
    } else {
        done = co_await self->mcp().finish_task(
            waiting, *std::move(state),
            {.tool = task->validate ? task->tool : std::string(), .cancel_when_given_up = false});
    }
    if (done) co_return done;
    Error error = done.error();
    if (timeout) error = mcp::naming_limit(std::move(error), *timeout, waiting.deadline(), ctx);
    co_return fail(std::move(error).on_tool(task->tool));
}

Task<Result<void>> cancel(Context ctx, Self self, Held task) {
    if (task->finished) co_return Result<void>();
    co_return co_await self->mcp().cancel_task(ctx, task->id);
}

Task<Result<std::vector<mcp::TaskState>>> list_tasks(Context ctx, Self self) {
    co_return co_await self->mcp().list_tasks(ctx);
}

}  // namespace

ToolTask::ToolTask(std::shared_ptr<const Inside> inside) : inside_(std::move(inside)) {}

const std::string& ToolTask::id() const noexcept {
    return inside_->id;
}
const std::string& ToolTask::tool() const noexcept {
    return inside_->tool;
}

Pending<mcp::TaskState> ToolTask::status_async() const {
    return inside_->client->launch<mcp::TaskState>(&gantry::status, inside_);
}
Result<mcp::TaskState> ToolTask::status() const {
    return status_async().get();
}

Pending<mcp::CallToolResult> ToolTask::result_async(std::optional<std::chrono::milliseconds> timeout) const {
    return inside_->client->launch<mcp::CallToolResult>(&gantry::result, inside_, timeout);
}
Result<mcp::CallToolResult> ToolTask::result(std::optional<std::chrono::milliseconds> timeout) const {
    return result_async(timeout).get();
}

Pending<void> ToolTask::cancel_async() const {
    return inside_->client->launch<void>(&gantry::cancel, inside_);
}
Result<void> ToolTask::cancel() const {
    return cancel_async().get();
}

Pending<ToolTask> Client::start_async(std::string tool, JsonObject arguments, CallOptions options) {
    return impl_->launch<ToolTask>(&gantry::start, std::move(tool), std::move(arguments), std::move(options));
}
Result<ToolTask> Client::start(std::string tool, JsonObject arguments, CallOptions options) {
    return start_async(std::move(tool), std::move(arguments), std::move(options)).get();
}

ToolTask Client::task(std::string id, std::string tool) {
    auto inside = std::make_shared<ToolTask::Inside>();
    inside->client = impl_;
    inside->id = std::move(id);
    inside->tool = std::move(tool);
    return ToolTask(std::move(inside));
}

Pending<std::vector<mcp::TaskState>> Client::list_tasks_async() {
    return impl_->launch<std::vector<mcp::TaskState>>(&gantry::list_tasks);
}
Result<std::vector<mcp::TaskState>> Client::list_tasks() {
    return list_tasks_async().get();
}

}  // namespace gantry
