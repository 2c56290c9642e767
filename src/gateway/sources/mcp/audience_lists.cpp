#include "gateway/sources/mcp/audience_lists.hpp"

#include <algorithm>

#include "base/try.hpp"
#include "gateway/sources/mcp/server_errors.hpp"

namespace gantry::gateway {

namespace {

/// Limit on sets of capabilities with lists of their own. Clients with any further set see what is offered to all.
constexpr std::size_t kMaxVariants = 32;
/// Minimum delay before a server is asked again after its lists could not be read for a set of capabilities.
constexpr Duration kRetryAfter = seconds(30);

Kinds all_kinds() {
    return Kinds().set();
}

}  // namespace

InventoryPtr AudienceLists::find(const Audience& audience) const {
    const auto lane = varies_ ? parts_.sharing.lane_of(audience) : std::nullopt;
    // A server that is down offers nothing to any client.
    if (!lane || parts_.lists.inventory()->items.empty()) return nullptr;
    if (auto own = parts_.lanes->inventory(lane->key)) return own;
    if (!lane->forwarded) return nullptr;
    const auto variant = variants_.find(lane->forwarded->offered_text);
    return variant == variants_.end() ? nullptr : variant->second.inventory;
}

bool AudienceLists::is_surveyed(const Audience& audience) const {
    const SourceState state = parts_.status.state();
    if (state != SourceState::kReady && state != SourceState::kAsleep) return true;
    const auto lane = parts_.sharing.lane_of(audience);
    if (!lane) return true;
    if (parts_.lanes->is_listing(lane->key)) return false;
    if (!lane->forwarded) return true;
    const auto variant = variants_.find(lane->forwarded->offered_text);
    if (variant == variants_.end()) return variants_.size() >= kMaxVariants;
    if (variant->second.reading) return false;
    return (variant->second.known && !variant->second.stale) || SteadyClock::now() < variant->second.retry_at;
}

Task<void> AudienceLists::survey(const Context& ctx, const Audience& audience) {
    while (!is_surveyed(audience) && !parts_.status.stopping()) {
        const auto lane = parts_.sharing.lane_of(audience);
        if (lane && lane->forwarded && !parts_.lanes->is_listing(lane->key)) {
            Variant& variant = variants_[lane->forwarded->offered_text];
            if (!std::exchange(variant.reading, true)) parts_.scope.spawn(read_variant(lane->key, lane->forwarded));
        }
        if (!co_await parts_.status.wait(ctx)) co_return;
    }
}

Task<void> AudienceLists::read_variant(LaneKey key, ForwardedCapabilitiesPtr forwarded) {
    const Idleness::InUse in_use(parts_.idleness);
    const Duration limit = parts_.options.connect_timeout.value_or(connect_limit(parts_.spec)) + parts_.spec.timeout;
    const Context ctx = parts_.scope.context().within(limit);
    Result<InventoryPtr> read = fail(ErrorCode::kConnection, "the server is not connected");
    // Once the shared connection is open, the era is known, and with it which connection each client uses.
    if (parts_.connection.link() || co_await parts_.ready(ctx)) {
        auto lease = co_await parts_.lanes->acquire(ctx, key, forwarded->asked, parts_.sharing.lane_use(true));
        if (lease) read = co_await read_lane(ctx, (*lease)->client(), key, nullptr, all_kinds());
        if (!lease && parts_.sharing.is_modern() && refuses_legacy(lease.error())) note_modern_only();
    }
    if (parts_.status.stopping()) co_return;
    const auto found = variants_.find(forwarded->offered_text);
    // Dropped meanwhile: the next client that lists has it read again.
    if (found == variants_.end()) {
        parts_.status.pulse();
        co_return;
    }
    Variant& variant = found->second;
    variant.reading = false;
    variant.stale = false;
    variant.known = read.has_value();
    if (read) {
        variant.inventory = (*read)->items == parts_.lists.inventory()->items ? nullptr : *std::move(read);
    } else {
        variant.retry_at = SteadyClock::now() + kRetryAfter;
    }
    note_variation();
    parts_.status.pulse();
    parts_.status.tell({.kind = SourceChange::Kind::kAudience});
}

Task<Result<InventoryPtr>> AudienceLists::read_lane(const Context& ctx, mcp::Client& client, const LaneKey& key,
                                                    InventoryPtr before, Kinds kinds) {
    Listing listing;
    listing.max_items = parts_.options.max_list_entries;
    listing.worker = parts_.options.list_reader;
    listing.across_eras = true;
    InventoryPtr known = before ? std::move(before) : offered_to(key);
    GANTRY_CO_TRY(const InventoryPtr read, co_await read_inventory(ctx, client, std::move(known), kinds, listing));
    auto named = std::make_shared<Inventory>(*read);
    named->declared = key.offered;
    co_return named;
}

InventoryPtr AudienceLists::offered_to(const LaneKey& key) const {
    const auto variant = variants_.find(key.offered);
    return variant == variants_.end() || !variant->second.inventory ? parts_.lists.inventory()
                                                                    : variant->second.inventory;
}

ItemPtr AudienceLists::bound_item(const AdmittedCall& call, const LaneKey& key) const {
    const InventoryPtr own = call.item() != nullptr ? parts_.lanes->inventory(key) : nullptr;
    if (!own) return nullptr;
    const auto listed_in = [&call](const Inventory& inventory) {
        const auto found = std::ranges::find(inventory.items, call.item(), &ItemPtr::get);
        return found == inventory.items.end() ? nullptr : *found;
    };
    return listed_in(*offered_to(key)) == nullptr ? listed_in(*own) : nullptr;
}

void AudienceLists::on_new_inventory() {
    for (auto variant = variants_.begin(); variant != variants_.end();) {
        // A variant that is being read will reflect what the server offers now.
        variant = variant->second.reading ? std::next(variant) : variants_.erase(variant);
    }
    note_variation();
}

void AudienceLists::on_announcement() {
    for (auto& [declared, variant] : variants_) variant.stale = true;
}

void AudienceLists::on_lane_change() {
    note_variation();
    parts_.status.pulse();
}

void AudienceLists::note_modern_only() {
    parts_.sharing.learn_modern_only();
    variants_.clear();
    note_variation();
    parts_.status.pulse();
    parts_.status.tell({.kind = SourceChange::Kind::kAudience});
}

void AudienceLists::note_variation() {
    varies_ = parts_.lanes->any_inventory() ||
              std::ranges::any_of(variants_, [](const auto& entry) { return entry.second.inventory != nullptr; });
}

}  // namespace gantry::gateway
