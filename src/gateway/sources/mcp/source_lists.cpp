// McpSource's lists: reading them, persisting them for the next run, and reading them again on request.

#include <algorithm>

#include "base/try.hpp"
#include "gateway/ports/inventory_store.hpp"
#include "gateway/sources/mcp/credentials.hpp"
#include "gateway/sources/mcp/kept_inventory.hpp"
#include "gateway/sources/mcp/list_pause.hpp"
#include "gateway/sources/mcp/source.hpp"
#include "io/loop.hpp"

namespace gantry::gateway {

namespace {

/// Skipped entries are reported one by one up to this number.
constexpr std::size_t kMaxProblems = 50;
/// A server whose list was truncated is read once a minute.
constexpr Duration kPauseAfterCut = std::chrono::minutes(1);

std::string_view list_method(ItemKind kind) {
    switch (kind) {
        case ItemKind::kTool: return "tools/list";
        case ItemKind::kPrompt: return "prompts/list";
        case ItemKind::kResource: return "resources/list";
        case ItemKind::kTemplate: break;
    }
    return "resources/templates/list";
}

bool same(const Inventory& a, const Inventory& b) {
    return a.items == b.items && a.capabilities == b.capabilities && a.instructions == b.instructions &&
           a.server == b.server && a.ttl_ms == b.ttl_ms && a.is_public == b.is_public && a.modern == b.modern;
}

}  // namespace

Task<void> McpSource::list_again() {
    const Context ctx = scope_.context();
    if (!co_await sleep_for(ctx, kListPause)) co_return;
    if (!list_now_ && next_pause_ > kListPause) {
        auto hurried = co_await hurry_.wait(ctx.within(next_pause_));
        if (!hurried && ctx.cancel().cancelled()) co_return;
    }
    list_now_ = false;
    const std::uint64_t number = ++listings_;
    const Kinds kinds = std::exchange(stale_, {});
    const Kinds announced = std::exchange(announced_, {});
    std::vector<std::string> problems;
    Listing listing;
    listing.max_items = options_.max_list_entries;
    listing.worker = options_.list_reader;
    listing.mirrors_headers = shared_->modern() && upstream_.attributes_requests();
    bool refused = false;
    bool cut = false;
    listing.on_skipped = [&problems, &refused](const Error& why) {
        refused = refused || is_refusal(why);
        if (problems.size() < kMaxProblems) problems.push_back(why.message());
    };
    std::array<std::string, kItemKinds> failed;
    listing.on_failed = [&failed](ItemKind kind, const Error& why) {
        std::string& text = failed[static_cast<std::size_t>(kind)];
        text = std::string(list_method(kind)) + " failed: " + why.message();
        for (const Error* cause = why.cause(); cause != nullptr; cause = cause->cause())
            text += ": " + cause->message();
    };
    listing.on_cut = [&failed, &cut](ItemKind kind, const Error& why) {
        failed[static_cast<std::size_t>(kind)] = why.message();
        cut = true;
    };
    const std::uint64_t credentials = credentials_;
    auto listed = co_await read_inventory(ctx, shared_->client(), inventory_, kinds, std::move(listing));
    if (stopping_) co_return;
    if (listed && refused && co_await renew_credentials(ctx, credentials)) {
        announced_ |= announced;  // a new connection is listed anyway
        co_return;
    }
    if (!listed) {
        // The server was not reached: the lists are still stale when it is back.
        stale_ |= kinds;
        announced_ |= announced;
        auto paused = co_await sleep_for(ctx, options_.retry_first);
        static_cast<void>(paused);  // the caller checks whether this is still relevant
        co_return;
    }
    for (const ItemPtr& item : (*listed)->items) {
        if (item->schema_fault.empty() || problems.size() >= kMaxProblems) continue;
        problems.push_back("arguments of tool '" + item->name.substr(0, 128) +
                           "' are not validated: its schema is unusable: " + item->schema_fault);
    }
    if (options_.on_problem) {
        for (const std::string& what : problems) {
            if (std::ranges::find(problems_, what) == problems_.end()) options_.on_problem(spec_.name, what);
        }
    }
    problems_ = std::move(problems);
    next_pause_ = cut ? kPauseAfterCut : list_pause((*listed)->items.size());
    for (std::size_t kind = 0; kind < kItemKinds; ++kind) {
        if (kinds.test(kind)) list_trouble_[kind] = std::move(failed[kind]);
    }
    ++listed_;
    newest_ = number;
    publish(*std::move(listed));
    remember();
    // The announcement is forwarded even if the lists read the same: what changed may be what they refer to.
    if (announced.any()) {
        for (auto& [declared, variant] : variants_) variant.stale = true;
    }
    if (announced.any()) tell({.kind = SourceChange::Kind::kAnnounced, .kinds = announced});
    if (shared_->client().state() != mcp::ConnectionState::kConnected) co_return;
    set_state(SourceState::kReady, list_trouble());
    std::set<std::string> honoured;
    if (!wanted_.empty()) co_await follow_wanted(ctx, honoured);
}

std::string McpSource::list_trouble() const {
    std::string text;
    for (const std::string& one : list_trouble_) {
        if (one.empty()) continue;
        if (!text.empty()) text += "; ";
        text += one;
    }
    return text;
}

void McpSource::publish(InventoryPtr inventory) {
    changed_.pulse();
    if (same(*inventory, *inventory_)) return;
    inventory_ = std::move(inventory);
    forget_variants();
    tell({.kind = SourceChange::Kind::kInventory});
}

bool McpSource::recall() {
    if (!options_.lists || !spec_.keeps_lists()) return false;
    const auto text = options_.lists->recall(spec_);
    if (!text) return false;
    auto kept = restore_inventory(*text);
    if (!kept) {
        problem(kept.error().within("its stored inventory cannot be read and is not used"));
        return false;
    }
    publish(*std::move(kept));
    return true;
}

void McpSource::remember() {
    if (options_.lists && spec_.keeps_lists()) options_.lists->keep(spec_, write_inventory(*inventory_));
}

Task<Result<void>> McpSource::refresh(const Context& ctx) {
    const bool slept = state_ == SourceState::kAsleep;
    const std::uint64_t begun = listings_;
    const std::uint64_t failures = failures_;
    const Context limited = ctx.within(options_.connect_timeout.value_or(connect_limit(spec_)) + spec_.timeout);
    Result<void> waited;
    {
        const InUse in_use(*this);
        wake();
        stale_.set();
        changed_.pulse();
        retry_now();
        // A listing in progress may have missed the change the caller knows of.
        while (newest_ <= begun && failures_ == failures && !stopping_ && waited)
            waited = co_await changed_.wait(limited);
    }
    // A server that was idle before may idle again at once.
    if (slept && calls_ == 0) {
        may_idle_now_ = true;
        changed_.pulse();
    }
    if (newest_ > begun) co_return Result<void>();
    GANTRY_CO_CHECK(ctx.check());
    const std::string why = stopping_ ? "it was stopped" : trouble_.empty() ? "it does not answer" : trouble_;
    co_return fail(Error(ErrorCode::kConnection, "server '" + spec_.name + "' could not be refreshed: " + why)
                       .on_server(spec_.name));
}

}  // namespace gantry::gateway
