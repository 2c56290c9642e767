#include <CLI/CLI.hpp>

#include "surface/cli/app.hpp"
#include "surface/cli/options.hpp"

namespace gantry::cli {

namespace {

struct Words {
    std::string command;
    std::string help;
    std::vector<std::string> options;
};

/// Read off the same description that parses, so that it cannot fall behind.
std::vector<Words> words_of(const CLI::App& app) {
    std::vector<Words> all;
    for (const CLI::App* subcommand : app.get_subcommands({})) {
        Words words{.command = subcommand->get_name(), .help = subcommand->get_description()};
        for (const CLI::Option* option : subcommand->get_options()) {
            for (const std::string& name : option->get_lnames()) words.options.push_back("--" + name);
        }
        all.push_back(std::move(words));
    }
    return all;
}

std::string joined(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
    return text;
}

/// In single quotes, with what the shell wants for a quote inside them.
std::string quoted(const std::string& text, std::string_view quote) {
    std::string out = "'";
    for (const char c : text) {
        if (c == '\'') {
            out += quote;
        } else {
            out += c;
        }
    }
    return out + '\'';
}

std::string for_bash(const std::vector<Words>& all) {
    std::string commands;
    std::string cases;
    for (const Words& words : all) {
        commands += words.command + ' ';
        cases += "    " + words.command + ") words=\"" + joined(words.options) + "\" ;;\n";
    }
    return "_gantry() {\n"
           "  local current=${COMP_WORDS[COMP_CWORD]} words=\"" +
           commands +
           "--help --version\"\n"
           "  COMPREPLY=()\n"
           "  case ${COMP_WORDS[1]} in\n" +
           cases +
           "  esac\n"
           "  [ \"$COMP_CWORD\" -eq 1 ] && words=\"" +
           commands +
           "--help --version\"\n"
           "  COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
           "}\n"
           "complete -o default -F _gantry gantry\n";
}

std::string for_zsh(const std::vector<Words>& all) {
    std::string commands;
    std::string cases;
    for (const Words& words : all) {
        commands += ' ' + quoted(words.command + ':' + words.help, "'\\''");
        cases += "    " + words.command + ") compadd -- " + joined(words.options) + "; _files ;;\n";
    }
    return "#compdef gantry\n"
           "_gantry() {\n"
           "  local -a commands=(" +
           commands +
           ")\n"
           "  if (( CURRENT == 2 )); then _describe command commands; return; fi\n"
           "  case $words[2] in\n" +
           cases +
           "  esac\n"
           "}\n"
           "compdef _gantry gantry\n";
}

std::string for_fish(const std::vector<Words>& all) {
    std::string script;
    for (const Words& words : all) {
        script += "complete -c gantry -n __fish_use_subcommand -f -a " + words.command + " -d " +
                  quoted(words.help, "\\'") + '\n';
        for (const std::string& option : words.options) {
            script += "complete -c gantry -n '__fish_seen_subcommand_from " + words.command + "' -l " +
                      option.substr(2) + "\n";
        }
    }
    return script;
}

}  // namespace

std::optional<std::string> completion_script(const std::string& shell, ExtraCommands extras) {
    CLI::App app;
    Raw raw;
    describe(app, raw);
    describe_extras(app, extras);
    const std::vector<Words> words = words_of(app);
    if (shell == "bash") return for_bash(words);
    if (shell == "zsh") return for_zsh(words);
    if (shell == "fish") return for_fish(words);
    return std::nullopt;
}

}  // namespace gantry::cli
