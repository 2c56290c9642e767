#include "surface/control/operations.hpp"

#include <algorithm>
#include <optional>
#include <ranges>

#include "base/try.hpp"

namespace gantry::surface {
namespace {

constexpr std::size_t kMostBody = 1u << 20;

int status_of(ErrorCode code) noexcept {
    switch (code) {
        case ErrorCode::kInvalidArgument:
        case ErrorCode::kParse:
        case ErrorCode::kSchema: return 400;
        case ErrorCode::kUnauthorized: return 401;
        case ErrorCode::kDenied: return 403;
        case ErrorCode::kNotFound: return 404;
        case ErrorCode::kUnsupported: return 405;
        case ErrorCode::kLimit: return 429;
        case ErrorCode::kConnection:
        case ErrorCode::kTimeout: return 503;
        default: return 500;
    }
}

Task<void> say(const Context& ctx, http::Exchange& exchange, int status, const Json& body) {
    const http::Headers headers{{"Content-Type", "application/json"}, {"Cache-Control", "no-store"}};
    auto sent = co_await exchange.respond(ctx, status, headers, body.dump());
    static_cast<void>(sent);  // the client may have disconnected
}

/// A machine-readable name, e.g. "not_found".
std::string word_for(ErrorCode code) {
    std::string word(to_string(code));
    std::ranges::replace(word, ' ', '_');
    return word;
}

Task<void> say_failure(const Context& ctx, http::Exchange& exchange, const Error& error) {
    const Json body = JsonObject{{"error", JsonObject{{"code", word_for(error.code())}, {"message", error.message()}}}};
    co_await say(ctx, exchange, status_of(error.code()), body);
}

/// Decodes "%41" and "+"; invalid sequences are left unchanged.
std::string decoded(std::string_view text) {
    const auto digit = [](char c) -> int {
        if (c >= '0' && c <= '9') return c - '0';
        const char lower = static_cast<char>(c | 0x20);
        return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
    };
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool coded = text[i] == '%' && i + 2 < text.size() && digit(text[i + 1]) >= 0 && digit(text[i + 2]) >= 0;
        if (!coded) {
            out += text[i] == '+' ? ' ' : text[i];
            continue;
        }
        out += static_cast<char>(digit(text[i + 1]) * 16 + digit(text[i + 2]));
        i += 2;
    }
    return out;
}

std::vector<std::string_view> parts_of(std::string_view path) {
    std::vector<std::string_view> parts;
    for (const auto part : std::views::split(path, '/')) parts.emplace_back(part.begin(), part.end());
    return parts;
}

/// The parameters of a path that matches the pattern.
std::optional<OperationCall> match(std::string_view pattern, std::string_view path) {
    const auto wanted = parts_of(pattern);
    const auto given = parts_of(path);
    if (wanted.size() != given.size()) return std::nullopt;
    OperationCall call;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        if (wanted[i].starts_with('{')) {
            if (given[i].empty()) return std::nullopt;
            call.values.emplace(wanted[i].substr(1, wanted[i].size() - 2), decoded(given[i]));
        } else if (wanted[i] != given[i]) {
            return std::nullopt;
        }
    }
    return call;
}

void add_query(std::string_view query, OperationCall& call) {
    for (const auto range : std::views::split(query, '&')) {
        const std::string_view pair(range.begin(), range.end());
        const std::size_t equals = std::min(pair.find('='), pair.size());
        if (equals == 0) continue;
        const std::string_view value = equals < pair.size() ? pair.substr(equals + 1) : std::string_view();
        call.values.emplace(decoded(pair.substr(0, equals)), decoded(value));
    }
}

Task<Result<Json>> read_body(const Context& ctx, http::Exchange& exchange) {
    GANTRY_CO_TRY(const std::string text, co_await exchange.read_all(ctx, kMostBody));
    if (text.empty()) co_return Json();
    co_return Json::parse(text);
}

}  // namespace

std::string_view OperationCall::value(std::string_view name) const noexcept {
    const auto found = values.find(name);
    return found == values.end() ? std::string_view() : std::string_view(found->second);
}

void Operations::add(Operation operation) {
    operations_.push_back(std::move(operation));
}

Task<void> Operations::handle(const Context& ctx, http::Exchange& exchange) const {
    const std::string target(exchange.target());
    const std::size_t mark = std::min(target.find('?'), target.size());
    const std::string_view path = std::string_view(target).substr(0, mark);
    bool known = false;
    for (const Operation& operation : operations_) {
        auto call = match(operation.path, path);
        if (!call) continue;
        known = true;
        if (operation.method != exchange.method()) continue;
        if (mark < target.size()) add_query(std::string_view(target).substr(mark + 1), *call);
        auto body = co_await read_body(ctx, exchange);
        if (!body) co_return co_await say_failure(ctx, exchange, body.error());
        call->body = *std::move(body);
        if (operation.follow) co_return co_await operation.follow(ctx, exchange, *std::move(call));
        auto result = co_await operation.run(ctx, *std::move(call));
        if (!result) co_return co_await say_failure(ctx, exchange, result.error());
        co_return co_await say(ctx, exchange, 200, *result);
    }
    co_await say_failure(
        ctx, exchange,
        known ? Error(ErrorCode::kUnsupported, "method not allowed: " + std::string(exchange.method()) + " here")
              : Error(ErrorCode::kNotFound, "not found"));
}

}  // namespace gantry::surface
