#include "mcp/protocol/result.hpp"

namespace gantry::mcp {

ResultKind result_kind(const Json& result, Revision revision) noexcept {
    if (!is_modern(revision)) return ResultKind::kComplete;
    const Json* type = result.find("resultType");
    if (type == nullptr) return ResultKind::kComplete;
    const std::string* text = type->if_string();
    if (text == nullptr) return ResultKind::kUnknown;
    if (*text == "complete") return ResultKind::kComplete;
    if (*text == "input_required") return ResultKind::kInputRequired;
    if (*text == "task") return ResultKind::kTask;
    return ResultKind::kUnknown;
}

Result<ResultKind> check_result(const Json& result, Revision revision, const MethodInfo& info) {
    const auto refuse = [&](std::string_view complaint) {
        return fail(ErrorCode::kProtocol, std::string(info.name).append(" was answered with ").append(complaint));
    };
    if (!result.is_object()) return refuse("a result that is not an object");
    const ResultKind kind = result_kind(result, revision);
    switch (kind) {
        case ResultKind::kComplete: break;
        case ResultKind::kInputRequired:
            if (!info.may_ask_input) return refuse("input_required, which this method may not");
            if (!result.find("inputRequests") && !result.find("requestState")) {
                return refuse("input_required that neither asks nor carries state");
            }
            break;
        case ResultKind::kTask:
            if (!info.may_become_task) return refuse("a task, which this method may not become");
            break;
        case ResultKind::kUnknown: return refuse("a result type not known here");
    }
    return kind;
}

}  // namespace gantry::mcp
