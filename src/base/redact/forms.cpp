#include "base/redact/forms.hpp"

#include <algorithm>

#include "gantry/json.hpp"

namespace gantry {
namespace {

/// Shorter pieces of base64 occur by chance.
constexpr std::size_t kShortestEncoded = 8;

std::string escaped(std::string_view value) {
    const std::string text = Json(value).dump();
    return text.substr(1, text.size() - 2);
}

std::string percent_encoded(std::string_view value, std::string_view digits) {
    std::string out;
    for (const char c : value) {
        const auto byte = static_cast<unsigned char>(c);
        const bool plain = (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z') ||
                           (byte >= 'A' && byte <= 'Z') || c == '-' || c == '.' || c == '_' || c == '~';
        if (plain) {
            out += c;
        } else {
            out.append({'%', digits[byte >> 4], digits[byte & 15]});
        }
    }
    return out;
}

std::string hex(std::string_view value, std::string_view digits) {
    std::string out;
    for (const char c : value) {
        const auto byte = static_cast<unsigned char>(c);
        out.append({digits[byte >> 4], digits[byte & 15]});
    }
    return out;
}

/// The sextets of `value` that do not depend on adjacent bytes, if `before` bytes precede it.
std::string inner_base64(std::string_view value, std::size_t before, std::string_view alphabet) {
    const std::string bytes = std::string(before, '\0').append(value);
    std::string out;
    const std::size_t first = (before * 8 + 5) / 6;
    const std::size_t last = bytes.size() * 8 / 6;
    for (std::size_t sextet = first; sextet < last; ++sextet) {
        const std::size_t bit = sextet * 6;
        const auto high = static_cast<unsigned char>(bytes[bit / 8]);
        const auto low = static_cast<unsigned char>(bit / 8 + 1 < bytes.size() ? bytes[bit / 8 + 1] : '\0');
        const unsigned window = (static_cast<unsigned>(high) << 8) | low;
        out += alphabet[(window >> (10 - bit % 8)) & 63];
    }
    return out;
}

}  // namespace

std::vector<std::string> forms_of(std::string_view value) {
    std::vector<std::string> forms{std::string(value)};
    const auto add = [&forms](std::string form) {
        if (std::ranges::find(forms, form) == forms.end()) forms.push_back(std::move(form));
    };
    const std::string once = escaped(value);
    add(once);
    add(escaped(once));
    for (const std::string_view digits : {"0123456789ABCDEF", "0123456789abcdef"}) {
        add(percent_encoded(value, digits));
        add(hex(value, digits));
    }
    for (std::size_t before = 0; before < 3; ++before) {
        for (const std::string_view alphabet : {"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
                                                "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"}) {
            std::string form = inner_base64(value, before, alphabet);
            if (form.size() >= kShortestEncoded) add(std::move(form));
        }
    }
    return forms;
}

}  // namespace gantry
