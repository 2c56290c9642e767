#include "surface/cli/manual.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>

#include "base/version.hpp"
#include "surface/cli/exit_code.hpp"

namespace gantry::cli {

namespace {

/// Text that roff prints literally: no escapes, no requests, hyphens that can be searched and copied.
std::string literal(std::string_view text) {
    std::string out;
    bool line_start = true;
    for (const char c : text) {
        if (line_start && (c == '.' || c == '\'')) out += "\\&";
        line_start = c == '\n';
        if (c == '\\') {
            out += "\\e";
        } else if (c == '-') {
            out += "\\-";
        } else {
            out += c;
        }
    }
    return out;
}

std::string header(const std::string& name) {
    std::string upper = name;
    std::ranges::transform(upper, upper.begin(), [](char c) { return c >= 'a' && c <= 'z' ? char(c - 'a' + 'A') : c; });
    return ".TH \"" + literal(upper) + "\" 1 \"\" \"Gantry " + std::string(kVersion) + "\" \"User Commands\"\n";
}

std::string name_section(const std::string& name, const std::string& what) {
    return ".SH NAME\n" + literal(name) + " \\- " + literal(what) + "\n";
}

/// "-c, --config FILE"; for a positional, its name.
std::string spelling(const CLI::Option& option) {
    std::string names = option.get_name(false, true);
    for (std::size_t at = 0; (at = names.find(',', at)) != std::string::npos; at += 2) names.insert(at + 1, " ");
    const std::string type = option.get_items_expected_max() == 0 ? "" : option.get_type_name();
    return "\\fB" + literal(names) + "\\fR" + (type.empty() || option.get_positional() ? "" : " " + literal(type));
}

bool visible(const CLI::Option& option) {
    return !option.get_group().empty();
}

std::string option_sections(const CLI::App& command) {
    std::vector<std::string> groups;
    for (const CLI::Option* option : command.get_options()) {
        if (visible(*option) && std::ranges::find(groups, option->get_group()) == groups.end())
            groups.push_back(option->get_group());
    }
    std::string text;
    for (const std::string& group : groups) {
        text += ".SS \"" + literal(group) + "\"\n";
        for (const CLI::Option* option : command.get_options()) {
            if (option->get_group() != group) continue;
            text += ".TP\n" + spelling(*option) + "\n" + literal(option->get_description()) + "\n";
        }
    }
    return text.empty() ? text : ".SH OPTIONS\n" + text;
}

/// The footer contains examples and notes with a fixed layout.
std::string footer_section(const CLI::App& command) {
    const std::string footer = command.get_footer();
    return footer.empty() ? "" : ".SH NOTES\n.nf\n" + literal(footer) + "\n.fi\n";
}

std::string synopsis(const CLI::App& command, const std::string& invocation) {
    std::string text = ".SH SYNOPSIS\n\\fB" + literal(invocation) + "\\fR [\\fIOPTION\\fR ...]";
    for (const CLI::Option* option : command.get_options()) {
        if (!option->get_positional()) continue;
        const std::string name = "\\fI" + literal(option->get_single_name()) + "\\fR";
        text += option->get_required() ? " " + name : " [" + name + "]";
    }
    return text + "\n";
}

std::vector<const CLI::App*> commands_of(const CLI::App& app) {
    return app.get_subcommands([](const CLI::App* command) { return !command->get_group().empty(); });
}

std::string overview(const CLI::App& app) {
    std::string text = header("gantry") + name_section("gantry", "MCP gateway, server and client");
    text += ".SH SYNOPSIS\n\\fBgantry\\fR \\fICOMMAND\\fR [\\fIOPTION\\fR ...]\n";
    text += ".SH DESCRIPTION\n" + literal(app.get_description()) + "\n.SH COMMANDS\n";
    std::string also;
    for (const CLI::App* command : commands_of(app)) {
        text += ".TP\n\\fB" + literal(command->get_name()) + "\\fR\n" + literal(command->get_description()) + "\n";
        also += (also.empty() ? "" : ",\n") + ("\\fBgantry\\-" + literal(command->get_name())) + "\\fR(1)";
    }
    return text + option_sections(app) + footer_section(app) + ".SH SEE ALSO\n" + also + "\n";
}

std::string page_of(const CLI::App& command) {
    const std::string name = "gantry-" + command.get_name();
    return header(name) + name_section(name, command.get_description()) +
           synopsis(command, "gantry " + command.get_name()) + ".SH DESCRIPTION\n" +
           literal(command.get_description()) + ".\n" + option_sections(command) + footer_section(command) +
           ".SH SEE ALSO\n\\fBgantry\\fR(1)\n";
}

int write_pages(const std::filesystem::path& folder, const std::vector<ManualPage>& pages) {
    for (const ManualPage& page : pages) {
        std::ofstream file(folder / page.file);
        file << page.text << std::flush;
        if (!file) {
            std::cerr << "gantry: cannot write " << (folder / page.file).string() << std::endl;
            return static_cast<int>(ExitCode::kUsage);
        }
    }
    return 0;
}

}  // namespace

std::vector<ManualPage> manual_pages(const CLI::App& app) {
    std::vector<ManualPage> pages = {{.file = "gantry.1", .text = overview(app)}};
    for (const CLI::App* command : commands_of(app)) {
        pages.push_back({.file = "gantry-" + command->get_name() + ".1", .text = page_of(*command)});
    }
    return pages;
}

ExtraCommand manual_command() {
    struct State {
        std::string folder;
        int code = 0;
    };
    const auto state = std::make_shared<State>();
    return {.name = "manual",
            .description = "Write the manual pages into a folder",
            .example = "gantry manual share/man/man1",
            .describe =
                [state](CLI::App& command) {
                    command.group("");
                    command.add_option("folder", state->folder, "An existing folder")
                        ->required()
                        ->check(CLI::ExistingDirectory.description(""));
                    // Called while the whole command line is still described; run() is called later.
                    command.callback([state, &command] {
                        state->code = write_pages(state->folder, manual_pages(*command.get_parent()));
                    });
                },
            .run = [state] { return state->code; }};
}

}  // namespace gantry::cli
