#include "io/process/process.hpp"

#include <signal.h>
#include <sys/resource.h>

#include <algorithm>
#include <thread>

#include "io/process/descriptor_limit.hpp"
#include "io/process/process_test_support.hpp"
#include "io/process/spawn.hpp"
#include "io/scope.hpp"

namespace gantry::process {
namespace {

using namespace std::string_literals;

Task<void> round_trip() {
    auto process = co_await started(command("cat"));
    EXPECT_GT(process->pid(), 1);
    EXPECT_EQ(kill(process->pid(), 0), 0);
    EXPECT_FALSE(process->exit_status());
    for (const std::string_view text : {"hello\n", "again\n"}) {
        EXPECT_TRUE(co_await process->stdio().write(watchdog(), text));
        char buffer[64];
        auto size = co_await process->stdio().read_some(watchdog(), buffer);
        EXPECT_EQ(std::string_view(buffer, size.value_or(0)), text);
    }
    EXPECT_TRUE(co_await process->stdio().shutdown_write(watchdog()));
    EXPECT_EQ(co_await read_to_end(process->stdio()), "");
    auto status = co_await process->wait(watchdog());
    EXPECT_EQ(status.value().to_string(), "exit code 0");
    EXPECT_EQ(process->exit_status()->code, 0);
    EXPECT_FALSE(have_children());
}

TEST(Process, EchoesBothWays) {
    Loop().run_until_done(round_trip());
}

Task<void> write_large(Stream& stream, const std::string& text) {
    EXPECT_TRUE(co_await stream.write(watchdog(), text));
    EXPECT_TRUE(co_await stream.shutdown_write(watchdog()));
}

Task<void> large_round_trip() {
    std::string text(8u << 20, '\0');
    for (std::size_t i = 0; i < text.size(); ++i) text[i] = static_cast<char>(i * 131 >> 3);
    auto process = co_await started(command("cat"));
    Scope scope(watchdog());
    scope.spawn(write_large(process->stdio(), text));
    EXPECT_TRUE(co_await read_to_end(process->stdio()) == text);
    co_await scope.join();
}

TEST(Process, CarriesMoreThanAPipeHolds) {
    Loop().run_until_done(large_round_trip());
}

Task<void> held_back() {
    auto process = co_await started(command("sleep", {"1000"}));
    const std::string text(1u << 20, 'x');
    auto written = co_await process->stdio().write(Context::background().within(milliseconds(50)), text);
    EXPECT_EQ(written.error().code(), ErrorCode::kTimeout);
}

TEST(Process, WritingToAChildThatDoesNotReadTimesOut) {
    Loop().run_until_done(held_back());
}

Task<void> timed_out_read() {
    auto process = co_await started(command("cat"));
    char buffer[64];
    auto none = co_await process->stdio().read_some(Context::background().within(milliseconds(30)), buffer);
    EXPECT_EQ(none.error().code(), ErrorCode::kTimeout);
    EXPECT_TRUE(co_await process->stdio().write(watchdog(), "late"));
    auto size = co_await process->stdio().read_some(watchdog(), buffer);
    EXPECT_EQ(std::string_view(buffer, size.value_or(0)), "late");
}

TEST(Process, ATimedOutReadLosesNothing) {
    Loop().run_until_done(timed_out_read());
}

Task<void> write_after_exit() {
    auto process = co_await started(shell("exec <&-; echo closed; read x < /dev/null; exec sleep 1000"));
    char buffer[64];
    (void)co_await process->stdio().read_some(watchdog(), buffer);
    // The reaper closes its copy of the pipe asynchronously.
    const Context ctx = watchdog();
    auto written = co_await process->stdio().write(ctx, "x");
    while (written && co_await sleep_for(ctx, milliseconds(1))) written = co_await process->stdio().write(ctx, "x");
    EXPECT_EQ(written.error().code(), ErrorCode::kConnection);
}

TEST(Process, WritingToAClosedInputIsAnErrorAndNoSignal) {
    Loop loop;  // a host that does not ignore SIGPIPE must survive too
    const auto before = signal(SIGPIPE, SIG_DFL);
    loop.run_until_done(write_after_exit());
    signal(SIGPIPE, before);
}

Task<std::string> ending(Command what) {
    auto process = co_await started(std::move(what));
    if (!process) co_return "";
    auto status = co_await process->wait(watchdog());
    co_return status ? status->to_string() : status.error().to_string();
}

TEST(Process, TellsHowTheChildEnded) {
    Loop loop;
    EXPECT_EQ(loop.run_until_done(ending(shell("exit 0"))), "exit code 0");
    EXPECT_EQ(loop.run_until_done(ending(shell("exit 255"))), "exit code 255");
    EXPECT_EQ(loop.run_until_done(ending(shell("kill -SEGV $$"))), "signal SIGSEGV");
    EXPECT_EQ(loop.run_until_done(ending(shell("kill -TERM $$"))), "signal SIGTERM");
}

Task<std::pair<ErrorCode, std::string>> refusal(Command what) {
    auto process = co_await Process::start(watchdog(), std::move(what));
    EXPECT_FALSE(process);
    co_return process ? std::pair(ErrorCode::kInternal, std::string())
                      : std::pair(process.error().code(), process.error().message());
}

TEST(Process, TellsWhyItCannotStart) {
    Loop loop;
    auto no_path = command("no-such-program-anywhere");
    EXPECT_EQ(loop.run_until_done(refusal(no_path)).first, ErrorCode::kNotFound);
    auto [code, message] = loop.run_until_done(refusal(command("/no/such/file")));
    EXPECT_EQ(code, ErrorCode::kNotFound);
    EXPECT_EQ(message, "cannot run '/no/such/file': No such file or directory");
    std::tie(code, message) = loop.run_until_done(refusal(command("/etc/passwd")));
    EXPECT_EQ(code, ErrorCode::kConnection);
    EXPECT_EQ(message, "cannot run '/etc/passwd': Permission denied");
    auto nowhere = command("cat");
    nowhere.cwd = "/no/such/folder";
    std::tie(code, message) = loop.run_until_done(refusal(nowhere));
    EXPECT_EQ(code, ErrorCode::kConnection);
    EXPECT_EQ(message, "cannot enter folder '/no/such/folder': No such file or directory");
    for (const Command& odd : {command(""), command("ca\0t"s), command("cat", {"a\0b"s})})
        EXPECT_EQ(loop.run_until_done(refusal(odd)).first, ErrorCode::kInvalidArgument);
    auto bad_env = command("cat");
    bad_env.env = {{"A=B", "c"}};
    EXPECT_EQ(loop.run_until_done(refusal(bad_env)).first, ErrorCode::kInvalidArgument);
    loop.run();
    // A reaper without a child exits by itself; the next start collects it.
    while (have_children()) {
        siginfo_t ended{};
        ASSERT_EQ(waitid(P_ALL, 0, &ended, WEXITED | WNOWAIT), 0);
        loop.run_until_done(refusal(command("")));
    }
}

TEST(Process, RunsInTheGivenFolderWithExactlyTheGivenArguments) {
    Loop loop;
    auto pwd = command("pwd");
    pwd.cwd = "/usr";
    EXPECT_EQ(loop.run_until_done(output_of(pwd)), "/usr\n");
    EXPECT_EQ(loop.run_until_done(output_of(command("printf", {"%s|", "", "a b", "$HOME", "*", "\"'"}))),
              "|a b|$HOME|*|\"'|");
}

TEST(Process, TheChildSeesExactlyTheGivenEnvironment) {
    Loop loop;
    setenv("GANTRY_TEST_SECRET", "hunter2", 1);
    auto env = command("/usr/bin/env");
    env.env = {{"A", "1"}, {"B", "x=y"}, {"EMPTY", ""}};
    EXPECT_EQ(loop.run_until_done(output_of(env)), "A=1\nB=x=y\nEMPTY=\n");
    env.env = {};
    EXPECT_EQ(loop.run_until_done(output_of(env)), "");
    for (const auto& [name, value] : default_environment()) EXPECT_NE(name, "GANTRY_TEST_SECRET");
    unsetenv("GANTRY_TEST_SECRET");
}

TEST(Process, LooksTheProgramUpInTheChildsPath) {
    Loop loop;
    auto ls = command("cat");
    ls.env = {{"PATH", "/no/such:relative:/usr/bin:/bin"}};
    EXPECT_EQ(loop.run_until_done(ending([&] {
        ls.args = {"/dev/null"};
        return ls;
    }())),
              "exit code 0");
    ls.env = {{"PATH", "/no/such"}};
    EXPECT_EQ(loop.run_until_done(refusal(ls)).first, ErrorCode::kNotFound);
}

TEST(Process, NoDescriptorLeaksEitherWay) {
    Loop loop;
    const int leaky = dup(0);  // no close-on-exec
    (void)loop.run_until_done(ending(shell("exit 0")));
    const std::size_t before = open_descriptors();
    EXPECT_EQ(loop.run_until_done(output_of(command(kHelper, {"descriptors"}))), "0 1 2 \n");
    for (int i = 0; i < 20; ++i) {
        (void)loop.run_until_done(ending(shell("exit 0")));
        (void)loop.run_until_done(refusal(command("/no/such/file")));
    }
    loop.run();
    EXPECT_EQ(open_descriptors(), before);
    EXPECT_FALSE(have_children());
    close(leaky);
}

Task<void> stderr_lines() {
    std::vector<std::string> lines;
    auto what = shell("echo one >&2; echo out; printf 'two\\r\\nlast' >&2");
    what.on_stderr = [&](std::string_view line) { lines.emplace_back(line); };
    EXPECT_EQ(co_await output_of(std::move(what)), "out\n");
    EXPECT_EQ(lines, (std::vector<std::string>{"one", "two", "last"}));
}

TEST(Process, EveryLineOfStderrArrivesBeforeTheEnd) {
    Loop().run_until_done(stderr_lines());
}

long resident_kb() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

Task<void> flood() {
    constexpr std::size_t kBytes = 50u << 20;
    std::size_t received = 0;
    auto what = command(kHelper, {"flood", std::to_string(kBytes)});
    what.on_stderr = [&](std::string_view line) { received += line.size() + 1; };
    const long before = resident_kb();
    EXPECT_EQ(co_await ending(std::move(what)), "exit code 0");
    EXPECT_GE(received, kBytes);
    EXPECT_LT(resident_kb() - before, 20 * 1024);
}

TEST(Process, AFloodOnStderrNeitherBlocksNorGrows) {
    Loop().run_until_done(flood());
}

Task<void> dropped_by_callback() {
    std::unique_ptr<Process> process;
    int calls = 0;
    auto what = shell("while :; do echo noise >&2; done");
    what.on_stderr = [&](std::string_view) {
        ++calls;
        process.reset();
    };
    process = co_await started(std::move(what));
    while (process) co_await yield_now();
    const int then = calls;
    for (int i = 0; i < 100; ++i) co_await yield_now();
    EXPECT_EQ(calls, then);
}

TEST(Process, TheStderrCallbackMayDropTheProcess) {
    Loop loop;
    loop.run_until_done(dropped_by_callback());
    loop.run();
    EXPECT_FALSE(have_children());
}

Task<std::unique_ptr<Process>> start_cat() {
    return started(command("cat"));
}

Task<void> echo_once(Process& process) {
    EXPECT_TRUE(co_await process.stdio().write(watchdog(), "x"));
    char byte = 0;
    EXPECT_EQ((co_await process.stdio().read_some(watchdog(), std::span(&byte, 1))).value_or(0), 1u);
    EXPECT_EQ(byte, 'x');
}

TEST(Process, OutlivesTheThreadThatStartedIt) {
    Loop loop;
    std::unique_ptr<Process> process;
    std::thread([&] { process = loop.run_until_done(start_cat()); }).join();
    ASSERT_TRUE(process);
    loop.run_until_done(echo_once(*process));
}

Task<void> one_of_many(int number, int& right) {
    auto process = co_await started(shell("read x; exit $x"));
    if (!process) co_return;
    const std::string line = std::to_string(number) + "\n";
    EXPECT_TRUE(co_await process->stdio().write(watchdog(), line));
    auto status = co_await process->wait(watchdog());
    right += status && status->code == number;
}

Task<void> many(int count, int& right) {
    Scope scope(watchdog());
    for (int i = 0; i < count; ++i) scope.spawn(one_of_many(i, right));
    co_await scope.join();
}

TEST(Process, TwoHundredAtOnceAllEndWithTheirOwnCode) {
    rlimit limit{};
    getrlimit(RLIMIT_NOFILE, &limit);
    const rlimit before = limit;
    limit.rlim_cur = std::min<rlim_t>(limit.rlim_max, 4096);
    setrlimit(RLIMIT_NOFILE, &limit);
    if (limit.rlim_cur < 1200) GTEST_SKIP() << "this machine allows only " << limit.rlim_cur << " descriptors";
    Loop loop;
    int right = 0;
    loop.run_until_done(many(200, right));
    EXPECT_EQ(right, 200);
    loop.run();  // a reaper exits after its last report
    EXPECT_FALSE(have_children());
    setrlimit(RLIMIT_NOFILE, &before);
}

Task<std::string> limit_of_child() {
    auto process = co_await started(shell("ulimit -n"));
    co_return co_await read_to_end(process->stdio());
}

TEST(Process, ARaisedDescriptorLimitIsOursAndNotTheChildrens) {
    rlimit before{};
    getrlimit(RLIMIT_NOFILE, &before);
    if (before.rlim_max <= 300) GTEST_SKIP() << "this machine allows only " << before.rlim_max << " descriptors";
    const rlimit low{300, before.rlim_max};
    setrlimit(RLIMIT_NOFILE, &low);
    EXPECT_EQ(raise_descriptor_limit(), before.rlim_max);
    rlimit now{};
    getrlimit(RLIMIT_NOFILE, &now);
    EXPECT_EQ(now.rlim_cur, before.rlim_max);
    EXPECT_EQ(Loop().run_until_done(limit_of_child()), "300\n");
    setrlimit(RLIMIT_NOFILE, &before);
}

TEST(Process, LoopsOnSeveralThreadsStartChildrenAtTheSameTime) {
    std::vector<std::thread> threads;
    std::vector<int> right(4);
    for (int& own : right) threads.emplace_back([&own] { Loop().run_until_done(many(10, own)); });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(right, std::vector<int>(4, 10));
}

/// The fastest and the median time of fifty runs, in microseconds.
template <class Function>
std::pair<double, double> timed(Function function) {
    std::vector<double> times;
    for (int i = 0; i < 50; ++i) {
        const TimePoint before = SteadyClock::now();
        function();
        times.push_back(std::chrono::duration<double, std::micro>(SteadyClock::now() - before).count());
    }
    std::ranges::sort(times);
    return {times.front(), times[25]};
}

TEST(Process, PrintsWhatAStartCosts) {
    Loop loop;
    const auto whole = timed([&] { (void)loop.run_until_done(ending(command("true"))); });
    std::printf("start, run and collect `true`: fastest %.0f us, median %.0f us\n", whole.first, whole.second);
    const auto blocked = timed([] {
        auto spawned = spawn(command("true"));
        ASSERT_TRUE(spawned);
        spawned->control.reset();
        collect_later(std::move(spawned->reaper));
    });
    std::printf("of which the loop is blocked: fastest %.0f us, median %.0f us\n", blocked.first, blocked.second);
    for (int i = 0; i < 1000 && have_children(); ++i) (void)loop.run_until_done(ending(command("true")));
    EXPECT_FALSE(have_children());
}

}  // namespace
}  // namespace gantry::process
