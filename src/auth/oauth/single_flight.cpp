#include "auth/oauth/single_flight.hpp"

#include <algorithm>

#include "base/try.hpp"

namespace gantry::auth {
namespace {

/// Time limit for a token request to complete after all waiters have left.
constexpr Duration kGrace = seconds(5);

}  // namespace

SingleFlight::Member::Member(SingleFlight& flight, const Context& ctx, OnLogin on_login)
    : flight_(flight), on_login_(std::move(on_login)), joined_(flight.finished_) {
    flight_.members_.push_back(this);
    if (flight_.asking_) tell(true);
    deadline_.arm(Loop::current(), ctx.deadline(), [](void* self) { static_cast<Member*>(self)->leave(); }, this);
    cancelled_.emplace(ctx.cancel(), [this] { leave(); });
}

SingleFlight::Member::~Member() {
    leave();
}

void SingleFlight::Member::tell(bool waiting) {
    if (told_ == waiting) return;
    told_ = waiting;
    if (on_login_) on_login_(waiting);
}

void SingleFlight::Member::leave() noexcept {
    if (gone_) return;
    gone_ = true;
    std::erase(flight_.members_, this);
    tell(false);
    flight_.stop_if_left();
}

void SingleFlight::ask(bool asking) {
    asking_ = asking;
    const std::vector<Member*> members = members_;
    for (Member* member : members) member->tell(asking);
}

void SingleFlight::stop_if_left() {
    if (!running_ || !members_.empty()) return;
    const auto stop = [](void* self) {
        if (auto& flight = *static_cast<SingleFlight*>(self); flight.running_) CancelSource(*flight.running_).cancel();
    };
    if (!shielded_) return stop(this);
    if (!grace_.armed()) grace_.arm(Loop::current(), Deadline::after(kGrace), stop, this);
}

Task<Result<SingleFlight::Turn>> SingleFlight::turn(const Context& ctx, const Member& member, std::string what,
                                                    Duration limit) {
    GANTRY_CO_TRY(AsyncMutex::Guard guard, co_await mutex_.lock(ctx));
    GANTRY_CO_CHECK(ctx.check());  // a member that has already left could not stop the work
    if (failure_ && failed_at_ > member.joined_ && failed_what_ == what) co_return fail(*failure_);
    running_.emplace();
    const Context context(Deadline::after(limit), running_->token());
    co_return Turn(*this, std::move(guard), context, std::move(what));
}

SingleFlight::Turn::Turn(SingleFlight& flight, AsyncMutex::Guard guard, Context context, std::string what)
    : flight_(&flight), guard_(std::move(guard)), context_(std::move(context)), what_(std::move(what)) {}

SingleFlight::Turn::Turn(Turn&& other) noexcept
    : flight_(std::exchange(other.flight_, nullptr)),
      guard_(std::move(other.guard_)),
      context_(std::move(other.context_)),
      what_(std::move(other.what_)) {}

SingleFlight::Turn::~Turn() {
    if (!flight_) return;
    ++flight_->finished_;
    flight_->running_.reset();
    flight_->grace_.disarm();
}

void SingleFlight::Turn::failed(const Error& error) {
    if (error.code() == ErrorCode::kCancelled) return;
    flight_->failure_ = error;
    flight_->failed_what_ = what_;
    flight_->failed_at_ = flight_->finished_ + 1;
}

}  // namespace gantry::auth
