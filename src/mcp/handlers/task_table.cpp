#include "mcp/handlers/task_table.hpp"

#include <algorithm>
#include <array>
#include <ctime>

#include "base/crypto/base64url.hpp"
#include "base/crypto/digest.hpp"
#include "base/try.hpp"
#include "mcp/handlers/questions.hpp"
#include "mcp/protocol/errors.hpp"

namespace gantry::mcp {
namespace {

std::string now_text() {
    const auto now = std::chrono::system_clock::now();
    const std::time_t whole = std::chrono::system_clock::to_time_t(now);
    const auto part = std::chrono::duration_cast<milliseconds>(now.time_since_epoch()).count() % 1000;
    std::tm parts{};
    gmtime_r(&whole, &parts);
    std::array<char, 40> text{};
    const std::size_t size = std::strftime(text.data(), text.size(), "%FT%T", &parts);
    const std::string fraction = std::to_string(1000 + part);
    return std::string(text.data(), size) + "." + fraction.substr(1) + "Z";
}

RpcError as_rpc(const Error& error) {
    return error.rpc() != nullptr ? *error.rpc() : internal_error(error.message());
}

}  // namespace

std::string owner_of(const Peer& peer) {
    if (peer.identity) return "i:" + peer.identity->key();
    if (!peer.session.empty()) return "s:" + peer.session;
    return {};
}

TaskTable::TaskTable(TaskLimits limits, std::function<void(const TaskRecord&)> told)
    : limits_(limits), told_(std::move(told)) {}

Result<TaskPtr> TaskTable::open(const Peer& peer, std::optional<std::int64_t> wanted_ttl_ms) {
    purge();
    const std::string owner = owner_of(peer);
    const auto own = std::ranges::count_if(tasks_, [&](const auto& entry) { return entry.second->owner == owner; });
    if (tasks_.size() >= limits_.max_tasks || static_cast<std::size_t>(own) >= limits_.max_per_owner) {
        return fail(ErrorCode::kLimit, "too many tasks are being kept; try again later");
    }
    GANTRY_TRY(const std::string random, crypto::random_bytes(18));
    const auto most = std::chrono::duration_cast<milliseconds>(limits_.ttl);
    const auto ttl = wanted_ttl_ms && *wanted_ttl_ms >= 0 ? std::min(most, milliseconds(*wanted_ttl_ms)) : most;

    auto task = std::make_shared<TaskRecord>();
    task->state.task_id = crypto::base64url_encode(random);
    task->state.status = TaskStatus::kWorking;
    task->state.created_at = task->state.last_updated_at = now_text();
    task->state.ttl_ms = ttl.count();
    task->state.poll_interval_ms = std::chrono::duration_cast<milliseconds>(limits_.poll_interval).count();
    task->owner = owner;
    task->revision = peer.revision;
    task->expires = SteadyClock::now() + ttl;
    tasks_.emplace(task->state.task_id, task);
    return task;
}

TaskPtr TaskTable::find(const Peer& peer, std::string_view id) {
    purge();
    const auto found = tasks_.find(id);
    if (found == tasks_.end() || found->second->owner != owner_of(peer)) return nullptr;
    // The encodings of the two kinds of tasks are incompatible.
    return is_modern(found->second->revision) == peer.modern() ? found->second : nullptr;
}

std::vector<TaskPtr> TaskTable::list(const Peer& peer, std::string_view after, std::size_t limit) {
    purge();
    std::vector<TaskPtr> own;
    const std::string owner = owner_of(peer);
    for (auto at = tasks_.upper_bound(after); at != tasks_.end() && own.size() < limit; ++at) {
        if (at->second->owner == owner && is_modern(at->second->revision) == peer.modern()) own.push_back(at->second);
    }
    return own;
}

void TaskTable::finish(TaskRecord& task, Result<JsonObject> result, bool is_error) {
    if (task.over()) return;
    task.state.input_requests.clear();
    if (result) {
        // A failed tool counts as completed, except in the experimental tasks of 2025-11-25.
        task.state.status = is_error && !is_modern(task.revision) ? TaskStatus::kFailed : TaskStatus::kCompleted;
        task.state.result = *std::move(result);
    } else {
        task.state.status = TaskStatus::kFailed;
        task.state.error = as_rpc(result.error());
    }
    note_change(task);
}

void TaskTable::cancel(TaskRecord& task) {
    if (task.over()) return;
    task.state.input_requests.clear();
    task.state.status = TaskStatus::kCancelled;
    note_change(task);
    task.cancel.cancel();
}

void TaskTable::say(TaskRecord& task, std::string message) {
    if (task.over()) return;
    task.state.status_message = std::move(message);
    note_change(task);
}

void TaskTable::ask(TaskRecord& task, const InputRequests& requests) {
    if (task.over()) return;
    for (const auto& request : requests) task.state.input_requests.push_back(request);
    task.state.status = TaskStatus::kInputRequired;
    note_change(task);
}

Result<void> TaskTable::update(TaskRecord& task, const InputResponses& answers) {
    const auto answer_to = [&](const auto& request) { return answers.find(request.first); };
    for (const auto& request : task.state.input_requests) {
        const Json* answer = answer_to(request);
        if (answer != nullptr) GANTRY_CHECK(check_answer(request.first, request.second, *answer, task.revision));
    }
    const auto taken = std::erase_if(task.state.input_requests, [&](const auto& request) {
        const Json* answer = answer_to(request);
        if (answer != nullptr) task.answers.set(request.first, *answer);
        return answer != nullptr;
    });
    if (taken == 0) return {};
    if (task.state.input_requests.empty()) task.state.status = TaskStatus::kWorking;
    note_change(task);
    return {};
}

void TaskTable::forget_owner(const std::string& owner) {
    for (const auto& [id, task] : tasks_) {
        if (task->owner == owner) cancel(*task);
    }
    std::erase_if(tasks_, [&](const auto& entry) { return entry.second->owner == owner; });
}

void TaskTable::cancel_all() {
    const auto tasks = tasks_;
    for (const auto& [id, task] : tasks) cancel(*task);
}

void TaskTable::purge() {
    const TimePoint now = SteadyClock::now();
    std::vector<TaskPtr> expired;
    for (const auto& [id, task] : tasks_) {
        if (task->expires <= now) expired.push_back(task);
    }
    for (const TaskPtr& task : expired) {
        cancel(*task);
        tasks_.erase(task->state.task_id);
    }
}

void TaskTable::note_change(TaskRecord& task) {
    task.state.last_updated_at = now_text();
    task.changed.pulse();
    if (told_) told_(task);
}

}  // namespace gantry::mcp
