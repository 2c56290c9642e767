#pragma once

#include <array>
#include <deque>
#include <memory>
#include <optional>

#include "io/loop.hpp"
#include "io/process/line_cutter.hpp"
#include "io/process/pipe.hpp"
#include "io/process/process.hpp"
#include "io/process/reaper/protocol.hpp"
#include "io/process/spawn.hpp"
#include "io/root.hpp"
#include "io/sync.hpp"

namespace gantry::process {

/// Implementation of Process: the pipes, the protocol with the reaper, and the end of both. Lives until
/// the reaper's exit was collected, possibly longer than the Process.
class Child : public std::enable_shared_from_this<Child> {
public:
    Child(Loop& loop, Spawned spawned, const Command& command);
    ~Child();
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;

    /// Starts reading from the reaper and from stderr.
    void listen();
    /// Waits until the program runs, or fails with the reason why it does not.
    Task<Result<void>> started(const Context& ctx);
    /// Waits until the child and its descendants have ended.
    Task<Result<void>> gone(const Context& ctx) { return gone_.wait(ctx); }

    /// False if the reaper has ended.
    bool order(reaper::Order order) noexcept;
    /// A TCP socket made by the reaper, hence in the child's network.
    Task<Result<Fd>> socket_inside(const Context& ctx, bool v6);
    bool has_own_network() const noexcept;
    /// Closes everything; the reaper then kills all descendants. No callback is called after this.
    void abandon() noexcept;

    PipeStream& stdio() noexcept { return stdio_; }
    int pid() const noexcept { return pid_; }
    const std::optional<ExitStatus>& status() const noexcept { return status_; }

private:
    /// One request for a socket. The reaper answers in order, also requests whose caller has given up.
    struct SocketRequest {
        Fd made = {};
        int failed = 0;
        bool answered = false;
    };

    static Root follow_reaper(Loop& loop, std::shared_ptr<Child> self);
    static Root follow_stderr(Loop& loop, std::shared_ptr<Child> self);
    /// False once the reaper has closed its end.
    bool read_reports();
    void take(const reaper::Report& report);
    void take_socket(int failed, Fd socket);
    Error start_error() const;
    void finish();
    void complete();
    void close_stderr();

    Loop& loop_;
    Descriptor control_;
    Descriptor err_;
    Descriptor reaper_;  // its pidfd
    PipeStream stdio_;
    // Not reset by abandon(), which may be called from one of these callbacks.
    LineCutter::Sink on_stderr_;
    LineCutter::Sink line_sink_;
    LineCutter lines_;
    std::array<char, 16u << 10> err_buffer_;

    const std::string program_, cwd_;
    const std::shared_ptr<const Confinement> confinement_;
    const decltype(Command::on_skipped) on_skipped_;
    decltype(Command::beside) beside_;
    std::shared_ptr<void> companion_;
    Fd listener_;
    std::deque<std::shared_ptr<SocketRequest>> asked_for_;
    Event socket_came_;
    std::string_view outgrew_;
    int pid_ = 0;
    bool abandoned_ = false;
    bool reaper_gone_ = false;
    Loop::Alarm drain_;
    std::optional<reaper::Report> outcome_;  // kStarted or kFailed
    std::optional<ExitStatus> reported_;     // by the reaper, before it exited
    std::optional<ExitStatus> status_;
    Event answered_;
    Event gone_;
};

}  // namespace gantry::process
