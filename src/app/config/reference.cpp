#include "app/config/reference.hpp"

#include <set>
#include <string_view>
#include <utility>

namespace gantry::app {
namespace {

class Walk {
public:
    explicit Walk(const Json& schema) : schema_(schema) {}

    std::vector<ReferenceRow> rows() {
        add_keys_of(schema_, "");
        return std::move(rows_);
    }

private:
    void add_keys_of(const Json& schema, const std::string& path) {
        const JsonObject* keys = keys_in(schema);
        // Several keys take the same entries: `servers`, `mcpServers` …
        if (keys == nullptr || !described_.insert(keys).second) return;
        const auto name_of = [&path](const std::string& key) { return path.empty() ? key : path + "." + key; };
        std::vector<ReferenceRow> groups;
        for (const auto& [key, setting] : *keys) {
            if (setting.string_at("x-gantry-type").empty()) continue;
            const bool is_group = keys_in(setting) != nullptr;
            (is_group ? groups : rows_).push_back({.key = name_of(key), .setting = &setting, .is_group = is_group});
        }
        for (ReferenceRow& group : groups) {
            const ReferenceRow& row = rows_.emplace_back(std::move(group));
            add_keys_of(*row.setting, std::string(row.key));
        }
    }

    /// The keys of a map, or of the entries of a list; null: it has none.
    const JsonObject* keys_in(const Json& schema) const {
        if (const Json* keys = schema.find("properties")) return keys->if_object();
        if (const Json* entries = schema.find("items")) return keys_in(*entries);
        if (const Json* name = schema.find("$ref"); name != nullptr && name->is_string()) {
            const Json* definition = schema_.at_pointer(std::string_view(*name->if_string()).substr(1));
            return definition == nullptr ? nullptr : keys_in(*definition);
        }
        const Json* any = schema.find("anyOf");
        if (any == nullptr || !any->is_array()) return nullptr;
        for (const Json& one : *any->if_array()) {
            if (const JsonObject* keys = keys_in(one)) return keys;
        }
        return nullptr;
    }

    const Json& schema_;
    std::vector<ReferenceRow> rows_;
    std::set<const JsonObject*> described_;
};

std::string default_of(const Json& setting) {
    if (const std::string_view words = setting.string_at("x-gantry-default"); !words.empty()) return std::string(words);
    const Json* value = setting.find("default");
    if (value == nullptr) return {};
    return "`" + (value->is_string() ? *value->if_string() : value->dump()) + "`";
}

std::string reload_of(const Json& setting) {
    std::string reload(setting.string_at("x-gantry-reload"));
    if (const std::string_view note = setting.string_at("x-gantry-reload-note"); !note.empty())
        reload.append("; ").append(note);
    return reload;
}

}  // namespace

std::vector<ReferenceRow> reference_rows(const Json& schema) {
    return Walk(schema).rows();
}

std::string config_reference(const Json& schema) {
    std::string text = "| key | type | default | reload | meaning |\n|---|---|---|---|---|\n";
    for (const ReferenceRow& row : reference_rows(schema)) {
        const Json& setting = *row.setting;
        text.append("| `").append(row.key).append("` | ").append(setting.string_at("x-gantry-type"));
        text.append(" | ").append(default_of(setting)).append(" | ").append(reload_of(setting));
        text.append(" | ").append(setting.string_at("description")).append(" |\n");
    }
    return text;
}

}  // namespace gantry::app
