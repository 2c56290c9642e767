#include "surface/cli/commands.hpp"

#include <algorithm>
#include <chrono>
#include <iostream>
#include <set>

#include "base/nearest.hpp"
#include "base/try.hpp"
#include "surface/cli/arguments.hpp"
#include "surface/cli/connect.hpp"
#include "surface/cli/json_out.hpp"
#include "surface/cli/save.hpp"
#include "surface/cli/signature.hpp"

namespace gantry::cli {

namespace {

std::string first_lines(const std::string& text) {
    constexpr std::size_t kEnough = 300;
    return text.size() <= kEnough ? text : text.substr(0, kEnough) + " …";
}

std::string describe(const mcp::Prompt& prompt) {
    std::string text = prompt.description.value_or("");
    for (const auto& argument : prompt.arguments) {
        text += "\n- " + argument.name + (argument.required ? " (required)" : "");
        if (argument.description) text += ": " + *argument.description;
    }
    return text;
}

template <class Value>
ExitCode print_list(const Options& options, const Printer& printer, const std::vector<Value>& values, const char* none,
                    std::pair<std::string, std::string> (*row)(const Value&)) {
    if (options.json) {
        printer.line(to_json_array(values).pretty());
        return ExitCode::kDone;
    }
    if (values.empty()) printer.line(printer.dim(none));
    std::vector<std::pair<std::string, std::string>> rows;
    for (const Value& value : values) rows.push_back(row(value));
    printer.table(rows);
    return ExitCode::kDone;
}

ExitCode print_tools(const Options& options, const Printer& printer, const std::vector<Tool>& tools, const char* none) {
    if (options.json) {
        printer.line(to_json_array(tools).pretty());
        return ExitCode::kDone;
    }
    if (tools.empty()) printer.line(printer.dim(none));
    for (const Tool& tool : tools) printer.entry(signature(tool), first_lines(tool.description()));
    return ExitCode::kDone;
}
std::pair<std::string, std::string> prompt_row(const mcp::Prompt& prompt) {
    return {prompt.name, describe(prompt)};
}
std::pair<std::string, std::string> resource_row(const mcp::Resource& resource) {
    return {resource.uri, first_lines(resource.description.value_or(resource.title.value_or(resource.name)))};
}
std::pair<std::string, std::string> template_row(const mcp::ResourceTemplate& resource) {
    return {resource.uri_template, first_lines(resource.description.value_or(resource.title.value_or(resource.name)))};
}

/// kNotFound, with the nearest name, when the server does not list the tool.
Result<const Tool*> find_tool(const std::vector<Tool>& tools, const std::string& name) {
    const auto found = std::ranges::find(tools, name, &Tool::name);
    if (found != tools.end()) return &*found;
    if (tools.empty()) return fail(ErrorCode::kNotFound, "no tool '" + name + "': this server has no tools");
    std::set<std::string_view> known;
    for (const Tool& tool : tools) known.insert(tool.name());
    return fail(ErrorCode::kNotFound, "no tool '" + name + "'" + did_you_mean(nearest_name(name, known)));
}

/// Saves the parts that --output selects and prints the file names.
ExitCode save(const Result<std::vector<std::string>>& parts, const Options& options, const Printer& printer) {
    const auto saved =
        parts ? save_parts(*parts, options.output) : Result<std::vector<std::string>>(fail(parts.error()));
    if (!saved) {
        printer.error(saved.error());
        return ExitCode::kOutput;
    }
    for (std::size_t i = 0; i < saved->size(); ++i)
        std::cerr << printer.dim((*saved)[i] + ": " + std::to_string((*parts)[i].size()) + " bytes") << '\n';
    return ExitCode::kDone;
}

}  // namespace

Result<ExitCode> list_tools(Client& client, const Options& options, const Printer& printer) {
    GANTRY_TRY(const auto tools, client.list_tools({.prefix = options.prefix}));
    if (options.name.empty()) return print_tools(options, printer, tools, "this server has no tools");
    GANTRY_TRY(const Tool* tool, find_tool(tools, options.name));
    if (options.json) {
        printer.line(to_json(*tool).pretty());
    } else {
        show_tool(*tool, options, printer);
    }
    return ExitCode::kDone;
}

Result<ExitCode> list_prompts(Client& client, const Options& options, const Printer& printer) {
    GANTRY_TRY(const auto prompts, client.list_prompts());
    return print_list(options, printer, prompts, "this server has no prompts", &prompt_row);
}

Result<ExitCode> list_resources(Client& client, const Options& options, const Printer& printer) {
    GANTRY_TRY(const auto resources, client.list_resources());
    GANTRY_TRY(const auto templates, client.list_resource_templates());
    if (options.json) {
        printer.line(
            Json(JsonObject{{"resources", to_json_array(resources)}, {"resourceTemplates", to_json_array(templates)}})
                .pretty());
        return ExitCode::kDone;
    }
    print_list(options, printer, resources, "this server has no resources", &resource_row);
    if (!templates.empty()) {
        printer.heading("templates");
        print_list(options, printer, templates, "", &template_row);
    }
    return ExitCode::kDone;
}

Result<ExitCode> call_tool(Client& client, const Options& options, const Printer& printer) {
    Json schema;
    // Arguments of known tools are validated before the call, and the message says what is wrong.
    if (options.validate || are_pairs(options.arguments)) {
        GANTRY_TRY(const auto tools, client.list_tools());
        const auto tool = find_tool(tools, options.name);
        if (!tool && options.validate) return fail(tool.error());
        if (tool) schema = (*tool)->input_schema();
    }
    GANTRY_TRY(JsonObject arguments, tool_arguments(options.arguments, schema));
    CallOptions call{.on_progress = progress_line(), .validate = options.validate};
    auto result = client.call(options.name, std::move(arguments), std::move(call));
    end_progress_line();
    if (!result) return fail(result.error());
    if (options.json) {
        printer.line(to_json(*result).pretty());
    } else {
        for (const mcp::Content& content : result->content) printer.content(content);
        if (result->content.empty() && result->structured_content) printer.line(result->structured_content->pretty());
        if (result->is_error) std::cerr << printer.red("the tool ran and failed") << '\n';
    }
    if (!options.output.empty() && !result->is_error) return save(binary_parts(*result), options, printer);
    return result->is_error ? ExitCode::kToolFailed : ExitCode::kDone;
}

Result<ExitCode> read_resource(Client& client, const Options& options, const Printer& printer) {
    GANTRY_TRY(const auto result, client.read_resource(options.name));
    if (!options.output.empty()) return save(parts_of(result), options, printer);
    if (options.json) {
        printer.line(to_json(result).pretty());
    } else {
        for (const auto& contents : result.contents) printer.contents(contents);
    }
    return ExitCode::kDone;
}

Result<ExitCode> get_prompt(Client& client, const Options& options, const Printer& printer) {
    GANTRY_TRY(const auto result, client.get_prompt(options.name, options.prompt_arguments));
    if (options.json) {
        printer.line(to_json(result).pretty());
        return ExitCode::kDone;
    }
    for (const auto& message : result.messages) {
        const auto role = message.role.known();
        printer.heading(role ? mcp::to_string(*role) : "message");
        printer.content(message.content);
    }
    return ExitCode::kDone;
}

Result<ExitCode> ping(Client& client, const Options& options, const Printer& printer) {
    const auto start = std::chrono::steady_clock::now();
    GANTRY_CHECK(client.ping());
    const auto took = std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - start);
    const std::string milliseconds = Json(static_cast<double>(took.count()) / 1000).dump();
    if (options.json) {
        printer.line(Json(JsonObject{{"alive", true}, {"milliseconds", Json::number_from_text(milliseconds)}}).dump());
    } else {
        printer.line("alive, answered in " + milliseconds + " ms");
    }
    return ExitCode::kDone;
}

Result<ExitCode> inspect(Client& client, const Options& options, const Printer& printer) {
    const auto server = client.server();
    GANTRY_TRY(const auto tools, client.list_tools());
    GANTRY_TRY(const auto resources, client.list_resources());
    GANTRY_TRY(const auto templates, client.list_resource_templates());
    GANTRY_TRY(const auto prompts, client.list_prompts());
    if (options.json) {
        Json json = to_json(server);
        json.if_object()->set("tools", to_json_array(tools));
        json.if_object()->set("resources", to_json_array(resources));
        json.if_object()->set("resourceTemplates", to_json_array(templates));
        json.if_object()->set("prompts", to_json_array(prompts));
        printer.line(json.pretty());
        return ExitCode::kDone;
    }
    printer.line(printer.bold(harmless(server.info.name + ' ' + server.info.version)) + "  speaks MCP " +
                 std::string(mcp::to_string(server.revision)) +
                 (mcp::is_modern(server.revision) ? " (modern era)" : " (legacy era)"));
    if (server.instructions) printer.line(harmless(*server.instructions));
    printer.heading("tools");
    print_tools(options, printer, tools, "  none");
    printer.heading("resources");
    print_list(options, printer, resources, "  none", &resource_row);
    if (!templates.empty()) {
        printer.heading("resource templates");
        print_list(options, printer, templates, "", &template_row);
    }
    printer.heading("prompts");
    print_list(options, printer, prompts, "  none", &prompt_row);
    return ExitCode::kDone;
}

}  // namespace gantry::cli
