#include "gateway/events/traces.hpp"

#include <cstring>

#include "base/crypto/digest.hpp"
#include "base/try.hpp"
#include "gateway/events/journal.hpp"
#include "io/loop.hpp"

namespace gantry::gateway::events {
namespace {

constexpr std::size_t kMostOfAnAnswer = 64u << 10;
constexpr Duration kFarewell = seconds(2);

std::uint64_t seed() {
    std::uint64_t value = static_cast<std::uint64_t>(unix_micros());
    if (const auto bytes = crypto::random_bytes(sizeof value)) std::memcpy(&value, bytes->data(), sizeof value);
    return value;
}

template <std::size_t N>
void fill(std::mt19937_64& random, std::array<std::uint8_t, N>& bytes) noexcept {
    for (std::size_t i = 0; i < N; i += 8) {
        const std::uint64_t number = random() | 1;  // ids must not be all zero
        std::memcpy(bytes.data() + i, &number, 8);
    }
}

std::string text(const Record& record, Record::Text which) {
    return std::string(record.texts[which].substr(0, 256));
}

/// A retry would be rejected too.
bool is_final(int status) noexcept {
    return status >= 400 && status < 500 && status != 408 && status != 429;
}

}  // namespace

Traces::Traces(Loop& loop, TraceOptions options, Url url, std::string instance,
               std::function<void(std::string_view)> note)
    : options_(std::move(options)),
      url_(std::move(url)),
      instance_(std::move(instance)),
      note_(std::move(note)),
      client_(loop, guard_, {.head_timeout = options_.timeout, .max_connections_per_origin = 1}),
      random_(seed()),
      scope_(Context::background()) {}
Traces::~Traces() = default;

Result<std::unique_ptr<Traces>> Traces::make(Loop& loop, TraceOptions options, std::string instance,
                                             std::function<void(std::string_view)> note) {
    auto url = Url::parse(options.url);
    if (!url) return fail(url.error().within("traces.url"));
    for (const auto& [name, value] : options.headers) {
        if (!http::Headers::valid_name(name) || !http::Headers::valid_value(value))
            return fail(ErrorCode::kInvalidArgument, "traces.headers: a field that cannot be sent");
    }
    return std::unique_ptr<Traces>(
        new Traces(loop, std::move(options), *std::move(url), std::move(instance), std::move(note)));
}

void Traces::start() {
    scope_.spawn(run());
}

Task<void> Traces::stop(Context grace) {
    scope_.cancel();
    co_await scope_.join();
    co_await send_all(grace.within(kFarewell));
    dropped_ += waiting_.size();
    waiting_.clear();
    client_.close();
}

TraceIds Traces::begin(std::string_view traceparent) noexcept {
    TraceIds ids;
    if (const auto caller = read_traceparent(traceparent)) {
        ids = *caller;
    } else {
        fill(random_, ids.trace);
        ids.sampled = static_cast<double>(random_() >> 11) * 0x1.0p-53 < options_.sample;
    }
    fill(random_, ids.span);
    return ids;
}

void Traces::heard(const Record& record) noexcept {
    if (!record.is_call || !record.trace.sampled) return;
    if (waiting_.size() >= options_.max_queue) {
        ++dropped_;
        return;
    }
    const auto ago = std::chrono::duration_cast<std::chrono::nanoseconds>(SteadyClock::now() - record.at).count();
    const auto took = std::chrono::duration_cast<std::chrono::nanoseconds>(record.took).count();
    CallSpan span{.ids = record.trace,
                  .ended = unix_micros() * 1000 - ago,
                  .method = std::string(method_of(record.verb)),
                  .name = text(record, Record::kName),
                  .source = text(record, Record::kSource),
                  .principal = text(record, Record::kPrincipal),
                  .session = text(record, Record::kSession),
                  .correlation = text(record, Record::kCorrelation)};
    span.began = span.ended - took;
    if (record.ending == Ending::kError) span.error = error_word(record.code);
    if (record.ending == Ending::kToolFailed) span.error = "tool_error";
    waiting_.push_back(std::move(span));
    if (waiting_.size() >= options_.max_batch) full_.pulse();
}

Task<void> Traces::run() {
    const Context ctx = scope_.context();
    while (!ctx.cancel().cancelled()) {
        if (waiting_.size() < options_.max_batch || failing_) {
            auto woken = co_await full_.wait(ctx.within(options_.interval));
            static_cast<void>(woken);
        }
        co_await send_all(ctx);
    }
}

Task<void> Traces::send_all(const Context& ctx) {
    while (!waiting_.empty() && ctx.check()) {
        const std::size_t count = std::min(waiting_.size(), options_.max_batch);
        const Result<int> status = co_await send(ctx.within(options_.timeout), count);
        if (!ctx.check()) co_return;
        take_stock(status, count);
        if (failing_) co_return;  // retry at the next interval
    }
}

Task<Result<int>> Traces::send(const Context& ctx, std::size_t count) {
    http::Request request{.method = "POST", .url = url_};
    const std::vector<CallSpan> batch(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(count));
    request.body = otlp_request(batch, options_.service_name, instance_);
    request.headers.add("Content-Type", "application/json");
    for (const auto& [name, value] : options_.headers) request.headers.set(name, value);
    GANTRY_CO_TRY(http::Response response, co_await client_.send(ctx, std::move(request)));
    const int status = response.status();
    auto rest = co_await response.read_all(ctx, kMostOfAnAnswer);
    static_cast<void>(rest);
    co_return status;
}

void Traces::take_stock(const Result<int>& status, std::size_t count) {
    const bool taken = status && *status >= 200 && *status < 300;
    const bool refused = status && is_final(*status);
    if (taken || refused) {
        (taken ? sent_ : dropped_) += count;
        waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(count));
    }
    const bool before = std::exchange(failing_, !taken);
    if (!note_ || before == failing_) return;
    if (failing_) {
        note_("traces cannot be sent: " +
              (status ? "the collector answered " + std::to_string(*status) : status.error().message()));
    } else {
        note_("traces are being sent again");
    }
}

}  // namespace gantry::gateway::events
