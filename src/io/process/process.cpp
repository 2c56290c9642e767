#include "io/process/process.hpp"

#include <signal.h>

#include <cstring>
#include <utility>

#include "base/try.hpp"
#include "io/process/child.hpp"
#include "io/process/held_sockets.hpp"

namespace gantry::process {
namespace {

// The reaper gives up on an unkillable process after 5 s; allow that and some margin.
constexpr Duration kAfterKill = seconds(7);
// Forced stop: a moment to exit cleanly, and one to be confirmed dead. A slower reaper continues without us.
constexpr Duration kForcedTerm = Process::kForcedStop / 2;
constexpr Duration kForcedKill = Process::kForcedStop - kForcedTerm;

/// Waits for `usual`, or for `forced` once the stop is forced.
Task<bool> gone_within(std::shared_ptr<Child> child, CancelToken force, Duration usual, Duration forced) {
    const Context always = Context::background();
    if (co_await child->gone(Context(Deadline::after(usual), force))) co_return true;
    if (!force.cancelled()) co_return false;
    co_return (co_await child->gone(always.within(forced))).has_value();
}

}  // namespace

std::string ExitStatus::to_string() const {
    if (!outgrew.empty()) return "killed: more " + std::string(outgrew) + " than its isolation allows";
    if (signal == 0) return "exit code " + std::to_string(code);
    const char* name = sigabbrev_np(signal);
    return name ? std::string("signal SIG") + name : "signal " + std::to_string(signal);
}

Process::Process(std::shared_ptr<Child> child) noexcept : child_(std::move(child)) {}

Process::~Process() {
    child_->abandon();
}

Task<Result<std::unique_ptr<Process>>> Process::start(const Context& ctx, Command command) {
    GANTRY_CO_CHECK(ctx.check());
    collect_later({});
    GANTRY_CO_TRY(Spawned spawned, spawn(command));
    const auto child = std::make_shared<Child>(Loop::current(), std::move(spawned), command);
    // From here on, every early return kills what was started.
    std::unique_ptr<Process> process(new Process(child));
    child->listen();
    GANTRY_CO_CHECK(co_await child->started(ctx));
    co_return Result<std::unique_ptr<Process>>(std::move(process));
}

Stream& Process::stdio() noexcept {
    return child_->stdio();
}

int Process::pid() const noexcept {
    return child_->pid();
}

std::optional<ExitStatus> Process::exit_status() const noexcept {
    return child_->status();
}

bool Process::has_own_network() const noexcept {
    return child_->has_own_network();
}

Task<Result<Fd>> Process::socket_inside(const Context& ctx, bool v6) {
    return child_->socket_inside(ctx, v6);
}

std::set<std::uint64_t> Process::open_sockets() const {
    return exit_status() ? std::set<std::uint64_t>() : sockets_of_tree(child_->pid());
}

bool Process::holds_socket(std::uint64_t inode) const {
    return !exit_status() && (sockets_of(child_->pid()).contains(inode) || open_sockets().contains(inode));
}

Task<Result<ExitStatus>> Process::wait(const Context& ctx) {
    const auto child = child_;
    GANTRY_CO_CHECK(co_await child->gone(ctx));
    co_return Result<ExitStatus>(*child->status());
}

Task<ExitStatus> Process::stop(StopTimes times) {
    const auto child = child_;
    if (!child->status()) {
        (void)co_await child->stdio().shutdown_write(Context::background());
        bool gone = co_await gone_within(child, times.force, times.after_eof, Duration::zero());
        if (!gone) {
            child->order(reaper::Order::kTerminate);
            gone = co_await gone_within(child, times.force, times.after_term, kForcedTerm);
        }
        if (!gone) {
            child->order(reaper::Order::kKill);
            gone = co_await gone_within(child, times.force, kAfterKill, kForcedKill);
        }
        if (!gone) child->abandon();
    }
    co_return child->status().value_or(ExitStatus{.code = 0, .signal = SIGKILL});
}

}  // namespace gantry::process
