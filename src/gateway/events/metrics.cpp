#include "gateway/events/metrics.hpp"

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <algorithm>
#include <array>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/version.hpp"
#include "gateway/events/process_stats.hpp"

namespace gantry::gateway::events {
namespace {

using prometheus::Counter;
using prometheus::Family;
using prometheus::Gauge;
using prometheus::Histogram;

constexpr std::size_t kEndings = 4;
constexpr std::size_t kCodes = static_cast<std::size_t>(ErrorCode::kInternal) + 1;

/// From answers made here to the longest time a person waits.
const Histogram::BucketBoundaries& bounds() {
    static const Histogram::BucketBoundaries value{0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05,
                                                   0.1,    0.25,    0.5,    1,     2.5,    5,     10,   30,    60};
    return value;
}

/// The series of one called item. Calls are counted here, on the loop's thread only, and handed to the library's series
/// on a scrape: its counters and histograms are thread-safe and would cost a lock and atomic instructions per call.
struct Series {
    Histogram* took = nullptr;
    std::array<Counter*, kEndings + kCodes> by_outcome = {};

    std::array<std::uint64_t, kEndings + kCodes> calls = {};
    std::vector<double> within;  // calls per bucket of `took`
    double seconds = 0;

    void note(std::size_t slot, double took_seconds) noexcept {
        ++calls[slot];
        const auto bucket = std::ranges::lower_bound(bounds(), took_seconds) - bounds().begin();
        ++within[static_cast<std::size_t>(bucket)];
        seconds += took_seconds;
    }
    void hand_over() {
        for (std::size_t slot = 0; slot < calls.size(); ++slot) {
            if (calls[slot] != 0) by_outcome[slot]->Increment(static_cast<double>(std::exchange(calls[slot], 0)));
        }
        took->ObserveMultiple(within, std::exchange(seconds, 0));
        std::ranges::fill(within, 0);
    }
};

struct KeyView {
    Verb verb;
    std::string_view source;
    std::string_view tool;
};
struct Key {
    Verb verb;
    std::string source;
    std::string tool;
    KeyView view() const noexcept { return {verb, source, tool}; }
};
struct Hash {
    using is_transparent = void;
    std::size_t operator()(const KeyView& key) const noexcept {
        const std::hash<std::string_view> hash;
        return hash(key.tool) * 31 + hash(key.source) + static_cast<std::size_t>(key.verb);
    }
    std::size_t operator()(const Key& key) const noexcept { return (*this)(key.view()); }
};
struct Same {
    using is_transparent = void;
    static KeyView view(const Key& key) noexcept { return key.view(); }
    static KeyView view(const KeyView& key) noexcept { return key; }
    template <class A, class B>
    bool operator()(const A& a, const B& b) const noexcept {
        const KeyView x = view(a);
        const KeyView y = view(b);
        return x.verb == y.verb && x.tool == y.tool && x.source == y.source;
    }
};

/// Only listed items are labelled by name: URIs and invalid names are unbounded.
std::string_view tool_of(const Outcome& outcome) noexcept {
    const bool named = outcome.verb == Verb::kCallTool || outcome.verb == Verb::kGetPrompt;
    return named && outcome.item != nullptr ? std::string_view(outcome.item->name) : std::string_view();
}

std::size_t slot_of(const Record& record) noexcept {
    return record.ending == Ending::kError ? kEndings + static_cast<std::size_t>(record.code)
                                           : static_cast<std::size_t>(record.ending);
}

std::string outcome_word(const Record& record) {
    switch (record.ending) {
        case Ending::kOk: return "ok";
        case Ending::kToolFailed: return "tool_failed";
        case Ending::kAskedBack: return "asked_back";
        case Ending::kError: break;
    }
    return std::string(error_word(record.code));
}

void raise_to(Counter& counter, double value) {
    if (value > counter.Value()) counter.Increment(value - counter.Value());
}

}  // namespace

class Metrics::Impl {
public:
    Impl(MetricsOptions options, std::function<Readings()> read) : options_(options), read_(std::move(read)) {
        gauge("gantry_build_info", "Always 1; the version is in the label.", {{"version", std::string(kVersion)}})
            .Set(1);
    }
    void set_max_series(std::size_t most) noexcept { options_.max_series = most; }

    void count_call(const Record& record, const Outcome& outcome) {
        Series& series = series_of({outcome.verb, outcome.source, tool_of(outcome)});
        const std::size_t slot = slot_of(record);
        Counter*& counter = series.by_outcome[slot];
        if (counter == nullptr) counter = &make_counter(record, outcome);
        series.note(slot, std::chrono::duration<double>(record.took).count());
    }

    void count_event(const Record& record) {
        const auto known = events_.find(record.type());
        if (known != events_.end()) return known->second->Increment();
        if (events_.size() >= kMostTypes) return;
        Counter& made = counter("gantry_events_total", "Events besides the outcomes of calls.",
                                {{"type", std::string(record.type())}});
        events_.emplace(record.type(), &made);
        made.Increment();
    }

    std::string text() {
        if (read_) show(read_());
        show_process();
        for (auto& [key, series] : series_) series.hand_over();
        return prometheus::TextSerializer().Serialize(registry_.Collect());
    }

private:
    static constexpr std::size_t kMostTypes = 100;
    using Labels = std::map<std::string, std::string>;

    /// When the bound on series is reached, everything else of a source shares one series.
    Series& series_of(const KeyView& wanted) {
        if (const auto known = series_.find(wanted); known != series_.end()) return known->second;
        const bool full = series_.size() >= options_.max_series;
        const KeyView key = full ? KeyView{wanted.verb, full_beyond(wanted.source), "other"} : wanted;
        if (full) {
            if (const auto known = series_.find(key); known != series_.end()) return known->second;
        }
        Series made{.within = std::vector<double>(bounds().size() + 1)};
        made.took = &prometheus::BuildHistogram()
                         .Name("gantry_call_duration_seconds")
                         .Help("How long calls took, whatever became of them.")
                         .Register(registry_)
                         .Add(labels(key), bounds());
        return series_.emplace(Key{key.verb, std::string(key.source), std::string(key.tool)}, std::move(made))
            .first->second;
    }
    /// Sources are configured and therefore few; bounded all the same.
    std::string_view full_beyond(std::string_view source) const {
        return series_.size() >= 2 * options_.max_series ? std::string_view("other") : source;
    }

    static Labels labels(const KeyView& key) {
        return {{"method", std::string(method_of(key.verb))},
                {"source", std::string(key.source)},
                {"tool", std::string(key.tool)}};
    }

    Counter& make_counter(const Record& record, const Outcome& outcome) {
        KeyView key{outcome.verb, outcome.source, tool_of(outcome)};
        if (!series_.contains(key)) key = {key.verb, full_beyond(key.source), "other"};
        Labels with_outcome = labels(key);
        with_outcome.emplace("outcome", outcome_word(record));
        return counter("gantry_calls_total", "Calls by source, tool and what became of them.", with_outcome);
    }

    Counter& counter(const std::string& name, const std::string& help, const Labels& labels = {}) {
        return prometheus::BuildCounter().Name(name).Help(help).Register(registry_).Add(labels);
    }
    Gauge& gauge(const std::string& name, const std::string& help, const Labels& labels = {}) {
        return prometheus::BuildGauge().Name(name).Help(help).Register(registry_).Add(labels);
    }

    void show(const Readings& now) {
        gauge("gantry_calls_in_flight", "Calls without an outcome yet.").Set(static_cast<double>(now.calls_in_flight));
        gauge("gantry_tools", "Tools on offer.").Set(static_cast<double>(now.tools));
        gauge("gantry_sessions", "Sessions of legacy clients.").Set(static_cast<double>(now.sessions));
        for (const auto& [name, state] : now.sources)
            gauge("gantry_source_up", "1 while the source can be called.", {{"source", name}})
                .Set(state == "ready" || state == "asleep" ? 1 : 0);
        raise_to(counter("gantry_records_total", "Records that were to be kept."),
                 static_cast<double>(now.records_taken + now.records_dropped));
        raise_to(counter("gantry_records_dropped_total", "Records lost for want of room."),
                 static_cast<double>(now.records_dropped));
        gauge("gantry_audit_lag_records", "Records that are not on disk yet.")
            .Set(static_cast<double>(now.records_taken - std::min(now.records_taken, now.records_kept)));
        raise_to(counter("gantry_audit_commits_total", "Commits of the journal."),
                 static_cast<double>(now.audit_commits));
        raise_to(counter("gantry_audit_failures_total", "Commits that failed and are tried again."),
                 static_cast<double>(now.audit_failures));
        gauge("gantry_audit_failing", "1 while the journal cannot be written.").Set(now.audit_failing ? 1 : 0);
        gauge("gantry_feed_subscribers", "Readers of the live feed.").Set(static_cast<double>(now.feed_subscribers));
        raise_to(counter("gantry_feed_missed_total", "Events that slow readers of the feed missed."),
                 static_cast<double>(now.feed_missed));
        raise_to(counter("gantry_spans_sent_total", "Spans the collector took."), static_cast<double>(now.spans_sent));
        raise_to(counter("gantry_spans_dropped_total", "Spans that were not sent."),
                 static_cast<double>(now.spans_dropped));
        raise_to(counter("gantry_webhook_deliveries_total", "Events a webhook took."),
                 static_cast<double>(now.webhooks_delivered));
        raise_to(counter("gantry_webhook_failures_total", "Attempts to deliver that failed."),
                 static_cast<double>(now.webhooks_failed));
    }

    void show_process() {
        const ProcessStats stats = read_process_stats();
        raise_to(counter("process_cpu_seconds_total", "CPU time of this process."), stats.cpu_seconds);
        gauge("process_resident_memory_bytes", "Memory in use.").Set(stats.resident_bytes);
        gauge("process_virtual_memory_bytes", "Address space in use.").Set(stats.virtual_bytes);
        gauge("process_open_fds", "Open files and connections.").Set(stats.open_files);
        gauge("process_max_fds", "How many there may be.").Set(stats.max_files);
        gauge("process_start_time_seconds", "When this process began, in seconds since 1970.").Set(stats.start_seconds);
        gauge("process_threads", "Threads of this process.").Set(stats.threads);
    }

    MetricsOptions options_;
    std::function<Readings()> read_;
    prometheus::Registry registry_{prometheus::Registry::InsertBehavior::Merge};
    std::unordered_map<Key, Series, Hash, Same> series_;
    std::map<std::string, Counter*, std::less<>> events_;
};

Metrics::Metrics(MetricsOptions options, std::function<Readings()> read)
    : impl_(std::make_unique<Impl>(options, std::move(read))) {}
Metrics::~Metrics() = default;

void Metrics::heard(const Record& record) noexcept {
    impl_->count_event(record);
}
void Metrics::heard_call(const Record& record, const Outcome& outcome) noexcept {
    impl_->count_call(record, outcome);
}
void Metrics::set_max_series(std::size_t most) noexcept {
    impl_->set_max_series(most);
}
std::string Metrics::text() {
    return impl_->text();
}

}  // namespace gantry::gateway::events
