#include "io/http/body_budget.hpp"

#include <algorithm>
#include <utility>

namespace gantry::http {
namespace {

/// A body that grew within this time is not idle.
constexpr Duration kSilent = seconds(1);
/// From this amount on, freed memory is worth returning to the system at once.
constexpr std::size_t kALot = 8u << 20;

}  // namespace

BodyBudget::Body::Body(BodyBudget& budget, std::string_view peer, CancelSource stop)
    : budget_(budget),
      peer_(budget.peers_.try_emplace(std::string(peer)).first),
      stop_(std::move(stop)),
      grew_(SteadyClock::now()) {
    place_ = peer_->second.bodies.insert(peer_->second.bodies.end(), this);
}

BodyBudget::Body::~Body() {
    release();
    peer_->second.bodies.erase(place_);
    if (peer_->second.bodies.empty()) budget_.peers_.erase(peer_);
}

bool BodyBudget::Body::hold(std::size_t bytes) {
    if (evicted_) return false;
    const std::size_t more = bytes - std::min(bytes, bytes_);
    if (more != 0 && !budget_.make_room(*this, more)) return false;
    budget_.held_ += more;
    budget_.peak_ = std::max(budget_.peak_, budget_.held_);
    peer_->second.bytes += more;
    bytes_ += more;
    grew_ = SteadyClock::now();
    auto& bodies = peer_->second.bodies;
    bodies.splice(bodies.end(), bodies, place_);
    return true;
}

void BodyBudget::Body::release() noexcept {
    budget_.held_ -= bytes_;
    peer_->second.bytes -= bytes_;
    bytes_ = 0;
}

bool BodyBudget::drained() noexcept {
    if (peak_ < kALot || held_ > peak_ / 16) return false;
    const TimePoint now = SteadyClock::now();
    if (now - drained_at_ < kSilent) return false;
    drained_at_ = now;
    // Twice, because memory of the bodies may be freed slightly after they end.
    if (held_ == 0 && std::exchange(was_empty_, held_ == 0)) peak_ = 0;
    was_empty_ = held_ == 0 && peak_ != 0;
    return true;
}

bool BodyBudget::make_room(const Body& growing, std::size_t more) {
    while (held_ + more > most_) {
        const auto largest = std::ranges::max_element(peers_, {}, [](const auto& entry) { return entry.second.bytes; });
        auto& bodies = largest->second.bodies;
        const auto victim =
            std::ranges::find_if(bodies, [&](const Body* one) { return one != &growing && one->bytes_ != 0; });
        if (victim == bodies.end()) return false;
        // A growing body is evicted only for an address that holds less than its share.
        const bool silent = SteadyClock::now() - (*victim)->grew_ >= kSilent;
        const bool below_share =
            growing.peer_ != largest && growing.peer_->second.bytes + more <= most_ / peers_.size();
        if (!silent && !below_share) return false;
        (*victim)->evicted_ = true;
        (*victim)->release();
        const CancelSource stop = (*victim)->stop_;
        stop.cancel();
    }
    return true;
}

}  // namespace gantry::http
