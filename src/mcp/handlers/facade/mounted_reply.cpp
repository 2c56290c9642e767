#include "mcp/handlers/facade/mounted_reply.hpp"

#include <algorithm>

#include "mcp/handlers/facade/bridge.hpp"
#include "mcp/handlers/facade/mounted_exchange.hpp"

namespace gantry::detail {
namespace {

std::unexpected<Error> gone() {
    return fail(ErrorCode::kCancelled, "the client has disconnected");
}

}  // namespace

bool MountedReply::begin(Head head) {
    {
        const std::lock_guard lock(mutex_);
        if (abandoned_) return false;
        head_ = std::move(head);
    }
    changed_.notify_all();
    return true;
}

bool MountedReply::begun() const {
    const std::lock_guard lock(mutex_);
    return head_.has_value();
}

std::optional<std::size_t> MountedReply::push(std::string_view bytes) {
    std::size_t taken = 0;
    {
        const std::lock_guard lock(mutex_);
        if (abandoned_) return std::nullopt;
        taken = std::min(bytes.size(), kQueued - unread_.size());
        unread_ += bytes.substr(0, taken);
        writer_waits_ = taken < bytes.size();
    }
    changed_.notify_all();
    return taken;
}

void MountedReply::finish() {
    {
        const std::lock_guard lock(mutex_);
        finished_ = true;
    }
    changed_.notify_all();
}

void MountedReply::end(const Error& why) {
    {
        const std::lock_guard lock(mutex_);
        if (finished_) return;
        if (!head_) {
            head_ = Head{.status = 500, .headers = {}, .length = 0};
            finished_ = true;
        } else {
            broken_ = why;
        }
    }
    changed_.notify_all();
}

bool MountedReply::abandoned() const {
    const std::lock_guard lock(mutex_);
    return abandoned_;
}

Result<MountedReply::Head> MountedReply::wait_for_head() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return head_ || abandoned_; });
    if (abandoned_) return gone();
    return *head_;
}

Result<std::optional<std::string>> MountedReply::read(std::optional<std::chrono::milliseconds> timeout) {
    std::optional<std::string> piece;
    bool writer_waits = false;
    {
        std::unique_lock lock(mutex_);
        const auto something = [this] { return !unread_.empty() || finished_ || broken_ || abandoned_; };
        if (!timeout) {
            changed_.wait(lock, something);
        } else if (!changed_.wait_for(lock, *timeout, something)) {
            return fail(ErrorCode::kTimeout, "no more of the response yet");
        }
        if (abandoned_) return gone();
        if (!unread_.empty()) {
            piece = std::exchange(unread_, {});
            writer_waits = std::exchange(writer_waits_, false);
        } else if (broken_) {
            return fail(*broken_);
        }
    }
    if (writer_waits) call_back();
    return piece;
}

void MountedReply::abandon() {
    {
        const std::lock_guard lock(mutex_);
        if (std::exchange(abandoned_, true) || finished_) return;
    }
    changed_.notify_all();
    call_back();
}

void MountedReply::call_back() {
    gate_->post([self = shared_from_this()] {
        if (self->exchange_ != nullptr) self->exchange_->on_reader();
    });
}

}  // namespace gantry::detail
