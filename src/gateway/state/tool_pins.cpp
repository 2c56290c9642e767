#include "gateway/state/tool_pins.hpp"

#include <algorithm>
#include <iterator>
#include <tuple>

#include "base/crypto/base64url.hpp"
#include "base/crypto/digest.hpp"
#include "base/try.hpp"
#include "gateway/state/state_folder.hpp"
#include "io/private_file.hpp"

namespace gantry::gateway {
namespace {

constexpr const char* kPinsFile = "pins.json";
constexpr std::size_t kMaxPinsBytes = 64u << 20;

/// Separates a server's name from the capabilities in the names under which tools are pinned.
constexpr const char* kForClients = " for clients with ";

/// The inventory without its hidden tools; the same object if none is hidden.
InventoryPtr without(const InventoryPtr& offered, const std::function<bool(const Item&)>& hidden) {
    auto left = std::make_shared<Inventory>(*offered);
    std::erase_if(left->items, [&](const ItemPtr& item) { return item->kind == ItemKind::kTool && hidden(*item); });
    return left->items.size() == offered->items.size() ? offered : left;
}

std::string digest(std::string_view text) {
    return crypto::base64url_encode(crypto::sha256(text));
}

}  // namespace

ToolPins::ToolPins(Options options) : options_(std::move(options)), book_(&digest) {}

Result<void> ToolPins::open(const std::filesystem::path& state_dir) {
    GANTRY_TRY(const Fd folder, open_private_folder(state_dir));
    GANTRY_TRY(const auto text, read_private_file(folder, kPinsFile, kMaxPinsBytes));
    if (text) {
        const auto damaged = [&state_dir](const Error& why) {
            return fail(damaged_file(state_dir / kPinsFile, why,
                                     "every tool then counts as accepted with the description it has at that time"));
        };
        auto json = Json::parse(*text);
        if (!json) return damaged(json.error());
        if (auto restored = book_.restore(*json); !restored) return damaged(restored.error());
    }
    folder_ = state_dir;
    saved_ = book_.edition();
    return {};
}

void ToolPins::quarantine(std::set<std::string> servers) {
    const std::lock_guard guard(mutex_);
    if (options_.quarantine == servers) return;
    options_.quarantine = std::move(servers);
    shown_.clear();
}

void ToolPins::report(const std::string& source, const std::string& pinned_as, const std::vector<ItemPtr>& items) {
    const bool hides = options_.quarantine.contains(source);
    for (const ToolChange& news : book_.look(pinned_as, items)) {
        const bool hidden = hides && news.kind == ToolChange::Kind::kChanged;
        if (options_.flagged) options_.flagged(source, news.tool, news.what, hidden);
    }
    save();
}

InventoryPtr ToolPins::inspect(const std::string& source, InventoryPtr offered) {
    const std::lock_guard guard(mutex_);
    return offered->declared.empty() ? inspect_all(source, offered) : inspect_variant(source, offered);
}

InventoryPtr ToolPins::inspect_all(const std::string& source, const InventoryPtr& offered) {
    auto& [before, shown] = shown_[source];
    if (before == offered) return shown;
    report(source, source, offered->items);
    before = offered;
    shown = offered;
    if (options_.quarantine.contains(source))
        shown = without(offered, [&](const Item& item) { return book_.changed(source, item.name); });
    return shown;
}

InventoryPtr ToolPins::inspect_variant(const std::string& source, const InventoryPtr& offered) {
    const auto own = described_anew(source, *offered);
    const std::string pinned_as = source + kForClients + offered->declared;
    report(source, pinned_as, own);
    if (!options_.quarantine.contains(source)) return offered;
    return without(offered, [&](const Item& item) {
        const bool is_own = std::ranges::find(own, &item, &ItemPtr::get) != own.end();
        return book_.changed(is_own ? pinned_as : source, item.name);
    });
}

/// The tools whose description differs in any byte from the one for all clients.
std::vector<ItemPtr> ToolPins::described_anew(const std::string& source, const Inventory& offered) const {
    std::set<std::string_view> common;
    if (const auto shown = shown_.find(source); shown != shown_.end() && shown->second.offered) {
        for (const ItemPtr& item : shown->second.offered->items) common.insert(item->text);
    }
    std::vector<ItemPtr> own;
    std::ranges::copy_if(offered.items, std::back_inserter(own),
                         [&](const ItemPtr& item) { return !common.contains(item->text); });
    return own;
}

std::vector<PinBook::Place> ToolPins::changed() const {
    const std::lock_guard guard(mutex_);
    auto places = book_.all_changed();
    for (PinBook::Place& place : places) place.source = place.source.substr(0, place.source.find(kForClients));
    std::ranges::sort(places, {}, [](const auto& place) { return std::tie(place.source, place.tool); });
    const auto twice = std::ranges::unique(places);
    places.erase(twice.begin(), twice.end());
    return places;
}

Result<void> ToolPins::accept(const std::string& source, const std::string& tool) {
    const std::lock_guard guard(mutex_);
    bool accepted = false;
    for (const PinBook::Place& place : book_.all_changed()) {
        const bool here = place.source == source || place.source.starts_with(source + kForClients);
        if (here && place.tool == tool && book_.accept(place.source, tool)) accepted = true;
    }
    // Yields the error message.
    if (!accepted) GANTRY_CHECK(book_.accept(source, tool));
    shown_.erase(source);
    save();
    return {};
}

void ToolPins::save() {
    if (folder_.empty() || std::exchange(saved_, book_.edition()) == book_.edition()) return;
    auto folder = open_private_folder(folder_);
    const auto saved =
        folder ? replace_private_file(*folder, kPinsFile, book_.to_json().dump()) : Result<void>(fail(folder.error()));
    if (!saved && options_.note) options_.note("tool pins could not be saved: " + saved.error().message());
}

}  // namespace gantry::gateway
