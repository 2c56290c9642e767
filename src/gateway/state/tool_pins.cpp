#include "gateway/state/tool_pins.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
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
constexpr const char* kLogFile = "pins.log";
/// More lines than this, and than a tenth of the pins, are written into pins.json instead.
constexpr std::size_t kMostLogged = 100;
constexpr std::size_t kMaxPinsBytes = 64u << 20;

/// Separates a server's name from the capabilities in the names under which tools are pinned.
constexpr const char* kForClients = " for clients with ";

/// The inventory without its hidden tools; the same object if none is hidden.
InventoryPtr without(const InventoryPtr& offered, const std::function<bool(const Item&)>& hidden) {
    auto left = std::make_shared<Inventory>(*offered);
    std::erase_if(left->items, [&](const ItemPtr& item) { return item->kind == ItemKind::kTool && hidden(*item); });
    return left->items.size() == offered->items.size() ? offered : left;
}

/// The items that are not among those of `before`; some others, where items have changed places.
std::vector<ItemPtr> added_to(const Inventory& before, const Inventory& now) {
    // How far an item is looked for: lists mostly stay in their order.
    constexpr std::size_t kNear = 16;
    std::vector<ItemPtr> added;
    auto next = before.items.begin();
    for (const ItemPtr& item : now.items) {
        const auto near = next + std::min<std::ptrdiff_t>(kNear, before.items.end() - next);
        if (const auto same = std::find(next, near, item); same != near) {
            next = same + 1;
        } else {
            added.push_back(item);
            // Most likely it replaces the one that stood here.
            if (next != before.items.end() && (*next)->name == item->name) ++next;
        }
    }
    return added;
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
    return read_log(folder);
}

Result<void> ToolPins::read_log(const Fd& folder) {
    GANTRY_TRY(const auto log, read_private_file(folder, kLogFile, kMaxPinsBytes));
    if (!log) return {};
    for (std::string_view rest = *log; !rest.empty();) {
        const auto end = rest.find('\n');
        // The last line may be cut off by a crash; its change is then seen and reported again.
        if (end == std::string_view::npos) break;
        if (auto applied = book_.apply(rest.substr(0, end)); !applied)
            return fail(damaged_file(folder_ / kLogFile, applied.error(),
                                     "tools that changed lately then count as not accepted"));
        rest.remove_prefix(end + 1);
    }
    // Nothing may be appended to a line that was cut off.
    if (auto folded = log->empty() ? Result<void>() : rewrite(); !folded && options_.note)
        options_.note("tool pins could not be saved: " + folded.error().message());
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
    report(source, source, before ? added_to(*before, *offered) : offered->items);
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
    const auto touched = book_.take_touched();
    if (folder_.empty() || touched.empty()) return;
    if (auto saved = write(touched); !saved && options_.note)
        options_.note("tool pins could not be saved: " + saved.error().message());
}

Result<void> ToolPins::write(const std::vector<PinBook::Place>& touched) {
    if (logged_ + touched.size() <= std::max(kMostLogged, book_.size() / 10)) return append(touched);
    return rewrite();
}

Result<void> ToolPins::rewrite() {
    GANTRY_TRY(const Fd folder, open_private_folder(folder_));
    GANTRY_CHECK(replace_private_file(folder, kPinsFile, book_.to_json().dump()));
    // A crash before this leaves lines that say what pins.json says already.
    GANTRY_CHECK(replace_private_file(folder, kLogFile, ""));
    logged_ = 0;
    return {};
}

Result<void> ToolPins::append(const std::vector<PinBook::Place>& touched) {
    std::string lines;
    for (const PinBook::Place& place : touched) lines += book_.to_line(place) + '\n';
    GANTRY_TRY(const Fd folder, open_private_folder(folder_));
    GANTRY_TRY(const Fd log, open_private_log(folder, kLogFile));
    if (!write_all(log, lines) || ::fdatasync(log.get()) != 0)
        return fail(ErrorCode::kInternal, std::string(kLogFile) + ": " + std::strerror(errno));
    logged_ += touched.size();
    return {};
}

}  // namespace gantry::gateway
