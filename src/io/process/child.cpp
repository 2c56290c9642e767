#include "io/process/child.hpp"

#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <system_error>
#include <utility>

#include "base/try.hpp"

namespace gantry::process {
namespace {

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

}  // namespace

Child::Child(Loop& loop, Spawned spawned, LineCutter::Sink on_stderr)
    : loop_(loop),
      control_(loop, std::move(spawned.control)),
      err_(loop, std::move(spawned.err)),
      reaper_(loop, std::move(spawned.reaper)),
      stdio_(loop, std::move(spawned.out), std::move(spawned.in)),
      on_stderr_(std::move(on_stderr)),
      line_sink_([this](std::string_view line) {
          if (on_stderr_ && !abandoned_) on_stderr_(line);
      }) {}

Child::~Child() {
    control_.close();  // the loop ended first: the reaper sees this and kills
    if (reaper_.is_open()) collect_later(reaper_.release());
}

void Child::listen() {
    follow_reaper(loop_, shared_from_this());
    follow_stderr(loop_, shared_from_this());
}

Task<Result<void>> Child::started(const Context& ctx, std::string_view program, std::string_view cwd) {
    GANTRY_CO_CHECK(co_await answered_.wait(ctx));
    if (!outcome_) co_return fail(ErrorCode::kConnection, "the reaper of '" + std::string(program) + "' was killed");
    if (outcome_->kind == reaper::Kind::kFailed) co_return fail(start_error(*outcome_, program, cwd));
    co_return Result<void>();
}

void Child::order(reaper::Order order) noexcept {
    if (control_.is_open()) ::send(control_.get(), &order, sizeof order, MSG_NOSIGNAL | MSG_DONTWAIT);
}

void Child::abandon() noexcept {
    abandoned_ = true;
    stdio_.close();
    close_stderr();
    if (control_.is_open()) ::shutdown(control_.get(), SHUT_WR);
}

/// To its end, which takes the child's with it. Nothing cuts this short but the end of the loop.
Root Child::follow_reaper(Loop&, std::shared_ptr<Child> self) {
    const Context always = Context::background();
    while (self->read_reports()) {
        self->control_.read_dry();
        if (!co_await self->control_.readable(always)) break;
    }
    self->control_.close();
    while (!collect(self->reaper_.get())) {
        self->reaper_.read_dry();
        if (!co_await self->reaper_.readable(always)) break;
    }
    self->reaper_.close();
    self->finish();
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
        const ssize_t size = ::recvmsg(control_.get(), &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
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

Root Child::follow_stderr(Loop&, std::shared_ptr<Child> self) {
    while (self->err_.is_open()) {
        const ssize_t size = ::read(self->err_.get(), self->err_buffer_.data(), self->err_buffer_.size());
        if (size > 0) {
            self->lines_.feed({self->err_buffer_.data(), static_cast<std::size_t>(size)}, self->line_sink_);
            co_await yield_now();  // however much it has to say
        } else if (size < 0 && errno == EAGAIN) {
            self->err_.read_dry();
            if (!co_await self->err_.readable(Context::background())) self->close_stderr();
        } else if (size == 0 || errno != EINTR) {
            self->close_stderr();
        }
    }
}

void Child::close_stderr() {
    if (!err_.is_open()) return;
    err_.close();
    lines_.finish(line_sink_);
    if (reaper_gone_) complete();
}

}  // namespace gantry::process
