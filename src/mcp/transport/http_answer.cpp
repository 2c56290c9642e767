#include "mcp/transport/http_answer.hpp"

#include <algorithm>
#include <cctype>
#include <utility>

#include "mcp/transport/refusal_words.hpp"

namespace gantry::mcp {
namespace {

constexpr std::size_t kMaxRefusalBody = 1u << 20;
constexpr std::size_t kExcerptBytes = 2u << 10;
constexpr Duration kRefusalPatience = seconds(5);

}  // namespace

std::string media_type(std::string_view content_type) {
    content_type = content_type.substr(0, content_type.find(';'));
    const auto first = content_type.find_first_not_of(" \t");
    if (first == std::string_view::npos) return {};
    const auto last = content_type.find_last_not_of(" \t");
    std::string out(content_type.substr(first, last - first + 1));
    std::ranges::transform(out, out.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return out;
}

std::string media_type(const http::Headers& headers) {
    return media_type(headers.get("Content-Type").value_or(""));
}

ErrorCode code_for_status(int status) noexcept {
    switch (status) {
        case 401:
        case 407: return ErrorCode::kUnauthorized;
        case 403: return ErrorCode::kDenied;
        case 404: return ErrorCode::kNotFound;
        case 405: return ErrorCode::kUnsupported;
        case 408: return ErrorCode::kTimeout;
        case 413:
        case 429: return ErrorCode::kLimit;
        case 503: return ErrorCode::kConnection;
        default: return status >= 500 ? ErrorCode::kOutcomeUnknown : ErrorCode::kProtocol;
    }
}

Task<RefusedAnswer> read_refusal(const Context& ctx, http::Response response, std::string what) {
    const int status = response.status();
    HttpFailure detail{.status = status,
                       .content_type = media_type(response.headers()),
                       .body_excerpt = {},
                       .www_authenticate = std::string(response.headers().get("WWW-Authenticate").value_or("")),
                       .redirect_origin = {}};
    std::string body;
    if (detail.content_type != kEventStream) {
        auto read = co_await response.read_all(ctx.within(kRefusalPatience), kMaxRefusalBody);
        if (read) body = *std::move(read);
    }
    detail.body_excerpt = body.substr(0, kExcerptBytes);
    std::string text = std::move(what) + " answered " + std::to_string(status);
    if (!detail.content_type.empty()) text += " (" + detail.content_type + ")";
    if (const std::string words = refusal_words(detail.content_type, body); !words.empty()) text += ": " + words;
    Error error(code_for_status(status), std::move(text));
    if (status == 429) (void)std::move(error).retryable(true);
    if (auto rpc = rpc_error_in(body)) (void)std::move(error).rpc(*std::move(rpc));
    co_return RefusedAnswer{.error = std::move(error), .detail = std::move(detail), .body = std::move(body)};
}

std::optional<RpcError> rpc_error_in(std::string_view body) {
    if (body.find_first_not_of(" \t\r\n") == std::string_view::npos) return std::nullopt;
    auto message = decode_message(body);
    if (message) {
        auto* response = std::get_if<ResponseMessage>(&*message);
        if (!response || response->outcome) return std::nullopt;
        return std::move(response->outcome).error();
    }
    // Some servers omit "jsonrpc" or the message in errors they send before a session exists.
    auto json = Json::parse(body);
    const Json* error = json ? json->find("error") : nullptr;
    const Json* code = error ? error->find("code") : nullptr;
    if (!code || !code->as_int()) return std::nullopt;
    const Json* data = error->find("data");
    return RpcError{.code = *code->as_int(),
                    .message = std::string(error->string_at("message")),
                    .data = data ? data->dump() : std::string()};
}

}  // namespace gantry::mcp
