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

/// Everything that watches what the gateway does, wired: bus, journal, metrics, log lines, feed, webhooks, traces.
///
///     Observability watching(loop, options, parts);
///     GANTRY_TRY(…, watching.start(state_dir));
///     … watching.recorder(), watching.events() …
///     co_await watching.stop(patience);       // last of all: what happens until then is recorded
class Observability {
public:
    struct Parts {
        /// One line that somebody should read.
        std::function<void(std::string_view)> note = {};
        /// What metrics read when somebody asks; the records' own figures are filled in here.
        std::function<gateway::events::Readings()> read = {};
        /// Lines for every event; null: none. Must outlive this.
        gateway::events::Log* log = nullptr;
        /// Takes secrets out of what is recorded and told; must outlive this.
        const Redactor* redactor = nullptr;
    };
    Observability(Loop& loop, gateway::EventsOptions options, Parts parts);
    ~Observability();
    Observability(const Observability&) = delete;
    Observability& operator=(const Observability&) = delete;

    /// Opens the journal in the state folder. An error only where nothing may run unrecorded.
    Result<void> start(const std::filesystem::path& state_dir);
    /// Farewells to others are said until the context ends; what is kept is kept in any case.
    Task<void> stop(Context patience);

    /// Other options, ready to be taken over; what could go wrong with them has not.
    class Change;
    Result<std::shared_ptr<Change>> prepare(gateway::EventsOptions next) const;
    /// Takes them over, except `audit`'s queue_bytes and whether there is a journal at all, which need another start.
    /// Nothing waits meanwhile; what is to be awaited is the end of what served before.
    [[nodiscard]] Task<void> apply(const std::shared_ptr<Change>& change);

    gateway::Recorder& recorder() noexcept;
    gateway::EventSink& events() noexcept;
    /// Null: calls are not traced.
    gateway::Tracer* tracer() noexcept;

    /// How calls went at each source; after start().
    const gateway::events::SourceStats& stats() const noexcept;
    /// The live feed of events, for whoever may read it from anywhere. After start().
    http::Handler feed();

    /// Events webhooks did not take, latest first; how many there are in all.
    struct DeadLetters {
        std::vector<gateway::events::DeadLetter> latest;
        std::int64_t count = 0;
    };
    Task<Result<DeadLetters>> dead_letters(const Context& ctx, std::size_t most);
    /// Has them delivered after all: `id` of one event or empty: all; `webhook` empty: of every webhook there is.
    /// kNotFound: there is no such one.
    Task<Result<std::int64_t>> revive(const Context& ctx, std::string id, std::string webhook);
    /// Names of the webhooks in force.
    std::vector<std::string> webhooks() const;

    /// Readers of the feed are let go, so that the listener can end.
    void hang_up();

    /// What is served beside MCP: "/metrics", "/events".
    std::vector<std::pair<std::string, http::Handler>> routes();

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace gantry::app
