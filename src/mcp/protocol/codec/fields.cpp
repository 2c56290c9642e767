#include "mcp/protocol/codec/fields.hpp"

#include <algorithm>

namespace gantry::mcp {
namespace {

Result<void> read_member(const Field& field, const JsonObject& object, void* owner, JsonObject& extra,
                         Revision revision, const Place& place) {
    if (field.read == nullptr) return {};
    const Json* json = object.find(field.name);
    const bool known = field.in(revision);
    const bool null_is_value = field.form == LegacyForm::kObject && is_modern(revision);
    if (json == nullptr || (json->is_null() && !null_is_value)) {
        const bool demanded = known && field.need == Need::kMust && revision >= field.strict;
        if (demanded) return misfit(place.member(field.name), "missing");
        return {};
    }
    if (!known && !field.empty(owner)) return {};  // already set from the revision's own name
    auto read = field.read(*json, owner, revision, place.member(field.name));
    if (read || (known && !field.is_hint)) return read;
    extra.set(std::string(field.name), *json);
    return {};
}

bool has_form(const Json& json, LegacyForm form) {
    if (form == LegacyForm::kAny) return true;
    return json.is_object() && (form == LegacyForm::kObject || json.string_at("type") == "object");
}

void write_member(const Field& field, const void* owner, JsonObject& out, Revision revision) {
    if (!field.in(revision)) return;
    if (field.write == nullptr) {
        if (!field.constant.empty()) out.set(std::string(field.name), field.constant);
        return;
    }
    if (field.need == Need::kMay && field.empty(owner)) return;
    Json json = field.write(owner, revision);
    if (is_modern(revision) || has_form(json, field.form)) out.set(std::string(field.name), std::move(json));
}

}  // namespace

Result<void> read_members(FieldTable table, const Json& json, void* owner, JsonObject& extra, Revision revision,
                          const Place& place) {
    static const JsonObject kNothing;
    const JsonObject* object = json.is_null() && place.up == nullptr ? &kNothing : json.if_object();
    if (object == nullptr) return misfit(place, "expected an object");
    for (const Field& field : table) {
        if (auto read = read_member(field, *object, owner, extra, revision, place); !read) return read;
    }
    for (const auto& [name, value] : *object) {
        if (std::ranges::find(table, name, &Field::name) == table.end()) extra.set(name, value);
    }
    return {};
}

Json write_members(FieldTable table, const void* owner, const JsonObject& extra, Revision revision) {
    JsonObject out;
    for (const Field& field : table) write_member(field, owner, out, revision);
    for (const auto& [name, json] : extra) {
        if (!out.contains(name)) out.set(name, json);
    }
    return out;
}

}  // namespace gantry::mcp
