#include "gateway/model/call.hpp"

namespace gantry::gateway {

std::string_view method_of(Verb verb) noexcept {
    switch (verb) {
        case Verb::kCallTool: return "tools/call";
        case Verb::kGetPrompt: return "prompts/get";
        case Verb::kReadResource: return "resources/read";
        case Verb::kComplete: return "completion/complete";
        case Verb::kGetTask: return "tasks/get";
        case Verb::kUpdateTask: return "tasks/update";
        case Verb::kCancelTask: return "tasks/cancel";
        case Verb::kTaskResult: return "tasks/result";
    }
    return {};
}

}  // namespace gantry::gateway
