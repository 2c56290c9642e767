#include "gateway/approvals/answer_endpoint.hpp"

#include <algorithm>
#include <chrono>

#include "base/try.hpp"
#include "gantry/json.hpp"
#include "gateway/approvals/signed_answer.hpp"

namespace gantry::gateway {
namespace {

constexpr std::size_t kMaxBody = 64u << 10;
/// Anyone can send invalid signatures; they must not be able to fill the log.
constexpr Duration kTellEvery = std::chrono::minutes(1);

int status_of(ErrorCode code) noexcept {
    switch (code) {
        case ErrorCode::kInvalidArgument: return 400;
        case ErrorCode::kUnauthorized: return 401;
        case ErrorCode::kNotFound: return 404;
        case ErrorCode::kUnsupported: return 405;
        case ErrorCode::kLimit: return 413;
        default: return 503;
    }
}

std::string word_for(ErrorCode code) {
    std::string word(to_string(code));
    std::ranges::replace(word, ' ', '_');
    return word;
}

std::string_view id_in(std::string_view target) noexcept {
    target = target.substr(0, target.find_first_of("?#"));
    return target.substr(target.rfind('/') + 1);
}

std::int64_t now_seconds() {
    return std::chrono::floor<seconds>(std::chrono::system_clock::now()).time_since_epoch().count();
}

}  // namespace

Task<void> AnswerEndpoint::handle(const Context& ctx, http::Exchange& exchange) {
    const auto taken = co_await take(ctx, exchange);
    http::Headers headers{{"Content-Type", "application/json"}, {"Cache-Control", "no-store"}};
    int status = 200;
    Json body;
    if (taken) {
        body = *taken;
    } else {
        const Error& error = taken.error();
        status = status_of(error.code());
        if (status == 405) headers.set("Allow", "POST");
        if (status == 401) tell_refused(exchange.peer_address(), error);
        body = JsonObject{{"error", JsonObject{{"code", word_for(error.code())}, {"message", error.message()}}}};
    }
    auto sent = co_await exchange.respond(ctx, status, headers, body.dump());
    static_cast<void>(sent);  // the client may have disconnected
}

Task<Result<Json>> AnswerEndpoint::take(const Context& ctx, http::Exchange& exchange) {
    if (secret_.empty()) co_return fail(ErrorCode::kNotFound, "no approval webhook is configured");
    if (exchange.method() != "POST") co_return fail(ErrorCode::kUnsupported, "an approval is answered with POST");
    auto body = co_await exchange.read_all(ctx, kMaxBody);
    if (!body) {
        if (body.error().code() != ErrorCode::kLimit) co_return fail(body.error());
        co_return fail(ErrorCode::kLimit, "an answer has at most " + std::to_string(kMaxBody) + " bytes");
    }
    const auto signature = exchange.headers().get(kSignatureField).value_or(std::string_view());
    GANTRY_CO_TRY(SignedAnswer said, read_signed_answer(secret_, *body, signature, now_seconds()));
    if (said.id != id_in(exchange.target()))
        co_return fail(ErrorCode::kInvalidArgument, "the answer is about another question than its path");
    const Json done = JsonObject{{"id", said.id}, {"approved", said.answer.approved}};
    GANTRY_CO_CHECK(co_await answer_(std::move(said.id), std::move(said.answer)));
    co_return done;
}

void AnswerEndpoint::tell_refused(std::string_view peer, const Error& error) {
    ++untold_;
    const TimePoint now = SteadyClock::now();
    if (!note_ || (told_ != TimePoint() && now - told_ < kTellEvery)) return;
    std::string text = "an approval answer was refused, from " + std::string(peer) + ": " + error.message();
    if (untold_ > 1) text += " (" + std::to_string(untold_) + " since the last report)";
    note_(text);
    told_ = now;
    untold_ = 0;
}

}  // namespace gantry::gateway
