#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
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
    /// Looked up in the child's PATH if it contains no slash. No shell is involved.
    std::string program;
    std::vector<std::string> args;
    /// The child's whole environment; see default_environment() for the usual base.
    Environment env;
    std::string cwd;  // empty: this process's
    /// Called with each complete line of stderr (truncated to 8 KB, without its line end); null drops them. stderr is
    /// always drained, so a verbose child never blocks.
    std::function<void(std::string_view line)> on_stderr;
    /// If the kernel allows it, give the child a PID namespace: then even descendants of other users are certain to be
    /// killed. Off by default because the child sees other pids than we do; see README.
    bool pid_namespace = false;
    /// How the child is confined; null: not at all.
    std::shared_ptr<const Confinement> confinement = nullptr;
    /// Called for each optional confinement step the kernel rejected, with the reason.
    std::function<void(std::string_view step, std::string_view reason)> on_skipped = nullptr;
    /// Creates a companion of the child; called once its program runs, with the socket of a listen step if there
    /// is one. The returned object is destroyed when all descendants have ended.
    std::function<std::shared_ptr<void>(Loop& loop, Fd listener)> beside = nullptr;
};

/// PATH, HOME, USER, LOGNAME, SHELL, LANG, LC_*, TERM, TMPDIR, TZ of this process; a child inherits nothing else.
Environment default_environment();
/// Whether the variable locates this machine's trusted certificates; default_environment() keeps it.
bool names_certificates(std::string_view variable) noexcept;
/// Adds the variable or replaces its value.
void set_variable(Environment& environment, std::string_view name, std::string value);

struct ExitStatus {
    int code = 0;    // valid when signal == 0
    int signal = 0;  // 0 if it exited by itself
    /// The confinement limit it was killed for; empty: none.
    std::string_view outgrew = {};
    std::string to_string() const;
};

/// A running child: its stdin and stdout are the stream, its stderr goes to the callback.
///
/// Between this process and the child runs a small reaper (see README): when this process dies, even by SIGKILL, or
/// when the child ends, every descendant is killed, including those that left the process group or the session.
class Process {
public:
    /// kNotFound / kConnection with errno's text if it cannot be started.
    static Task<Result<std::unique_ptr<Process>>> start(const Context& ctx, Command command);
    /// Kills the process tree without waiting; prefer stop().
    ~Process();

    /// read_some = stdout, write = stdin, shutdown_write = close stdin.
    Stream& stdio() noexcept;
    int pid() const noexcept;
    /// Whether the child has a network of its own (Confinement::namespaces), which only a socket_inside() reaches.
    bool has_own_network() const noexcept;
    /// An unconnected, non-blocking TCP socket in the child's network, whether that is its own or this process's.
    Task<Result<Fd>> socket_inside(const Context& ctx, bool v6);
    /// Inodes of the sockets that the child and its descendants have open; processes whose descriptors this user may
    /// not see count as having none. Blocks while it reads /proc: some ten milliseconds for a thousand processes.
    std::set<std::uint64_t> open_sockets() const;
    /// Whether one of them is this one. Much faster if the child itself has it.
    bool holds_socket(std::uint64_t inode) const;
    /// Completes when the child and its descendants have ended and stderr is drained. Several tasks may wait.
    /// Keep reading stdio() until its end: a child that cannot write does not exit.
    Task<Result<ExitStatus>> wait(const Context& ctx);
    std::optional<ExitStatus> exit_status() const noexcept;

    /// The most that a forced stop() waits for the process.
    static constexpr Duration kForcedStop = seconds(1);
    struct StopTimes {
        Duration after_eof = seconds(2);
        Duration after_term = seconds(2);
        /// Once cancelled, the waits are cut short: SIGTERM immediately, SIGKILL half of kForcedStop later. A process
        /// that is still there after the other half is left to the reaper.
        CancelToken force = {};
    };
    /// Closes stdin, waits, sends SIGTERM to the group, waits, sends SIGKILL to the whole tree. Takes bounded time.
    Task<ExitStatus> stop(StopTimes times);
    Task<ExitStatus> stop() { return stop(StopTimes{}); }

private:
    explicit Process(std::shared_ptr<Child> child) noexcept;
    // Shared with the operations in flight: the last of them ensures that no zombie is left.
    std::shared_ptr<Child> child_;
};

}  // namespace gantry::process
