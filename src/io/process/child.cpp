#include "io/process/child.hpp"

#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <boost/asio/buffer.hpp>
#include <cerrno>
#include <cstring>
#include <string>
#include <system_error>
#include <utility>

#include "base/try.hpp"

namespace gantry::process {
namespace {

using boost::system::error_code;

// What a family left in its stderr pipe is read to the end, unless somebody who could not be killed
// keeps the pipe open for longer than this.
constexpr Duration kMaxDrain = seconds(1);

ExitStatus from_wait_status(int status) {
    if (WIFSIGNALED(status)) return {.code = 0, .signal = WTERMSIG(status)};
    return {.code = WEXITSTATUS(status), .signal = 0};
}

Error start_error(const reaper::Report& report, std::string_view program, std::string_view cwd) {
    const std::string reason = std::generic_category().message(report.value);
    switch (report.stage) {
        case reaper::Stage::kChdir:
            return Error(ErrorCode::kConnection, "cannot enter folder '" + std::string(cwd) + "': " + reason)
                .retryable(false);
        case reaper::Stage::kExec: {
            const ErrorCode code = report.value == ENOENT ? ErrorCode::kNotFound : ErrorCode::kConnection;
            return Error(code, "cannot run '" + std::string(program) + "': " + reason).retryable(false);
        }
        case reaper::Stage::kNone:
        case reaper::Stage::kSetUp:
        case reaper::Stage::kFork: break;
    }
    return {ErrorCode::kConnection, "cannot start '" + std::string(program) + "': " + reason};
}

/// Writing to a child that is gone is an error to handle, never a signal. Asio ignores SIGPIPE for
/// the whole process, but a host may have other plans; in this thread we need it out of the way.
void block_sigpipe() {
    sigset_t pipe;
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe, nullptr);
}

}  // namespace

Child::Child(Loop& loop, Spawned spawned, LineCutter::Sink on_stderr)
    : loop_(loop),
      control_(loop.executor(), spawned.control.release()),
      err_(loop.executor(), spawned.err.release()),
      reaper_(std::move(spawned.reaper)),
      reaper_exit_(loop.executor()),
      stdio_(loop.executor(), std::move(spawned.out), std::move(spawned.in)),
      on_stderr_(std::move(on_stderr)),
      line_sink_([this](std::string_view line) {
          if (on_stderr_ && !abandoned_) on_stderr_(line);
      }) {
    block_sigpipe();
}

Child::~Child() {
    error_code ignored;
    control_.close(ignored);  // the loop ended first: the reaper sees this and kills
    if (reaper_exit_.is_open()) reaper_.reset(reaper_exit_.release());
    if (reaper_) collect_later(std::move(reaper_));
}

void Child::listen() {
    watch_control();
    read_stderr();
}

Task<Result<void>> Child::started(const Context& ctx, std::string_view program, std::string_view cwd) {
    GANTRY_CO_CHECK(co_await answered_.wait(ctx));
    if (!outcome_) co_return fail(ErrorCode::kConnection, "the reaper of '" + std::string(program) + "' was killed");
    if (outcome_->kind == reaper::Kind::kFailed) co_return fail(start_error(*outcome_, program, cwd));
    co_return Result<void>();
}

void Child::order(reaper::Order order) noexcept {
    if (control_.is_open()) ::send(control_.native_handle(), &order, sizeof order, MSG_NOSIGNAL | MSG_DONTWAIT);
}

void Child::abandon() noexcept {
    abandoned_ = true;
    stdio_.close();
    close_stderr();
    if (control_.is_open()) ::shutdown(control_.native_handle(), SHUT_WR);
}

void Child::watch_control() {
    control_.async_wait(Descriptor::wait_read, [self = shared_from_this()](error_code error) {
        if (!error && self->read_reports())
            self->watch_control();
        else
            self->await_reaper();
    });
}

bool Child::read_reports() {
    for (;;) {
        reaper::Report report;
        alignas(cmsghdr) char extra[CMSG_SPACE(sizeof(ucred))];
        iovec part{&report, sizeof report};
        msghdr message{};
        message.msg_iov = &part;
        message.msg_iovlen = 1;
        message.msg_control = extra;
        message.msg_controllen = sizeof extra;
        const ssize_t size = ::recvmsg(control_.native_handle(), &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
        if (size < 0 && errno == EINTR) continue;
        if (size < 0 && errno == EAGAIN) return true;
        if (size != sizeof report) return false;

        switch (report.kind) {
            case reaper::Kind::kPid:
                if (const cmsghdr* header = CMSG_FIRSTHDR(&message);
                    header && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_CREDENTIALS) {
                    ucred sender;
                    std::memcpy(&sender, CMSG_DATA(header), sizeof sender);
                    pid_ = sender.pid;
                }
                break;
            case reaper::Kind::kStarted:
            case reaper::Kind::kFailed:
                outcome_ = report;
                answered_.set();
                break;
            case reaper::Kind::kExited: reported_ = from_wait_status(report.value); break;
        }
    }
}

/// The reaper is about to be gone: take its exit.
void Child::await_reaper() {
    error_code error;
    control_.close(error);
    if (collect(reaper_.get())) {
        reaper_.reset();
        finish();
        return;
    }
    reaper_exit_.assign(reaper_.release(), error);
    reaper_exit_.async_wait(Descriptor::wait_read, [self = shared_from_this()](error_code failed) {
        if (failed) return;
        collect(self->reaper_exit_.native_handle());
        self->reaper_exit_.close(failed);
        self->finish();
    });
}

void Child::finish() {
    reaper_gone_ = true;
    if (err_.is_open())
        drain_.arm(
            loop_, Deadline::after(kMaxDrain), [](void* self) { static_cast<Child*>(self)->close_stderr(); }, this);
    else
        complete();
}

void Child::complete() {
    drain_.disarm();
    // A reaper that was itself killed cannot report; its death killed the child.
    status_ = reported_.value_or(ExitStatus{.code = 0, .signal = SIGKILL});
    answered_.set();
    gone_.set();
}

void Child::read_stderr() {
    err_.async_read_some(boost::asio::buffer(err_buffer_),
                         [self = shared_from_this()](error_code error, std::size_t size) {
                             if (!self->err_.is_open()) return;
                             if (error) {
                                 self->close_stderr();
                                 return;
                             }
                             self->lines_.feed({self->err_buffer_.data(), size}, self->line_sink_);
                             if (self->err_.is_open()) self->read_stderr();
                         });
}

void Child::close_stderr() {
    if (!err_.is_open()) return;
    error_code ignored;
    err_.close(ignored);
    lines_.finish(line_sink_);
    if (reaper_gone_) complete();
}

}  // namespace gantry::process
