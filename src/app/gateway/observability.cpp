#include "app/gateway/observability.hpp"

#include <algorithm>
#include <optional>

#include "app/process/local_request.hpp"
#include "base/crypto/digest.hpp"
#include "base/hex.hpp"
#include "base/try.hpp"
#include "base/version.hpp"
#include "gateway/events/bus.hpp"
#include "gateway/events/feed.hpp"
#include "gateway/events/journal_tail.hpp"
#include "gateway/events/traces.hpp"
#include "gateway/events/webhooks.hpp"
#include "gateway/events/writer.hpp"
#include "io/private_file.hpp"

namespace gantry::app {
namespace {

using namespace gateway::events;

constexpr const char* kKeyFile = "audit.key";
constexpr std::size_t kKeyBytes = 32;

/// The key for digests of arguments: the same in every run, so that equal arguments have equal digests.
Result<std::string> digest_key(const Fd& folder) {
    GANTRY_TRY(const auto kept, read_private_file(folder, kKeyFile, 4096));
    if (kept && kept->size() == 2 * kKeyBytes) return *kept;
    GANTRY_TRY(const std::string made, crypto::random_bytes(kKeyBytes));
    GANTRY_CHECK(replace_private_file(folder, kKeyFile, to_hex(made)));
    return to_hex(made);
}

Task<void> reply(const Context& ctx, http::Exchange& exchange, int status, std::string_view type, std::string body) {
    const http::Headers headers{{"Content-Type", type}, {"Cache-Control", "no-store"}};
    auto sent = co_await exchange.respond(ctx, status, headers, body);
    static_cast<void>(sent);  // the client may have disconnected
}

Task<void> all(std::vector<Task<void>> tasks) {
    for (Task<void>& task : tasks) co_await std::move(task);
}

bool is_local(const http::Exchange& exchange) {
    // nginx forwards requests as HTTP/1.0 by default, with no other indication of a proxy.
    return !exchange.is_http_1_0() && is_local_request(exchange.peer_address(), exchange.headers());
}

Task<void> reply_elsewhere(const Context& ctx, http::Exchange& exchange, std::string_view setting) {
    const Json body = JsonObject{
        {"error", "only this machine may read this, and not through a proxy (" + std::string(setting) + ")"}};
    return reply(ctx, exchange, 403, "application/json", body.dump());
}

}  // namespace

class Observability::Change {
public:
    gateway::EventsOptions options;
    /// Set if they differ from before; null inside: there are none any more.
    std::optional<std::unique_ptr<Webhooks>> webhooks = {};
    std::optional<std::shared_ptr<Traces>> traces = {};
};

class Observability::Impl {
public:
    Impl(Loop& loop, gateway::EventsOptions options, Parts parts)
        : loop_(loop), options_(std::move(options)), parts_(std::move(parts)) {}

    Result<void> start(const std::filesystem::path& state_dir) {
        GANTRY_TRY(const Fd folder, open_private_folder(state_dir));
        GANTRY_TRY(std::string key, digest_key(folder));
        GANTRY_TRY(run_, crypto::random_bytes(4));
        run_ = to_hex(run_);
        bus_.emplace(BusOptions{.arguments = options_.audit.arguments,
                                .results = options_.audit.results,
                                .digest_key = std::move(key),
                                .redactor = parts_.redactor});
        if (options_.metrics.enabled) begin_metrics();
        bus_->add(stats_);
        if (parts_.log != nullptr) {
            lines_.emplace(*parts_.log, options_.log.calls);
            bus_->add(*lines_);
        }
        GANTRY_TRY(traces_, make_traces(options_.traces));
        if (traces_) bus_->add(*traces_);
        if (options_.audit.mode != gateway::AuditMode::kOff) {
            GANTRY_TRY(sole_, try_lock_name(folder, "journal"));
            GANTRY_CHECK(start_writer(state_dir));
        }
        feed_.emplace(options_.feed, Feed::Parts{.bus = *bus_, .run = run_, .journal = tail_ ? &*tail_ : nullptr});
        // From here on nothing fails, and stop() is required.
        if (traces_) traces_->start();
        bus_->publish({.type = gateway::event_type::kStarted, .subject = "gantry", .data = {{"version", kVersion}}});
        return {};
    }

    Task<void> stop(Context grace) {
        if (!bus_) co_return;
        bus_->publish({.type = gateway::event_type::kStopped, .subject = "gantry"});
        if (traces_) co_await traces_->stop(grace);
        if (webhooks_) co_await webhooks_->stop();
        if (writer_) co_await writer_->stop();
        bus_->set_durable_sink(nullptr);
        webhooks_.reset();
        tail_.reset();
        writer_.reset();
        sole_.reset();
    }

    Result<std::shared_ptr<Change>> prepare(gateway::EventsOptions next) {
        auto change = std::make_shared<Change>();
        if (next.webhooks != options_.webhooks) {
            GANTRY_TRY(change->webhooks, make_webhooks(next.webhooks));
        }
        if (next.traces != options_.traces) {
            GANTRY_TRY(change->traces, make_traces(next.traces));
        }
        change->options = std::move(next);
        return change;
    }

    Task<void> apply(Change& change) {
        gateway::EventsOptions& next = change.options;
        take_over(next.metrics);
        take_over(next.log);
        feed_->configure(next.feed);
        options_.feed = next.feed;
        take_over(next.audit, next.webhooks);
        std::vector<Task<void>> ends;
        if (change.webhooks) {
            delivered_before_ += webhooks_ ? webhooks_->delivered() : 0;
            failed_before_ += webhooks_ ? webhooks_->failed() : 0;
            std::unique_ptr<Webhooks> old = std::exchange(webhooks_, *std::move(change.webhooks));
            options_.webhooks = std::move(next.webhooks);
            ends.push_back(replace_webhooks(std::move(old), ++webhook_changes_));
        }
        if (change.traces) {
            if (traces_) bus_->remove(*traces_);
            std::shared_ptr<Traces> old = std::exchange(traces_, *std::move(change.traces));
            options_.traces = std::move(next.traces);
            if (traces_) {
                bus_->add(*traces_);
                traces_->start();
            }
            if (old) ends.push_back(end(std::move(old)));
        }
        return all(std::move(ends));
    }

    Bus& bus() { return *bus_; }
    std::shared_ptr<gateway::Tracer> tracer() const { return traces_; }
    std::shared_ptr<gateway::Tracer> tracer_after(const Change& change) const {
        return change.traces ? *change.traces : traces_;
    }
    void hang_up() {
        if (feed_) feed_->hang_up();
    }

    std::vector<std::string> webhooks() const { return webhooks_ ? webhooks_->names() : std::vector<std::string>(); }

    Task<Result<DeadLetters>> dead_letters(const Context& ctx, std::size_t most) {
        if (!writer_) co_return no_journal();
        co_return co_await writer_->ask<DeadLetters>(ctx, [most](Journal& journal) -> Result<DeadLetters> {
            DeadLetters found;
            GANTRY_TRY(found.latest, journal.dead_letters(most));
            GANTRY_TRY(found.count, journal.count_dead_letters());
            return found;
        });
    }

    Task<Result<std::int64_t>> revive(const Context& ctx, std::string id, std::string webhook) {
        if (!writer_) co_return no_journal();
        std::vector<std::string> names = webhooks();
        if (!webhook.empty()) {
            if (std::ranges::find(names, webhook) == names.end())
                co_return fail(ErrorCode::kNotFound, "there is no webhook '" + webhook + "' in the configuration");
            names = {webhook};
        }
        GANTRY_CO_TRY(const std::int64_t revived,
                      co_await writer_->ask<std::int64_t>(
                          ctx, [names = std::move(names), id](Journal& journal) -> Result<std::int64_t> {
                              std::int64_t all = 0;
                              for (const std::string& name : names) {
                                  GANTRY_TRY(const std::int64_t some, journal.revive(name, unix_micros(), id));
                                  all += some;
                              }
                              return all;
                          }));
        if (revived == 0 && !id.empty())
            co_return fail(ErrorCode::kNotFound, "no dead letter with the id '" + id + "' of a webhook that is " +
                                                     "configured; gantry events --dead lists them");
        if (webhooks_) webhooks_->try_now();
        co_return revived;
    }

    const SourceStats& stats() const noexcept { return stats_; }
    http::Handler feed() {
        return [this](const Context& ctx, http::Exchange& exchange) { return feed_->serve(ctx, exchange); };
    }

    Task<void> serve_feed(const Context& ctx, http::Exchange& exchange) {
        if (options_.feed.local_only && !is_local(exchange)) return reply_elsewhere(ctx, exchange, "feed.local_only");
        return feed_->serve(ctx, exchange);
    }

    Task<void> serve_metrics(const Context& ctx, http::Exchange& exchange) {
        if (!metrics_)
            return reply(ctx, exchange, 404, "application/json",
                         R"({"error":"metrics are off in this configuration"})");
        if (options_.metrics.local_only && !is_local(exchange))
            return reply_elsewhere(ctx, exchange, "metrics.local_only");
        return reply(ctx, exchange, 200, "text/plain; version=0.0.4; charset=utf-8", metrics_->text());
    }

    std::vector<std::pair<std::string, http::Handler>> routes() {
        std::vector<std::pair<std::string, http::Handler>> routes;
        // Also what is off: another configuration may turn it on.
        routes.emplace_back(
            "/metrics", [this](const Context& ctx, http::Exchange& exchange) { return serve_metrics(ctx, exchange); });
        routes.emplace_back("/events",
                            [this](const Context& ctx, http::Exchange& exchange) { return serve_feed(ctx, exchange); });
        return routes;
    }

private:
    static std::unexpected<Error> no_journal() {
        return fail(ErrorCode::kNotFound, "no journal is kept (audit.mode: off), so there are no deliveries");
    }

    /// Null: tracing is off.
    Result<std::shared_ptr<Traces>> make_traces(const gateway::TraceOptions& options) const {
        if (options.url.empty()) return nullptr;
        GANTRY_TRY(auto made, Traces::make(loop_, options, run_, parts_.note));
        return std::shared_ptr<Traces>(std::move(made));
    }

    /// Null: there are none, or there is no journal to deliver from.
    Result<std::unique_ptr<Webhooks>> make_webhooks(const std::vector<gateway::WebhookOptions>& options) {
        if (options.empty() || !writer_) return nullptr;
        return Webhooks::make(loop_, options, {.writer = *writer_, .note = parts_.note});
    }

    void begin_metrics() {
        metrics_.emplace(options_.metrics, [this] { return read(); });
        bus_->add(*metrics_);
    }

    void take_over(const gateway::MetricsOptions& next) {
        options_.metrics = next;
        if (next.enabled && !metrics_) return begin_metrics();
        if (metrics_ && next.enabled) return metrics_->set_max_series(next.max_series);
        if (metrics_) bus_->remove(*metrics_);
        metrics_.reset();
    }

    void take_over(const gateway::LogOptions& next) {
        options_.log = next;
        if (parts_.log != nullptr) parts_.log->configure(next);
        if (lines_) lines_->tell_all_calls(next.calls);
    }

    void take_over(const gateway::AuditOptions& next, const std::vector<gateway::WebhookOptions>& webhooks) {
        bus_->record_values(next.arguments, next.results);
        if (writer_) writer_->configure(next, Webhooks::consumers(webhooks));
    }

    /// Only one set may deliver to a receiver at a time: the old one ends first.
    Task<void> replace_webhooks(std::unique_ptr<Webhooks> old, int change) {
        if (old) co_await old->stop();
        // Unless it has been replaced again meanwhile.
        if (webhooks_ && change == webhook_changes_) webhooks_->start(sole_.has_value());
    }

    static Task<void> end(std::shared_ptr<Traces> traces) { co_await traces->stop(); }

    Result<void> start_writer(const std::filesystem::path& state_dir) {
        const auto& audit = options_.audit;
        writer_.emplace(loop_, audit,
                        Writer::Parts{.folder = state_dir,
                                      .journal = {.run = run_,
                                                  .consumers = Webhooks::consumers(options_.webhooks),
                                                  .busy = audit.busy,
                                                  .retain = audit.retain,
                                                  .retain_entries = audit.retain_entries},
                                      .note = parts_.note,
                                      .on_news = [this] {
                                          if (webhooks_) webhooks_->news();
                                      }});
        GANTRY_TRY(webhooks_, make_webhooks(options_.webhooks));
        if (auto started = writer_->start(); !started) {
            writer_.reset();
            return started;
        }
        bus_->set_durable_sink(&*writer_);
        tail_.emplace(*writer_, state_dir);
        if (webhooks_) webhooks_->start(sole_.has_value());
        return {};
    }

    Readings read() const {
        Readings now = parts_.read ? parts_.read() : Readings();
        if (writer_) {
            const Writer::Counts counts = writer_->counts();
            now.records_taken = counts.taken;
            now.records_kept = counts.kept;
            now.records_dropped = counts.dropped;
            now.audit_commits = counts.commits;
            now.audit_failures = counts.failures;
            now.audit_failing = counts.failing;
        }
        if (feed_) {
            now.feed_subscribers = feed_->subscribers();
            now.feed_missed = feed_->missed();
        }
        if (traces_) {
            now.spans_sent = traces_->sent();
            now.spans_dropped = traces_->dropped();
        }
        now.webhooks_delivered = delivered_before_ + (webhooks_ ? webhooks_->delivered() : 0);
        now.webhooks_failed = failed_before_ + (webhooks_ ? webhooks_->failed() : 0);
        return now;
    }

    Loop& loop_;
    gateway::EventsOptions options_;
    Parts parts_;
    std::string run_;  // prefix of the ids of this run's events
    std::optional<Bus> bus_;
    SourceStats stats_;
    std::optional<Metrics> metrics_;
    std::optional<LogLines> lines_;
    std::optional<Fd> sole_;  // held: no other process uses this journal
    std::optional<Writer> writer_;
    std::optional<JournalTail> tail_;
    std::unique_ptr<Webhooks> webhooks_;
    int webhook_changes_ = 0;
    std::uint64_t delivered_before_ = 0;  // by the webhooks of earlier configurations
    std::uint64_t failed_before_ = 0;
    std::shared_ptr<Traces> traces_;
    std::optional<Feed> feed_;
};

Observability::Observability(Loop& loop, gateway::EventsOptions options, Parts parts)
    : impl_(std::make_unique<Impl>(loop, std::move(options), std::move(parts))) {}
Observability::~Observability() = default;

Result<void> Observability::start(const std::filesystem::path& state_dir) {
    return impl_->start(state_dir);
}
Task<void> Observability::stop(Context grace) {
    return impl_->stop(std::move(grace));
}
Result<std::shared_ptr<Observability::Change>> Observability::prepare(gateway::EventsOptions next) const {
    return impl_->prepare(std::move(next));
}
Task<void> Observability::apply(const std::shared_ptr<Change>& change) {
    return impl_->apply(*change);
}
gateway::Recorder& Observability::recorder() noexcept {
    return impl_->bus();
}
gateway::EventSink& Observability::events() noexcept {
    return impl_->bus();
}
std::shared_ptr<gateway::Tracer> Observability::tracer() const {
    return impl_->tracer();
}
std::shared_ptr<gateway::Tracer> Observability::tracer_after(const Change& change) const {
    return impl_->tracer_after(change);
}
const gateway::events::SourceStats& Observability::stats() const noexcept {
    return impl_->stats();
}
http::Handler Observability::feed() {
    return impl_->feed();
}
Task<Result<Observability::DeadLetters>> Observability::dead_letters(const Context& ctx, std::size_t most) {
    return impl_->dead_letters(ctx, most);
}
Task<Result<std::int64_t>> Observability::revive(const Context& ctx, std::string id, std::string webhook) {
    return impl_->revive(ctx, std::move(id), std::move(webhook));
}
std::vector<std::string> Observability::webhooks() const {
    return impl_->webhooks();
}
void Observability::hang_up() {
    impl_->hang_up();
}
std::vector<std::pair<std::string, http::Handler>> Observability::routes() {
    return impl_->routes();
}

}  // namespace gantry::app
