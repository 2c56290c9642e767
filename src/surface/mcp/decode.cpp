#include "surface/mcp/decode.hpp"

#include "base/try.hpp"
#include "mcp/protocol/method.hpp"

namespace gantry::surface {
namespace {

using gateway::ItemKind;
using gateway::Verb;
namespace method = mcp::method;

struct Row {
    std::string_view method;
    Verb verb;
    ItemKind about;
};
constexpr Row kRows[] = {
    {method::kCallTool, Verb::kCallTool, ItemKind::kTool},
    {method::kReadResource, Verb::kReadResource, ItemKind::kResource},
    {method::kGetPrompt, Verb::kGetPrompt, ItemKind::kPrompt},
    {method::kComplete, Verb::kComplete, ItemKind::kPrompt},
    {method::kGetTask, Verb::kGetTask, ItemKind::kTool},
    {method::kUpdateTask, Verb::kUpdateTask, ItemKind::kTool},
    {method::kCancelTask, Verb::kCancelTask, ItemKind::kTool},
    {method::kTaskResult, Verb::kTaskResult, ItemKind::kTool},
};

Result<std::string> text_of(const json::Span& span, const char* what) {
    auto text = span.text();
    if (!text) return fail(ErrorCode::kInvalidArgument, std::string(what) + " must be a string");
    return *std::move(text);
}

Result<Decoded> decode_completion(const mcp::Call& call) {
    const Json params = call.params();
    const Json* ref = params.find("ref");
    if (ref == nullptr || !ref->is_object()) return fail(ErrorCode::kInvalidArgument, "params.ref must be an object");
    const std::string_view type = ref->string_at("type");
    if (type != "ref/prompt" && type != "ref/resource")
        return fail(ErrorCode::kInvalidArgument, "params.ref.type must be ref/prompt or ref/resource");
    const bool prompt = type == "ref/prompt";
    const Json* name = ref->find(prompt ? "name" : "uri");
    if (name == nullptr || !name->is_string())
        return fail(ErrorCode::kInvalidArgument, "params.ref does not name what to complete");
    return Decoded{
        .verb = Verb::kComplete, .about = prompt ? ItemKind::kPrompt : ItemKind::kTemplate, .name = *name->if_string()};
}

Result<std::string> task_id_of(const mcp::Call& call) {
    const Json params = call.params();
    const Json* id = params.find("taskId");
    if (id == nullptr || !id->is_string()) return fail(ErrorCode::kInvalidArgument, "params.taskId must be a string");
    return *id->if_string();
}

}  // namespace

std::optional<Verb> verb_of(std::string_view method) noexcept {
    for (const Row& row : kRows) {
        if (method == row.method) return row.verb;
    }
    return std::nullopt;
}

Result<Decoded> decode_call(const mcp::Call& call) {
    for (const Row& row : kRows) {
        if (call.method != row.method) continue;
        Decoded decoded{.verb = row.verb, .about = row.about};
        switch (row.verb) {
            case Verb::kCallTool:
            case Verb::kGetPrompt: {
                GANTRY_TRY(decoded.name, text_of(call.view.in_params.name, "params.name"));
                return decoded;
            }
            case Verb::kReadResource: {
                GANTRY_TRY(decoded.name, text_of(call.view.in_params.uri, "params.uri"));
                return decoded;
            }
            case Verb::kComplete: return decode_completion(call);
            default: {
                GANTRY_TRY(decoded.name, task_id_of(call));
                return decoded;
            }
        }
    }
    return fail(ErrorCode::kNotFound, "unknown method");
}

}  // namespace gantry::surface
