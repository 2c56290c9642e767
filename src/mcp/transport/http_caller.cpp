#include "mcp/transport/http_caller.hpp"

#include "base/try.hpp"

namespace gantry::mcp {
namespace {

bool is_redirect(int status) {
    return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

Result<void> check_field(std::string_view name, std::string_view value) {
    if (http::Headers::valid_name(name) && http::Headers::valid_value(value)) return {};
    return fail(ErrorCode::kInvalidArgument,
                "a configured header field cannot be sent: its name or value holds "
                "characters HTTP does not allow");
}

}  // namespace

Result<void> check_config(const HttpConfig& config) {
    if (!config.client) return fail(ErrorCode::kInvalidArgument, "an HTTP transport needs an HTTP client");
    if (config.url.host().empty()) return fail(ErrorCode::kInvalidArgument, "an HTTP transport needs a URL");
    for (const auto& [name, value] : config.headers) GANTRY_CHECK(check_field(name, value));
    return {};
}

HttpCaller::HttpCaller(const HttpConfig& config) : config_(config), origin_(config.url.origin()) {}

Task<Result<http::Response>> HttpCaller::send(const Context& ctx, Call call, HttpFailure* failure) {
    int redirects = 0;
    int rounds = 0;
    for (;;) {
        http::Request request{.method = call.method, .url = call.url, .headers = {}, .body = call.body};
        for (const auto& [name, value] : config_.headers) request.headers.add(name, value);
        const http::Authorization::Request asking{.method = call.method, .url = call.url, .on_login = call.on_login};
        http::Authorization::Fields fields;
        if (config_.authorization) {
            GANTRY_CO_TRY(fields, co_await config_.authorization->headers_for(ctx, asking));
            for (const auto& [name, value] : fields) {
                GANTRY_CO_CHECK(check_field(name, value));
                request.headers.set(name, value);
            }
        }
        for (std::size_t i = 0; i < call.headers.size(); ++i) {
            request.headers.set(call.headers[i].name, call.headers[i].value);
        }
        const std::string shown = config_.tap ? without_query(call.url.text()) : std::string();
        if (config_.tap) {
            config_.tap(WireEvent{.direction = WireEvent::Direction::kSent,
                                  .text = call.body,
                                  .method = call.method,
                                  .url = shown,
                                  .headers = masked(request.headers)});
        }
        GANTRY_CO_TRY(auto response, co_await config_.client->send(ctx, std::move(request)));
        if (config_.tap) {
            config_.tap(WireEvent{.direction = WireEvent::Direction::kReceived,
                                  .text = {},
                                  .method = call.method,
                                  .url = shown,
                                  .status = response.status(),
                                  .headers = masked(response.headers())});
        }

        if (is_redirect(response.status())) {
            GANTRY_CO_TRY(call.url, redirect_target(response, call.url, failure));
            if (++redirects > config_.max_redirects) {
                co_return fail(ErrorCode::kProtocol, "more than " + std::to_string(config_.max_redirects) +
                                                         " redirects from " + without_query(config_.url.text()));
            }
            continue;
        }
        if (config_.authorization && call.authorize) {
            auto again = co_await config_.authorization->on_response(ctx, asking,
                                                                     {.status = response.status(),
                                                                      .headers = response.headers(),
                                                                      .sent = fields,
                                                                      .peer = response.peer_address()});
            if (!again) {
                if (failure) {
                    failure->status = response.status();
                    failure->www_authenticate = response.headers().get("WWW-Authenticate").value_or("");
                }
                co_return std::unexpected(std::move(again).error());
            }
            if (*again == http::Retry::kYes && ++rounds <= config_.max_authorization_rounds) continue;
        }
        co_return Result<http::Response>(std::move(response));
    }
}

Result<Url> HttpCaller::redirect_target(const http::Response& response, const Url& from, HttpFailure* failure) const {
    if (failure) failure->status = response.status();
    const auto location = response.headers().get("Location");
    auto target = from.resolve(location.value_or(""));
    if (!location || !target) {
        return fail(ErrorCode::kProtocol, without_query(from.text()) + " answered " +
                                              std::to_string(response.status()) + " without a usable Location");
    }
    if (target->origin() != origin_) {
        if (failure) failure->redirect_origin = target->origin();
        return fail(Error(ErrorCode::kDenied, without_query(from.text()) + " redirects to another origin, " +
                                                  target->origin() +
                                                  ", which is refused; configure that URL if it is "
                                                  "the right one"));
    }
    if (response.status() == 303) {
        return fail(ErrorCode::kProtocol,
                    without_query(from.text()) + " answered 303, which would turn the request into another one");
    }
    return target;
}

void HttpCaller::show_received(std::string_view text) const {
    if (config_.tap) config_.tap(WireEvent{.direction = WireEvent::Direction::kReceived, .text = text});
}

}  // namespace gantry::mcp
