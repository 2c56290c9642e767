#include "mcp/protocol/headers.hpp"

#include <algorithm>

#include "base/json/text.hpp"
#include "base/try.hpp"
#include "mcp/protocol/base64.hpp"
#include "mcp/protocol/method.hpp"

namespace gantry::mcp {
namespace {

constexpr std::string_view kOpen = "=?base64?";
constexpr std::string_view kClose = "?=";
constexpr std::int64_t kSafeInteger = (std::int64_t{1} << 53) - 1;

bool is_coded(std::string_view text) {
    return text.size() >= kOpen.size() + kClose.size() && text.starts_with(kOpen) && text.ends_with(kClose);
}

/// Tabs are allowed in a field, but peers handle them differently, so they are encoded.
bool is_plain(std::string_view text) {
    return !text.empty() && text.front() != ' ' && text.back() != ' ' && !is_coded(text) &&
           std::ranges::all_of(text, [](char c) { return c >= 0x20 && c <= 0x7E; });
}

bool is_utf8(std::string_view text) {
    json::Utf8Checker checker;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (checker.inside() ? !checker.next(byte) : byte >= 0x80 && !checker.lead(byte)) return false;
    }
    return !checker.inside();
}

std::string_view trimmed(std::string_view field) {
    const auto blank = [](char c) { return c == ' ' || c == '\t'; };
    while (!field.empty() && blank(field.front())) field.remove_prefix(1);
    while (!field.empty() && blank(field.back())) field.remove_suffix(1);
    return field;
}

/// Null if the argument is absent or null.
const Json* find_argument(const JsonObject& arguments, const std::vector<std::string>& path) {
    const JsonObject* object = &arguments;
    const Json* value = nullptr;
    for (const std::string& name : path) {
        if (object == nullptr) return nullptr;
        value = object->find(name);
        if (value == nullptr) return nullptr;
        object = value->if_object();
    }
    return value == nullptr || value->is_null() ? nullptr : value;
}

std::string dotted(const std::vector<std::string>& path) {
    std::string text;
    for (const std::string& name : path) text += (text.empty() ? "" : ".") + name;
    return text;
}

/// The value's text before header encoding.
Result<std::string> plain_text(const Json& value, const HeaderParam& param) {
    if (const auto* text = value.if_string()) return *text;
    if (const auto* flag = value.if_bool()) return std::string(*flag ? "true" : "false");
    const auto number = value.as_int();
    if (!number || *number > kSafeInteger || *number < -kSafeInteger) {
        return fail(ErrorCode::kInvalidArgument,
                    "argument " + dotted(param.path) +
                        " must be text, true or false, or an integer within 2^53 to travel as " + param.header);
    }
    return std::to_string(*number);
}

std::unexpected<Error> mismatch(std::string_view name, std::string_view complaint) {
    return fail(ErrorCode::kProtocol, std::string(name).append(" ").append(complaint));
}

/// "007", "7" and "7.0" are the same integer; everything else is compared as text.
bool same_value(const std::string& sent, const std::string& expected, const Json& value) {
    if (sent == expected) return true;
    if (!value.is_number()) return false;
    const std::size_t start = sent.starts_with('-') ? 1 : 0;
    const bool digits = sent.size() > start && std::ranges::all_of(sent.substr(start), json::is_digit);
    if (digits) {
        std::string_view rest = std::string_view(sent).substr(start);
        while (rest.size() > 1 && rest.front() == '0') rest.remove_prefix(1);
        return (start == 1 && rest != "0" ? "-" : "") + std::string(rest) == expected;
    }
    auto number = Json::parse(sent);
    return number && number->is_number() && *number == value;
}

Result<void> check_header(const HeaderLookup& lookup, std::string_view name, const Json& value,
                          const std::string& expected) {
    const std::string* field = lookup(name);
    if (field == nullptr) return mismatch(name, "header is missing");
    const auto sent = decode_header_value(*field);
    if (!sent) return mismatch(name, "header is malformed");
    if (!same_value(*sent, expected, value)) return mismatch(name, "header differs from the body");
    return {};
}

}  // namespace

std::string encode_header_value(std::string_view text) {
    if (is_plain(text)) return std::string(text);
    return std::string(kOpen) + encode_base64(text) + std::string(kClose);
}

Result<std::string> decode_header_value(std::string_view field) {
    const std::string_view text = trimmed(field);
    if (!is_coded(text)) {
        const bool safe = std::ranges::all_of(text, [](char c) { return (c >= 0x20 && c <= 0x7E) || c == '\t'; });
        if (!safe) return fail(ErrorCode::kParse, "a header value that should have been coded");
        return std::string(text);
    }
    const auto inside = text.substr(kOpen.size(), text.size() - kOpen.size() - kClose.size());
    auto decoded = decode_base64(inside);
    if (!decoded) return fail(ErrorCode::kParse, "invalid base64 in a header value");
    if (!is_utf8(*decoded)) return fail(ErrorCode::kParse, "invalid UTF-8 in a header value");
    return *std::move(decoded);
}

Result<HeaderList> param_headers(std::span<const HeaderParam> params, const JsonObject& arguments) {
    HeaderList headers;
    for (const HeaderParam& param : params) {
        const Json* value = find_argument(arguments, param.path);
        if (value == nullptr) continue;
        GANTRY_TRY(const std::string text, plain_text(*value, param));
        headers.emplace_back(param.header, encode_header_value(text));
    }
    return headers;
}

HeaderList routing_headers(std::string_view method, const Json& params, Revision revision) {
    HeaderList headers{{std::string(header::kMethod), std::string(method)}};
    if (const MethodInfo* info = find_method(method, revision)) {
        if (const auto name = name_of_request(*info, params)) {
            headers.emplace_back(header::kName, encode_header_value(*name));
        }
    }
    return headers;
}

Result<void> check_routing_headers(const HeaderLookup& lookup, std::string_view method, const Json& params,
                                   Revision revision) {
    const std::string* sent = lookup(header::kMethod);
    if (sent == nullptr) return mismatch(header::kMethod, "header is missing");
    if (trimmed(*sent) != method) return mismatch(header::kMethod, "header differs from the body");
    const MethodInfo* info = find_method(method, revision);
    const auto name = info != nullptr ? name_of_request(*info, params) : std::nullopt;
    if (!name) return {};
    return check_header(lookup, header::kName, Json(*name), std::string(*name));
}

Result<void> check_param_headers(const HeaderLookup& lookup, std::span<const HeaderParam> params,
                                 const JsonObject& arguments) {
    for (const HeaderParam& param : params) {
        const Json* value = find_argument(arguments, param.path);
        if (value == nullptr) {
            if (lookup(param.header) != nullptr) return mismatch(param.header, "header has no value in the body");
            continue;
        }
        auto expected = plain_text(*value, param);
        if (!expected) return mismatch(param.header, "header cannot mirror the value in the body");
        GANTRY_CHECK(check_header(lookup, param.header, *value, *expected));
    }
    return {};
}

}  // namespace gantry::mcp
