#include <CLI/CLI.hpp>
#include <algorithm>

#include "surface/cli/app.hpp"
#include "surface/cli/options.hpp"

namespace gantry::cli {

namespace {

struct OptionWord {
    std::string name;   // "--server"
    std::string names;  // what its value names: "servers", "tools" or nothing
};

struct Words {
    std::string command;
    std::string help;
    std::vector<OptionWord> options;
    /// What its first operand names.
    std::string operand;
    /// Words its first operand may be.
    std::vector<std::string> choices;
};

/// What the value of an option or operand names, by the word that stands for it in the help.
std::string names_of(const CLI::Option& option) {
    const std::string type = option.get_type_name();
    const auto& names = option.get_lnames();
    const bool server = std::ranges::find(names, "server") != names.end();
    if (type == "SERVER" || server) return "servers";
    return type == "TOOL" ? "tools" : "";
}

/// Read off the same description that parses, so that it cannot fall behind.
std::vector<Words> words_of(const CLI::App& app) {
    std::vector<Words> all;
    for (const CLI::App* command : app.get_subcommands({})) {
        if (command->get_group().empty()) continue;
        Words words{.command = command->get_name(), .help = command->get_description()};
        for (const CLI::Option* option : command->get_options()) {
            if (option->get_group().empty()) continue;
            for (const std::string& name : option->get_lnames())
                words.options.push_back({.name = "--" + name, .names = names_of(*option)});
            if (option->get_positional() && words.operand.empty()) words.operand = names_of(*option);
        }
        for (const CLI::App* action : command->get_subcommands({})) words.choices.push_back(action->get_name());
        all.push_back(std::move(words));
    }
    for (Words& words : all) {
        if (words.command == "completion") words.choices = {"bash", "zsh", "fish"};
        if (words.command != "help") continue;
        for (const Words& other : all) words.choices.push_back(other.command);
        words.choices.push_back("exit-codes");
    }
    return all;
}

std::string joined(const Words& words) {
    std::string text;
    for (const std::string& choice : words.choices) text += (text.empty() ? "" : " ") + choice;
    for (const OptionWord& option : words.options) text += (text.empty() ? "" : " ") + option.name;
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

/// Lines `    "logs --server") names=servers ;;` for every option whose value is a name, then for operands.
std::string name_cases(const std::vector<Words>& all) {
    std::string cases;
    for (const Words& words : all) {
        for (const OptionWord& option : words.options) {
            if (!option.names.empty())
                cases += "    \"" + words.command + ' ' + option.name + "\") names=" + option.names + " ;;\n";
        }
    }
    return cases;
}
std::string operand_cases(const std::vector<Words>& all) {
    std::string cases;
    for (const Words& words : all) {
        if (!words.operand.empty()) cases += "      " + words.command + ") names=" + words.operand + " ;;\n";
    }
    return cases;
}

// Names come from servers: they are compared and quoted, never expanded as `compgen -W` would.
std::string for_bash(const std::vector<Words>& all) {
    std::string commands;
    std::string cases;
    for (const Words& words : all) {
        commands += words.command + ' ';
        cases += "    " + words.command + ") words=\"" + joined(words) + "\" ;;\n";
    }
    return R"sh(_gantry() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} words= names= name i
  local -a where=()
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    case ${COMP_WORDS[i]} in
    --) return ;;
    --state-dir) where=(--state-dir "${COMP_WORDS[i+1]}") ;;
    esac
  done
  if ((COMP_CWORD == 1)); then
    COMPREPLY=($(compgen -W ")sh" +
           commands + R"sh(--help --version" -- "$current"))
    return
  fi
  case "${COMP_WORDS[1]} $previous" in
)sh" + name_cases(all) +
           R"sh(  esac
  if [[ -z $names && $current != -* ]] && ((COMP_CWORD == 2)); then
    case ${COMP_WORDS[1]} in
)sh" + operand_cases(all) +
           R"sh(    esac
  fi
  if [[ -n $names ]]; then
    while IFS= read -r name; do
      [[ $name == "$current"* ]] && COMPREPLY+=("$(printf %q "$name")")
    done < <("${COMP_WORDS[0]}" completion --names "$names" "${where[@]}" 2>/dev/null)
    return
  fi
  case ${COMP_WORDS[1]} in
)sh" + cases +
           R"sh(  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _gantry gantry
)sh";
}

std::string for_zsh(const std::vector<Words>& all) {
    std::string commands;
    std::string cases;
    for (const Words& words : all) {
        commands += ' ' + quoted(words.command + ':' + words.help, "'\\''");
        cases += "    " + words.command + ") compadd -- " + joined(words) + "; _files ;;\n";
    }
    return R"sh(#compdef gantry
_gantry() {
  local names found
  local -a commands=()sh" +
           commands + R"sh()
  if ((CURRENT == 2)); then _describe command commands; return; fi
  if ((${words[(I)--]} && ${words[(I)--]} < CURRENT)); then _files; return; fi
  case "$words[2] $words[CURRENT-1]" in
)sh" + name_cases(all) +
           R"sh(  esac
  if [[ -z $names && $words[CURRENT] != -* ]] && ((CURRENT == 3)); then
    case $words[2] in
)sh" + operand_cases(all) +
           R"sh(    esac
  fi
  if [[ -n $names ]]; then
    found=("${(@f)$($words[1] completion --names $names 2>/dev/null)}")
    compadd -- "${(@)found:#}"
    return
  fi
  case $words[2] in
)sh" + cases +
           R"sh(  esac
}
compdef _gantry gantry
)sh";
}

std::string for_fish(const std::vector<Words>& all) {
    std::string script;
    const auto names = [](const std::string& kind) {
        return " -x -a '(gantry completion --names " + kind + " 2>/dev/null)'";
    };
    for (const Words& words : all) {
        const std::string here = "complete -c gantry -n '__fish_seen_subcommand_from " + words.command + "'";
        script += "complete -c gantry -n __fish_use_subcommand -f -a " + words.command + " -d " +
                  quoted(words.help, "\\'") + '\n';
        if (!words.operand.empty()) script += here + names(words.operand) + '\n';
        for (const std::string& choice : words.choices) script += here + " -f -a " + choice + '\n';
        for (const OptionWord& option : words.options) {
            script += here + " -l " + option.name.substr(2) + (option.names.empty() ? "" : names(option.names)) + '\n';
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
    describe_about(app, raw);
    const std::vector<Words> words = words_of(app);
    if (shell == "bash") return for_bash(words);
    if (shell == "zsh") return for_zsh(words);
    if (shell == "fish") return for_fish(words);
    return std::nullopt;
}

}  // namespace gantry::cli
