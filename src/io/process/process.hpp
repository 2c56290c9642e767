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
#include "io/fd.hpp"
#include "io/stream.hpp"
#include "io/task.hpp"

namespace gantry {
class Loop;
}

namespace gantry::process {

class Child;
class Confinement;

/// Names and values.
using Environment = std::vector<std::pair<std::string, std::string>>;

struct Command {
    /// Looked up in the child's PATH when it has no slash. Never goes through a shell.
    std::string program;
    std::vector<std::string> args;
    /// The child's whole environment; see default_environment() for the usual base.
    Environment env;
    std::string cwd;  // empty: ours
    /// Called with each complete line of stderr (cut at 8 KB, without its line end); null drops them. stderr is always
    /// drained, so a chatty child never blocks.
    std::function<void(std::string_view line)> on_stderr;
    /// Where the kernel allows, give the child a PID namespace: then even descendants of other users die for
    /// certain. Off by default because the child sees other pids than we do; see README.
    bool pid_namespace = false;
    /// What the child is kept from; null: nothing.
    std::shared_ptr<const Confinement> confinement = nullptr;
    /// Called with what the kernel refused and the confinement can do without, and why.
    std::function<void(std::string_view step, std::string_view reason)> on_skipped = nullptr;
    /// Makes what has to live beside the child; called once its program runs, with the socket of a listen step if there
    /// is one. What it returns is dropped when the family is gone.
    std::function<std::shared_ptr<void>(Loop& loop, Fd listener)> beside = nullptr;
};

/// PATH, HOME, USER, LOGNAME, SHELL, LANG, LC_*, TERM, TMPDIR, TZ of ours; nothing else leaks into a child.
Environment default_environment();
/// Whether the variable says where the certificates are that this machine trusts; default_environment() keeps it.
bool names_certificates(std::string_view variable) noexcept;
/// In the place of what has that name.
void set_variable(Environment& environment, std::string_view name, std::string value);

struct ExitStatus {
    int code = 0;    // valid when signal == 0
    int signal = 0;  // 0 when it exited by itself
    /// Which limit of its confinement it was killed for; empty: none.
    std::string_view outgrew = {};
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
        /// From when it is cancelled nothing of this is waited for: SIGTERM at once, SIGKILL soon, in less than a
        /// second together.
        CancelToken force = {};
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
