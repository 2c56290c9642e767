// McpSource's lists per audience: what a legacy server offers only to clients that declare certain capabilities, and
// what it offers on one client's own connection after a change.

#include <algorithm>

#include "base/try.hpp"
#include "gateway/sources/mcp/credentials.hpp"
#include "gateway/sources/mcp/source.hpp"
#include "mcp/client/rpc.hpp"
#include "mcp/transport/raw_http_exchange.hpp"

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

std::optional<LaneKey> McpSource::lane_of(const Audience& audience, ForwardedCapabilitiesPtr& forwarded) {
    // Not connected yet in this run: only the lists of an earlier run can be offered.
    if (stopping_ || (!shared_ && state_ != SourceState::kAsleep)) return std::nullopt;
    forwarded = memo_.of(audience.client, audience.client.modern() || audience.reachable, false);
    const bool asked = asks(audience.client, *forwarded);
    if (may_share(asked)) return std::nullopt;
    LaneKey key = lane_key(audience.principal, audience.client, *forwarded, asked);
    if (!asked) forwarded = nullptr;
    return key;
}

InventoryPtr McpSource::inventory_for(const Audience& audience) {
    ForwardedCapabilitiesPtr forwarded;
    const auto key = varies_ ? lane_of(audience, forwarded) : std::nullopt;
    // A server that is down offers nothing to any client.
    if (!key || inventory_->items.empty()) return nullptr;
    if (auto own = lanes_->inventory(*key)) return own;
    if (!forwarded) return nullptr;
    const auto variant = variants_.find(forwarded->offered_text);
    return variant == variants_.end() ? nullptr : variant->second.inventory;
}

bool McpSource::is_surveyed(const Audience& audience) {
    if (state_ != SourceState::kReady && state_ != SourceState::kAsleep) return true;
    ForwardedCapabilitiesPtr forwarded;
    const auto key = lane_of(audience, forwarded);
    if (!key) return true;
    if (lanes_->is_listing(*key)) return false;
    if (!forwarded) return true;
    const auto variant = variants_.find(forwarded->offered_text);
    if (variant == variants_.end()) return variants_.size() >= kMaxVariants;
    if (variant->second.reading) return false;
    return (variant->second.known && !variant->second.stale) || SteadyClock::now() < variant->second.retry_at;
}

Task<void> McpSource::survey(const Context& ctx, const Audience& audience) {
    while (!is_surveyed(audience) && !stopping_) {
        ForwardedCapabilitiesPtr forwarded;
        const auto key = lane_of(audience, forwarded);
        if (key && forwarded && !lanes_->is_listing(*key)) {
            Variant& variant = variants_[forwarded->offered_text];
            if (!std::exchange(variant.reading, true)) scope_.spawn(read_variant(*key, forwarded));
        }
        if (!co_await changed_.wait(ctx)) co_return;
    }
}

Task<void> McpSource::read_variant(LaneKey key, ForwardedCapabilitiesPtr forwarded) {
    const InUse in_use(*this);
    const Duration limit = options_.connect_timeout.value_or(connect_limit(spec_)) + spec_.timeout;
    const Context ctx = scope_.context().within(limit);
    Result<InventoryPtr> read = fail(ErrorCode::kConnection, "the server is not connected");
    // Once the shared connection is open, the era is known, and with it which connection each client uses.
    if (shared_ || co_await ready(ctx)) {
        auto lease = co_await lanes_->acquire(ctx, key, forwarded->asked, lane_use(true));
        if (lease) read = co_await read_lane(ctx, (*lease)->client(), key, nullptr, all_kinds());
        if (!lease && is_modern() && refuses_legacy(lease.error())) note_modern_only();
    }
    if (stopping_) co_return;
    const auto found = variants_.find(forwarded->offered_text);
    // Dropped meanwhile: the next client that lists has it read again.
    if (found == variants_.end()) {
        changed_.pulse();
        co_return;
    }
    Variant& variant = found->second;
    variant.reading = false;
    variant.stale = false;
    variant.known = read.has_value();
    if (read) {
        variant.inventory = (*read)->items == inventory_->items ? nullptr : *std::move(read);
    } else {
        variant.retry_at = SteadyClock::now() + kRetryAfter;
    }
    note_variation();
    changed_.pulse();
    tell({.kind = SourceChange::Kind::kAudience});
}

Task<Result<InventoryPtr>> McpSource::read_lane(const Context& ctx, mcp::Client& client, const LaneKey& key,
                                                InventoryPtr before, Kinds kinds) {
    Listing listing;
    listing.max_items = options_.max_list_entries;
    listing.worker = options_.list_reader;
    listing.across_eras = true;
    InventoryPtr known = before ? std::move(before) : offered_to(key);
    GANTRY_CO_TRY(const InventoryPtr read, co_await read_inventory(ctx, client, std::move(known), kinds, listing));
    auto named = std::make_shared<Inventory>(*read);
    named->declared = key.offered;
    co_return named;
}

InventoryPtr McpSource::offered_to(const LaneKey& key) const {
    const auto variant = variants_.find(key.offered);
    return variant == variants_.end() || !variant->second.inventory ? inventory_ : variant->second.inventory;
}

void McpSource::lane_lists_changed(const LaneKey& key, Kinds announced) {
    note_variation();
    changed_.pulse();
    SourceChange change{.kind = SourceChange::Kind::kAudience, .kinds = announced};
    if (announced.any()) {
        change.announced_to = [weak = weak_from_this(), key](const Audience& audience) {
            ForwardedCapabilitiesPtr forwarded;
            const auto self = weak.lock();
            return self && self->lane_of(audience, forwarded) == key;
        };
    }
    tell(std::move(change));
}

void McpSource::forget_variants() {
    for (auto variant = variants_.begin(); variant != variants_.end();) {
        // A variant that is being read will reflect what the server offers now.
        variant = variant->second.reading ? std::next(variant) : variants_.erase(variant);
    }
    note_variation();
}

void McpSource::note_variation() {
    varies_ = lanes_->any_inventory() ||
              std::ranges::any_of(variants_, [](const auto& entry) { return entry.second.inventory != nullptr; });
}

void McpSource::note_modern_only() {
    modern_only_ = true;
    variants_.clear();
    note_variation();
    changed_.pulse();
    tell({.kind = SourceChange::Kind::kAudience});
}

Result<void> McpSource::check_lane(Link& link) const {
    if (!is_modern() || link.modern() || !upstream_.attributes_requests()) return {};
    const auto session = link.client().session();
    const mcp::RawHttpExchange* lane = session ? session->rpc().lane() : nullptr;
    if (lane == nullptr || lane->has_session()) return {};
    return fail(ErrorCode::kUnsupported, "its legacy sessions have no id, so it could not tell who answers it");
}

}  // namespace gantry::gateway
