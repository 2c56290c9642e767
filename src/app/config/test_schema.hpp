#pragma once
// Test support: validates a text against `gantry schema`.

#include <string>
#include <string_view>

#include "app/config/config.hpp"
#include "app/config/yaml.hpp"
#include "base/schema/schema.hpp"

namespace gantry::app {

/// Empty: the schema accepts it; otherwise the reason.
inline std::string schema_refuses(std::string_view text) {
    static const auto compiled = schema::Schema::compile(config_schema());
    if (!compiled) return "the schema itself is broken: " + compiled.error().message();
    const auto document = parse_yaml(text);
    if (!document) return "no YAML";
    const auto checked = compiled->check(document->tree);
    return checked ? std::string() : checked.error().message();
}

}  // namespace gantry::app
