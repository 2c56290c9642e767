#include <poll.h>

#include <system_error>

#include "base/try.hpp"
#include "io/process/confinement.hpp"
#include "io/process/process.hpp"
#include "io/process/reports.hpp"
#include "io/process/spawn.hpp"

namespace gantry::process {

namespace {

// Generous for a few system calls, even on a busy machine.
constexpr int kPatienceMs = 5000;

Result<void> judge(const reaper::Report& report, const Confinement& confinement) {
    // Everything before the exec succeeded, and executing a folder has to fail.
    if (report.stage == reaper::Stage::kExec) return {};
    std::string what(report.stage == reaper::Stage::kConfine ? confinement.name_of(report.step) : "start");
    return fail(ErrorCode::kUnsupported, what + ": " + std::generic_category().message(report.value));
}

}  // namespace

Result<void> rehearse(const Confinement& confinement) {
    Command command;
    command.program = "/";
    // Non-owning: the caller keeps it.
    command.confinement = std::shared_ptr<const Confinement>(&confinement, [](const Confinement*) {});
    GANTRY_TRY(Spawned spawned, spawn(command));
    Result<void> verdict = fail(ErrorCode::kUnsupported, "the reaper gave no answer");
    for (bool answered = false; !answered;) {
        pollfd ready{spawned.control.get(), POLLIN, 0};
        if (::poll(&ready, 1, kPatienceMs) <= 0) break;
        auto received = receive_report(spawned.control.get());
        if (!received) continue;
        if (!received->whole) break;
        answered = received->report.kind == reaper::Kind::kFailed || received->report.kind == reaper::Kind::kStarted;
        if (answered) verdict = judge(received->report, confinement);
    }
    spawned.control.reset();
    pollfd end{spawned.reaper.get(), POLLIN, 0};
    ::poll(&end, 1, kPatienceMs);
    collect_later(std::move(spawned.reaper));
    return verdict;
}

}  // namespace gantry::process
