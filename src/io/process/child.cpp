#include "io/process/child.hpp"

#include <sched.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <system_error>
#include <utility>

#include "base/try.hpp"
#include "io/process/confinement.hpp"
#include "io/process/reports.hpp"

namespace gantry::process {
namespace {

// The rest of the stderr pipe is read to its end, unless an unkillable process
// keeps the pipe open for longer than this.
constexpr Duration kMaxDrain = seconds(1);

ExitStatus from_wait_status(int status) {
    if (WIFSIGNALED(status)) return {.code = 0, .signal = WTERMSIG(status)};
    return {.code = WEXITSTATUS(status), .signal = 0};
}

}  // namespace

Child::Child(Loop& loop, Spawned spawned, const Command& command)
    : loop_(loop),
      control_(loop, std::move(spawned.control)),
      err_(loop, std::move(spawned.err)),
      reaper_(loop, std::move(spawned.reaper)),
      stdio_(loop, std::move(spawned.out), std::move(spawned.in)),
      on_stderr_(command.on_stderr),
      line_sink_([this](std::string_view line) {
          if (on_stderr_ && !abandoned_) on_stderr_(line);
      }),
      program_(command.program),
      cwd_(command.cwd),
      confinement_(command.confinement),
      on_skipped_(command.on_skipped),
      beside_(command.beside) {}

Child::~Child() {
    control_.close();  // the loop ended first: the reaper detects this and kills
    if (reaper_.is_open()) collect_later(reaper_.release());
}

void Child::listen() {
    follow_reaper(loop_, shared_from_this());
    follow_stderr(loop_, shared_from_this());
}

Task<Result<void>> Child::started(const Context& ctx) {
    GANTRY_CO_CHECK(co_await answered_.wait(ctx));
    if (!outcome_) co_return fail(ErrorCode::kConnection, "the reaper of '" + program_ + "' was killed");
    if (outcome_->kind == reaper::Kind::kFailed) co_return fail(start_error());
    co_return Result<void>();
}

Error Child::start_error() const {
    const std::string reason = std::generic_category().message(outcome_->value);
    switch (outcome_->stage) {
        case reaper::Stage::kChdir:
            return Error(ErrorCode::kConnection, "cannot enter folder '" + cwd_ + "': " + reason).retryable(false);
        case reaper::Stage::kExec: {
            const ErrorCode code = outcome_->value == ENOENT ? ErrorCode::kNotFound : ErrorCode::kConnection;
            const char* hint = confinement_ ? " (in its isolation, which may not show all of it)" : "";
            return Error(code, "cannot run '" + program_ + "': " + reason + hint).retryable(false);
        }
        case reaper::Stage::kConfine: {
            std::string step(confinement_ ? confinement_->name_of(outcome_->step) : "");
            return Error(ErrorCode::kUnsupported, "cannot isolate '" + program_ + "': " + step + ": " + reason);
        }
        case reaper::Stage::kNone:
        case reaper::Stage::kSetUp:
        case reaper::Stage::kFork: break;
    }
    return {ErrorCode::kConnection, "cannot start '" + program_ + "': " + reason};
}

bool Child::order(reaper::Order order) noexcept {
    return control_.is_open() && ::send(control_.get(), &order, sizeof order, MSG_NOSIGNAL | MSG_DONTWAIT) > 0;
}

bool Child::has_own_network() const noexcept {
    return confinement_ && (confinement_->namespaces & CLONE_NEWNET) != 0;
}

Task<Result<Fd>> Child::socket_inside(const Context& ctx, bool v6) {
    const auto self = shared_from_this();
    const auto ours = std::make_shared<SocketRequest>();
    if (!order(v6 ? reaper::Order::kSocketV6 : reaper::Order::kSocketV4))
        co_return fail(ErrorCode::kConnection, "the child process has ended");
    asked_for_.push_back(ours);
    while (!ours->answered) {
        if (status_ || !control_.is_open()) co_return fail(ErrorCode::kConnection, "the child process has ended");
        GANTRY_CO_CHECK(co_await socket_came_.wait(ctx));
    }
    if (ours->made) co_return std::move(ours->made);
    co_return fail(ErrorCode::kConnection,
                   "no socket in the network of '" + program_ + "': " + std::generic_category().message(ours->failed));
}

void Child::take_socket(int failed, Fd socket) {
    if (asked_for_.empty()) return;
    const auto request = std::move(asked_for_.front());
    asked_for_.pop_front();
    request->made = std::move(socket);
    request->failed = failed;
    request->answered = true;
    socket_came_.pulse();
}

void Child::abandon() noexcept {
    abandoned_ = true;
    stdio_.close();
    close_stderr();
    companion_.reset();
    if (control_.is_open()) ::shutdown(control_.get(), SHUT_WR);
}

/// Follows the reaper until it exits, when the child has ended too. Only the end of the loop cuts this short.
Root Child::follow_reaper(Loop&, std::shared_ptr<Child> self) {
    const Context always = Context::background();
    while (self->read_reports()) {
        self->control_.read_dry();
        if (!co_await self->control_.readable(always)) break;
    }
    self->control_.close();
    self->socket_came_.pulse();
    while (!collect(self->reaper_.get())) {
        self->reaper_.read_dry();
        if (!co_await self->reaper_.readable(always)) break;
    }
    self->reaper_.close();
    self->finish();
}

bool Child::read_reports() {
    for (;;) {
        auto received = receive_report(control_.get());
        if (!received) return true;
        if (!received->whole) return false;
        if (received->report.kind == reaper::Kind::kPid) pid_ = received->sender;
        if (received->report.kind == reaper::Kind::kSocket) {
            take_socket(received->report.value, std::move(received->socket));
            continue;
        }
        if (received->socket) listener_ = std::move(received->socket);
        take(received->report);
    }
}

void Child::take(const reaper::Report& report) {
    switch (report.kind) {
        case reaper::Kind::kPid:
        case reaper::Kind::kListener:
        case reaper::Kind::kSocket: break;
        case reaper::Kind::kSkipped:
            if (on_skipped_ && confinement_ && !abandoned_)
                on_skipped_(confinement_->name_of(report.step), std::generic_category().message(report.value));
            break;
        case reaper::Kind::kStarted:
            // Called once and then destroyed with all it owns.
            if (const auto make = std::exchange(beside_, nullptr); make && !abandoned_)
                companion_ = make(loop_, std::move(listener_));
            [[fallthrough]];
        case reaper::Kind::kFailed:
            outcome_ = report;
            answered_.set();
            break;
        case reaper::Kind::kOutgrew: outgrew_ = report.value == 1 ? "memory" : "processes"; break;
        case reaper::Kind::kExited:
            reported_ = from_wait_status(report.value);
            reported_->outgrew = outgrew_;
            break;
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
    companion_.reset();
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
            co_await yield_now();  // do not let many reports starve other tasks
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
