#include "gateway/sources/mcp/suspendable_call.hpp"

#include <algorithm>

#include "base/crypto/base64url.hpp"
#include "base/crypto/digest.hpp"
#include "base/json/splice.hpp"
#include "base/try.hpp"
#include "gateway/sources/mcp/questions.hpp"
#include "io/loop.hpp"
#include "mcp/protocol/method.hpp"

namespace gantry::gateway {

namespace {

/// Time to tell the server that no answer will come, or that the call was cancelled.
constexpr Duration kLastWord = seconds(2);

}  // namespace

struct SuspendableCall::Question {
    std::string key;
    std::string method;
    std::string params;
    std::optional<Result<std::string>> answer;
    Event answered;
};

/// Attaches the call to its client's line. By the time it is destroyed, no question is in flight on that line.
class SuspendableCall::Attended {
public:
    Attended(SuspendableCall& call, ReplyLine& line) : call_(call) { call_.line_ = &line; }
    ~Attended() { call_.line_ = nullptr; }

    Task<void> leave() {
        call_.line_ = nullptr;
        const std::list<CancelSource> asking = call_.asking_;
        for (const CancelSource& stop : asking) stop.cancel();
        while (!call_.asking_.empty()) {
            auto waited = co_await call_.changed_.wait(Context::background());
            static_cast<void>(waited);  // this wait cannot end early
        }
    }

private:
    SuspendableCall& call_;
};

SuspendableCall::SuspendableCall(std::string principal, std::string about, Request request)
    : principal_(std::move(principal)), about_(std::move(about)), request_(std::move(request)) {}

SuspendableCall::~SuspendableCall() = default;

mcp::RelayHooks SuspendableCall::hooks() {
    const std::weak_ptr<SuspendableCall> weak = weak_from_this();
    mcp::RelayHooks hooks;
    hooks.on_progress = [weak](std::string_view params, const json::ParamsView& view) {
        // Dropped while the call is parked: progress is of no use later.
        const auto self = weak.lock();
        if (self && self->line_ != nullptr && self->line_->wants_progress()) {
            self->line_->progress(without_token(params, view));
        }
    };
    hooks.on_log = [weak](mcp::LogLevel level, std::string_view params) {
        const auto self = weak.lock();
        if (!self || self->line_ == nullptr || !self->request_.lease) return;
        const auto wanted = self->request_.lease->log_level_for(*self->line_);
        if (wanted && level >= *wanted) self->line_->log(params);
    };
    hooks.on_request = [weak](const Context& ctx, std::string method, std::string params) {
        return asked(weak.lock(), ctx, std::move(method), std::move(params));
    };
    hooks.on_hang_up = [weak](Duration retry) {
        if (const auto self = weak.lock(); self && self->line_ != nullptr) self->line_->hang_up(retry);
    };
    return hooks;
}

Task<void> SuspendableCall::run(std::shared_ptr<SuspendableCall> self) {
    const Context ctx = Context::background().stopped_by(self->stop_);
    mcp::RelayRequest relayed{.method = self->request_.method,
                              .params = self->request_.params.text(),
                              .view = self->request_.params.view(),
                              .name = self->request_.name,
                              .capabilities = self->request_.forwarded->modern_text,
                              .correlation_id = self->request_.correlation_id,
                              .times = self->request_.times,
                              .max_result_bytes = self->request_.max_result_bytes,
                              .wants_progress = true,
                              .hooks = self->hooks()};
    auto answer = co_await self->request_.lease->client().relay(ctx, relayed, self->request_.repeatable);
    if (!answer && self->stop_.cancelled() && !self->request_.task.empty()) co_await self->cancel_task();
    const bool streams = answer && answer->stream;
    self->outcome_ = std::move(answer);
    // Release the lane now: callers waiting for it need not wait until the client fetches the answer.
    if (!streams) self->request_.lease.release();
    // The call these questions belong to has ended.
    for (const auto& question : std::exchange(self->questions_, {})) {
        question->answer = unanswered(question->method);
        question->answered.set();
    }
    self->changed_.pulse();
}

Task<void> SuspendableCall::cancel_task() {
    auto told = co_await request_.lease->client().request(
        Context::background().within(kLastWord),
        {.method = std::string(mcp::method::kCancelTask), .params = JsonObject{{"taskId", request_.task}}}, true);
    static_cast<void>(told);  // best effort
}

Task<Result<std::string>> SuspendableCall::asked(std::shared_ptr<SuspendableCall> self, Context ctx, std::string method,
                                                 std::string params) {
    if (!self) co_return fail(ErrorCode::kCancelled, "the call is over");
    GANTRY_CO_CHECK(check_question(*self->request_.forwarded, method, params));
    if (self->line_ != nullptr && self->line_->can_ask()) {
        co_return co_await self->ask_line(ctx, std::move(method), std::move(params));
    }
    auto question = std::make_shared<Question>();
    question->key = random_name();
    question->method = std::move(method);
    question->params = clean_question(params);
    self->questions_.push_back(question);
    self->last_question_ = SteadyClock::now();
    self->changed_.pulse();
    auto waited = co_await question->answered.wait(ctx);
    std::erase(self->questions_, question);
    self->changed_.pulse();
    if (!waited) co_return fail(waited.error());
    co_return *question->answer;
}

Task<Result<std::string>> SuspendableCall::ask_line(Context ctx, std::string method, std::string params) {
    const CancelSource stop(ctx.cancel());
    const auto entry = asking_.insert(asking_.end(), stop);
    auto answer = co_await line_->ask(ctx.stopped_by(stop), method, std::move(params));
    asking_.erase(entry);
    changed_.pulse();
    co_return answer;
}

Task<Result<void>> SuspendableCall::wait(const Context& ctx, Duration coalesce) {
    while (!outcome_) {
        Context waiting = ctx;
        if (!questions_.empty()) {
            const Deadline settled = Deadline::after(coalesce, last_question_);
            if (settled.passed()) break;
            waiting = ctx.until(settled);
        }
        auto waited = co_await changed_.wait(waiting);
        if (!waited) GANTRY_CO_CHECK(ctx.check());
    }
    co_return Result<void>();
}

Task<Result<SuspendableCall::Turn>> SuspendableCall::turn(const Context& ctx, ReplyLine& line, Duration coalesce) {
    const auto self = shared_from_this();
    Attended attended(*this, line);
    auto waited = co_await wait(ctx, coalesce);
    co_await attended.leave();
    if (outcome_) co_return Turn::kDone;
    if (waited) co_return Turn::kAsked;
    // The client of an exchange in progress is gone, and the call with it.
    abandon();
    co_return fail(waited.error());
}

Task<void> SuspendableCall::settle(const Context& ctx, Duration coalesce) {
    const auto self = shared_from_this();
    auto waited = co_await wait(ctx, coalesce);
    static_cast<void>(waited);  // the caller checks the state itself
}

Result<mcp::RelayAnswer> SuspendableCall::take_outcome(Lease& lease) {
    lease = std::move(request_.lease);
    auto outcome = std::exchange(outcome_, Result<mcp::RelayAnswer>(fail(ErrorCode::kInternal, "taken already")));
    return *std::move(outcome);
}

JsonObject SuspendableCall::question_objects() const {
    JsonObject requests;
    for (const auto& question : questions_) {
        auto params = Json::parse(question->params);
        requests.set(question->key, JsonObject{{"method", question->method},
                                               {"params", params ? *std::move(params) : Json(JsonObject{})}});
    }
    return requests;
}

std::string SuspendableCall::questions() const {
    return Json(question_objects()).dump();
}

Result<void> SuspendableCall::check(const Json& answers) const {
    if (!answers.is_object()) return fail(invalid_params("inputResponses is not an object"));
    for (const auto& question : questions_) {
        const Json* answer = answers.find(question->key);
        if (answer != nullptr) GANTRY_CHECK(check_answer(question->method, *answer));
    }
    return {};
}

void SuspendableCall::answer(const Json& answers) {
    const auto open = questions_;
    for (const auto& question : open) {
        const Json* answer = answers.find(question->key);
        if (answer == nullptr) continue;
        question->answer = answer->dump();
        question->answered.set();
        std::erase(questions_, question);
    }
}

Task<void> SuspendableCall::expire() {
    const auto self = shared_from_this();
    const auto open = std::exchange(questions_, {});
    for (const auto& question : open) {
        question->answer = unanswered(question->method);
        question->answered.set();
    }
    const Context last_word = Context::background().within(kLastWord);
    while (!outcome_ && !open.empty()) {
        if (!co_await changed_.wait(last_word)) break;
    }
    abandon();
}

std::string without_token(std::string_view params, const json::ParamsView& view) {
    json::Splice splice(params);
    splice.remove(view.progress_token);
    auto text = splice.finish();
    return text ? *std::move(text) : std::string("{}");
}

std::string random_name() {
    const auto bytes = crypto::random_bytes(16);
    // Without randomness no state could be trusted.
    if (!bytes) std::abort();
    return crypto::base64url_encode(*bytes);
}

}  // namespace gantry::gateway
