# Sourced by setup and build: runs each step quietly and reports it in one line with the time it took.
#
#   log=FILE; step "what is done" COMMAND [ARGUMENT …]
#
# Output goes to $log, which the first step's line names; when a step fails, its last lines are shown. GANTRY_VERBOSE=1
# shows everything instead.

# elapsed SECONDS: "8 s", "2 min 05 s".
elapsed() { if [ "$1" -lt 60 ]; then printf '%d s' "$1"; else printf '%d min %02d s' "$(($1 / 60))" "$(($1 % 60))"; fi; }

step() {
  local what=$1 began=$SECONDS code=0 from; shift
  if [ -n "${GANTRY_VERBOSE:-}" ]; then
    printf '%s …\n' "$what"
    "$@" || return
    printf '%s: done (%s)\n' "$what" "$(elapsed $((SECONDS - began)))"
    return
  fi
  mkdir -p "$(dirname "$log")"
  printf '\n=== %s: %s\n' "$(date -u +%FT%TZ)" "$what" >> "$log"
  from=$(($(wc -l < "$log") + 1))
  printf '%s … ' "$what"
  if [ -z "${log_named:-}" ]; then log_named=1; printf '(log: %s) ' "${log#"$PWD/"}"; fi
  "$@" >> "$log" 2>&1 < /dev/null || code=$?
  if [ "$code" -eq 0 ]; then printf '%s\n' "$(elapsed $((SECONDS - began)))"; return; fi
  printf 'FAILED after %s\n' "$(elapsed $((SECONDS - began)))"
  tail -n +"$from" "$log" | tail -n 60 >&2
  printf 'The whole output is in %s\n' "$log" >&2
  return "$code"
}
