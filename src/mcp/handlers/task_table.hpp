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

/// Whom tasks and request states belong to: the identity; without one the legacy session; without either everybody,
/// who would still have to guess the id.
std::string owner_of(const Peer& peer);

/// A call that goes on after its request was answered. Results are kept in the client's own terms.
struct TaskRecord {
    TaskState state;
    std::string owner;
    Revision revision = kLatestRevision;
    TimePoint expires;
    CancelSource cancel;
    JsonObject answers = {};  // given so far, by key
    Event changed = {};

    TaskStatus status() const noexcept { return state.status.known().value_or(TaskStatus::kWorking); }
    bool over() const noexcept { return is_terminal(status()); }
};
using TaskPtr = std::shared_ptr<TaskRecord>;

struct TaskLimits {
    std::size_t max_tasks = 1000;
    std::size_t max_per_owner = 100;
    /// How long a task is kept, unless a 2025-11-25 client wants less.
    Duration ttl = std::chrono::hours(1);
    Duration poll_interval = milliseconds(500);
};

/// The tasks of a server, each until its time is over. Ids cannot be guessed and are of no use to others.
class TaskTable {
public:
    /// `told` hears of every change of a task that others can see.
    TaskTable(TaskLimits limits, std::function<void(const TaskRecord&)> told);

    /// kLimit when there are too many.
    Result<TaskPtr> open(const Peer& peer, std::optional<std::int64_t> wanted_ttl_ms);
    /// Null when unknown, expired or somebody else's.
    TaskPtr find(const Peer& peer, std::string_view id);

    /// The client's own tasks by id, from the one after `after`.
    std::vector<TaskPtr> list(const Peer& peer, std::string_view after, std::size_t limit);

    void finish(TaskRecord& task, Result<JsonObject> result, bool is_error);
    /// No effect on a task that is over.
    void cancel(TaskRecord& task);
    void say(TaskRecord& task, std::string message);
    /// Asks in the task's name; see ServerCall. Answers arrive with update().
    void ask(TaskRecord& task, const InputRequests& requests);
    /// Takes the answers to open questions; others are ignored. kInvalidArgument, and nothing is taken, when one of
    /// them is not an answer to its question.
    Result<void> update(TaskRecord& task, const InputResponses& answers);

    /// Ends and forgets the tasks nobody can ask for any more.
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
