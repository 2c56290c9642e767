#include "gateway/sources/mcp/parked_calls.hpp"

#include <algorithm>
#include <vector>

#include "gateway/sources/mcp/questions.hpp"

namespace gantry::gateway {

namespace {

Task<void> give_up(std::shared_ptr<SuspendableCall> call) {
    co_await call->expire();
}

}  // namespace

ParkedCalls::ParkedCalls(Limits limits) : limits_(limits), scope_(Context::background()) {
    scope_.spawn(expire_old());
}

ParkedCalls::~ParkedCalls() = default;

Result<std::string> ParkedCalls::park(std::shared_ptr<SuspendableCall> call) {
    const auto owned = std::ranges::count_if(
        parked_, [&call](const auto& entry) { return entry.second.call->principal() == call->principal(); });
    if (closed_ || parked_.size() >= limits_.total || static_cast<std::size_t>(owned) >= limits_.per_principal) {
        if (!closed_) scope_.spawn(give_up(std::move(call)));
        return fail(ErrorCode::kLimit, "too many calls wait for answers of their clients");
    }
    std::string state = std::string(kPrefix) + random_name();
    parked_.emplace(state, Entry{.call = std::move(call), .expires = SteadyClock::now() + limits_.ttl});
    changed_.pulse();
    return state;
}

Result<std::shared_ptr<SuspendableCall>> ParkedCalls::find(std::string_view state, std::string_view principal,
                                                           std::string_view about) const {
    const auto found = parked_.find(state);
    // The same answer in all cases, so that no caller learns what others have parked.
    if (found == parked_.end() || found->second.call->principal() != principal ||
        found->second.call->about() != about || found->second.expires <= SteadyClock::now()) {
        return fail(invalid_params("the request's state is unknown or has expired; start the call again"));
    }
    return found->second.call;
}

void ParkedCalls::take(std::string_view state) {
    if (const auto found = parked_.find(state); found != parked_.end()) parked_.erase(found);
    changed_.pulse();
}

Task<void> ParkedCalls::expire_old() {
    const Context ctx = scope_.context();
    for (;;) {
        Deadline next = Deadline::never();
        const TimePoint now = SteadyClock::now();
        for (auto it = parked_.begin(); it != parked_.end();) {
            if (it->second.expires > now) {
                next = earlier(next, Deadline(it->second.expires));
                ++it;
                continue;
            }
            scope_.spawn(give_up(std::move(it->second.call)));
            it = parked_.erase(it);
        }
        auto waited = co_await changed_.wait(ctx.until(next));
        if (!waited && ctx.cancel().cancelled()) break;
    }
}

Task<void> ParkedCalls::close() {
    closed_ = true;
    for (const auto& [state, entry] : std::exchange(parked_, {})) entry.call->abandon();
    scope_.cancel();
    co_await scope_.join();
}

}  // namespace gantry::gateway
