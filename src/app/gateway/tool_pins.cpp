#include "app/gateway/tool_pins.hpp"

#include "app/gateway/state_dir.hpp"
#include "auth/jose/base64url.hpp"
#include "auth/jose/digest.hpp"
#include "auth/store/private_file.hpp"
#include "base/try.hpp"

namespace gantry::app {
namespace {

constexpr const char* kPinsFile = "pins.json";
constexpr std::size_t kMaxPinsBytes = 64u << 20;

std::string digest(std::string_view text) {
    return jose::base64url_encode(jose::sha256(text));
}

}  // namespace

ToolPins::ToolPins(Options options) : options_(std::move(options)), book_(&digest) {}

Result<void> ToolPins::open(const std::filesystem::path& state_dir) {
    GANTRY_TRY(const auth::Fd folder, auth::open_private_folder(state_dir));
    GANTRY_TRY(const auto text, auth::read_private_file(folder, kPinsFile, kMaxPinsBytes));
    if (text) {
        const auto damaged = [&state_dir](const Error& why) {
            return fail(damaged_file(state_dir / kPinsFile, why,
                                     "every tool then counts as accepted the way it is described at that time"));
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
    if (options_.quarantine == servers) return;
    options_.quarantine = std::move(servers);
    shown_.clear();
}

gateway::InventoryPtr ToolPins::inspect(const std::string& source, gateway::InventoryPtr offered) {
    auto& [before, shown] = shown_[source];
    if (before == offered) return shown;
    const bool hides = options_.quarantine.contains(source);
    for (const gateway::ToolChange& news : book_.look(source, offered->items)) {
        const bool hidden = hides && news.kind == gateway::ToolChange::Kind::kChanged;
        if (options_.observer != nullptr)
            options_.observer->tool_noticed(
                {.source = news.source, .tool = news.tool, .what = news.what, .quarantined = hidden});
    }
    save();
    before = offered;
    shown = offered;
    if (!hides) return shown;
    auto left = std::make_shared<gateway::Inventory>(*offered);
    std::erase_if(left->items, [&](const gateway::ItemPtr& item) {
        return item->kind == gateway::ItemKind::kTool && book_.changed(source, item->name);
    });
    if (left->items.size() != offered->items.size()) shown = std::move(left);
    return shown;
}

Result<void> ToolPins::accept(const std::string& source, const std::string& tool) {
    GANTRY_CHECK(book_.accept(source, tool));
    shown_.erase(source);
    save();
    return {};
}

void ToolPins::save() {
    if (folder_.empty() || std::exchange(saved_, book_.edition()) == book_.edition()) return;
    auto folder = auth::open_private_folder(folder_);
    const auto saved = folder ? auth::replace_private_file(*folder, kPinsFile, book_.to_json().dump())
                              : Result<void>(fail(folder.error()));
    if (!saved && options_.note) options_.note("tool pins could not be saved: " + saved.error().message());
}

}  // namespace gantry::app
