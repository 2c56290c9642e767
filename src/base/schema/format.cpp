#include "base/schema/format.hpp"

#include <array>
#include <utility>

#include "base/schema/pattern.hpp"

namespace gantry::schema {

Format format_named(std::string_view name) noexcept {
    constexpr auto kNames = std::to_array<std::pair<std::string_view, Format>>({
        {"date-time", Format::kDateTime},
        {"date", Format::kDate},
        {"time", Format::kTime},
        {"duration", Format::kDuration},
        {"email", Format::kEmail},
        {"hostname", Format::kHostname},
        {"ipv4", Format::kIpv4},
        {"ipv6", Format::kIpv6},
        {"uri", Format::kUri},
        {"uri-reference", Format::kUriReference},
        {"iri", Format::kIri},
        {"iri-reference", Format::kIriReference},
        {"uuid", Format::kUuid},
        {"json-pointer", Format::kJsonPointer},
        {"relative-json-pointer", Format::kRelativeJsonPointer},
        {"regex", Format::kRegex},
    });
    for (const auto& [known, format] : kNames) {
        if (known == name) return format;
    }
    return Format::kNone;
}

bool has_format(Format format, std::string_view text) {
    switch (format) {
        case Format::kNone: return true;
        case Format::kDateTime: return is_date_time(text);
        case Format::kDate: return is_date(text);
        case Format::kTime: return is_time(text);
        case Format::kDuration: return is_duration(text);
        case Format::kEmail: return is_email(text);
        case Format::kHostname: return is_hostname(text);
        case Format::kIpv4: return is_ipv4(text);
        case Format::kIpv6: return is_ipv6(text);
        case Format::kUri: return is_uri(text, false);
        case Format::kUriReference: return is_uri_reference(text, false);
        case Format::kIri: return is_uri(text, true);
        case Format::kIriReference: return is_uri_reference(text, true);
        case Format::kUuid: return is_uuid(text);
        case Format::kJsonPointer: return is_json_pointer(text);
        case Format::kRelativeJsonPointer: return is_relative_json_pointer(text);
        case Format::kRegex: {
            // Look-around is valid in a regular expression, even though patterns may not use it.
            const auto pattern = ecma_to_re2(text, true);
            if (!pattern) return pattern.error().code() == ErrorCode::kUnsupported;
            const auto compiled = Pattern::compile(text);
            return compiled || compiled.error().code() != ErrorCode::kSchema;
        }
    }
    return true;
}

bool is_uuid(std::string_view text) noexcept {
    if (text.size() != 36) return false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        const bool dash = i == 8 || i == 13 || i == 18 || i == 23;
        const bool hex = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
        if (dash ? c != '-' : !hex) return false;
    }
    return true;
}

bool is_json_pointer(std::string_view text) noexcept {
    if (!text.empty() && text.front() != '/') return false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '~' && (i + 1 == text.size() || (text[i + 1] != '0' && text[i + 1] != '1'))) return false;
    }
    return true;
}

bool is_relative_json_pointer(std::string_view text) noexcept {
    std::size_t digits = 0;
    while (digits < text.size() && text[digits] >= '0' && text[digits] <= '9') ++digits;
    if (digits == 0 || (digits > 1 && text.front() == '0')) return false;
    text.remove_prefix(digits);
    return text == "#" || is_json_pointer(text);
}

}  // namespace gantry::schema
