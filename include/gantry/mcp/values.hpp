#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "gantry/json.hpp"
#include "gantry/mcp/revision.hpp"

// Conventions of every value type under gantry/mcp:
//  - one struct per concept, the union over all revisions; what a revision does not know is left out when
//    the value is sent on it, what a peer sends beyond its revision is read all the same;
//  - `extra` holds the members no revision defines, in their order; they are sent on unchanged;
//  - `meta` is the `_meta` object, empty when absent.

namespace gantry::mcp {

/// A JSON-RPC id: text or integer, never null. 0 and "" are real ids.
using RequestId = std::variant<std::int64_t, std::string>;
/// Chosen by the requester, echoed in every progress notification with its JSON type.
using ProgressToken = std::variant<std::int64_t, std::string>;

/// An enumeration peers may extend: one of the values known here, or the text of an unknown one.
template <class E>
class Open {
public:
    Open() = default;
    Open(E value) noexcept : value_(value) {}
    explicit Open(std::string unknown) noexcept : value_(std::move(unknown)) {}

    /// Empty if the peer used a value that is not known here.
    std::optional<E> known() const noexcept {
        const E* value = std::get_if<E>(&value_);
        return value != nullptr ? std::optional<E>(*value) : std::nullopt;
    }
    /// The text of a value that is not known here; null for a known one.
    const std::string* unknown() const noexcept { return std::get_if<std::string>(&value_); }

    friend bool operator==(const Open&, const Open&) = default;
    friend bool operator==(const Open& a, E b) noexcept { return a.known() == b; }

private:
    std::variant<E, std::string> value_{E{}};
};

enum class Role : std::uint8_t { kUser, kAssistant };

/// Severities of RFC 5424, least urgent first.
enum class LogLevel : std::uint8_t {
    kDebug,
    kInfo,
    kNotice,
    kWarning,
    kError,
    kCritical,
    kAlert,
    kEmergency,
};

/// Who may be served a cached answer: anyone, or only the authorization it was fetched with.
enum class CacheScope : std::uint8_t { kPrivate, kPublic };

/// The value's name on the wire: "user", "warning", "private".
std::string_view to_string(Role role) noexcept;
std::string_view to_string(LogLevel level) noexcept;
std::string_view to_string(CacheScope scope) noexcept;
std::optional<LogLevel> parse_log_level(std::string_view text) noexcept;

/// Hints for whoever shows the thing they are attached to. Never to be trusted for decisions.
struct Annotations {
    std::vector<Open<Role>> audience = {};
    std::optional<double> priority = {};            ///< 0 = entirely optional … 1 = effectively required
    std::optional<std::string> last_modified = {};  ///< ISO 8601
    JsonObject extra = {};

    bool operator==(const Annotations&) const = default;
};

enum class IconTheme : std::uint8_t { kLight, kDark };

struct Icon {
    std::string src = {};  ///< https: or data: URI; fetch without credentials
    std::optional<std::string> mime_type = {};
    std::vector<std::string> sizes = {};  ///< "48x48", "any"
    std::optional<Open<IconTheme>> theme = {};
    JsonObject extra = {};

    bool operator==(const Icon&) const = default;
};

/// What a peer says about itself. For display only: nothing vouches for it.
struct Implementation {
    std::string name = {};
    std::string version = {};
    std::optional<std::string> title = {};
    std::optional<std::string> description = {};
    std::optional<std::string> website_url = {};
    std::vector<Icon> icons = {};
    JsonObject extra = {};

    bool operator==(const Implementation&) const = default;
};

/// Params of requests and notifications that carry nothing of their own.
struct EmptyParams {
    JsonObject meta = {};
    JsonObject extra = {};

    bool operator==(const EmptyParams&) const = default;
};

/// The answer of requests that have nothing to say. Legacy peers are sent exactly `{}`.
struct EmptyResult {
    JsonObject meta = {};
    JsonObject extra = {};

    bool operator==(const EmptyResult&) const = default;
};

/// Params of every list request.
struct PageParams {
    std::optional<std::string> cursor = {};  ///< opaque; "" is a real cursor
    JsonObject meta = {};
    JsonObject extra = {};

    bool operator==(const PageParams&) const = default;
};

}  // namespace gantry::mcp
