#include "surface/cli/signature.hpp"

#include <algorithm>
#include <set>

#include "base/schema/type_text.hpp"

namespace gantry::cli {
namespace {

/// Longer signatures are truncated.
constexpr std::size_t kMostShown = 12;

struct Argument {
    std::string name;
    const Json* schema;
    std::string type;
    bool required;
};

std::vector<Argument> arguments_of(const Json& schema) {
    std::set<std::string> required;
    const Json* names = schema.is_object() ? schema.find("required") : nullptr;
    if (names != nullptr && names->is_array()) {
        for (const Json& name : *names->if_array()) {
            if (const std::string* text = name.if_string()) required.insert(*text);
        }
    }
    std::vector<Argument> arguments;
    const Json* properties = schema.is_object() ? schema.find("properties") : nullptr;
    if (properties == nullptr || !properties->is_object()) return arguments;
    for (const auto& [name, property] : *properties->if_object()) {
        arguments.push_back({.name = name,
                             .schema = &property,
                             .type = schema::type_text(schema, property),
                             .required = required.contains(name)});
    }
    return arguments;
}

std::string with_type(const Argument& argument) {
    return argument.name + (argument.required ? "" : "?") + (argument.type == "any" ? "" : ": " + argument.type);
}

/// Quotes a word for the shell.
std::string shell_word(const std::string& word) {
    constexpr std::string_view kPlain = "-_./:=@%+,";
    const bool plain = !word.empty() && std::ranges::all_of(word, [&](unsigned char c) {
        return std::isalnum(c) != 0 || kPlain.contains(static_cast<char>(c));
    });
    if (plain) return word;
    std::string out = "'";
    for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return out + '\'';
}

/// A sample value, as far as one can be derived from the schema.
Json sample(const Argument& argument) {
    const Json& schema = *argument.schema;
    if (!schema.is_object()) return "text";
    for (const char* key : {"default", "const"}) {
        if (const Json* value = schema.find(key); value != nullptr && !value->is_null()) return *value;
    }
    for (const char* key : {"examples", "enum"}) {
        const Json* values = schema.find(key);
        if (values != nullptr && values->is_array() && !values->if_array()->empty()) return values->if_array()->front();
    }
    if (argument.type.starts_with("number") || argument.type.starts_with("integer")) {
        const Json* least = schema.find("minimum");
        return least != nullptr && least->is_number() ? *least : Json(1);
    }
    if (argument.type.ends_with("[]") || argument.type == "array") return JsonArray();
    if (argument.type.starts_with("boolean")) return true;
    if (argument.type.starts_with("object")) return JsonObject();
    return "text";
}

std::string argument_word(const Argument& argument) {
    const Json value = sample(argument);
    if (const std::string* text = value.if_string()) {
        // If the schema also allows other types, only JSON keeps "1" a string.
        const bool plain = argument.type == "string" || argument.type == "any" || argument.type.contains('"');
        return shell_word(argument.name + (plain ? "=" + *text : ":=" + value.dump()));
    }
    const bool structured = value.is_array() || value.is_object();
    return shell_word(argument.name + (structured ? ":=" : "=") + value.dump());
}

std::string target_words(const Options& options) {
    if (!options.server_name.empty()) {
        const bool usual = options.config == "gantry.yaml";
        return " --server " + shell_word(options.server_name) +
               (usual ? "" : " --config " + shell_word(options.config));
    }
    if (!options.server_command.empty()) {
        std::string out = " --";
        for (const std::string& word : options.server_command) out += ' ' + shell_word(word);
        return out;
    }
    return options.is_running_gateway ? std::string() : " --url " + shell_word(options.url);
}

std::string hints_of(const mcp::Tool& tool) {
    if (!tool.annotations) return {};
    std::string out;
    const auto add = [&out](const std::optional<bool>& hint, const char* yes, const char* no) {
        if (hint) out.append(out.empty() ? "" : ", ").append(*hint ? yes : no);
    };
    add(tool.annotations->read_only_hint, "read-only", "may change things");
    add(tool.annotations->destructive_hint, "may destroy", "destroys nothing");
    add(tool.annotations->idempotent_hint, "idempotent", "not idempotent");
    add(tool.annotations->open_world_hint, "reaches the outside world", "closed world");
    return out;
}

void show_arguments(const Json& schema, const Printer& printer) {
    std::vector<std::pair<std::string, std::string>> rows;
    for (const Argument& argument : arguments_of(schema)) {
        const Json* what = argument.schema->is_object() ? argument.schema->find("description") : nullptr;
        rows.emplace_back(with_type(argument), what != nullptr && what->is_string() ? *what->if_string() : "");
    }
    if (rows.empty()) return;
    printer.heading("arguments");
    printer.table(rows);
}

}  // namespace

std::string signature(const Tool& tool) {
    std::string out = tool.name() + '(';
    const auto arguments = arguments_of(tool.input_schema());
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        if (i > 0) out += ", ";
        if (i == kMostShown) {
            out += "…";
            break;
        }
        out += with_type(arguments[i]);
    }
    return out + ')';
}

std::string example_call(const Tool& tool, const Options& options) {
    std::string out = "gantry call " + shell_word(tool.definition().name);
    for (const Argument& argument : arguments_of(tool.input_schema())) {
        if (argument.required) out += ' ' + argument_word(argument);
    }
    return out + target_words(options);
}

void show_tool(const Tool& tool, const Options& options, const Printer& printer) {
    printer.line(printer.bold(harmless(signature(tool))));
    if (!tool.description().empty()) printer.line(harmless(tool.description()));
    show_arguments(tool.input_schema(), printer);
    printer.heading("example");
    printer.line("  " + harmless(example_call(tool, options)));
    if (const std::string hints = hints_of(tool.definition()); !hints.empty()) {
        printer.heading("annotations (as the server claims)");
        printer.line("  " + hints);
    }
    printer.heading("input schema");
    printer.line(harmless(tool.input_schema().pretty()));
    if (tool.definition().output_schema) {
        printer.heading("output schema");
        printer.line(harmless(tool.definition().output_schema->pretty()));
    }
}

}  // namespace gantry::cli
