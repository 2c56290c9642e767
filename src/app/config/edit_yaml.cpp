#include "app/config/edit_yaml.hpp"

#include <algorithm>

#include "app/config/render_yaml.hpp"
#include "app/config/server_entries.hpp"
#include "app/config/text_edit.hpp"
#include "app/config/yaml.hpp"
#include "base/try.hpp"

namespace gantry::app {
namespace {

using Kind = YamlNode::Kind;

std::unexpected<Error> by_hand(const std::string& why) {
    return fail(ErrorCode::kInvalidArgument, why + "; edit the file by hand");
}

Result<Json> tree_of(std::string_view text) {
    auto read = parse_yaml(text);
    if (!read) {
        const auto& [at, what] = read.error();
        return fail(ErrorCode::kParse, at.line == 0 ? what : "line " + std::to_string(at.line) + ": " + what);
    }
    return std::move(read->tree);
}

/// Returns the text only if it parses to `expected`.
Result<std::string> checked(std::string made, const Json& expected) {
    auto tree = tree_of(made);
    if (!tree || *tree != expected) return by_hand("the layout of this file does not allow the change");
    return made;
}

JsonObject with_name(const std::string& name, const JsonObject& settings) {
    JsonObject entry{{"name", name}};
    for (const auto& [key, value] : settings) entry.set(key, value);
    return entry;
}

/// The part of the tree that one of our JSON pointers refers to.
Json* part_at(Json& tree, std::string_view pointer) {
    Json* part = &tree;
    while (part != nullptr && !pointer.empty()) {
        const std::size_t slash = std::min(pointer.find('/', 1), pointer.size());
        part = part->find(pointer.substr(1, slash - 1));
        pointer.remove_prefix(slash);
    }
    return part;
}

Json* entry_in(Json& tree, const ServerEntry& entry) {
    Json* const list = part_at(tree, entry.list->pointer);
    if (list == nullptr) return nullptr;
    if (entry.key != nullptr) return list->find(entry.key->text);
    return list->is_array() && entry.index < list->if_array()->size() ? &(*list->if_array())[entry.index] : nullptr;
}

/// The columns in which the entries of a block collection are written.
struct Columns {
    std::size_t entry = 0;
    std::size_t members = 0;
};

/// The dash before an item of a block sequence.
std::size_t dash_of(const TextEdit& edit, const YamlNode& list, std::size_t index) {
    std::size_t at = index == 0 ? list.begin : list.items[index - 1].end;
    at = edit.skip_blank(at);
    // An anchor of the list itself precedes the first dash.
    while (index == 0 && (edit.at(at) == '&' || edit.at(at) == '!')) {
        while (edit.at(at) != '\0' && !std::string_view(" \t\r\n").contains(edit.at(at))) ++at;
        at = edit.skip_blank(at);
    }
    return at;
}

Columns columns_of(const TextEdit& edit, const YamlNode& list) {
    const bool is_map = list.kind == Kind::kMapping;
    Columns columns{.entry = edit.column(is_map ? list.begin_of(0) : dash_of(edit, list, 0))};
    columns.members = columns.entry + 2;
    for (const YamlNode& item : list.items) {
        if (item.kind == Kind::kMapping && !item.flow && !item.items.empty())
            columns.members = edit.column(item.begin_of(0));
    }
    return columns;
}

std::string map_entry(const std::string& name, const JsonObject& settings, const Columns& columns,
                      std::string_view line_end) {
    return std::string(columns.entry, ' ') + yaml_scalar(name) + ":" + std::string(line_end) +
           std::string(columns.members, ' ') + block_yaml(settings, columns.members, line_end);
}

std::string list_entry(const std::string& name, const JsonObject& settings, const Columns& columns,
                       std::string_view line_end) {
    return std::string(columns.entry, ' ') + "-" + std::string(columns.members - columns.entry - 1, ' ') +
           block_yaml(with_name(name, settings), columns.members, line_end);
}

/// Appends a member or item to a flow collection; on a line of its own if the previous one is.
void append_to_flow(TextEdit& edit, const YamlNode& list, const std::string& what) {
    if (list.items.empty()) return edit.insert(list.end - 1, what);
    const std::size_t begin = list.begin_of(list.items.size() - 1);
    const std::size_t end = list.end_of(list.items.size() - 1);
    const std::size_t behind = edit.skip_blank(end);
    const bool has_comma = edit.at(behind) == ',';
    if (!has_comma) edit.insert(end, ",");
    const std::size_t at = has_comma ? behind + 1 : end;
    if (!edit.begins_line(begin)) return edit.insert(at, " " + what);
    // A comment after the last member stays with it; the closing bracket may be on the same line.
    const std::size_t place = edit.end_of_line(at) < list.end - 1 ? edit.end_of_line(at) : at;
    edit.insert(place, std::string(edit.line_end()) + std::string(edit.column(begin), ' ') + what);
}

/// A server in a flow collection: multi-line if its neighbours are.
std::string flow_entry(const TextEdit& edit, const YamlNode& list, const JsonObject& members) {
    if (list.items.empty()) return flow_yaml(members);
    const std::size_t neighbour = list.begin_of(list.items.size() - 1);
    if (!edit.begins_line(neighbour)) return flow_yaml(members);
    const std::string margin = std::string(edit.line_end()) + std::string(edit.column(neighbour), ' ');
    std::string out = "{";
    for (const auto& [key, value] : members) {
        out.append(out.size() == 1 ? "" : ",").append(margin).append("  ");
        out.append(Json(key).dump()).append(": ").append(flow_yaml(value));
    }
    return out + margin + "}";
}

void add_to_flow(TextEdit& edit, const YamlNode& list, const std::string& name, const JsonObject& settings) {
    if (list.kind == Kind::kMapping) {
        append_to_flow(edit, list, Json(name).dump() + ": " + flow_entry(edit, list, settings));
    } else {
        append_to_flow(edit, list, flow_entry(edit, list, with_name(name, settings)));
    }
}

void add_to_block(TextEdit& edit, const YamlNode& list, const std::string& name, const JsonObject& settings) {
    const Columns columns = columns_of(edit, list);
    const bool is_map = list.kind == Kind::kMapping;
    edit.insert_lines_after(list.end, is_map ? map_entry(name, settings, columns, edit.line_end())
                                             : list_entry(name, settings, columns, edit.line_end()));
}

/// The first entry of a list that exists but is empty: `servers:`, `servers: []`, `servers: {}`.
void begin_list(TextEdit& edit, const ServerList& list, const std::string& name, const JsonObject& settings) {
    const std::size_t margin = edit.column(list.key->begin);
    const std::size_t colon = edit.skip_blank(list.key->end);
    edit.replace(std::min(colon + 1, list.node->end), list.node->end, "");
    const Columns columns{.entry = margin + 2, .members = margin + 4};
    const bool is_map = list.node->kind == Kind::kMapping;
    edit.insert_lines_after(list.node->end, is_map ? map_entry(name, settings, columns, edit.line_end())
                                                   : list_entry(name, settings, columns, edit.line_end()));
}

/// Adds `servers` to a text that has none.
Result<void> begin_servers(TextEdit& edit, const YamlNode& root, std::string_view text, const std::string& name,
                           const JsonObject& settings) {
    const Columns columns{.entry = 2, .members = 4};
    const std::string lines =
        "servers:" + std::string(edit.line_end()) + list_entry(name, settings, columns, edit.line_end());
    if (root.kind == Kind::kMapping && root.flow) {
        append_to_flow(edit, root, R"("servers": )" + flow_yaml(JsonArray{with_name(name, settings)}));
        return {};
    }
    if (root.kind == Kind::kMapping) {
        if (edit.column(root.begin_of(0)) != 0) return by_hand("the whole file is indented");
        edit.insert_lines_after(root.end, lines);
        return {};
    }
    if (!root.is_empty_scalar()) return by_hand("this is not a map of settings");
    const bool open_line = !text.empty() && !text.ends_with('\n');
    edit.insert(text.size(), (open_line ? std::string(edit.line_end()) : "") + lines + std::string(edit.line_end()));
    return {};
}

/// Where a new server goes: the first place that has servers, otherwise the first that could hold some.
const ServerList* place_for_new(const std::vector<ServerList>& lists) {
    const auto has_some = [](const ServerList& list) { return !list.node->items.empty(); };
    if (const auto found = std::ranges::find_if(lists, has_some); found != lists.end()) return &*found;
    return lists.empty() ? nullptr : &lists.front();
}

Result<void> add_to(TextEdit& edit, const ServerList& list, const std::string& name, const JsonObject& settings,
                    bool json) {
    const YamlNode& node = *list.node;
    if (node.kind == Kind::kAlias) return by_hand("the servers are an alias (*name)");
    if (!node.items.empty()) {
        node.flow ? add_to_flow(edit, node, name, settings) : add_to_block(edit, node, name, settings);
    } else if (node.kind == Kind::kScalar && json) {
        edit.replace(node.begin, node.end, flow_yaml(JsonArray{with_name(name, settings)}));
    } else if (json || edit.end_of_line(node.begin) < node.end) {
        add_to_flow(edit, node, name, settings);
    } else {
        begin_list(edit, list, name, settings);
    }
    return {};
}

/// Adds the server to the expected tree.
void add_to_tree(Json& tree, const ServerList* list, const std::string& name, const JsonObject& settings) {
    if (tree.is_null()) tree = JsonObject();
    if (list == nullptr) {
        tree.if_object()->set("servers", JsonArray{with_name(name, settings)});
        return;
    }
    Json* const part = part_at(tree, list->pointer);
    if (part->is_null()) *part = JsonArray();
    if (JsonArray* const items = part->if_array()) items->emplace_back(with_name(name, settings));
    if (JsonObject* const members = part->if_object()) members->set(name, settings);
}

void erase_from_flow(TextEdit& edit, const YamlNode& list, std::size_t index) {
    const std::size_t begin = list.begin_of(index);
    const std::size_t comma = edit.skip_blank(list.end_of(index));
    if (edit.at(comma) == ',') {
        std::size_t end = comma + 1;
        if (!edit.begins_line(begin) && index + 1 < list.items.size()) {
            while (edit.at(end) == ' ') ++end;
        }
        return edit.erase(begin, end);
    }
    if (index > 0) {
        const std::size_t before = edit.skip_blank(list.end_of(index - 1));
        const bool same_line = edit.line_begin(before) == edit.line_begin(begin);
        edit.replace(before, same_line ? begin : before + 1, "");
    }
    edit.erase(begin, list.end_of(index));
}

/// Removes the entry with its lines; `end` of a block entry is that of its last value.
void erase_entry(TextEdit& edit, const ServerEntry& entry) {
    const YamlNode& list = *entry.list->node;
    if (list.flow) return erase_from_flow(edit, list, entry.index);
    const std::size_t begin = entry.key != nullptr ? entry.key->begin : dash_of(edit, list, entry.index);
    edit.erase(begin, std::max(entry.key != nullptr ? entry.key->end + 1 : 0, entry.node->end));
}

Result<Json> scalar_checked(const Json& value) {
    if (value.is_array() || value.is_object()) return fail(ErrorCode::kInvalidArgument, "not a scalar");
    return value;
}

Result<ServerEntry> entry_named(const std::vector<ServerList>& lists, const std::string& name) {
    if (const auto found = find_server(lists, name)) return *found;
    return fail(ErrorCode::kNotFound, "there is no server '" + name + "' in the configuration");
}

}  // namespace

Result<Json> server_in(std::string_view text, const std::string& name) {
    GANTRY_TRY(Json tree, tree_of(text));
    GANTRY_TRY(const YamlNode root, locate_yaml(text));
    const auto lists = server_lists(root);
    const auto entry = find_server(lists, name);
    if (!entry) return Json();
    const Json* const found = entry_in(tree, *entry);
    return found == nullptr ? Json() : *found;
}

Result<std::string> add_server(std::string_view text, const std::string& name, const JsonObject& settings) {
    GANTRY_TRY(Json tree, tree_of(text));
    GANTRY_TRY(const YamlNode root, locate_yaml(text));
    const auto lists = server_lists(root);
    if (find_server(lists, name)) return fail(ErrorCode::kInvalidArgument, "there is already a server '" + name + "'");
    if (!tree.is_null() && !tree.is_object()) return by_hand("this is not a map of settings");
    const ServerList* const list = place_for_new(lists);
    TextEdit edit(text);
    if (list == nullptr) {
        GANTRY_CHECK(begin_servers(edit, root, text, name, settings));
    } else {
        GANTRY_CHECK(add_to(edit, *list, name, settings, root.flow));
    }
    add_to_tree(tree, list, name, settings);
    return checked(edit.result(), tree);
}

Result<std::string> replace_server(std::string_view text, const std::string& name, const JsonObject& settings) {
    GANTRY_TRY(Json tree, tree_of(text));
    GANTRY_TRY(const YamlNode root, locate_yaml(text));
    const auto lists = server_lists(root);
    GANTRY_TRY(const ServerEntry entry, entry_named(lists, name));
    const JsonObject members = entry.key != nullptr ? settings : with_name(name, settings);
    TextEdit edit(text);
    const YamlNode& node = *entry.node;
    if (node.kind == Kind::kMapping && !node.flow && !node.items.empty()) {
        edit.replace(node.begin, node.end, block_yaml(members, edit.column(node.begin_of(0)), edit.line_end()));
    } else {
        edit.replace(node.begin, node.end, (node.is_empty_scalar() ? " " : "") + flow_yaml(members));
    }
    *entry_in(tree, entry) = members;
    return checked(edit.result(), tree);
}

Result<std::string> remove_server(std::string_view text, const std::string& name) {
    GANTRY_TRY(Json tree, tree_of(text));
    GANTRY_TRY(const YamlNode root, locate_yaml(text));
    const auto lists = server_lists(root);
    GANTRY_TRY(const ServerEntry entry, entry_named(lists, name));
    TextEdit edit(text);
    erase_entry(edit, entry);
    Json& part = *part_at(tree, entry.list->pointer);
    if (JsonObject* const members = part.if_object()) members->erase(entry.key->text);
    if (JsonArray* const items = part.if_array())
        items->erase(items->begin() + static_cast<std::ptrdiff_t>(entry.index));
    // A block collection without entries would parse as an empty value.
    const bool empty = part.is_object() ? part.if_object()->empty() : part.is_array() && part.if_array()->empty();
    if (empty && !entry.list->node->flow) part = nullptr;
    return checked(edit.result(), tree);
}

Result<std::string> set_in_server(std::string_view text, const std::string& name, const std::string& key,
                                  const Json& value) {
    GANTRY_CHECK(scalar_checked(value));
    GANTRY_TRY(Json tree, tree_of(text));
    GANTRY_TRY(const YamlNode root, locate_yaml(text));
    const auto lists = server_lists(root);
    GANTRY_TRY(const ServerEntry entry, entry_named(lists, name));
    const YamlNode& node = *entry.node;
    if (node.kind != Kind::kMapping) return by_hand("server '" + name + "' is not written as a map of settings");
    const std::string shown = value.is_string() && !node.flow ? yaml_scalar(*value.if_string()) : value.dump();
    TextEdit edit(text);
    if (const YamlNode* const member = node.find(key)) {
        edit.replace(member->begin, member->end, (member->is_empty_scalar() ? " " : "") + shown);
    } else if (node.flow) {
        append_to_flow(edit, node, Json(key).dump() + ": " + shown);
    } else {
        const std::size_t margin = edit.column(node.begin_of(0));
        edit.insert_lines_after(node.end, std::string(margin, ' ') + yaml_scalar(key) + ": " + shown);
    }
    entry_in(tree, entry)->if_object()->set(key, value);
    return checked(edit.result(), tree);
}

}  // namespace gantry::app
