#include "gantry/mcp/tasks.hpp"

#include "base/try.hpp"
#include "mcp/protocol/codec/fields.hpp"

namespace gantry::mcp {
namespace {

void stamp(Json& json, std::string_view result_type) {
    JsonObject stamped{{"resultType", Json(result_type)}};
    for (auto& [name, value] : *json.if_object()) stamped.set(name, std::move(value));
    json = std::move(stamped);
}

}  // namespace

GANTRY_MCP_CODEC(TaskState, ignored("resultType"), must("taskId", &TaskState::task_id),
                 must("status", &TaskState::status), may("statusMessage", &TaskState::status_message).hint(),
                 always("createdAt", &TaskState::created_at), always("lastUpdatedAt", &TaskState::last_updated_at),
                 nullable("ttl", &TaskState::ttl_ms).until(Revision::k2025_11_25).hint(),
                 nullable("ttlMs", &TaskState::ttl_ms).since(Revision::k2026_07_28).hint(),
                 may("pollInterval", &TaskState::poll_interval_ms).until(Revision::k2025_11_25).hint(),
                 may("pollIntervalMs", &TaskState::poll_interval_ms).since(Revision::k2026_07_28).hint(),
                 may("inputRequests", &TaskState::input_requests).since(Revision::k2026_07_28),
                 may("result", &TaskState::result).since(Revision::k2026_07_28),
                 may("error", &TaskState::error).since(Revision::k2026_07_28), may("_meta", &TaskState::meta));

GANTRY_MCP_CODEC(TaskParams, must("taskId", &TaskParams::task_id), may("_meta", &TaskParams::meta));

GANTRY_MCP_CODEC(UpdateTaskParams, must("taskId", &UpdateTaskParams::task_id),
                 must("inputResponses", &UpdateTaskParams::input_responses), may("_meta", &UpdateTaskParams::meta));

GANTRY_MCP_CODEC(ListTasksResult, must("tasks", &ListTasksResult::tasks),
                 may("nextCursor", &ListTasksResult::next_cursor), may("_meta", &ListTasksResult::meta));

// Wrapped in `task` at 2025-11-25, flat in the extension.
template <>
Result<void> Codec<CreateTaskResult>::read(const Json& json, CreateTaskResult& out, Revision revision,
                                           const Place& place) {
    if (is_modern(revision)) {
        GANTRY_CHECK(Codec<TaskState>::read(json, out.task, revision, place));
        out.meta = std::exchange(out.task.meta, {});
        return {};
    }
    static constexpr std::tuple kWrapped{must("task", &CreateTaskResult::task), may("_meta", &CreateTaskResult::meta)};
    return read_fields(kWrapped, json, out, revision, place);
}
template <>
Json Codec<CreateTaskResult>::write(const CreateTaskResult& value, Revision revision) {
    if (is_modern(revision)) {
        Json json = Codec<TaskState>::write(value.task, revision);
        stamp(json, "task");
        if (!value.meta.empty()) json.if_object()->set("_meta", value.meta);
        for (const auto& [name, member] : value.extra) {
            if (!json.find(name)) json.if_object()->set(name, member);
        }
        return json;
    }
    static constexpr std::tuple kWrapped{must("task", &CreateTaskResult::task), may("_meta", &CreateTaskResult::meta)};
    return write_fields(kWrapped, value, revision);
}
GANTRY_MCP_EXPORT(CreateTaskResult);

template <>
Result<void> Codec<GetTaskResult>::read(const Json& json, GetTaskResult& out, Revision revision, const Place& place) {
    return Codec<TaskState>::read(json, out.task, revision, place);
}
template <>
Json Codec<GetTaskResult>::write(const GetTaskResult& value, Revision revision) {
    Json json = Codec<TaskState>::write(value.task, revision);
    if (is_modern(revision)) stamp(json, "complete");
    return json;
}
GANTRY_MCP_EXPORT(GetTaskResult);

template <>
Result<void> Codec<TaskStatusChanged>::read(const Json& json, TaskStatusChanged& out, Revision revision,
                                            const Place& place) {
    return Codec<TaskState>::read(json, out.task, revision, place);
}
template <>
Json Codec<TaskStatusChanged>::write(const TaskStatusChanged& value, Revision revision) {
    return Codec<TaskState>::write(value.task, revision);
}
GANTRY_MCP_EXPORT(TaskStatusChanged);

}  // namespace gantry::mcp
