#pragma once
// Test support: every key of the schema with a value that is not its default.

#include <gtest/gtest.h>

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/config/config.hpp"
#include "app/config/reference.hpp"

namespace gantry::app {

/// `base` with `value` at a dotted path; lists on the way stand for their first entry.
inline Json with_value(Json base, std::string_view path, Json value) {
    Json* at = &base;
    while (!path.empty()) {
        const std::string key(path.substr(0, path.find('.')));
        path.remove_prefix(std::min(path.size(), key.size() + 1));
        if (at->is_array()) at = &at->if_array()->front();
        if (!at->is_object()) *at = JsonObject();
        if (at->find(key) == nullptr) at->if_object()->set(key, nullptr);
        at = at->find(key);
    }
    *at = std::move(value);
    return base;
}

/// The words of the setting, and values of every kind.
inline std::vector<Json> values_for(const Json& setting) {
    std::vector<Json> values;
    const auto add_words = [&values](const Json& schema) {
        const Json* words = schema.find("enum");
        if (words == nullptr) return;
        for (const Json& word : *words->if_array()) values.push_back(word);
    };
    add_words(setting);
    if (const Json* any = setting.find("anyOf"); any != nullptr) {
        for (const Json& one : *any->if_array()) add_words(one);
    }
    for (const char* text : {"17s", "7MB", "17/s", "http://127.0.0.1:10/other", "127.0.0.1:7777", "/other", "off"})
        values.emplace_back(text);
    values.insert(values.end(), {Json(true), Json(false), Json(17), Json(0.5), Json(JsonArray{"/x"}),
                                 Json(JsonObject{{"a", "b"}}), Json(JsonObject{{"x*", "17/s"}}), Json("word")});
    const Json* usual = setting.find("default");
    if (usual != nullptr) std::erase(values, *usual);
    // A value that is an exception to what the declaration says has a test of its own.
    const std::string_view note = setting.string_at("x-gantry-reload-note");
    std::erase_if(values, [note](const Json& value) {
        return value.is_string() && note.contains("`" + *value.if_string() + "`");
    });
    return values;
}

/// The first value of the setting that makes a valid configuration of which `counts` holds; empty: there is none.
inline std::optional<Config> changed_config(const Json& base, const std::string& path, const Json& setting,
                                            const std::function<bool(const Config&)>& counts) {
    for (const Json& value : values_for(setting)) {
        auto config = parse_config(with_value(base, path, value).dump(), path);
        if (config && counts(*config)) return *std::move(config);
    }
    return std::nullopt;
}

}  // namespace gantry::app
