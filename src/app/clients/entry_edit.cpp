#include "app/clients/entry_edit.hpp"

#include "app/clients/jsonc.hpp"
#include "app/clients/toml.hpp"
#include "app/config/yaml.hpp"
#include "base/try.hpp"

namespace gantry::app {
namespace {

Json entry_of(const ClientProgram& program, const Door& door) {
    JsonObject entry;
    if (program.id == "goose") {
        entry = {{"name", door.name}, {"enabled", true}, {"timeout", 300}};
        entry.set("type", door.url.empty() ? Json("stdio") : Json(program.url_type));
    }
    if (!door.url.empty()) {
        if (!program.url_type.empty()) entry.set("type", program.url_type);
        entry.set(std::string(program.url_key), door.url);
        return entry;
    }
    JsonArray args{"stdio", "--config", door.config};
    if (program.id == "opencode") {
        args.insert(args.begin(), door.program);
        entry.set("type", "local");
        entry.set("command", std::move(args));
        return entry;
    }
    if (program.id == "vscode") entry.set("type", "stdio");
    entry.set(program.id == "goose" ? "cmd" : "command", door.program);
    entry.set("args", std::move(args));
    return entry;
}

/// TOML and YAML both accept JSON's strings, numbers and lists.
std::string toml_text(const ClientProgram& program, const Door& door) {
    std::string text = "[" + program.servers.front() + "." + Json(door.name).dump() + "]\n";
    const Json entry = entry_of(program, door);
    for (const auto& [key, value] : *entry.if_object()) text += key + " = " + value.dump() + "\n";
    return text;
}
std::string yaml_entry(const ClientProgram& program, const Door& door) {
    std::string text = "  " + Json(door.name).dump() + ":\n";
    const Json entry = entry_of(program, door);
    for (const auto& [key, value] : *entry.if_object()) text += "    " + key + ": " + value.dump() + "\n";
    return text;
}

Result<Json> tree_of(std::string_view text, Format format) {
    if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) return Json(JsonObject());
    if (format == Format::kToml) return parse_toml(text);
    if (format == Format::kJson) return parse_jsonc(text);
    auto document = parse_yaml(text);
    if (!document)
        return fail(ErrorCode::kParse,
                    "line " + std::to_string(document.error().at.line) + ": " + document.error().what);
    return document->tree.is_null() ? Json(JsonObject()) : std::move(document->tree);
}

Result<std::string> edited(std::string_view text, const ClientProgram& program, const Door& door) {
    std::string out(text);
    if (program.format == Format::kJson) {
        std::vector<std::string> path = program.servers;
        path.push_back(door.name);
        return put_member(text, path, entry_of(program, door));
    }
    if (!out.empty() && !out.ends_with('\n')) out += '\n';
    if (program.format == Format::kToml) return out + (out.empty() ? "" : "\n") + toml_text(program, door);
    const std::string head = program.servers.front() + ":\n";
    const auto at = out.starts_with(head) ? 0 : out.find("\n" + head);
    if (at == std::string::npos) return out + head + yaml_entry(program, door);
    return out.insert(at + (at == 0 ? 0 : 1) + head.size(), yaml_entry(program, door));
}

/// The line that contains a position, without its line end.
std::string_view line_at(std::string_view text, std::size_t at) {
    return text.substr(at, text.find('\n', at) - at);
}
std::size_t next_line(std::string_view text, std::size_t at) {
    const auto end = text.find('\n', at);
    return end == std::string_view::npos ? text.size() : end + 1;
}

/// Removes the table of that name and the tables below it.
std::string without_table(std::string_view text, const std::string& table, const std::string& name) {
    std::string out;
    bool inside = false;
    for (std::size_t at = 0; at < text.size(); at = next_line(text, at)) {
        const std::string_view line = line_at(text, at);
        if (line.starts_with('[')) {
            inside = false;
            for (const std::string& spelling : {name, Json(name).dump()}) {
                const std::string head = "[" + table + "." + spelling;
                inside = inside || line.starts_with(head + "]") || line.starts_with(head + ".");
            }
        }
        if (!inside) out += text.substr(at, next_line(text, at) - at);
    }
    return out;
}

std::size_t indent_of(std::string_view line) {
    return std::min(line.find_first_not_of(' '), line.size());
}

/// Removes the block of that key from the top-level map `map`.
std::string without_block(std::string_view text, const std::string& map, const std::string& name) {
    std::string out;
    bool in_map = false;
    std::optional<std::size_t> dropped;  // indentation of the key whose block is being removed
    for (std::size_t at = 0; at < text.size(); at = next_line(text, at)) {
        const std::string_view line = line_at(text, at);
        const std::size_t indent = indent_of(line);
        const bool blank = indent == line.size();
        if (!blank && dropped && indent <= *dropped) dropped.reset();
        if (!blank && indent == 0 && !line.starts_with('#')) in_map = line.starts_with(map + ":");
        for (const std::string& spelling : {name, Json(name).dump()}) {
            if (in_map && indent > 0 && !dropped && line.substr(indent).starts_with(spelling + ":")) dropped = indent;
        }
        if (!dropped) out += text.substr(at, next_line(text, at) - at);
    }
    return out;
}

}  // namespace

std::string entry_text(const ClientProgram& program, const Door& door) {
    if (program.format == Format::kToml) return toml_text(program, door);
    if (program.format == Format::kYaml) return program.servers.front() + ":\n" + yaml_entry(program, door);
    Json json = JsonObject{{door.name, entry_of(program, door)}};
    for (std::size_t i = program.servers.size(); i-- > 0;) json = JsonObject{{program.servers[i], std::move(json)}};
    return json.pretty() + "\n";
}

Result<std::string> with_entry(std::string_view text, const ClientProgram& program, const Door& door) {
    GANTRY_TRY(Json wanted, tree_of(text, program.format));
    Json* at = &wanted;
    for (const std::string& key : program.servers) {
        if (at->if_object() == nullptr)
            return fail(ErrorCode::kInvalidArgument, "is not of the form this program uses");
        if (!at->if_object()->contains(key)) at->if_object()->set(key, JsonObject());
        at = at->find(key);
    }
    if (at->if_object() == nullptr) return fail(ErrorCode::kInvalidArgument, "is not of the form this program uses");
    const Json entry = entry_of(program, door);
    if (const Json* there = at->find(door.name)) {
        if (*there == entry) return std::string(text);
        if (program.format != Format::kJson) {
            return fail(ErrorCode::kInvalidArgument,
                        "has another '" + door.name + "' already: remove it, or choose another --name");
        }
    }
    at->if_object()->set(door.name, entry);
    GANTRY_TRY(std::string out, edited(text, program, door));
    // Only a text that parses to the same file with one more entry is returned.
    if (const auto after = tree_of(out, program.format); !after || *after != wanted) {
        return fail(ErrorCode::kUnsupported,
                    "has a layout that Gantry does not edit; add this by hand:\n" + entry_text(program, door));
    }
    return out;
}

Result<std::string> without_entry(std::string_view text, const ClientProgram& program, const std::string& name) {
    GANTRY_TRY(Json wanted, tree_of(text, program.format));
    Json* at = &wanted;
    for (const std::string& key : program.servers) at = at == nullptr ? nullptr : at->find(key);
    if (at == nullptr || at->if_object() == nullptr || !at->if_object()->erase(name))
        return fail(ErrorCode::kNotFound, "has no server '" + name + "'");
    std::string out;
    if (program.format == Format::kJson) {
        std::vector<std::string> path = program.servers;
        path.push_back(name);
        GANTRY_TRY(out, remove_member(text, path));
    } else if (program.format == Format::kToml) {
        out = without_table(text, program.servers.front(), name);
    } else {
        out = without_block(text, program.servers.front(), name);
    }
    auto after = tree_of(out, program.format);
    // Removing the last table or block also removes its parent map, which is equivalent for its program.
    if (after && at->if_object()->empty() && after->find(program.servers.front()) == nullptr)
        after->if_object()->set(program.servers.front(), JsonObject());
    if (after && after->find(program.servers.front()) != nullptr && after->find(program.servers.front())->is_null())
        after->if_object()->set(program.servers.front(), JsonObject());
    if (!after || *after != wanted) {
        return fail(ErrorCode::kUnsupported, "has a layout that Gantry does not edit; remove '" + name + "' by hand");
    }
    return out;
}

}  // namespace gantry::app
