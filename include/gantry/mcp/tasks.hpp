#pragma once

#include "gantry/mcp/input.hpp"

namespace gantry::mcp {

enum class TaskStatus : std::uint8_t { kWorking, kInputRequired, kCompleted, kFailed, kCancelled };

/// Completed, failed or cancelled: the state is final.
constexpr bool is_terminal(TaskStatus status) noexcept {
    return status >= TaskStatus::kCompleted;
}

/// The status as spelled on the wire, e.g. "working".
std::string_view to_string(TaskStatus status) noexcept;

/// A call that continues after its request was answered. One type for the tasks extension (modern) and the
/// experimental tasks of 2025-11-25; they differ only in their names on the wire.
// Named TaskState because Task<T> is the coroutine type of the enclosing namespace.
struct TaskState {
    std::string task_id = {};
    Open<TaskStatus> status = {};
    std::optional<std::string> status_message = {};
    std::string created_at = {};              ///< ISO 8601
    std::string last_updated_at = {};         ///< ISO 8601
    std::optional<std::int64_t> ttl_ms = {};  ///< empty: kept indefinitely
    std::optional<std::int64_t> poll_interval_ms = {};
    /// Extension only; each is set in the status noted.
    InputRequests input_requests = {};      ///< input_required
    std::optional<JsonObject> result = {};  ///< completed: the result of the original request
    std::optional<RpcError> error = {};     ///< failed
    JsonObject meta = {};
    JsonObject extra = {};
};

/// The answer to a request that became a task: `{task:{…}}` at 2025-11-25, flat in the extension.
struct CreateTaskResult {
    TaskState task = {};
    JsonObject meta = {};
    JsonObject extra = {};
};

/// Params of tasks/get, tasks/cancel and (2025-11-25) tasks/result.
struct TaskParams {
    std::string task_id = {};
    JsonObject meta = {};
    JsonObject extra = {};

    bool operator==(const TaskParams&) const = default;
};

/// Params of the extension's tasks/update.
struct UpdateTaskParams {
    std::string task_id = {};
    InputResponses input_responses = {};
    JsonObject meta = {};
    JsonObject extra = {};

    bool operator==(const UpdateTaskParams&) const = default;
};

/// The answer to tasks/get, and to tasks/cancel at 2025-11-25.
struct GetTaskResult {
    TaskState task = {};
};

struct ListTasksResult {
    std::vector<TaskState> tasks = {};
    std::optional<std::string> next_cursor = {};
    JsonObject meta = {};
    JsonObject extra = {};
};

/// notifications/tasks/status (2025-11-25) and notifications/tasks (extension).
struct TaskStatusChanged {
    TaskState task = {};
};

}  // namespace gantry::mcp
