#include "gateway/sources/mcp/following.hpp"

#include "mcp/protocol/codec.hpp"

namespace gantry::gateway {

Task<std::set<std::string>> Following::follow(const Context& ctx, std::set<std::string> uris) {
    wanted_ = std::move(uris);
    if (parts_.status.state() != SourceState::kReady) co_return std::set<std::string>();
    co_return co_await apply(ctx);
}

Task<std::set<std::string>> Following::apply(const Context& ctx) {
    std::set<std::string> honoured;
    const auto& resources = parts_.connection.link()->server().capabilities.resources;
    if (!resources || !resources->subscribe.value_or(false)) co_return honoured;
    auto guard = co_await applying_.lock(ctx);
    if (!guard) co_return honoured;
    const std::set<std::string> wanted = wanted_;
    const std::set<std::string> followed = followed_;
    for (const std::string& uri : followed) {
        if (wanted.contains(uri)) continue;
        auto left = co_await parts_.connection.link()->client().unsubscribe(ctx, uri);
        // an unwanted update has no follower and does no harm
        static_cast<void>(left);
        followed_.erase(uri);
    }
    for (const std::string& uri : wanted) {
        if (!followed_.contains(uri)) {
            auto taken = co_await parts_.connection.link()->client().subscribe(ctx, uri);
            if (!taken) continue;
            followed_.insert(uri);
        }
        honoured.insert(uri);
    }
    co_return honoured;
}

Task<std::set<std::string>> Following::follow_tasks(const Context& ctx, std::set<std::string> ids) {
    constexpr std::string_view kPrefix = ModernTasks::kPrefix;
    std::set<std::string> honoured = parts_.legacy_tasks.follow(ids);
    if (parts_.status.state() != SourceState::kReady || !parts_.connection.link()->modern()) co_return honoured;
    std::set<std::string> inner;
    for (const std::string& id : ids) {
        if (id.starts_with(kPrefix)) inner.insert(id.substr(kPrefix.size()));
    }
    auto guard = co_await applying_.lock(ctx);
    if (!guard || (inner.empty() && followed_tasks_.empty())) co_return honoured;
    followed_tasks_ = inner;
    auto told = co_await parts_.connection.link()->client().follow_tasks(ctx, std::move(inner));
    if (!told) co_return honoured;
    for (const std::string& id : *told) honoured.insert(std::string(kPrefix) + id);
    co_return honoured;
}

void Following::on_task(const mcp::TaskState& task) {
    Link& link = *parts_.connection.link();
    if (!link.modern()) return parts_.legacy_tasks.heard(link.client(), task);
    tell_task(mcp::encode(mcp::TaskStatusChanged{.task = task}, mcp::kLatestRevision),
              std::string(ModernTasks::kPrefix) + task.task_id);
}

void Following::on_gap() {
    if (!followed_tasks_.empty() && !parts_.status.stopping()) parts_.scope.spawn(look_at_tasks());
}

Task<void> Following::look_at_tasks() {
    const std::set<std::string> ids = followed_tasks_;
    const Context ctx = parts_.scope.context();
    const LinkPtr link = parts_.connection.link();
    for (const std::string& id : ids) {
        auto task = co_await parts_.modern_tasks.look_at(ctx.within(parts_.spec.timeout), *link, id);
        // A task that is gone is reported by the client's next request for it.
        if (!task || !task->is_object()) continue;
        task->if_object()->erase("resultType");
        tell_task(*std::move(task), std::string(ModernTasks::kPrefix) + id);
    }
}

void Following::tell_task(Json task, const std::string& own_id) {
    if (!task.is_object()) return;
    task.if_object()->set("taskId", own_id);
    parts_.status.tell({.kind = SourceChange::Kind::kTask, .task = std::move(task)});
}

}  // namespace gantry::gateway
