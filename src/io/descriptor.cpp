#include "io/descriptor.hpp"

#include <sys/epoll.h>

#include <cassert>
#include <cerrno>
#include <system_error>
#include <utility>

#include "io/loop_impl.hpp"

namespace gantry {

int Descriptor::enlist() noexcept {
    if (enlisted_) return 0;
    epoll_event event{.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET, .data = {.ptr = this}};
    enlisted_ = ::epoll_ctl(loop_.impl().epoll.get(), EPOLL_CTL_ADD, fd_.get(), &event) == 0;
    return enlisted_ ? 0 : errno;
}

void Descriptor::delist() noexcept {
    // Explicitly: a child between fork and exec may share the open file description and keep it in the epoll set.
    if (std::exchange(enlisted_, false)) ::epoll_ctl(loop_.impl().epoll.get(), EPOLL_CTL_DEL, fd_.get(), nullptr);
}

void Descriptor::on_event(std::uint32_t events) noexcept {
    constexpr std::uint32_t kEnd = EPOLLRDHUP | EPOLLHUP | EPOLLERR;
    if ((events & kEnd) != 0) hung_up_ = true;
    if ((events & (EPOLLIN | kEnd)) != 0) {
        may_read_ = true;
        if (reader_) reader_->waiter_.wake(Wake::kReady);
    }
    if ((events & (EPOLLOUT | EPOLLHUP | EPOLLERR)) != 0) {
        may_write_ = true;
        if (writer_) writer_->waiter_.wake(Wake::kReady);
    }
}

void Descriptor::close() noexcept {
    delist();
    fd_.reset();
    for (Wait** waiting : {&reader_, &writer_}) {
        if (!*waiting) continue;
        (*waiting)->descriptor_ = nullptr;
        (*waiting)->waiter_.wake(Wake::kReady);
        *waiting = nullptr;
    }
}

Fd Descriptor::release() noexcept {
    delist();
    return std::move(fd_);
}

Descriptor::Wait::~Wait() {
    if (descriptor_ && descriptor_->waiter(side_) == this) descriptor_->waiter(side_) = nullptr;
}

bool Descriptor::Wait::await_ready() {
    if (!descriptor_->is_open()) {
        descriptor_ = nullptr;
        return true;
    }
    if (!only_news_ && descriptor_->may(side_)) return true;
    refused_ = descriptor_->enlist();
    if (refused_ == 0) return false;
    if (refused_ != EPERM) return true;
    refused_ = 0;  // a plain file
    descriptor_->may(side_) = true;
    return true;
}

void Descriptor::Wait::await_suspend(std::coroutine_handle<> task) {
    assert(!descriptor_->waiter(side_) && "two tasks wait for the same side of a descriptor");
    descriptor_->waiter(side_) = this;
    busy_.emplace(waiter_.loop());
    waiter_.suspend(task);
    waiter_.watch(ctx_);
}

Result<void> Descriptor::Wait::await_resume() const {
    if (!descriptor_) return fail(ErrorCode::kConnection, "closed while waiting");
    if (refused_ != 0) {
        return fail(ErrorCode::kConnection, "cannot be waited for: " + std::generic_category().message(refused_));
    }
    return waiter_.result();
}

}  // namespace gantry
