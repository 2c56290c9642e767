#pragma once

#include <cstdint>
#include <string_view>

namespace gantry::schema {

/// The formats that can be asserted. Others assert nothing, as specified.
enum class Format : std::uint8_t {
    kNone,
    kDateTime,
    kDate,
    kTime,
    kDuration,
    kEmail,
    kHostname,
    kIpv4,
    kIpv6,
    kUri,
    kUriReference,
    kIri,
    kIriReference,
    kUuid,
    kJsonPointer,
    kRelativeJsonPointer,
    kRegex,
};

/// kNone for unknown names.
Format format_named(std::string_view name) noexcept;
bool has_format(Format format, std::string_view text);

// One function per family, so that each can be read beside its RFC.
bool is_date(std::string_view text) noexcept;       ///< RFC 3339 full-date
bool is_time(std::string_view text) noexcept;       ///< RFC 3339 full-time, leap seconds included
bool is_date_time(std::string_view text) noexcept;  ///< RFC 3339
bool is_duration(std::string_view text) noexcept;   ///< RFC 3339 appendix A
bool is_email(std::string_view text) noexcept;      ///< RFC 5321 Mailbox, ASCII
bool is_hostname(std::string_view text) noexcept;   ///< RFC 1123
bool is_ipv4(std::string_view text) noexcept;       ///< dotted quad, no leading zeros
bool is_ipv6(std::string_view text) noexcept;       ///< RFC 4291, no zone
bool is_uri_reference(std::string_view text, bool international) noexcept;  ///< RFC 3986 / 3987
bool is_uri(std::string_view text, bool international) noexcept;
bool is_uuid(std::string_view text) noexcept;
bool is_json_pointer(std::string_view text) noexcept;  ///< RFC 6901
bool is_relative_json_pointer(std::string_view text) noexcept;

}  // namespace gantry::schema
