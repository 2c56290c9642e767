#pragma once

#include <filesystem>
#include <functional>
#include <memory>

#include "gateway/events/journal.hpp"
#include "gateway/events/log.hpp"
#include "gateway/events/metrics.hpp"
#include "gateway/events/options.hpp"
#include "gateway/events/source_stats.hpp"
#include "gateway/ports/event_sink.hpp"
#include "gateway/ports/recorder.hpp"
#include "gateway/ports/tracer.hpp"
#include "io/http/server.hpp"

namespace gantry::app {

/// Wires up recording and telemetry: bus, journal, metrics, log lines, feed, webhooks, traces.
///
///     Observability watching(loop, options, parts);
///     GANTRY_TRY(…, watching.start(state_dir));
///     … watching.recorder(), watching.events() …
///     co_await watching.stop(grace);       // last of all: what happens until then is recorded
class Observability {
public:
    struct Parts {
        /// Reports one line to the operator.
        std::function<void(std::string_view)> note = {};
        /// Supplies the gauges on each scrape; the recorders' own figures are filled in here.
        std::function<gateway::events::Readings()> read = {};
        /// Receives a line per event; null: none. Must outlive this.
        gateway::events::Log* log = nullptr;
        /// Removes secrets from everything recorded and delivered; must outlive this.
        const Redactor* redactor = nullptr;
    };
    Observability(Loop& loop, gateway::EventsOptions options, Parts parts);
    ~Observability();
    Observability(const Observability&) = delete;
    Observability& operator=(const Observability&) = delete;

    /// Opens the journal in the state folder. An error only if nothing may run unrecorded.
    Result<void> start(const std::filesystem::path& state_dir);
    /// Pending deliveries to remote receivers are attempted until the context ends; the journal is flushed in any case.
    Task<void> stop(Context grace);

    /// A prepared change of options; everything that can fail has been done.
    class Change;
    Result<std::shared_ptr<Change>> prepare(gateway::EventsOptions next) const;
    /// Applies it, except `audit`'s queue_bytes and turning the journal on or off, which require a restart. The change
    /// itself does not suspend; the returned task completes when the replaced parts have ended.
    [[nodiscard]] Task<void> apply(const std::shared_ptr<Change>& change);

    gateway::Recorder& recorder() noexcept;
    gateway::EventSink& events() noexcept;
    /// Null: tracing is off.
    std::shared_ptr<gateway::Tracer> tracer() const;
    /// The tracer once the change is applied.
    std::shared_ptr<gateway::Tracer> tracer_after(const Change& change) const;

    /// Call statistics per source; after start().
    const gateway::events::SourceStats& stats() const noexcept;
    /// The live event feed, without a check of where requests come from. After start().
    http::Handler feed();

    /// Events that webhooks failed to deliver, latest first, and their total number.
    struct DeadLetters {
        std::vector<gateway::events::DeadLetter> latest;
        std::int64_t count = 0;
    };
    Task<Result<DeadLetters>> dead_letters(const Context& ctx, std::size_t most);
    /// Makes dead letters pending again: `id` of one event, or empty for all; `webhook` empty for every webhook.
    /// kNotFound: there is no such webhook, or no such dead letter.
    Task<Result<std::int64_t>> revive(const Context& ctx, std::string id, std::string webhook);
    /// Names of the webhooks in use.
    std::vector<std::string> webhooks() const;

    /// Disconnects the feed's readers, so that the listener can end.
    void hang_up();

    /// Endpoints beside MCP: "/metrics", "/events".
    std::vector<std::pair<std::string, http::Handler>> routes();

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace gantry::app
