#include "gateway/policy/pin_book.hpp"

#include "base/try.hpp"
#include "gateway/policy/descriptor_check.hpp"

namespace gantry::gateway {

std::vector<ToolChange> PinBook::look(const std::string& source, const std::vector<ItemPtr>& items) {
    std::vector<ToolChange> news;
    Tools& tools = pins_[source];
    for (const ItemPtr& item : items) {
        if (item->kind != ItemKind::kTool) continue;
        const std::string digest = digest_(item->text);
        const auto known = tools.find(item->name);
        if (known != tools.end() && known->second.seen == digest) continue;
        if (known == tools.end()) {
            if (size_ >= kMost) continue;
            tools.emplace(item->name, Pin{.accepted = digest, .seen = digest});
            ++size_;
        } else {
            known->second.seen = digest;
            if (known->second.accepted != digest)
                news.push_back({.source = source, .tool = item->name, .what = "is described differently from before"});
        }
        touched_.push_back({source, item->name});
        for (const DescriptorFlag flag : check_descriptor(item->text)) {
            news.push_back({.kind = ToolChange::Kind::kFlagged,
                            .source = source,
                            .tool = item->name,
                            .what = "its definition has " + std::string(to_string(flag))});
        }
    }
    return news;
}

bool PinBook::changed(std::string_view source, std::string_view tool) const {
    const auto tools = pins_.find(source);
    if (tools == pins_.end()) return false;
    const auto pin = tools->second.find(tool);
    return pin != tools->second.end() && pin->second.seen != pin->second.accepted;
}

std::vector<PinBook::Place> PinBook::all_changed() const {
    std::vector<Place> all;
    for (const auto& [source, tools] : pins_) {
        for (const auto& [tool, pin] : tools) {
            if (pin.seen != pin.accepted) all.push_back({source, tool});
        }
    }
    return all;
}

Result<void> PinBook::accept(std::string_view source, std::string_view tool) {
    if (!changed(source, tool))
        return fail(ErrorCode::kNotFound, "no tool '" + std::string(tool) + "' of server '" + std::string(source) +
                                              "' is described differently from before");
    Pin& pin = pins_.find(source)->second.find(tool)->second;
    pin.accepted = pin.seen;
    touched_.push_back({std::string(source), std::string(tool)});
    return {};
}

Json PinBook::to_json() const {
    JsonObject sources;
    for (const auto& [source, tools] : pins_) {
        JsonObject entries;
        for (const auto& [tool, pin] : tools) entries.set(tool, JsonArray{pin.accepted, pin.seen});
        sources.set(source, std::move(entries));
    }
    return JsonObject{{"version", 1}, {"pins", std::move(sources)}};
}

Result<void> PinBook::restore(const Json& json) {
    const Json* sources = json.find("pins");
    if (sources == nullptr || !sources->is_object()) return fail(ErrorCode::kParse, "there are no pins");
    for (const auto& [source, tools] : *sources->if_object()) {
        if (!tools.is_object()) return fail(ErrorCode::kParse, "the pins of a server are damaged");
        for (const auto& [tool, entry] : *tools.if_object()) {
            GANTRY_CHECK(restore_one(source, tool, entry.at(0), entry.at(1)));
        }
    }
    return {};
}

Result<void> PinBook::restore_one(const std::string& source, const std::string& tool, const Json* accepted,
                                  const Json* seen) {
    if (accepted == nullptr || seen == nullptr || !accepted->is_string() || !seen->is_string())
        return fail(ErrorCode::kParse, "a pin is damaged");
    if (size_ >= kMost) return fail(ErrorCode::kLimit, "there are too many pins");
    size_ += pins_[source].insert_or_assign(tool, Pin{*accepted->if_string(), *seen->if_string()}).second;
    return {};
}

std::string PinBook::to_line(const Place& place) const {
    const Pin& pin = pins_.find(place.source)->second.find(place.tool)->second;
    return Json(JsonArray{place.source, place.tool, pin.accepted, pin.seen}).dump();
}

Result<void> PinBook::apply(std::string_view line) {
    GANTRY_TRY(const Json entry, Json::parse(line));
    const Json* source = entry.at(0);
    const Json* tool = entry.at(1);
    if (source == nullptr || tool == nullptr || !source->is_string() || !tool->is_string())
        return fail(ErrorCode::kParse, "a pin is damaged");
    return restore_one(*source->if_string(), *tool->if_string(), entry.at(2), entry.at(3));
}

}  // namespace gantry::gateway
