#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "io/context.hpp"
#include "io/stream.hpp"
#include "io/task.hpp"

namespace gantry::process {

class Child;

struct Command {
    /// Looked up in the child's PATH when it has no slash. Never goes through a shell.
    std::string program;
    std::vector<std::string> args;
    /// The child's whole environment; see default_environment() for the usual base.
    std::vector<std::pair<std::string, std::string>> env;
    std::string cwd;  // empty: ours
    /// Called with each complete line of stderr (cut at 8 KB, without its line end); null drops them. stderr is always
    /// drained, so a chatty child never blocks.
    std::function<void(std::string_view line)> on_stderr;
    /// Where the kernel allows, give the child a PID namespace: then even descendants of other users die for
    /// certain. Off by default because the child sees other pids than we do; see README.
    bool pid_namespace = false;
};

/// PATH, HOME, USER, LOGNAME, SHELL, LANG, LC_*, TERM, TMPDIR, TZ of ours; nothing else leaks into a child.
std::vector<std::pair<std::string, std::string>> default_environment();

struct ExitStatus {
    int code = 0;    // valid when signal == 0
    int signal = 0;  // 0 when it exited by itself
    std::string to_string() const;
};

/// A running child: its stdin and stdout are the stream, its stderr goes to the callback.
///
/// Between us and the child stands a small reaper (see README): when we die, even by SIGKILL, or when
/// the child ends, every descendant dies too, also those that left the process group or the session.
class Process {
public:
    /// kNotFound / kConnection with errno's text when it cannot be started.
    static Task<Result<std::unique_ptr<Process>>> start(const Context& ctx, Command command);
    /// Kills the tree without waiting; prefer stop().
    ~Process();

    /// read_some = stdout, write = stdin, shutdown_write = close stdin.
    Stream& stdio() noexcept;
    int pid() const noexcept;
    /// Completes when the child and its descendants are gone and stderr is read. Several may wait.
    /// Keep reading stdio() until its end: a child that cannot write does not exit.
    Task<Result<ExitStatus>> wait(const Context& ctx);
    std::optional<ExitStatus> exit_status() const noexcept;

    struct StopTimes {
        Duration after_eof = seconds(2);
        Duration after_term = seconds(2);
    };
    /// stdin EOF, wait, SIGTERM to the group, wait, SIGKILL to the whole tree. Always succeeds in bounded time.
    Task<ExitStatus> stop(StopTimes times);
    Task<ExitStatus> stop() { return stop(StopTimes{}); }

private:
    explicit Process(std::shared_ptr<Child> child) noexcept;
    // Shared with the operations in flight: the last of them sees to it that no zombie is left.
    std::shared_ptr<Child> child_;
};

}  // namespace gantry::process
