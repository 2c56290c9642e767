#pragma once

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/system/error_code.hpp>
#include <optional>

#include "io/context.hpp"
#include "io/loop.hpp"
#include "io/waiter.hpp"

namespace gantry {

/// Awaited operations of Asio answer with (error, value…) and need no frame of their own.
inline constexpr auto kAwait = boost::asio::as_tuple(boost::asio::deferred);

/// Cancels the pending operations of an Asio object when the context ends. That hits the other direction
/// too: an operation that finds itself aborted without a reason of its own starts again.
template <class AsioObject>
class ContextGuard {
public:
    ContextGuard(AsioObject& object, Loop& loop, const Context& ctx) : object_(object) {
        alarm_.arm(
            loop, ctx.deadline(), [](void* self) { static_cast<ContextGuard*>(self)->end(Wake::kTimeout); }, this);
        if (!ctx.cancel().can_cancel()) return;
        on_cancel_.emplace(
            ctx.cancel(), [](void* self) { static_cast<ContextGuard*>(self)->end(Wake::kCancelled); }, this);
    }
    ContextGuard(const ContextGuard&) = delete;
    ContextGuard& operator=(const ContextGuard&) = delete;

    bool ended() const noexcept { return why_ != Wake::kNone; }
    Error error() const {
        return why_ == Wake::kTimeout ? Error(ErrorCode::kTimeout, "the deadline passed")
                                      : Error(ErrorCode::kCancelled, "cancelled");
    }

private:
    void end(Wake why) noexcept {
        if (ended()) return;
        why_ = why;
        boost::system::error_code ignored;
        object_.cancel(ignored);
    }

    AsioObject& object_;
    Wake why_ = Wake::kNone;
    Loop::Alarm alarm_;
    std::optional<CancelCallback> on_cancel_;
};

}  // namespace gantry
