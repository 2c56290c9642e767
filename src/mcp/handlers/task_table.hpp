#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gantry/mcp/tasks.hpp"
#include "io/context.hpp"
#include "io/sync.hpp"
#include "mcp/server/peer.hpp"

namespace gantry::mcp {

/// The owner of tasks and request states: the identity, else the legacy session, else all clients together, which
/// would still have to guess the id.
std::string owner_of(const Peer& peer);

/// A call that continues after its request was answered. Results are stored as encoded for the client's revision.
struct TaskRecord {
    TaskState state;
    std::string owner;
    Revision revision = kLatestRevision;
    TimePoint expires;
    CancelSource cancel;
    JsonObject answers = {};  // received so far, by key
    Event changed = {};

    TaskStatus status() const noexcept { return state.status.known().value_or(TaskStatus::kWorking); }
    bool over() const noexcept { return is_terminal(status()); }
};
using TaskPtr = std::shared_ptr<TaskRecord>;

struct TaskLimits {
    std::size_t max_tasks = 1000;
    std::size_t max_per_owner = 100;
    /// How long a task is kept, unless a 2025-11-25 client asks for less.
    Duration ttl = std::chrono::hours(1);
    Duration poll_interval = milliseconds(500);
};

/// The tasks of a server, each kept until its ttl expires. Ids are unguessable and useless to other owners.
class TaskTable {
public:
    /// `told` is called for every visible change of a task.
    TaskTable(TaskLimits limits, std::function<void(const TaskRecord&)> told);

    /// kLimit if there are too many tasks.
    Result<TaskPtr> open(const Peer& peer, std::optional<std::int64_t> wanted_ttl_ms);
    /// Null if unknown, expired or of another owner.
    TaskPtr find(const Peer& peer, std::string_view id);

    /// The client's own tasks by id, starting after `after`.
    std::vector<TaskPtr> list(const Peer& peer, std::string_view after, std::size_t limit);

    void finish(TaskRecord& task, Result<JsonObject> result, bool is_error);
    /// No effect on a task that has ended.
    void cancel(TaskRecord& task);
    void say(TaskRecord& task, std::string message);
    /// Adds questions to the task; see ServerCall. Answers arrive through update().
    void ask(TaskRecord& task, const InputRequests& requests);
    /// Accepts the answers to open questions and ignores others. kInvalidArgument, changing nothing, if one of them
    /// does not answer its question.
    Result<void> update(TaskRecord& task, const InputResponses& answers);

    /// Cancels and removes the tasks of an owner that can no longer ask for them.
    void forget_owner(const std::string& owner);
    void cancel_all();
    std::size_t size() const noexcept { return tasks_.size(); }

private:
    void purge();
    void note_change(TaskRecord& task);

    TaskLimits limits_;
    std::function<void(const TaskRecord&)> told_;
    std::map<std::string, TaskPtr, std::less<>> tasks_;
};

}  // namespace gantry::mcp
