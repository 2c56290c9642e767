#include "surface/cli/help.hpp"

#include <algorithm>
#include <cctype>
#include <vector>

#include "surface/cli/print.hpp"

namespace gantry::cli {
namespace {

constexpr std::size_t kWidth = 100;
constexpr std::size_t kLongestLeft = 30;

struct Row {
    std::string left;
    std::string right;
};

std::string upper(std::string text) {
    std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    return text;
}

/// Counts characters, not bytes of UTF-8.
std::size_t columns(std::string_view text) {
    return static_cast<std::size_t>(
        std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

bool takes_many(const CLI::Option& option) {
    return option.get_expected_max() >= CLI::detail::expected_max_vector_size;
}

/// The placeholder of the value, e.g. "SECONDS"; empty for a flag.
std::string value_of(const CLI::Option& option) {
    if (option.get_items_expected_max() == 0) return {};
    const std::string type = option.get_type_name();
    if (!type.empty() && type != "TEXT") return type;
    const auto& names = option.get_lnames();
    return upper(names.empty() ? option.get_name(true) : names.front());
}

std::string operand_of(const CLI::Option& option) {
    const std::string type = option.get_type_name();
    const std::string name = type.empty() || type == "TEXT" ? upper(option.get_name(true)) : type;
    return takes_many(option) ? name + " …" : name;
}

std::string section(const std::string& heading, const std::vector<Row>& rows) {
    std::size_t width = 0;
    for (const Row& row : rows) {
        if (columns(row.left) <= kLongestLeft) width = std::max(width, columns(row.left));
    }
    std::string out = heading + ":\n";
    for (const Row& row : rows) {
        out += "  " + row.left;
        std::size_t column = columns(row.left);
        if (column > width) {
            out += "\n  ";
            column = 0;
        }
        std::size_t indent = width - column + 2;
        for (const std::string& line : wrapped(row.right, kWidth - width - 4)) {
            out += std::string(indent, ' ') + line + '\n';
            indent = width + 4;
        }
        if (row.right.empty()) out += '\n';
    }
    return out + '\n';
}

std::vector<const CLI::Option*> operands_of(const CLI::App& app) {
    return app.get_options([](const CLI::Option* option) { return option->get_positional(); });
}

std::string usage(const CLI::App& app, const std::string& name) {
    std::string out = "Usage: " + name;
    const bool top = app.get_parent() == nullptr;
    if (!app.get_subcommands({}).empty()) out += top ? " COMMAND" : " ACTION";
    for (const CLI::Option* option : operands_of(app)) {
        out += option->get_required() ? ' ' + operand_of(*option) : " [" + operand_of(*option) + ']';
    }
    out += " [OPTIONS]";
    // Commands that talk to a server accept a URL, a name, or the program to start.
    if (app.get_option_no_throw("--transport") != nullptr) out += " [--url URL | --server NAME | -- PROGRAM …]";
    return out + "\n\n";
}

/// Sections in the order in which their first member was added; members without a heading are not listed.
template <class Member, class Heading, class MakeRow>
std::string by_heading(const std::vector<Member>& members, Heading heading, MakeRow make_row) {
    std::vector<std::string> headings;
    for (const Member& member : members) {
        const std::string name = heading(*member);
        if (!name.empty() && std::ranges::find(headings, name) == headings.end()) headings.push_back(name);
    }
    std::string out;
    for (const std::string& name : headings) {
        std::vector<Row> rows;
        for (const Member& member : members) {
            if (heading(*member) == name) rows.push_back(make_row(*member));
        }
        out += section(name, rows);
    }
    return out;
}

std::string operand_help(const CLI::App& app) {
    std::vector<Row> rows;
    for (const CLI::Option* option : operands_of(app)) {
        const bool also_option = option->nonpositional();
        if (!also_option) rows.push_back({operand_of(*option), option->get_description()});
    }
    return rows.empty() ? std::string() : section("Arguments", rows);
}

std::string option_help(const CLI::App& app) {
    std::vector<const CLI::Option*> options;
    // The command's own options first. --help appears only once, in the list of commands.
    for (const bool own : {true, false}) {
        for (const CLI::Option* option : app.get_options()) {
            const bool is_help = app.get_parent() != nullptr && option == app.get_help_ptr();
            if (option->nonpositional() && !is_help && (option->get_group() == "Options") == own)
                options.push_back(option);
        }
    }
    return by_heading(
        options, [](const CLI::Option& option) { return option.get_group(); },
        [](const CLI::Option& option) { return Row{spelling_of(option), option.get_description()}; });
}

std::string command_help(const CLI::App& app) {
    return by_heading(
        app.get_subcommands({}), [](const CLI::App& command) { return command.get_group(); },
        [](const CLI::App& command) { return Row{command.get_name(), command.get_description()}; });
}

}  // namespace

std::string spelling_of(const CLI::Option& option) {
    std::string out;
    const auto add = [&out](const std::string& name) { out.append(out.empty() ? "" : ", ").append(name); };
    for (const std::string& name : option.get_snames()) add("-" + name);
    for (const std::string& name : option.get_lnames()) add("--" + name);
    if (out.empty()) return operand_of(option);
    if (const std::string value = value_of(option); !value.empty()) out += ' ' + value;
    return out;
}

std::string HelpFormatter::make_help(const CLI::App* app, std::string name, CLI::AppFormatMode) const {
    std::string out = app->get_description() + "\n\n" + usage(*app, name.empty() ? app->get_name() : name);
    out += command_help(*app) + operand_help(*app) + option_help(*app) + app->get_footer();
    if (!out.ends_with('\n')) out += '\n';
    return out;
}

std::string_view exit_codes_help() {
    return "Exit codes:\n"
           "  0    done\n"
           "  1    the tool ran and failed; audit verify: the record is damaged\n"
           "  2    wrong usage, or a configuration or state folder that cannot be used\n"
           "  3    not found or not reachable: program, server, tool, running gateway; or the connection was lost\n"
           "  4    timeout\n"
           "  5    authorization: not logged in, not allowed, or a person rejected the call\n"
           "  6    the server refused the request or broke the protocol\n"
           "  7    the arguments or the result do not fit the tool's schema\n"
           "  8    the output could not be written, e.g. because the disk is full\n"
           "  141  the reader of the output closed the pipe\n";
}

}  // namespace gantry::cli
