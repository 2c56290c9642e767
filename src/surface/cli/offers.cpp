#include "surface/cli/offers.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cstdlib>

#include "surface/cli/app.hpp"

namespace gantry::cli {

namespace {

/// The kind of name that an option or operand takes, derived from its placeholder in the help.
std::string names_of(const CLI::Option& option) {
    const std::string type = option.get_type_name();
    if (type == "SERVER" || option.check_lname("server")) return "servers";
    return type == "TOOL" ? "tools" : "";
}

bool takes_value(const CLI::Option& option) {
    return option.get_items_expected_max() > 0;
}

/// Null: no such option. `word` may include a value: "--server=docs".
const CLI::Option* option_of(const CLI::App& command, const std::string& word) {
    const std::string name = word.substr(0, word.find('='));
    for (const CLI::Option* option : command.get_options()) {
        if (!option->get_positional() && option->check_name(name)) return option;
    }
    return nullptr;
}

/// Null: the command takes no operand at this position.
const CLI::Option* operand_of(const CLI::App& command, std::size_t index) {
    const CLI::Option* last = nullptr;
    for (const CLI::Option* option : command.get_options()) {
        if (!option->get_positional() || option->get_group().empty()) continue;
        if (index == 0) return option;
        --index;
        last = option;
    }
    return last != nullptr && last->get_items_expected_max() > 1 ? last : nullptr;
}

/// Commands or actions listed in the help.
std::vector<Offer> commands_of(const CLI::App& app) {
    std::vector<Offer> offers;
    for (const CLI::App* command : app.get_subcommands({})) {
        if (!command->get_group().empty()) offers.push_back({command->get_name(), command->get_description()});
    }
    return offers;
}

std::vector<Offer> options_of(const CLI::App& command) {
    std::vector<Offer> offers;
    for (const CLI::Option* option : command.get_options()) {
        if (option->get_group().empty()) continue;
        for (const std::string& name : option->get_lnames()) offers.push_back({"--" + name, option->get_description()});
    }
    return offers;
}

const CLI::App* find_command(const CLI::App& app, const std::string& name) {
    for (const CLI::App* command : app.get_subcommands({})) {
        if (command->get_name() == name) return command;
    }
    return nullptr;
}

std::vector<Offer> topics_of(const CLI::App& app) {
    std::vector<Offer> topics = commands_of(app);
    topics.push_back({"exit-codes", "What the exit codes mean"});
    return topics;
}

/// Interprets the words before the cursor like the parser, but never fails.
class Line {
public:
    Line(const CLI::App& app, Offers& offers) : app_(app), offers_(offers) {}

    void read(const std::string& word) {
        if (foreign_) return;
        if (value_of_ != nullptr) {
            if (word == "=") return;  // bash splits it off as a word
            take_value(*value_of_, word);
            value_of_ = nullptr;
        } else if (word == "--") {
            foreign_ = true;
        } else if (command_ == nullptr) {
            command_ = find_command(app_, word);
            foreign_ = command_ == nullptr;
        } else if (word.size() > 1 && word.starts_with('-')) {
            read_option(word);
        } else if (const CLI::App* action = operands_ == 0 ? find_command(*command_, word) : nullptr) {
            command_ = action;
        } else {
            ++operands_;
        }
    }

    void offer(const std::string& current) {
        if (foreign_) return;
        if (value_of_ != nullptr) return offer_names(*value_of_, "");
        const bool dashes = current.starts_with('-');
        if (command_ == nullptr) {
            offers_.words = dashes ? options_of(app_) : commands_of(app_);
        } else if (const auto equals = current.find('='); dashes && equals != std::string::npos) {
            if (const CLI::Option* option = option_of(*command_, current))
                offer_names(*option, current.substr(0, equals + 1));
        } else if (dashes) {
            offers_.words = options_of(*command_);
        } else {
            offer_operand();
        }
    }

private:
    void read_option(const std::string& word) {
        const CLI::Option* option = option_of(*command_, word);
        if (option == nullptr || !takes_value(*option)) return;
        if (const auto equals = word.find('='); equals != std::string::npos) {
            take_value(*option, word.substr(equals + 1));
        } else {
            value_of_ = option;
        }
    }
    void take_value(const CLI::Option& option, const std::string& value) {
        if (option.check_lname("state-dir")) offers_.state_dir = value;
        if (option.check_lname("pid")) std::from_chars(value.data(), value.data() + value.size(), offers_.pid);
    }
    void offer_names(const CLI::Option& option, std::string prefix) {
        offers_.names = names_of(option);
        offers_.name_prefix = std::move(prefix);
    }
    void offer_operand() {
        if (operands_ == 0) {
            offers_.words = commands_of(*command_);
            if (command_->get_name() == "help") offers_.words = topics_of(app_);
            if (command_->get_name() == "completion") offers_.words = {{"bash", ""}, {"zsh", ""}, {"fish", ""}};
            if (!offers_.words.empty()) return;
        }
        if (const CLI::Option* operand = operand_of(*command_, operands_)) return offer_names(*operand, "");
        offers_.words = options_of(*command_);
    }

    const CLI::App& app_;
    Offers& offers_;
    const CLI::App* command_ = nullptr;
    const CLI::Option* value_of_ = nullptr;  // its value comes next
    std::size_t operands_ = 0;
    bool foreign_ = false;  // after "--", or not a command of ours
};

/// Expands a tilde that the shell has not expanded yet.
std::string expanded(const std::string& path) {
    const char* home = std::getenv("HOME");
    return path.starts_with("~/") && home != nullptr ? home + path.substr(1) : path;
}

}  // namespace

Offers offers_for(const std::vector<std::string>& words, ExtraCommands extras) {
    Raw raw;
    CLI::App app;
    describe(app, raw);
    describe_extras(app, extras);
    describe_about(app, raw);

    Offers offers;
    Line line(app, offers);
    const std::string current = words.empty() ? std::string() : words.back();
    for (std::size_t i = 0; i + 1 < words.size(); ++i) line.read(words[i]);
    line.offer(current);
    offers.state_dir = expanded(offers.state_dir);
    return offers;
}

}  // namespace gantry::cli
