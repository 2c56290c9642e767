#include "mcp/protocol/method.hpp"

#include <algorithm>
#include <array>

namespace gantry::mcp {
namespace {

using enum Direction;
using enum Capability;
using enum Revision;

constexpr MethodInfo request(std::string_view name, Capability capability = kNone) {
    return {.name = name, .capability = capability};
}

constexpr MethodInfo note(std::string_view name, Direction direction) {
    return {.name = name, .notification = true, .direction = direction};
}

constexpr MethodInfo between(MethodInfo info, Revision first, Revision last) {
    info.first = first;
    info.last = last;
    return info;
}
constexpr MethodInfo legacy(MethodInfo info, Revision since = k2024_11_05) {
    return between(info, since, kLatestLegacyRevision);
}
constexpr MethodInfo modern(MethodInfo info) {
    return between(info, k2026_07_28, k2026_07_28);
}
constexpr MethodInfo toward(Direction direction, MethodInfo info) {
    info.direction = direction;
    return info;
}
constexpr MethodInfo cacheable(MethodInfo info) {
    info.cacheable = true;
    return info;
}
constexpr MethodInfo paginated(MethodInfo info) {
    info.paginated = true;
    return info;
}
constexpr MethodInfo asks_input(MethodInfo info) {
    info.may_ask_input = true;
    return info;
}
constexpr MethodInfo becomes_task(MethodInfo info) {
    info.may_become_task = true;
    return info;
}
constexpr MethodInfo named_by(NameSource source, MethodInfo info) {
    info.name_source = source;
    return info;
}

constexpr std::array kMethods = {
    legacy(request(method::kInitialize)),
    toward(kBoth, legacy(request(method::kPing))),
    cacheable(modern(request(method::kDiscover))),
    modern(request(method::kListen)),

    cacheable(paginated(request(method::kListTools, kTools))),
    named_by(NameSource::kName, becomes_task(asks_input(request(method::kCallTool, kTools)))),
    cacheable(paginated(request(method::kListPrompts, kPrompts))),
    named_by(NameSource::kName, asks_input(request(method::kGetPrompt, kPrompts))),
    cacheable(paginated(request(method::kListResources, kResources))),
    cacheable(paginated(request(method::kListResourceTemplates, kResources))),
    named_by(NameSource::kUri, cacheable(asks_input(request(method::kReadResource, kResources)))),
    legacy(request(method::kSubscribe, kResourceSubscriptions)),
    legacy(request(method::kUnsubscribe, kResourceSubscriptions)),
    // The first revision had completion without a capability to declare it.
    between(request(method::kComplete), k2024_11_05, k2024_11_05),
    between(request(method::kComplete, kCompletions), k2025_03_26, k2026_07_28),
    legacy(request(method::kSetLevel, kLogging)),

    toward(kToClient, becomes_task(legacy(request(method::kCreateMessage, kSampling)))),
    toward(kToClient, legacy(request(method::kListRoots, kRoots))),
    toward(kToClient, becomes_task(legacy(request(method::kElicit, kElicitation), k2025_06_18))),

    toward(kBoth, legacy(request(method::kGetTask, kExperimentalTasks), k2025_11_25)),
    toward(kBoth, legacy(request(method::kTaskResult, kExperimentalTasks), k2025_11_25)),
    toward(kBoth, paginated(legacy(request(method::kListTasks, kExperimentalTasks), k2025_11_25))),
    toward(kBoth, legacy(request(method::kCancelTask, kExperimentalTasks), k2025_11_25)),
    named_by(NameSource::kTaskId, modern(request(method::kGetTask, kExtensionTasks))),
    named_by(NameSource::kTaskId, modern(request(method::kUpdateTask, kExtensionTasks))),
    named_by(NameSource::kTaskId, modern(request(method::kCancelTask, kExtensionTasks))),

    legacy(note(method::kInitialized, kToServer)),
    note(method::kCancelled, kBoth),
    legacy(note(method::kProgress, kBoth)),
    modern(note(method::kProgress, kToClient)),
    note(method::kMessage, kToClient),
    note(method::kToolsChanged, kToClient),
    note(method::kPromptsChanged, kToClient),
    note(method::kResourcesChanged, kToClient),
    note(method::kResourceUpdated, kToClient),
    legacy(note(method::kRootsChanged, kToServer)),
    legacy(note(method::kElicitationComplete, kToClient), k2025_11_25),
    modern(note(method::kAcknowledged, kToClient)),
    legacy(note(method::kLegacyTaskStatus, kBoth), k2025_11_25),
    modern(note(method::kTaskStatus, kToClient)),
};

}  // namespace

std::span<const MethodInfo> all_methods() noexcept {
    return kMethods;
}

const MethodInfo* find_method(std::string_view name, Revision revision) noexcept {
    const auto found = std::ranges::find_if(kMethods, [&](const MethodInfo& info) {
        return info.name == name && info.first <= revision && revision <= info.last;
    });
    return found != kMethods.end() ? &*found : nullptr;
}

bool declares(const ServerCapabilities& capabilities, Capability capability) noexcept {
    switch (capability) {
        case kNone: return true;
        case kTools: return capabilities.tools.has_value();
        case kPrompts: return capabilities.prompts.has_value();
        case kResources: return capabilities.resources.has_value();
        case kResourceSubscriptions: return capabilities.resources && capabilities.resources->subscribe.value_or(false);
        case kCompletions: return capabilities.completions.has_value();
        case kLogging: return capabilities.logging.has_value();
        case kExperimentalTasks: return capabilities.tasks.has_value();
        case kExtensionTasks: return capabilities.extensions.contains(kTasksExtension);
        case kRoots:
        case kSampling:
        case kElicitation: return false;
    }
    return false;
}

bool declares(const ClientCapabilities& capabilities, Capability capability) noexcept {
    switch (capability) {
        case kNone: return true;
        case kRoots: return capabilities.roots.has_value();
        case kSampling: return capabilities.sampling.has_value();
        case kElicitation: return capabilities.elicitation.has_value();
        case kExperimentalTasks: return capabilities.tasks.has_value();
        case kExtensionTasks: return capabilities.extensions.contains(kTasksExtension);
        case kTools:
        case kPrompts:
        case kResources:
        case kResourceSubscriptions:
        case kCompletions:
        case kLogging: return false;
    }
    return false;
}

std::optional<std::string_view> name_of_request(const MethodInfo& info, const Json& params) noexcept {
    const Json* value = nullptr;
    switch (info.name_source) {
        case NameSource::kNone: return {};
        case NameSource::kName: value = params.find("name"); break;
        case NameSource::kUri: value = params.find("uri"); break;
        case NameSource::kTaskId: value = params.find("taskId"); break;
    }
    if (value == nullptr || value->if_string() == nullptr) return {};
    return *value->if_string();
}

}  // namespace gantry::mcp
