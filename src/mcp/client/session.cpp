#include "mcp/client/session.hpp"

#include "base/try.hpp"
#include "io/loop.hpp"
#include "mcp/client/initialize.hpp"
#include "mcp/client/inputs.hpp"
#include "mcp/protocol/codec.hpp"
#include "mcp/protocol/errors.hpp"
#include "mcp/protocol/meta.hpp"
#include "mcp/protocol/method.hpp"
#include "mcp/protocol/result.hpp"

namespace gantry::mcp {

namespace {

/// Back-off for a round without questions, by which a server asks for more time.
constexpr Duration kStateOnlyPause = milliseconds(250);

}  // namespace

Session::Session(std::unique_ptr<Rpc> rpc, const ClientSettings& settings, ServerDescription server, Wire wire)
    : rpc_(std::move(rpc)),
      settings_(settings),
      server_(std::move(server)),
      wire_(wire),
      log_level_(settings.log_level) {}

Json Session::stamped(Json params) const {
    if (modern()) {
        stamp_meta(params, server_.revision,
                   {.capabilities = capabilities_of(settings_, server_.revision),
                    .client_info = settings_.self,
                    .log_level = log_level_});
    }
    return params;
}

Task<Result<Json>> Session::request(const Context& ctx, SessionRequest request) {
    auto answer = co_await rounds(ctx, request);
    if (answer || answer.error().rpc() == nullptr) co_return answer;
    // 2025-11-25: the server wants the user to visit a URL first and has not run the request.
    GANTRY_CO_TRY(const bool visited, co_await visit_required_urls(ctx, answer.error()));
    if (!visited) co_return answer;
    co_return co_await rounds(ctx, request);
}

Task<Result<Json>> Session::rounds(const Context& ctx, const SessionRequest& request) {
    JsonObject params = request.params;
    for (int round = 0;; ++round) {
        GANTRY_CO_TRY(Json result, co_await exchange(ctx, request, params));
        if (!result.is_object())
            co_return fail(ErrorCode::kProtocol, request.method + ": the server's result is not an object");
        const MethodInfo* info = find_method(request.method, server_.revision);
        if (info == nullptr || !modern()) co_return result;
        GANTRY_CO_TRY(const ResultKind kind, check_result(result, server_.revision, *info));
        if (kind != ResultKind::kInputRequired) co_return result;

        if (round >= settings_.max_input_rounds) {
            co_return fail(ErrorCode::kLimit, request.method + ": the server asked for input more than " +
                                                  std::to_string(settings_.max_input_rounds) + " times");
        }
        GANTRY_CO_TRY(InputRequired asked, decode<InputRequired>(result, server_.revision));
        GANTRY_CO_TRY(InputResponses answers,
                      co_await serve_inputs(ctx, settings_.handlers, server_.revision, asked.input_requests));
        if (asked.input_requests.empty()) GANTRY_CO_CHECK(co_await sleep_for(ctx, kStateOnlyPause));
        // Answers and state belong to this one retry: start again from the original params.
        params = request.params;
        if (!asked.input_requests.empty()) params.set("inputResponses", std::move(answers));
        if (asked.request_state) params.set("requestState", *asked.request_state);
    }
}

Task<Result<Json>> Session::exchange(const Context& ctx, const SessionRequest& request, const JsonObject& params) {
    for (int attempt = 0;; ++attempt) {
        const std::uint64_t generation = generation_;
        HttpFailure failure;
        RpcCall call{.method = request.method,
                     .params = stamped(params.empty() ? Json() : Json(params)),
                     .headers = request.headers,
                     .times = request.times,
                     .on_progress = request.on_progress,
                     .failure = &failure};
        auto answer = co_await rpc_->request(ctx, std::move(call));
        if (answer || !failure.session_gone || attempt > 0) co_return answer;
        // The server forgot the session and therefore has not run this; renew it and retry.
        GANTRY_CO_CHECK(co_await reinitialize(ctx, generation));
    }
}

Task<Result<void>> Session::reinitialize(const Context& ctx, std::uint64_t seen_generation) {
    GANTRY_CO_TRY(auto guard, co_await renewing_.lock(ctx));
    if (generation_ != seen_generation) co_return Result<void>();
    GANTRY_CO_TRY(server_, co_await initialize(ctx, *rpc_, settings_));
    ++generation_;
    if (reinitialized_) reinitialized_();
    co_return Result<void>();
}

Task<Result<bool>> Session::visit_required_urls(const Context& ctx, const Error& error) {
    if (error.rpc()->code != rpc_code::kUrlElicitationRequired || !settings_.handlers.elicit_by_url) co_return false;
    auto required = as_url_elicitations(*error.rpc());
    if (required.empty()) co_return false;
    for (ElicitParams& params : required) {
        auto answered = co_await settings_.handlers.elicit(ctx, std::move(params));
        if (!answered || !(answered->action == ElicitAction::kAccept)) co_return false;
    }
    co_return true;
}

Task<void> Session::close() {
    co_await rpc_->close();
}

}  // namespace gantry::mcp
