#pragma once

#include <functional>
#include <optional>
#include <utility>

#include "base/clock.hpp"
#include "base/local_ptr.hpp"
#include "gantry/error.hpp"

namespace gantry {

class CancelToken;
namespace detail {
struct CancelState;
}

/// Calls `function` when the token is cancelled, unless destroyed first. If the token is
/// already cancelled, the function runs inside the constructor.
class CancelCallback {
public:
    CancelCallback(const CancelToken& token, std::function<void()> function);
    /// Allocation-free variant: calls `function(self)`.
    CancelCallback(const CancelToken& token, void (*function)(void*), void* self);
    ~CancelCallback();
    CancelCallback(const CancelCallback&) = delete;
    CancelCallback& operator=(const CancelCallback&) = delete;

private:
    friend class CancelSource;
    void enlist(const CancelToken& token);

    std::function<void()> function_;  // or
    void (*call_)(void*) = nullptr;
    void* self_ = nullptr;
    LocalPtr<detail::CancelState> state_;
    CancelCallback* previous_ = nullptr;
    CancelCallback* next_ = nullptr;
};

namespace detail {
/// Shared by a source and its tokens.
struct CancelState : LocalCounted {
    bool cancelled = false;
    CancelCallback* first = nullptr;
    std::optional<CancelCallback> parent;
};
}  // namespace detail

/// The cancelling end. Copies share one state.
///
/// Single loop: cancel() and all callbacks run on that loop's thread, and copies, tokens and contexts stay there too.
/// From another thread, post a function to the loop that cancels.
class CancelSource {
public:
    CancelSource();
    /// Also cancelled when `parent` is.
    explicit CancelSource(const CancelToken& parent);

    /// Runs the registered callbacks, newest first, and drops them. Later calls have no effect.
    void cancel() const;
    bool cancelled() const noexcept { return state_->cancelled; }
    CancelToken token() const noexcept;

private:
    explicit CancelSource(LocalPtr<detail::CancelState> state) noexcept : state_(std::move(state)) {}
    LocalPtr<detail::CancelState> state_;
};

/// The observing end. A default token is never cancelled and costs nothing.
class CancelToken {
public:
    CancelToken() noexcept = default;
    bool cancelled() const noexcept { return state_ && state_->cancelled; }
    /// False for a default token, which can never be cancelled.
    bool can_cancel() const noexcept { return static_cast<bool>(state_); }

private:
    friend class CancelSource;
    friend class CancelCallback;
    explicit CancelToken(LocalPtr<detail::CancelState> state) noexcept : state_(std::move(state)) {}
    LocalPtr<detail::CancelState> state_;
};

inline CancelToken CancelSource::token() const noexcept {
    return CancelToken(state_);
}

/// Deadline and cancellation of an operation. Cheap to copy. An operation fails with kTimeout or kCancelled as soon
/// as it notices.
class Context {
public:
    /// No deadline, cannot be cancelled.
    static Context background() { return {}; }
    Context() = default;
    Context(Deadline deadline, CancelToken cancel) : deadline_(deadline), cancel_(std::move(cancel)) {}

    Deadline deadline() const noexcept { return deadline_; }
    const CancelToken& cancel() const noexcept { return cancel_; }

    /// A copy with the earlier of both deadlines.
    Context until(Deadline deadline) const { return {earlier(deadline_, deadline), cancel_}; }
    Context within(Duration timeout) const { return until(Deadline::after(timeout)); }
    /// A copy cancelled by `source` instead. Derive the source from this context's token to keep both.
    Context stopped_by(const CancelSource& source) const { return {deadline_, source.token()}; }

    /// Fails if the deadline passed or the context was cancelled.
    Result<void> check() const;

private:
    Deadline deadline_;
    CancelToken cancel_;
};

}  // namespace gantry
