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
//  - one struct per concept, the union over all revisions; members a revision does not define are omitted when
//    encoding for it, members a peer sends beyond its revision are decoded all the same;
//  - `extra` holds the members no revision defines, in order; they are forwarded unchanged;
//  - `meta` is the `_meta` object, empty if absent.

namespace gantry::mcp {

/// A JSON-RPC id: string or integer, never null. 0 and "" are valid ids.
using RequestId = std::variant<std::int64_t, std::string>;
/// Chosen by the requester; every progress notification echoes it with its JSON type.
using ProgressToken = std::variant<std::int64_t, std::string>;

/// An enumeration that peers may extend: a known enumerator, or the text of an unknown value.
template <class E>
class Open {
public:
    Open() = default;
    Open(E value) noexcept : value_(value) {}
    explicit Open(std::string unknown) noexcept : value_(std::move(unknown)) {}

    /// Empty if the peer used an unknown value.
    std::optional<E> known() const noexcept {
        const E* value = std::get_if<E>(&value_);
        return value != nullptr ? std::optional<E>(*value) : std::nullopt;
    }
    /// The text of an unknown value; null for a known one.
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

/// Who may be served a cached answer: anyone (public), or only the authorization it was fetched with (private).
enum class CacheScope : std::uint8_t { kPrivate, kPublic };

/// The value as spelled on the wire, e.g. "user", "warning", "private".
std::string_view to_string(Role role) noexcept;
std::string_view to_string(LogLevel level) noexcept;
std::string_view to_string(CacheScope scope) noexcept;
std::optional<LogLevel> parse_log_level(std::string_view text) noexcept;

/// Display hints for the annotated object. Untrusted: never base a decision on them.
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

/// What a peer reports about itself. Unverified, for display only.
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

/// Params of requests and notifications that define none of their own.
struct EmptyParams {
    JsonObject meta = {};
    JsonObject extra = {};

    bool operator==(const EmptyParams&) const = default;
};

/// Result of requests that return nothing. Encoded as exactly `{}` for legacy peers.
struct EmptyResult {
    JsonObject meta = {};
    JsonObject extra = {};

    bool operator==(const EmptyResult&) const = default;
};

/// Params of every list request.
struct PageParams {
    std::optional<std::string> cursor = {};  ///< opaque; "" is a valid cursor
    JsonObject meta = {};
    JsonObject extra = {};

    bool operator==(const PageParams&) const = default;
};

}  // namespace gantry::mcp
