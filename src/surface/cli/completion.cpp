#include "surface/cli/completion.hpp"

namespace gantry::cli {

namespace {

// The scripts run `gantry completion --offers -- WORD …`, which prints one candidate per line, followed by a tab and
// its description. Names come from servers: they are compared and quoted, never expanded as `compgen -W` would. Without
// candidates the shell completes files, as for any program.

constexpr std::string_view kBash = R"sh(_gantry() {
  local current=${COMP_WORDS[COMP_CWORD]} program=${COMP_WORDS[0]/#\~\//$HOME/} offer
  [[ $current == = ]] && current=
  COMPREPLY=()
  while IFS= read -r offer; do
    offer=${offer%%$'\t'*}
    [[ $offer == "$current"* ]] || continue
    printf -v offer %q "$offer"
    COMPREPLY+=("$offer")
  done < <("$program" completion --offers -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _gantry gantry
)sh";

// The file may be autoloaded, in which case its text is the function's first run, or sourced.
constexpr std::string_view kZsh = R"sh(#compdef gantry
_gantry() {
  local program=${${(Q)words[1]}/#\~\//$HOME/}
  local -a offers
  offers=("${(@f)$("$program" completion --offers -- "${(@Q)words[2,CURRENT]}" 2>/dev/null)}")
  offers=("${(@)offers:#}")
  if (( ! $#offers )); then _files; return; fi
  offers=("${(@)offers//:/\\:}")
  offers=("${(@)offers/$'\t'/:}")
  _describe -t gantry gantry offers
}
if [[ $funcstack[1] == _gantry ]]; then _gantry "$@"; else compdef _gantry gantry; fi
)sh";

constexpr std::string_view kFish = R"sh(function __gantry_offers
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l program $words[1]
    set -e words[1]
    set -l offers ($program completion --offers -- $words "$current" 2>/dev/null)
    if set -q offers[1]
        printf '%s\n' $offers
    else
        __fish_complete_path "$current"
    end
end
complete -c gantry -f -a '(__gantry_offers)'
)sh";

}  // namespace

std::optional<std::string_view> completion_script(std::string_view shell) {
    if (shell == "bash") return kBash;
    if (shell == "zsh") return kZsh;
    if (shell == "fish") return kFish;
    return std::nullopt;
}

}  // namespace gantry::cli
