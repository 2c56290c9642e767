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

GANTRY_MCP_CODEC(TaskState, ignored("resultType"), must<&TaskState::task_id>("taskId"),
                 must<&TaskState::status>("status"), may<&TaskState::status_message>("statusMessage").hint(),
                 always<&TaskState::created_at>("createdAt"), always<&TaskState::last_updated_at>("lastUpdatedAt"),
                 nullable<&TaskState::ttl_ms>("ttl").until(Revision::k2025_11_25).hint(),
                 nullable<&TaskState::ttl_ms>("ttlMs").since(Revision::k2026_07_28).hint(),
                 may<&TaskState::poll_interval_ms>("pollInterval").until(Revision::k2025_11_25).hint(),
                 may<&TaskState::poll_interval_ms>("pollIntervalMs").since(Revision::k2026_07_28).hint(),
                 may<&TaskState::input_requests>("inputRequests").since(Revision::k2026_07_28),
                 may<&TaskState::result>("result").since(Revision::k2026_07_28),
                 may<&TaskState::error>("error").since(Revision::k2026_07_28), may<&TaskState::meta>("_meta"));

GANTRY_MCP_CODEC(TaskParams, must<&TaskParams::task_id>("taskId"), may<&TaskParams::meta>("_meta"));

GANTRY_MCP_CODEC(UpdateTaskParams, must<&UpdateTaskParams::task_id>("taskId"),
                 must<&UpdateTaskParams::input_responses>("inputResponses"), may<&UpdateTaskParams::meta>("_meta"));

GANTRY_MCP_CODEC(ListTasksResult, must<&ListTasksResult::tasks>("tasks"),
                 may<&ListTasksResult::next_cursor>("nextCursor"), may<&ListTasksResult::meta>("_meta"));

// Wrapped in `task` at 2025-11-25, flat in the extension.
template <>
Result<void> Codec<CreateTaskResult>::read(const Json& json, CreateTaskResult& out, Revision revision,
                                           const Place& place) {
    if (is_modern(revision)) {
        GANTRY_CHECK(Codec<TaskState>::read(json, out.task, revision, place));
        out.meta = std::exchange(out.task.meta, {});
        return {};
    }
    static constexpr std::array kWrapped{must<&CreateTaskResult::task>("task"), may<&CreateTaskResult::meta>("_meta")};
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
    static constexpr std::array kWrapped{must<&CreateTaskResult::task>("task"), may<&CreateTaskResult::meta>("_meta")};
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
