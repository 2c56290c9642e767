#include "auth/oauth/effort.hpp"

#include <algorithm>

#include "base/try.hpp"

namespace gantry::auth {
namespace {

/// Time limit for a token request to complete after all waiters have left.
constexpr Duration kGrace = seconds(5);

}  // namespace

Effort::Member::Member(Effort& effort, const Context& ctx, OnLogin on_login)
    : effort_(effort), on_login_(std::move(on_login)), joined_(effort.finished_) {
    effort_.members_.push_back(this);
    if (effort_.asking_) tell(true);
    deadline_.arm(Loop::current(), ctx.deadline(), [](void* self) { static_cast<Member*>(self)->leave(); }, this);
    cancelled_.emplace(ctx.cancel(), [this] { leave(); });
}

Effort::Member::~Member() {
    leave();
}

void Effort::Member::tell(bool waiting) {
    if (told_ == waiting) return;
    told_ = waiting;
    if (on_login_) on_login_(waiting);
}

void Effort::Member::leave() noexcept {
    if (gone_) return;
    gone_ = true;
    std::erase(effort_.members_, this);
    tell(false);
    effort_.stop_if_left();
}

void Effort::ask(bool asking) {
    asking_ = asking;
    const std::vector<Member*> members = members_;
    for (Member* member : members) member->tell(asking);
}

void Effort::stop_if_left() {
    if (!running_ || !members_.empty()) return;
    const auto stop = [](void* self) {
        if (auto& effort = *static_cast<Effort*>(self); effort.running_) CancelSource(*effort.running_).cancel();
    };
    if (!shielded_) return stop(this);
    if (!grace_.armed()) grace_.arm(Loop::current(), Deadline::after(kGrace), stop, this);
}

Task<Result<Effort::Turn>> Effort::turn(const Context& ctx, const Member& member, std::string what, Duration limit) {
    GANTRY_CO_TRY(AsyncMutex::Guard guard, co_await mutex_.lock(ctx));
    GANTRY_CO_CHECK(ctx.check());  // a member that has already left could not stop the work
    if (failure_ && failed_at_ > member.joined_ && failed_what_ == what) co_return fail(*failure_);
    running_.emplace();
    const Context context(Deadline::after(limit), running_->token());
    co_return Turn(*this, std::move(guard), context, std::move(what));
}

Effort::Turn::Turn(Effort& effort, AsyncMutex::Guard guard, Context context, std::string what)
    : effort_(&effort), guard_(std::move(guard)), context_(std::move(context)), what_(std::move(what)) {}

Effort::Turn::Turn(Turn&& other) noexcept
    : effort_(std::exchange(other.effort_, nullptr)),
      guard_(std::move(other.guard_)),
      context_(std::move(other.context_)),
      what_(std::move(other.what_)) {}

Effort::Turn::~Turn() {
    if (!effort_) return;
    ++effort_->finished_;
    effort_->running_.reset();
    effort_->grace_.disarm();
}

void Effort::Turn::failed(const Error& error) {
    if (error.code() == ErrorCode::kCancelled) return;
    effort_->failure_ = error;
    effort_->failed_what_ = what_;
    effort_->failed_at_ = effort_->finished_ + 1;
}

}  // namespace gantry::auth
