#include "auth/oauth/form.hpp"

#include <algorithm>
#include <optional>

#include "base/try.hpp"

namespace gantry::auth {
namespace {

constexpr std::size_t kMaxQueryBytes = 64u << 10;
constexpr std::size_t kMaxParameters = 64;

bool is_unreserved(char c) noexcept {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.' ||
           c == '_' || c == '~';
}

int hex_value(char c) noexcept {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

Result<std::string> decode(std::string_view text) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        char c = text[i] == '+' ? ' ' : text[i];
        if (c == '%') {
            const int high = i + 2 < text.size() ? hex_value(text[i + 1]) : -1;
            const int low = i + 2 < text.size() ? hex_value(text[i + 2]) : -1;
            if (high < 0 || low < 0) return fail(ErrorCode::kParse, "a parameter has a broken escape");
            c = static_cast<char>(high * 16 + low);
            i += 2;
        }
        if (c == '\0') return fail(ErrorCode::kParse, "a parameter holds NUL");
        out += c;
    }
    return out;
}

}  // namespace

std::string percent_encode(std::string_view text) {
    constexpr std::string_view kHex = "0123456789ABCDEF";
    std::string out;
    out.reserve(text.size());
    for (const char c : text) {
        if (is_unreserved(c)) {
            out += c;
        } else {
            const auto byte = static_cast<unsigned char>(c);
            out += {'%', kHex[byte >> 4], kHex[byte & 15u]};
        }
    }
    return out;
}

void Form::add(std::string_view name, std::string_view value) {
    if (!text_.empty()) text_ += '&';
    text_ += percent_encode(name) + '=' + percent_encode(value);
}

void Form::add_if(std::string_view name, std::string_view value) {
    if (!value.empty()) add(name, value);
}

Result<std::vector<std::pair<std::string, std::string>>> parse_query(std::string_view query) {
    if (query.size() > kMaxQueryBytes) return fail(ErrorCode::kLimit, "the query is too long");
    std::vector<std::pair<std::string, std::string>> out;
    while (!query.empty()) {
        const std::string_view part = query.substr(0, query.find('&'));
        query.remove_prefix(std::min(query.size(), part.size() + 1));
        if (part.empty()) continue;
        const std::size_t equals = std::min(part.find('='), part.size());
        GANTRY_TRY(std::string name, decode(part.substr(0, equals)));
        GANTRY_TRY(std::string value, decode(part.substr(std::min(equals + 1, part.size()))));
        for (const auto& [known, _] : out)
            if (known == name) return fail(ErrorCode::kParse, "a parameter occurs twice");
        if (out.size() == kMaxParameters) return fail(ErrorCode::kLimit, "too many parameters");
        out.emplace_back(std::move(name), std::move(value));
    }
    return out;
}

}  // namespace gantry::auth
