# complete.zsh LINE: the line after pressing Tab at its end, in an interactive zsh whose .zshrc is in the home folder.
zmodload zsh/zpty || exit 1
# The first prompt and the widget report themselves, in words that do not stand in the file as they are printed.
cat >> $HOME/.zshrc <<'EOS'
zle-line-init() { print -rn -- PROMPT'-'SHOWN }
report() { print -r -- "$BUFFER" > $HOME/line; print -rn -- LINE'-'KEPT; exit }
zle -N zle-line-init; zle -N report; bindkey '^G' report
EOS
zpty shell TERM=dumb ZDOTDIR=$HOME zsh -d -i
zpty -r shell screen '*PROMPT-SHOWN*' || exit 1
zpty -w -n shell "$1"$'\t\a'
zpty -r shell screen '*LINE-KEPT*' || { print -r -- "$screen" >&2; exit 1 }
cat $HOME/line
