#pragma once

#include <span>

#include "gantry/json.hpp"
#include "gantry/mcp/lifecycle.hpp"
#include "gantry/mcp/revision.hpp"

namespace gantry::mcp {

namespace method {
inline constexpr std::string_view kInitialize = "initialize";
inline constexpr std::string_view kPing = "ping";
inline constexpr std::string_view kDiscover = "server/discover";
inline constexpr std::string_view kListen = "subscriptions/listen";
inline constexpr std::string_view kListTools = "tools/list";
inline constexpr std::string_view kCallTool = "tools/call";
inline constexpr std::string_view kListPrompts = "prompts/list";
inline constexpr std::string_view kGetPrompt = "prompts/get";
inline constexpr std::string_view kListResources = "resources/list";
inline constexpr std::string_view kListResourceTemplates = "resources/templates/list";
inline constexpr std::string_view kReadResource = "resources/read";
inline constexpr std::string_view kSubscribe = "resources/subscribe";
inline constexpr std::string_view kUnsubscribe = "resources/unsubscribe";
inline constexpr std::string_view kComplete = "completion/complete";
inline constexpr std::string_view kSetLevel = "logging/setLevel";
inline constexpr std::string_view kCreateMessage = "sampling/createMessage";
inline constexpr std::string_view kListRoots = "roots/list";
inline constexpr std::string_view kElicit = "elicitation/create";
inline constexpr std::string_view kGetTask = "tasks/get";
inline constexpr std::string_view kTaskResult = "tasks/result";
inline constexpr std::string_view kListTasks = "tasks/list";
inline constexpr std::string_view kCancelTask = "tasks/cancel";
inline constexpr std::string_view kUpdateTask = "tasks/update";

inline constexpr std::string_view kInitialized = "notifications/initialized";
inline constexpr std::string_view kCancelled = "notifications/cancelled";
inline constexpr std::string_view kProgress = "notifications/progress";
inline constexpr std::string_view kMessage = "notifications/message";
inline constexpr std::string_view kToolsChanged = "notifications/tools/list_changed";
inline constexpr std::string_view kPromptsChanged = "notifications/prompts/list_changed";
inline constexpr std::string_view kResourcesChanged = "notifications/resources/list_changed";
inline constexpr std::string_view kResourceUpdated = "notifications/resources/updated";
inline constexpr std::string_view kRootsChanged = "notifications/roots/list_changed";
inline constexpr std::string_view kElicitationComplete = "notifications/elicitation/complete";
inline constexpr std::string_view kAcknowledged = "notifications/subscriptions/acknowledged";
inline constexpr std::string_view kLegacyTaskStatus = "notifications/tasks/status";
inline constexpr std::string_view kTaskStatus = "notifications/tasks";
}  // namespace method

enum class Direction : std::uint8_t { kToServer, kToClient, kBoth };

/// The capability the receiver of a method must have declared.
enum class Capability : std::uint8_t {
    kNone,
    kTools,
    kPrompts,
    kResources,
    kResourceSubscriptions,
    kCompletions,
    kLogging,
    kRoots,
    kSampling,
    kElicitation,
    kExperimentalTasks,  // 2025-11-25
    kExtensionTasks,     // modern
};

/// The member of params that identifies the object of a request, mirrored by Mcp-Name.
enum class NameSource : std::uint8_t { kNone, kName, kUri, kTaskId };

/// A method as defined by a range of revisions. A method whose rules changed has one entry per form.
struct MethodInfo {
    std::string_view name;
    bool notification = false;
    Direction direction = Direction::kToServer;
    Revision first = kAllRevisions.front();
    Revision last = kAllRevisions.back();
    Capability capability = Capability::kNone;
    bool cacheable = false;      // modern results carry ttlMs and cacheScope
    bool may_ask_input = false;  // modern: may answer input_required
    bool may_become_task = false;
    bool paginated = false;
    NameSource name_source = NameSource::kNone;
};

std::span<const MethodInfo> all_methods() noexcept;

/// Null if the revision does not define the method.
const MethodInfo* find_method(std::string_view name, Revision revision) noexcept;

bool declares(const ServerCapabilities& capabilities, Capability capability) noexcept;
bool declares(const ClientCapabilities& capabilities, Capability capability) noexcept;

/// The value Mcp-Name must mirror, before header encoding. Empty if the method has none or params lack it.
std::optional<std::string_view> name_of_request(const MethodInfo& info, const Json& params) noexcept;

}  // namespace gantry::mcp
