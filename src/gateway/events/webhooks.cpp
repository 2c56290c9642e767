#include "gateway/events/webhooks.hpp"

#include <algorithm>

#include "base/try.hpp"
#include "gateway/events/cloud_event.hpp"
#include "gateway/events/event_names.hpp"
#include "gateway/events/type_filter.hpp"

namespace gantry::gateway::events {
namespace {

constexpr std::size_t kAtOnce = 16;
/// Polling interval: another process may have left deliveries without a notification.
constexpr Duration kLookAgain = seconds(30);
constexpr Duration kLongestPause = std::chrono::hours(1);
constexpr std::size_t kMostOfAnAnswer = 64u << 10;
constexpr Duration kHandBack = seconds(2);

Duration pause_after(Duration first, int attempts) {
    const auto doubled = first * (std::int64_t{1} << std::clamp(attempts, 0, 20));
    return std::min<Duration>(doubled, kLongestPause);
}

std::int64_t micros(Duration duration) {
    return std::chrono::duration_cast<std::chrono::microseconds>(duration).count();
}

/// The receiver rejects it permanently.
bool is_final(int status) noexcept {
    return status == 410;
}

}  // namespace

Webhooks::Hook::Hook(Loop& loop, WebhookOptions wanted, Url to, WebhookSigner with)
    : options(std::move(wanted)),
      url(std::move(to)),
      signer(std::move(with)),
      guard(net::EgressRules{.allow_http = true,
                             .allow_loopback = options.allow_private,
                             .allow_private = options.allow_private,
                             .allow_link_local = false}),
      client(loop, guard, {.head_timeout = options.timeout, .max_connections_per_origin = 2}) {}

Webhooks::Webhooks(Parts parts) : parts_(std::move(parts)), scope_(Context::background()) {}
Webhooks::~Webhooks() = default;

Result<std::unique_ptr<Webhooks>> Webhooks::make(Loop& loop, std::vector<WebhookOptions> options, Parts parts) {
    std::unique_ptr<Webhooks> made(new Webhooks(std::move(parts)));
    for (WebhookOptions& one : options) {
        const std::string where = "webhook " + one.name;
        auto url = Url::parse(one.url);
        if (!url) return fail(url.error().within(where));
        auto signer = WebhookSigner::from(one.secret);
        if (!signer) return fail(signer.error().within(where));
        for (const auto& [name, value] : one.headers) {
            if (!http::Headers::valid_name(name) || !http::Headers::valid_value(value))
                return fail(ErrorCode::kInvalidArgument, where + ": a header field that cannot be sent");
        }
        made->hooks_.push_back(std::make_unique<Hook>(loop, std::move(one), *std::move(url), *std::move(signer)));
    }
    return made;
}

std::vector<Consumer> Webhooks::consumers(const std::vector<WebhookOptions>& options) {
    std::vector<Consumer> consumers;
    for (const WebhookOptions& one : options)
        consumers.push_back(
            {.name = one.name, .wants = [filter = TypeFilter(one.events, one.names)](std::string_view type) {
                 return filter.wants(type);
             }});
    return consumers;
}

void Webhooks::start(bool alone) {
    scope_.spawn(recover(alone));
    for (const auto& hook : hooks_) scope_.spawn(serve(*hook));
}

/// Periodically: another process may die during a delivery at any time.
Task<void> Webhooks::recover(bool alone) {
    const Context ctx = scope_.context();
    while (!ctx.cancel().cancelled()) {
        const std::int64_t before = unix_micros();
        auto recovered = co_await parts_.writer.ask<std::int64_t>(
            ctx, [alone, before](Journal& journal) { return journal.recover(alone, before); });
        if (recovered && *recovered > 0) news_.pulse();
        alone = false;
        auto slept = co_await sleep_for(ctx, kLookAgain);
        static_cast<void>(slept);
    }
}

void Webhooks::try_now() {
    hurry_.pulse();
    news_.pulse();
}

std::vector<std::string> Webhooks::names() const {
    std::vector<std::string> names;
    for (const auto& hook : hooks_) names.push_back(hook->options.name);
    return names;
}

Task<void> Webhooks::stop() {
    scope_.cancel();
    co_await scope_.join();
    for (const auto& hook : hooks_) hook->client.close();
}

Task<void> Webhooks::serve(Hook& hook) {
    const Context ctx = scope_.context();
    while (!ctx.cancel().cancelled()) {
        if (auto done = co_await round(ctx, hook); !done) {
            // The journal cannot be read at present; its writer reports that.
            auto slept = co_await sleep_for(ctx, seconds(1));
            static_cast<void>(slept);
        }
    }
}

/// Delivers what is due, or waits until something is.
Task<Result<void>> Webhooks::round(const Context& ctx, Hook& hook) {
    auto claimed = co_await parts_.writer.ask<std::vector<Delivery>>(
        ctx, [name = hook.options.name](Journal& journal) { return journal.claim(name, kAtOnce, unix_micros()); });
    if (!claimed) co_return fail(claimed.error());
    if (claimed->empty()) co_return co_await wait_for_work(ctx, hook);
    for (std::size_t i = 0; i < claimed->size(); ++i) {
        const auto from = [&claimed](std::size_t first) {
            std::vector<std::int64_t> seqs;
            for (std::size_t j = first; j < claimed->size(); ++j) seqs.push_back((*claimed)[j].seq);
            return seqs;
        };
        if (auto delivered = co_await deliver(ctx, hook, (*claimed)[i]); !delivered) {
            // So that the next attempt need not wait until the claim is stale.
            co_await hand_back(hook, from(i));
            co_return delivered;
        }
        if (hook.failures == 0) continue;
        // The receiver is probably down, so the others would fail too. They keep their attempts.
        GANTRY_CO_CHECK(co_await release(ctx, hook, from(i + 1)));
        co_return co_await pause(ctx, pause_after(hook.options.first_retry, hook.failures - 1));
    }
    co_return Result<void>();
}

Task<Result<void>> Webhooks::pause(const Context& ctx, Duration length) {
    auto hurried = co_await hurry_.wait(ctx.within(length));
    if (!hurried && hurried.error().code() != ErrorCode::kTimeout) co_return fail(hurried.error());
    co_return Result<void>();
}

Task<Result<void>> Webhooks::wait_for_work(const Context& ctx, Hook& hook) {
    auto due = co_await parts_.writer.ask<std::optional<std::int64_t>>(
        ctx, [name = hook.options.name](Journal& journal) { return journal.next_due(name); });
    if (!due) co_return fail(due.error());
    Duration most = kLookAgain;
    if (*due)
        most = std::clamp<Duration>(std::chrono::microseconds(**due - unix_micros()), milliseconds(1), kLookAgain);
    auto woken = co_await news_.wait(ctx.within(most));
    if (!woken && woken.error().code() != ErrorCode::kTimeout) co_return fail(woken.error());
    co_return Result<void>();
}

Task<Result<void>> Webhooks::deliver(const Context& ctx, Hook& hook, const Delivery& delivery) {
    const Result<int> status = co_await post(ctx.within(hook.options.timeout), hook, delivery);
    // Stopping is not the receiver's fault: claimed deliveries are retried at the next start.
    GANTRY_CO_CHECK(ctx.check());
    co_return co_await settle(ctx, hook, delivery, status);
}

Task<Result<int>> Webhooks::post(const Context& ctx, Hook& hook, const Delivery& delivery) {
    http::Request request{.method = "POST", .url = hook.url};
    std::string room;
    append_cloud_event(entry_under(hook.options.names,
                                   {.seq = delivery.seq,
                                    .at = delivery.at,
                                    .id = delivery.id,
                                    .type = delivery.type,
                                    .subject = delivery.subject,
                                    .correlation = delivery.correlation,
                                    .data = delivery.data},
                                   room),
                       request.body);
    const std::int64_t now = unix_micros() / 1'000'000;
    request.headers.add("Content-Type", "application/cloudevents+json");
    for (const auto& [name, value] : hook.options.headers) request.headers.set(name, value);
    request.headers.set("webhook-id", delivery.id);
    request.headers.set("webhook-timestamp", std::to_string(now));
    request.headers.set("webhook-signature", hook.signer.sign(delivery.id, now, request.body));
    GANTRY_CO_TRY(http::Response response, co_await hook.client.send(ctx, std::move(request)));
    const int status = response.status();
    // Read to the end, so that the connection can be reused.
    auto rest = co_await response.read_all(ctx, kMostOfAnAnswer);
    static_cast<void>(rest);
    co_return status;
}

Task<Result<void>> Webhooks::settle(const Context& ctx, Hook& hook, const Delivery& delivery,
                                    const Result<int>& status) {
    const std::string& name = hook.options.name;
    if (status && *status >= 200 && *status < 300) {
        ++delivered_;
        if (hook.failures > 0 && parts_.note) parts_.note("webhook " + name + ": accepts events again");
        hook.failures = 0;
        co_return co_await parts_.writer.ask<void>(
            ctx, [name, seq = delivery.seq](Journal& journal) { return journal.finish(name, seq); });
    }
    ++failed_;
    const std::string why =
        status ? "answered " + std::to_string(*status) : std::string(to_string(status.error().code()));
    if (hook.failures == 0 && parts_.note) parts_.note("webhook " + name + ": " + why + "; it will be retried");
    ++hook.failures;
    const bool last =
        static_cast<std::size_t>(delivery.attempts) + 1 >= hook.options.max_attempts || (status && is_final(*status));
    if (last && parts_.note) parts_.note("webhook " + name + ": event " + delivery.id + " is a dead letter: " + why);
    const std::int64_t now = unix_micros();
    std::optional<std::int64_t> due;
    if (!last) due = now + micros(pause_after(hook.options.first_retry, delivery.attempts));
    co_return co_await parts_.writer.ask<void>(ctx, [name, seq = delivery.seq, due, why, now](Journal& journal) {
        return journal.give_back(name, seq, due, why, now);
    });
}

Task<void> Webhooks::hand_back(Hook& hook, std::vector<std::int64_t> seqs) {
    auto released = co_await release(Context::background().within(kHandBack), hook, std::move(seqs));
    static_cast<void>(released);  // otherwise they become stale eventually
}

Task<Result<void>> Webhooks::release(const Context& ctx, Hook& hook, std::vector<std::int64_t> seqs) {
    if (seqs.empty()) co_return Result<void>();
    co_return co_await parts_.writer.ask<void>(ctx, [name = hook.options.name, seqs = std::move(seqs)](
                                                        Journal& journal) { return journal.release(name, seqs); });
}

}  // namespace gantry::gateway::events
