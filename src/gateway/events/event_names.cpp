#include "gateway/events/event_names.hpp"

#include <utility>

#include "gantry/json.hpp"
#include "gateway/ports/event_sink.hpp"

namespace gantry::gateway::events {
namespace {

constexpr std::pair<std::string_view, std::string_view> kMcpTypes[] = {
    {event_type::kToolCalled, "mcp.tool_called"},
    {event_type::kToolFailed, "mcp.tool_failed"},
};

/// Moves a member out of `from`; null if it is absent.
Json taken(JsonObject& from, std::string_view key) {
    Json value;
    if (Json* found = from.find(key)) value = std::move(*found);
    from.erase(key);
    return value;
}

std::string as_invocation(JsonObject data) {
    JsonObject told;
    told.set("tool_name", taken(data, "name"));
    told.set("params", taken(data, "params"));
    told.set("result", taken(data, "result"));
    const Json source = taken(data, "source");
    const Json server = taken(data, "server");
    told.set("source", source);
    told.set("mcp_server", source == Json("mcp") ? server : Json());
    for (auto& [key, value] : data) told.set(key, std::move(value));
    return Json(std::move(told)).dump();
}

}  // namespace

std::string_view type_under(EventNames names, std::string_view type) noexcept {
    if (names == EventNames::kGantry) return type;
    for (const auto& [ours, theirs] : kMcpTypes)
        if (type == ours) return theirs;
    return type;
}

JournalEntry entry_under(EventNames names, JournalEntry entry, std::string& room) {
    const std::string_view type = type_under(names, entry.type);
    if (type == entry.type) return entry;
    entry.type = type;
    auto data = Json::parse(entry.data);
    // Only a journal that was changed by hand has other data.
    if (!data || !data->is_object()) return entry;
    room = as_invocation(std::move(*data->if_object()));
    entry.data = room;
    return entry;
}

}  // namespace gantry::gateway::events
