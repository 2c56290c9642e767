// What recording a call costs: on the event loop's thread, where every microsecond delays others, and in the whole
// process.
#include <benchmark/benchmark.h>
#include <time.h>
#include <unistd.h>

#include <filesystem>

#include "gateway/events/bus.hpp"
#include "gateway/events/metrics.hpp"
#include "gateway/events/verify.hpp"
#include "gateway/events/writer.hpp"
#include "io/loop.hpp"

namespace {

using namespace gantry;
using namespace gantry::gateway;
using namespace gantry::gateway::events;

double seconds_of(clockid_t clock) {
    timespec now{};
    ::clock_gettime(clock, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

/// A folder that goes away with the run.
struct Folder {
    Folder() : path(std::filesystem::temp_directory_path() / ("gantry-bench-" + std::to_string(::getpid()))) {
        std::filesystem::create_directories(path);
    }
    ~Folder() {
        std::error_code ignored;
        std::filesystem::remove_all(path, ignored);
    }
    std::filesystem::path path;
};

Outcome call(const Item& tool) {
    Outcome outcome{.correlation_id = "a1b2c3-0000002a",
                    .name = "everything_echo",
                    .own_name = "echo",
                    .item = &tool,
                    .principal = "local",
                    .source = "everything"};
    outcome.source_kind = "mcp";
    outcome.session = "4f0c2b9a7d3e1c55";
    outcome.client = "editor";
    outcome.took = std::chrono::microseconds(180);
    outcome.arguments = R"({"message":"hello through the gateway","times":3,"loud":false})";
    outcome.result_bytes = 120;
    return outcome;
}

Task<void> stop(Writer& writer) {
    co_await writer.stop();
}

/// Journal, audit chain and metrics on, in async mode. As many calls per second as a busy gateway has (`pace`, 0: as
/// many as fit), so that what gathers for one commit is what gathers there.
void record_calls(benchmark::State& state) {
    const auto pace = state.range(0);
    const Folder folder;
    Loop loop;
    Bus bus({.arguments = ArgumentRecord::kDigest, .digest_key = std::string(32, 'k')});
    Metrics metrics({}, {});
    bus.add(metrics);
    Writer writer(loop, {}, {.folder = folder.path, .journal = {.run = "bench"}});
    if (!writer.start()) return state.SkipWithError("the journal cannot be opened");
    bus.set_durable_sink(&writer);
    const Item tool{.name = "echo"};
    Outcome outcome = call(tool);
    const double process_before = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
    const double thread_before = seconds_of(CLOCK_THREAD_CPUTIME_ID);
    std::int64_t calls = 0;
    constexpr std::int64_t kBurst = 64;
    TimePoint next = SteadyClock::now();
    double waiting = 0;
    for (auto _ : state) {
        for (std::int64_t i = 0; i < kBurst; ++i) {
            outcome.ended = next;
            benchmark::DoNotOptimize(bus.record(outcome));
        }
        calls += kBurst;
        if (pace > 0) {
            next += std::chrono::nanoseconds(kBurst * 1'000'000'000 / pace);
            const double before = seconds_of(CLOCK_THREAD_CPUTIME_ID);
            std::this_thread::sleep_until(next);
            waiting += seconds_of(CLOCK_THREAD_CPUTIME_ID) - before;
        }
    }
    const double on_loop = seconds_of(CLOCK_THREAD_CPUTIME_ID) - thread_before - waiting;
    loop.run_until_done(stop(writer));
    const double everywhere = seconds_of(CLOCK_PROCESS_CPUTIME_ID) - process_before - waiting;
    state.counters["loop_us_per_call"] = on_loop * 1e6 / static_cast<double>(calls);
    state.counters["process_us_per_call"] = everywhere * 1e6 / static_cast<double>(calls);
    state.counters["dropped"] = static_cast<double>(writer.counts().dropped);
    const auto verdict = verify_journal(folder.path);
    if (!verdict || !verdict->faults.empty()) state.SkipWithError("the chain does not verify");
}
BENCHMARK(record_calls)->Arg(10'000)->Arg(50'000)->MinTime(2.0)->UseRealTime();

/// The loop's part alone.
void record_without_journal(benchmark::State& state) {
    Bus bus({.arguments = ArgumentRecord::kDigest, .digest_key = std::string(32, 'k')});
    Metrics metrics({}, {});
    bus.add(metrics);
    const Item tool{.name = "echo"};
    const Outcome outcome = call(tool);
    for (auto _ : state) benchmark::DoNotOptimize(bus.record(outcome));
}
BENCHMARK(record_without_journal);

}  // namespace

BENCHMARK_MAIN();
