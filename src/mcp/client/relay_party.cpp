#include "mcp/client/relay_party.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/json/splice.hpp"
#include "mcp/protocol/errors.hpp"
#include "mcp/protocol/method.hpp"

namespace gantry::mcp {
namespace {

/// Maximum number of the server's questions handled concurrently for one request.
constexpr std::size_t kMaxAsked = 16;
constexpr std::size_t kMaxAskedBytes = 16u << 20;
/// Length limit of a method name quoted in a rejection.
constexpr std::size_t kQuotedMethod = 128;

RpcError to_rpc_error(const Error& error) {
    if (error.rpc() != nullptr) return *error.rpc();
    if (error.code() == ErrorCode::kInvalidArgument || error.code() == ErrorCode::kProtocol) {
        return invalid_params(error.message());
    }
    return internal_error(error.message());
}

std::string result_text(const RawMessage& question, std::string_view result) {
    std::string text = R"({"jsonrpc":"2.0","id":)";
    text.append(question.view().id.raw()).append(R"(,"result":)").append(result).append("}");
    return text;
}

std::string error_text(const RawMessage& question, RpcError error) {
    return encode_message(ResponseMessage{.id = question.id(), .outcome = std::unexpected(std::move(error))});
}

}  // namespace

bool spells(const json::Span& span, std::int64_t number) noexcept {
    std::array<char, 24> digits;
    const auto [end, error] = std::to_chars(digits.begin(), digits.end(), number);
    return span && span.raw() == std::string_view(digits.data(), end);
}

RelayParty::RelayParty(Rpc& rpc, const Context& ctx, const RelayRequest& request, std::int64_t id, bool may_ask)
    : rpc_(rpc), ctx_(ctx), request_(request), id_(id), may_ask_(may_ask) {}

void RelayParty::on_progress(const RawMessage& note) {
    if (!request_.wants_progress) return rpc_.report_anomaly("unrequested progress");
    const auto params = Json::parse(note.view().params.raw());
    const Json* value = params ? params->find("progress") : nullptr;
    const auto progress = value != nullptr ? value->as_double() : std::nullopt;
    if (!progress) return rpc_.report_anomaly("progress without a number");
    // Only increasing progress counts as a sign of life, so that a stuck server cannot extend the timeout.
    if (progress_ && *progress <= *progress_) return rpc_.report_anomaly("progress that does not grow");
    progress_ = progress;
    revived();
    if (request_.hooks.on_progress) request_.hooks.on_progress(note.view().params.raw(), note.view().in_params);
}

void RelayParty::on_log(const RawMessage& note) {
    if (!request_.hooks.on_log) return;
    const auto params = Json::parse(note.view().params.raw());
    const auto level = params ? parse_log_level(params->string_at("level")) : std::nullopt;
    if (!level) return rpc_.report_anomaly("a log message without a level");
    if (request_.log_level && *level < *request_.log_level) return;
    request_.hooks.on_log(*level, note.view().params.raw());
}

void RelayParty::on_request(RawMessage question) {
    if (!scope_) scope_.emplace(ctx_);
    const CancelSource stop(scope_->context().cancel());
    asked_.emplace_back(*question.id(), stop);
    UnsentAnswers::Entry unsent(rpc_.unsent(), question.text().size());
    scope_->spawn(answer(std::move(question), stop, std::move(unsent)));
}

bool RelayParty::on_cancelled(const RawMessage& note) {
    const auto id = read_request_id(note.view().in_params.request_id);
    const auto found = std::ranges::find_if(asked_, [&](const auto& one) { return id && one.first == *id; });
    if (found == asked_.end()) return false;
    const CancelSource stop = found->second;
    stop.cancel();
    return true;
}

Task<void> RelayParty::answer(RawMessage question, CancelSource stop, UnsentAnswers::Entry unsent) {
    const Context ctx = scope_->context().stopped_by(stop);
    std::string text = co_await answer_text(ctx, question, unsent);
    const auto id = *question.id();
    const auto entry = std::ranges::find_if(asked_, [&](const auto& one) { return one.first == id; });
    if (entry != asked_.end()) asked_.erase(entry);
    // The server cancelled the question, or the request has ended.
    if (stop.cancelled()) co_return;
    unsent.resume(rpc_.unsent(), question.text().size() + text.size());
    auto sent = co_await rpc_.reply(ctx.within(rpc_.unsent().limits().write_limit()), id, std::move(text));
    if (!sent) rpc_.report_anomaly("an answer to the server's request could not be sent");
}

Task<std::string> RelayParty::answer_text(const Context& ctx, const RawMessage& question,
                                          UnsentAnswers::Entry& unsent) {
    std::string method = question.view().method.text().value_or("");
    if (method == method::kPing) co_return result_text(question, "{}");
    if (!can_be_asked()) co_return error_text(question, method_not_found(method.substr(0, kQuotedMethod)));
    const std::size_t size = question.text().size();
    if (asked_.size() > kMaxAsked || working_bytes_ + size > kMaxAskedBytes) {
        co_return error_text(question, internal_error("too many requests to this client at once"));
    }
    unsent.suspend();
    working_bytes_ += size;
    serving(true);
    auto result = co_await request_.hooks.on_request(ctx, std::move(method), std::string(question.view().params.raw()));
    serving(false);
    working_bytes_ -= size;
    if (!result) co_return error_text(question, to_rpc_error(result.error()));
    json::make_one_line(*result);
    co_return result_text(question, *result);
}

Task<void> RelayParty::leave() {
    if (!scope_) co_return;
    scope_->cancel();
    co_await scope_->join();
}

}  // namespace gantry::mcp
