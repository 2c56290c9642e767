#include "surface/cli/usage_error.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>

#include "base/nearest.hpp"
#include "surface/cli/help.hpp"

namespace gantry::cli {
namespace {

/// CLI11 uses bounds beyond this for "unbounded".
constexpr double kNoBound = 1e15;

/// The innermost command given.
const CLI::App& innermost(const CLI::App& app) {
    const CLI::App* at = &app;
    while (!at->get_subcommands().empty()) at = at->get_subcommands().front();
    return *at;
}

std::string path_of(const CLI::App& command) {
    return command.get_parent() == nullptr ? command.get_name()
                                           : path_of(*command.get_parent()) + ' ' + command.get_name();
}

std::string first_example(const CLI::App& command) {
    const std::string footer = command.get_footer();
    const auto at = footer.find("gantry ");
    return at == std::string::npos ? std::string() : footer.substr(at, footer.find('\n', at) - at);
}

std::vector<std::string> command_names(const CLI::App& app) {
    std::vector<std::string> names;
    for (const CLI::App* command : app.get_subcommands({})) {
        if (!command->get_group().empty()) names.push_back(command->get_name());
    }
    return names;
}

std::set<std::string> spellings_of(const CLI::App& command) {
    std::set<std::string> spellings;
    for (const CLI::Option* option : command.get_options()) {
        for (const std::string& known : option->get_lnames()) spellings.insert("--" + known);
    }
    return spellings;
}

/// An option before the command: CLI11 assigns it to the outer command, which has none.
std::string misplaced(const CLI::App& command, const std::string& word) {
    const std::string name = word.substr(0, word.find('='));
    if (!spellings_of(command).contains(name)) return "unknown option '" + name + "'";
    return name + " goes after the command: " + path_of(command) + ' ' + name;
}

std::string unexpected(const CLI::App& command) {
    const std::vector<std::string> extras = command.remaining();
    for (const CLI::App* outer = command.get_parent(); extras.empty() && outer != nullptr;
         outer = outer->get_parent()) {
        for (const std::string& word : outer->remaining()) {
            if (word.starts_with('-')) return misplaced(command, word);
        }
    }
    const std::string word = extras.empty() ? std::string() : extras.front();
    if (word.starts_with('-')) {
        const std::string name = word.substr(0, word.find('='));
        const std::set<std::string> spellings = spellings_of(command);
        return "unknown option '" + name + "'" + did_you_mean(nearest(name, {spellings.begin(), spellings.end()}));
    }
    const std::vector<std::string> names = command_names(command);
    if (!names.empty()) {
        const std::set<std::string_view> known(names.begin(), names.end());
        return "unknown command '" + word + "'" + did_you_mean(nearest(word, known));
    }
    return "unexpected argument '" + word + "'";
}

std::string missing(const CLI::App& command) {
    const std::vector<std::string> names = command_names(command);
    if (!names.empty()) return "say what to do: " + alternatives(names);
    for (const CLI::Option* option : command.get_options()) {
        if (!option->get_required() || option->count() != 0) continue;
        const std::string example = first_example(command);
        return path_of(command) + " needs " + spelling_of(*option) + (example.empty() ? "" : ", e.g. " + example);
    }
    return path_of(command) + " needs more arguments";
}

/// The option a message is about: the message begins with one of its names.
const CLI::Option* option_in(const CLI::App& command, std::string_view text) {
    text = text.substr(0, text.find_first_of(": ="));
    for (const CLI::Option* option : command.get_options()) {
        const auto& names = option->get_lnames();
        const bool named = std::ranges::any_of(names, [&](const std::string& name) { return "--" + name == text; });
        if (named || option->get_name(true) == text || option->get_name() == text) return option;
    }
    return nullptr;
}

/// Without the placeholder of its value: "--timeout", "SHELL".
std::string name_of(const CLI::Option& option) {
    return option.get_lnames().empty() ? spelling_of(option) : "--" + option.get_lnames().front();
}

std::string quoted_value(const CLI::Option* option) {
    return option == nullptr || option->results().empty() ? std::string() : ", not '" + option->results().back() + "'";
}

/// "3600.000000" as "3600".
std::string short_number(std::string text) {
    if (!text.contains('.')) return text;
    while (text.ends_with('0')) text.pop_back();
    if (text.ends_with('.')) text.pop_back();
    return text;
}

/// "Value X not in range LO to HI"
std::optional<std::string> range_text(std::string_view text) {
    constexpr std::string_view kMark = " not in range ";
    const auto at = text.rfind(kMark);
    const auto to = text.rfind(" to ");
    if (at == std::string_view::npos || to == std::string_view::npos || to < at) return std::nullopt;
    const std::string low(text.substr(at + kMark.size(), to - at - kMark.size()));
    const std::string high(text.substr(to + 4));
    double most = 0;
    std::from_chars(high.data(), high.data() + high.size(), most);
    if (most >= kNoBound) return "must be a number from " + short_number(low) + " up";
    return "must be a number from " + short_number(low) + " to " + short_number(high);
}

/// "X not in {a,b,c}"
std::optional<std::string> choice_text(std::string_view text, const CLI::Option* option) {
    constexpr std::string_view kMark = " not in {";
    const auto at = text.find(kMark);
    if (at == std::string_view::npos || !text.ends_with('}')) return std::nullopt;
    std::vector<std::string> words;
    std::string_view rest = text.substr(at + kMark.size());
    rest.remove_suffix(1);
    while (!rest.empty()) {
        const auto comma = std::min(rest.find(','), rest.size());
        words.emplace_back(rest.substr(0, comma));
        rest.remove_prefix(std::min(comma + 1, rest.size()));
    }
    return "must be " + alternatives(words) + quoted_value(option);
}

std::string invalid(const CLI::App& command, const std::string& text) {
    const auto colon = text.find(": ");
    const CLI::Option* option = colon == std::string::npos ? nullptr : option_in(command, text);
    std::string why = colon == std::string::npos ? text : text.substr(colon + 2);
    if (auto range = range_text(why)) {
        why = *range + quoted_value(option);
    } else if (auto choice = choice_text(why, option)) {
        why = *choice;
    } else if (constexpr std::string_view kNoFile = "File does not exist: "; why.starts_with(kNoFile)) {
        return "no such file: " + why.substr(kNoFile.size());
    }
    if (option == nullptr) return text;
    return name_of(*option) + ' ' + why;
}

std::string not_convertible(const CLI::App& command, std::string text) {
    constexpr std::string_view kBegin = "Could not convert: ";
    if (text.starts_with(kBegin)) text.erase(0, kBegin.size());
    const CLI::Option* option = option_in(command, text);
    if (option == nullptr) return text;
    if (option->get_items_expected_max() == 0) return name_of(*option) + " takes no value";
    return name_of(*option) + " must be a number" + quoted_value(option);
}

std::string wrong_count(const CLI::App& command, const std::string& text) {
    const CLI::Option* option = option_in(command, text);
    if (option == nullptr) return text;
    if (option->get_items_expected_max() == 0) return name_of(*option) + " takes no value";
    if (option->count() > 1) return name_of(*option) + " may be given only once";
    return name_of(*option) + " needs a value: " + spelling_of(*option);
}

/// "A excludes B", "A requires B"
std::string about_two(const std::string& text, std::string_view verb, std::string_view between, std::string_view end) {
    const auto at = text.find(verb);
    if (at == std::string::npos) return text;
    return text.substr(0, at) + std::string(between) + text.substr(at + verb.size()) + std::string(end);
}

}  // namespace

std::string alternatives(const std::vector<std::string>& words) {
    std::string out;
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (i > 0) out += i + 1 == words.size() ? " or " : ", ";
        out += words[i];
    }
    return out;
}

UsageError usage_error(const CLI::App& app, const CLI::ParseError& error) {
    const CLI::App& command = innermost(app);
    const std::string text = error.what();
    UsageError out{.text = text, .see = "gantry help"};
    if (command.get_parent() != nullptr) {
        const CLI::App* at = &command;
        while (at->get_parent() != &app) at = at->get_parent();
        out.see += ' ' + at->get_name();
    }
    using CLI::ExitCodes;
    // Errors about extra words carry the command's name instead of their own.
    switch (static_cast<ExitCodes>(error.get_exit_code())) {
        case ExitCodes::ExtrasError: out.text = unexpected(command); break;
        case ExitCodes::RequiredError: out.text = missing(command); break;
        case ExitCodes::ValidationError: out.text = invalid(command, text); break;
        case ExitCodes::ConversionError: out.text = not_convertible(command, text); break;
        case ExitCodes::ArgumentMismatch: out.text = wrong_count(command, text); break;
        case ExitCodes::ExcludesError: out.text = about_two(text, " excludes ", " and ", " cannot be combined"); break;
        case ExitCodes::RequiresError: out.text = about_two(text, " requires ", " needs ", ""); break;
        default: break;
    }
    return out;
}

}  // namespace gantry::cli
