// Notifications about tasks of 2025-11-25. A server may send them but need not, so followed tasks are polled as well.

#include "gateway/sources/mcp/legacy_task.hpp"
#include "gateway/sources/mcp/legacy_tasks.hpp"
#include "io/loop.hpp"

namespace gantry::gateway {

std::set<std::string> LegacyTasks::follow(const std::set<std::string>& own_ids) {
    std::set<std::string> honoured;
    for (const auto& [id, held] : tasks_) {
        // A legacy client cannot be notified.
        const bool wanted = held->modern && own_ids.contains(id);
        if (!wanted) {
            if (held->watched) held->unwatch();
            continue;
        }
        honoured.insert(id);
        held->watched = true;
        if (!std::exchange(held->watching, true)) scope_.spawn(watch(held, id));
    }
    return honoured;
}

void LegacyTasks::heard(const mcp::Client& from, const mcp::TaskState& task) {
    for (const auto& [id, held] : tasks_) {
        // Task ids are unique per server process only, so the connection is compared too.
        if (held->inner == task.task_id && held->lease && &held->lease->client() == &from) held->moved.set();
    }
}

Task<void> LegacyTasks::watch(HeldPtr held, std::string own_id) {
    const Context ctx = scope_.context();
    while (held->watched) {
        held->moved.reset();
        auto output = co_await get(ctx.within(spec_.timeout), held);
        if (!held->watched || ctx.cancel().cancelled()) break;
        if (output) {
            held->expires = SteadyClock::now() + held->keep;
            news(*held, own_id, output->result());
        } else if (output.error().rpc() != nullptr) {
            break;  // the server has forgotten it; the next tasks/get reports that
        }
        if (held->ended) break;
        auto woken = co_await held->moved.wait(ctx.within(held->poll));
        if (!woken && ctx.cancel().cancelled()) break;
    }
    held->watching = false;
}

void LegacyTasks::news(Held& held, const std::string& own_id, std::string_view result) const {
    auto task = Json::parse(result);
    if (!task || !task->is_object()) return;
    const Json* questions = task->find("inputRequests");
    std::string said(task->string_at("status"));
    said.append("\n").append(task->string_at("statusMessage"));
    if (questions != nullptr) said.append("\n").append(questions->dump());
    if (std::exchange(held.told, said) == said) return;
    JsonObject& members = *task->if_object();
    members.erase("resultType");
    members.set("taskId", own_id);
    tell_(*std::move(task));
}

}  // namespace gantry::gateway
