#include "gateway/sources/mcp/source_lists.hpp"

#include <algorithm>

#include "gateway/ports/inventory_store.hpp"
#include "gateway/sources/mcp/kept_inventory.hpp"
#include "gateway/sources/mcp/list_pause.hpp"
#include "gateway/sources/mcp/server_errors.hpp"
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

Kinds kinds_of(mcp::ListKind kind) {
    Kinds kinds;
    if (kind == mcp::ListKind::kTools) kinds.set(static_cast<std::size_t>(ItemKind::kTool));
    if (kind == mcp::ListKind::kPrompts) kinds.set(static_cast<std::size_t>(ItemKind::kPrompt));
    if (kind == mcp::ListKind::kResources) {
        kinds.set(static_cast<std::size_t>(ItemKind::kResource));
        kinds.set(static_cast<std::size_t>(ItemKind::kTemplate));
    }
    return kinds;
}

InventoryPtr SourceLists::nothing() {
    static const InventoryPtr kNothing = std::make_shared<const Inventory>();
    return kNothing;
}

SourceLists::SourceLists(const McpServerSpec& spec, const McpSourceOptions& options, const SourceStatus& status)
    : spec_(spec), options_(options), status_(status) {}

void SourceLists::on_connected() {
    next_pause_ = {};
    stale_.set();
}

void SourceLists::read_now() {
    read_now_ = true;
    hurry_.pulse();
}

Task<bool> SourceLists::pause(const Context& ctx) {
    if (!co_await sleep_for(ctx, kListPause)) co_return false;
    if (!read_now_ && next_pause_ > kListPause) {
        auto hurried = co_await hurry_.wait(ctx.within(next_pause_));
        if (!hurried && ctx.cancel().cancelled()) co_return false;
    }
    read_now_ = false;
    co_return true;
}

Task<SourceLists::Reading> SourceLists::read(const Context& ctx, Link& link, bool mirrors_headers) {
    Reading reading{.number = ++begun_, .kinds = std::exchange(stale_, {}), .announced = std::exchange(announced_, {})};
    Listing listing;
    listing.max_items = options_.max_list_entries;
    listing.worker = options_.list_reader;
    listing.mirrors_headers = mirrors_headers;
    listing.on_skipped = [&reading](const Error& why) {
        reading.refused = reading.refused || is_refusal(why);
        if (reading.problems.size() < kMaxProblems) reading.problems.push_back(why.message());
    };
    listing.on_failed = [&reading](ItemKind kind, const Error& why) {
        reading.failed[static_cast<std::size_t>(kind)] = std::string(list_method(kind)) + " failed: " + reason(why);
    };
    listing.on_cut = [&reading](ItemKind kind, const Error& why) {
        reading.failed[static_cast<std::size_t>(kind)] = why.message();
        reading.cut = true;
    };
    auto listed = co_await read_inventory(ctx, link.client(), inventory_, reading.kinds, std::move(listing));
    if (listed) reading.inventory = *std::move(listed);
    co_return reading;
}

void SourceLists::put_back(const Reading& reading) {
    stale_ |= reading.kinds;
    announced_ |= reading.announced;
}

void SourceLists::accept(Reading& reading) {
    std::vector<std::string> problems = std::move(reading.problems);
    for (const ItemPtr& item : reading.inventory->items) {
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
    next_pause_ = reading.cut ? kPauseAfterCut : list_pause(reading.inventory->items.size());
    for (std::size_t kind = 0; kind < kItemKinds; ++kind) {
        if (reading.kinds.test(kind)) trouble_[kind] = std::move(reading.failed[kind]);
    }
    ++read_here_;
    newest_ = reading.number;
}

std::string SourceLists::trouble() const {
    std::string text;
    for (const std::string& one : trouble_) {
        if (one.empty()) continue;
        if (!text.empty()) text += "; ";
        text += one;
    }
    return text;
}

bool SourceLists::replace(InventoryPtr inventory) {
    if (same(*inventory, *inventory_)) return false;
    inventory_ = std::move(inventory);
    return true;
}

InventoryPtr SourceLists::recall() const {
    if (!options_.lists || !spec_.keeps_lists()) return nullptr;
    const auto text = options_.lists->recall(spec_);
    if (!text) return nullptr;
    auto kept = restore_inventory(*text);
    if (kept) return *std::move(kept);
    status_.problem(kept.error().within("its stored inventory cannot be read and is not used"));
    return nullptr;
}

void SourceLists::remember() const {
    if (options_.lists && spec_.keeps_lists()) options_.lists->keep(spec_, write_inventory(*inventory_));
}

}  // namespace gantry::gateway
