#include "gateway/events/write_progress.hpp"

#include <algorithm>

namespace gantry::gateway::events {

bool WriteProgress::on_stored(std::uint64_t up_to) noexcept {
    ++changes_;
    const bool recovered = trouble_.has_value();
    trouble_.reset();
    on_disk_ = std::max(on_disk_, up_to);
    changed_.pulse();
    return recovered;
}

bool WriteProgress::on_failed(const Error& error) {
    ++changes_;
    const bool first = !trouble_;
    trouble_ = Error(ErrorCode::kInternal, "what happens cannot be recorded, so nothing may run: " + error.message())
                   .retryable(true);
    given_up_ = taken_;
    changed_.pulse();
    return first;
}

WriteProgress::State WriteProgress::state_of(Recorder::Ticket ticket) const noexcept {
    if (on_disk_ >= ticket) return State::kStored;
    return given_up_ >= ticket ? State::kLate : State::kPending;
}

Task<Result<WriteProgress::State>> WriteProgress::settled(const Context& ctx, Recorder::Ticket ticket) {
    while (state_of(ticket) == State::kPending && open_) {
        if (auto waited = co_await changed_.wait(ctx); !waited) co_return std::unexpected(waited.error());
    }
    co_return state_of(ticket);
}

}  // namespace gantry::gateway::events
