// No descendant of a child survives, however the child or this process ends.

#include <signal.h>
#include <spawn.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "io/process/process.hpp"
#include "io/process/process_test_support.hpp"
#include "io/scope.hpp"

extern char** environ;

namespace gantry::process {
namespace {

/// For children that ignore signals: short, because these waits always expire.
const Process::StopTimes kQuick{.after_eof = milliseconds(50), .after_term = milliseconds(50)};
/// For children that handle them: the wait ends with the child, so the test does not depend on timing.
const Process::StopTimes kPatient{.after_eof = seconds(60), .after_term = seconds(60)};
const Process::StopTimes kPatientAfterTerm{.after_eof = milliseconds(50), .after_term = seconds(60)};

class Family : public testing::TestWithParam<bool> {
protected:
    Command member(std::vector<std::string> args) {
        Command result = command(kHelper, std::move(args));
        result.pid_namespace = GetParam();
        return result;
    }
    Loop loop;
    LifeLine line;
};

INSTANTIATE_TEST_SUITE_P(Reaper, Family, testing::Bool(),
                         [](const auto& param) { return param.param ? "WithPidNamespace" : "WithSubreaper"; });

Task<ExitStatus> stop(Process& process, Process::StopTimes times) {
    co_return co_await process.stop(times);
}

TEST_P(Family, AGrandchildInAnotherSessionDiesOnStop) {
    auto process = loop.run_until_done(started(member({"family", line.path()})));
    ASSERT_TRUE(line.holder_is_ready());
    EXPECT_EQ(loop.run_until_done(stop(*process, kPatient)).to_string(), "exit code 0");
    EXPECT_TRUE(line.holder_is_dead());
    EXPECT_FALSE(have_children());
}

Task<ExitStatus> wait(Process& process) {
    auto status = co_await process.wait(watchdog());
    co_return status.value_or(ExitStatus{});
}

TEST_P(Family, AGrandchildInAnotherSessionDiesWhenTheChildExits) {
    auto process = loop.run_until_done(started(member({"family-exit", line.path()})));
    ASSERT_TRUE(line.holder_is_ready());
    EXPECT_EQ(loop.run_until_done(wait(*process)).code, 7);
    EXPECT_TRUE(line.holder_is_dead());
}

TEST_P(Family, AGrandchildInAnotherSessionDiesWhenTheChildIsKilled) {
    auto process = loop.run_until_done(started(member({"family", line.path()})));
    ASSERT_TRUE(line.holder_is_ready());
    ASSERT_EQ(kill(process->pid(), SIGKILL), 0);
    EXPECT_EQ(loop.run_until_done(wait(*process)).to_string(), "signal SIGKILL");
    EXPECT_TRUE(line.holder_is_dead());
}

TEST_P(Family, DroppingTheProcessKillsTheFamilyWithoutWaiting) {
    auto process = loop.run_until_done(started(member({"family", line.path()})));
    ASSERT_TRUE(line.holder_is_ready());
    const std::size_t before = open_descriptors();
    process.reset();
    EXPECT_TRUE(line.holder_is_dead());  // the loop does not run meanwhile
    loop.run();
    EXPECT_FALSE(have_children());
    EXPECT_EQ(open_descriptors(), before - 5);
}

TEST_P(Family, ALoopThatEndsFirstLeavesNothingBehind) {
    auto own = std::make_unique<Loop>();
    auto process = own->run_until_done(started(member({"family", line.path()})));
    ASSERT_TRUE(line.holder_is_ready());
    process.reset();
    own.reset();
    EXPECT_TRUE(line.holder_is_dead());
    // An exit that could not be collected yet is collected by one of the next starts.
    for (int i = 0; i < 1000 && have_children(); ++i) (void)loop.run_until_done(output_of(command("true")));
    EXPECT_FALSE(have_children());
}

TEST_P(Family, StubbornChildrenAreKilled) {
    auto process = loop.run_until_done(started(member({"stubborn"})));
    char buffer[16];
    EXPECT_TRUE(loop.run_until_done(process->stdio().read_some(watchdog(), buffer)));  // the handler is set
    EXPECT_EQ(loop.run_until_done(stop(*process, kQuick)).to_string(), "signal SIGKILL");
    EXPECT_EQ(loop.run_until_done(stop(*process, kQuick)).to_string(),
              "signal SIGKILL");  // calling it again is allowed
    EXPECT_FALSE(have_children());
}

TEST_P(Family, PoliteChildrenEndByEndOfInputOrByTerm) {
    auto cat = command("cat");
    cat.pid_namespace = GetParam();
    auto process = loop.run_until_done(started(cat));
    EXPECT_EQ(loop.run_until_done(stop(*process, kPatient)).to_string(), "exit code 0");
    auto sleep = command("sleep", {"1000"});
    sleep.pid_namespace = GetParam();
    process = loop.run_until_done(started(sleep));
    EXPECT_EQ(loop.run_until_done(stop(*process, kPatientAfterTerm)).to_string(), "signal SIGTERM");
}

TEST_P(Family, InterpretersWork) {
    int found = 0;
    for (const auto& [program, script] :
         {std::pair("python3", "import os,sys; os.listdir('/proc/self/fd'); print(sum(range(10)))"),
          std::pair("node", "require('fs').readdirSync('/proc/self/fd'); console.log(45)")}) {
        auto what = command(program, {program == std::string_view("node") ? "-e" : "-c", script});
        what.pid_namespace = GetParam();
        auto process = loop.run_until_done(Process::start(watchdog(), what));
        if (!process) continue;
        ++found;
        EXPECT_EQ(loop.run_until_done(read_to_end((*process)->stdio())), "45\n") << program;
    }
    if (found == 0) GTEST_SKIP() << "neither python3 nor node is installed";
}

/// The processes that have `path` as an argument, with pids of our namespace.
std::vector<pid_t> members_of(const std::string& path) {
    std::vector<pid_t> found;
    for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
        const pid_t pid = std::atoi(entry.path().filename().c_str());
        std::ifstream file(entry.path() / "cmdline");
        std::string line;
        std::getline(file, line);
        if (pid > 0 && line.find(path) != std::string::npos) found.push_back(pid);
    }
    return found;
}

TEST_P(Family, NobodyIsLeftAfterAThousandRandomKills) {
    constexpr int kMembers = 13, kWanted = 1000;
    std::mt19937 random(4);  // NOLINT: the same every time
    int killed = 0;
    while (killed < kWanted) {
        LifeLine all;
        auto process = loop.run_until_done(started(member({"tree", all.path()})));
        for (int i = 0; i < kMembers; ++i) ASSERT_TRUE(all.holder_is_ready());
        std::vector<pid_t> members = members_of(all.path());
        ASSERT_EQ(members.size(), static_cast<std::size_t>(kMembers));
        std::ranges::shuffle(members, random);
        // Kill some or all of them, possibly including the child itself; the reaper must end the rest.
        members.resize(members.size() - random() % members.size());
        for (const pid_t pid : members) killed += kill(pid, SIGKILL) == 0;
        if (random() % 2 == 0)
            process.reset();
        else
            loop.run_until_done(stop(*process, kQuick));
        ASSERT_TRUE(all.holder_is_dead()) << "after " << killed << " kills";
        EXPECT_TRUE(members_of(all.path()).empty());
    }
    loop.run();
    EXPECT_FALSE(have_children());
}

/// Far longer than any test runs.
const Process::StopTimes kEndless{.after_eof = std::chrono::hours(1), .after_term = std::chrono::hours(1)};

Task<void> force_soon(CancelSource force) {
    co_await one_turn();
    force.cancel();
}

/// Forced while a regular stop is in progress, or from the start.
Task<ExitStatus> stop_by_force(Process& process, bool from_the_start) {
    const CancelSource force;
    Process::StopTimes times = kEndless;
    times.force = force.token();
    if (from_the_start) force.cancel();
    Scope impatient(Context::background());
    impatient.spawn(force_soon(force));
    const ExitStatus status = co_await process.stop(times);
    co_await impatient.join();
    co_return status;
}

TEST(StopByForce, TakesTheTimeFromWhoeverDoesNotEndByItself) {
    for (const bool from_the_start : {true, false}) {
        Loop loop;
        const auto stubborn = loop.run_until_done(started(command(kHelper, {"stubborn"})));
        char buffer[16];
        EXPECT_TRUE(loop.run_until_done(stubborn->stdio().read_some(watchdog(), buffer)));  // the handler is set
        EXPECT_EQ(loop.run_until_done(stop_by_force(*stubborn, from_the_start)).signal, SIGKILL);
        // SIGTERM once more: a child that handles it may exit cleanly.
        const auto patient = loop.run_until_done(started(shell("exec sleep 1000")));
        EXPECT_EQ(loop.run_until_done(stop_by_force(*patient, from_the_start)).signal, SIGTERM);
        loop.run();
    }
}

/// The fourth field of /proc/PID/stat.
pid_t parent_of(pid_t pid) {
    std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
    std::string own, name, state, parent;
    file >> own >> name >> state >> parent;
    return parent.empty() ? 0 : std::stoi(parent);
}

TEST(StopByForce, WaitsOneSecondForAProcessThatCannotBeEnded) {
    static_assert(Process::kForcedStop == seconds(1));
    Loop loop;
    const auto process = loop.run_until_done(started(shell("exec sleep 1000")));
    const pid_t reaper = parent_of(process->pid());
    ASSERT_EQ(kill(reaper, SIGSTOP), 0);  // from here on, no order reaches the child
    const TimePoint began = SteadyClock::now();
    (void)loop.run_until_done(stop_by_force(*process, true));
    EXPECT_GE(SteadyClock::now() - began, Process::kForcedStop);
    EXPECT_FALSE(process->exit_status()) << "it was waited for until it ended";
    ASSERT_EQ(kill(reaper, SIGCONT), 0);
    loop.run();
    while (have_children()) (void)loop.run_until_done(output_of(command("true")));
}

TEST(PidNamespace, NobodySurvivesTheReaperEither) {
    Loop loop;
    LifeLine all;
    auto what = command(kHelper, {"tree", all.path()});
    what.pid_namespace = true;
    auto process = loop.run_until_done(started(what));
    for (int i = 0; i < 13; ++i) ASSERT_TRUE(all.holder_is_ready());
    const pid_t reaper = parent_of(process->pid());
    if (loop.run_until_done(output_of([] {
            auto own = shell("readlink /proc/self/ns/pid");
            own.pid_namespace = true;
            return own;
        }())) == loop.run_until_done(output_of(shell("readlink /proc/self/ns/pid"))))
        GTEST_SKIP() << "the kernel allows no PID namespace here";
    ASSERT_EQ(kill(reaper, SIGKILL), 0);
    EXPECT_TRUE(all.holder_is_dead());
}

TEST(PidNamespace, TheChildKeepsItsUserAndSeesItsOwnPids) {
    Loop loop;
    auto what = shell("readlink /proc/self/ns/pid; id -u; echo $$");
    const std::string outside = loop.run_until_done(output_of(what));
    what.pid_namespace = true;
    const std::string inside = loop.run_until_done(output_of(what));
    const auto line = [](const std::string& text, int number) {
        std::istringstream lines(text);
        std::string result;
        while (number-- >= 0) std::getline(lines, result);
        return result;
    };
    if (line(inside, 0) == line(outside, 0)) GTEST_SKIP() << "the kernel allows no PID namespace here";
    EXPECT_EQ(line(inside, 1), line(outside, 1));
    EXPECT_EQ(line(inside, 2), "3");  // 1 keeps the namespace, 2 is the reaper
}

TEST(FamilyOfAHost, DiesWhenTheHostIsKilledWithSigkill) {
    LifeLine line;
    // Not started by Process: only the host's own reaper may do the work.
    std::string self = kHelper, mode = "host", path = line.path();
    char* argv[] = {self.data(), mode.data(), path.data(), nullptr};
    pid_t host = 0;
    ASSERT_EQ(posix_spawn(&host, self.c_str(), nullptr, nullptr, argv, environ), 0);
    ASSERT_TRUE(line.holder_is_ready());
    kill(host, SIGKILL);
    waitpid(host, nullptr, 0);
    EXPECT_TRUE(line.holder_is_dead());
}

TEST(FamilyOfAHost, DiesEvenIfAForkOfTheHostStillHoldsItsPipes) {
    LifeLine line;
    Loop loop;
    const pid_t host = fork();
    if (host == 0) {
        {
            auto process = loop.run_until_done(started(command(kHelper, {"family", line.path()})));
            if (fork() == 0) {
                // Keeps every descriptor of the host open until all processes of the family are dead.
                if (!line.holder_is_ready()) _exit(1);
                kill(getppid(), SIGKILL);
                _exit(line.holder_is_dead() ? 0 : 1);
            }
            for (;;) pause();
        }
    }
    waitpid(host, nullptr, 0);
    EXPECT_TRUE(line.holder_is_dead());
}

}  // namespace
}  // namespace gantry::process
