#!/usr/bin/env bash
# layout.sh SOURCE BUILD: what make install puts where, with DESTDIR; the program is stripped and finds its symbols.
. "$(dirname "$0")/common.sh"
DESTDIR=$scratch/stage cmake --install "$build" --prefix /opt/gantry > "$scratch/log"
[ "$(ls "$scratch/stage")" = opt ] || fail "files outside the prefix: $(ls "$scratch/stage")"
tree=$scratch/stage/opt/gantry
"$tree/bin/gantry" --version > "$scratch/out"; expect "gantry " "$scratch/out"

readelf -SW "$tree/bin/gantry" > "$scratch/sections"
! grep -qE '\.debug_|\.symtab' "$scratch/sections" || fail "the installed program is not stripped"
expect .gnu_debuglink "$scratch/sections"
[ "$(stat -c %s "$tree/bin/gantry")" -lt "$(($(stat -c %s "$build/gantry") / 2))" ] || fail "stripping saved less than half"
readelf -SW "$tree/bin/.debug/gantry.debug" > "$scratch/sections" 2> /dev/null
expect .debug_line "$scratch/sections"
build_id() { readelf -n "$1" 2> /dev/null | grep 'Build ID'; }
[ "$(build_id "$tree/bin/gantry")" = "$(build_id "$tree/bin/.debug/gantry.debug")" ] || fail "the symbols belong to another program"

for command in serve call status check; do
  expect "gantry" "$tree/share/man/man1/gantry-$command.1"
done
# Every command of the help has a page.
"$build/gantry" completion --offers -- "" | cut -f 1 | grep -vx manual > "$scratch/commands"
[ -s "$scratch/commands" ] || fail "the program completes no commands"
while read -r command; do
  [ -s "$tree/share/man/man1/gantry-$command.1" ] || fail "no manual page for gantry $command"
done < "$scratch/commands"
if command -v groff > /dev/null; then
  for page in "$tree"/share/man/man1/*.1; do
    warnings=$(groff -K utf8 -man -Tutf8 -ww -z "$page" 2>&1) || true
    [ -z "$warnings" ] || fail "$page: $warnings"
  done
fi
bash -n "$tree/share/bash-completion/completions/gantry"
[ -s "$tree/share/zsh/site-functions/_gantry" ] && [ -s "$tree/share/fish/vendor_completions.d/gantry.fish" ] ||
  fail "completions are missing"
# The manifest of the extension, which the installed program accepts.
"$tree/bin/gantry" check "$tree/share/gantry/sandbox/extensions/mcp/manifest.yaml" > "$scratch/out" 2>&1 ||
  fail "the manifest is refused: $(cat "$scratch/out")"
echo "$(find "$tree" -type f | wc -l) files, all in place"
