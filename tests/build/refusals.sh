# Sourced by the tests of checks that read a page: expect_refused EDIT WHY [OPTION …] runs the check on an edited copy of the page.
#
#   . refusals.sh; root=FOLDER page=docs/PAGE.md check=SCRIPT
set -euo pipefail
edited=$(mktemp); trap 'rm -f "$edited"' EXIT
expect_refused() {
  sed "$1" "$root/$page" > "$edited"
  if out=$("$root/tests/build/$check" "$root" "$edited" "${@:3}"); then echo "not refused: $2"; exit 1; fi
  grep -qF -- "$2" <<< "$out" || { echo "refused without saying why: $2"; echo "$out"; exit 1; }
}
