#!/usr/bin/env bash
# The language check has to fail, with file, line and advice, for a phrase in any kind of page it reads, and to pass over
# code and the rows of docs/requirements.md.
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
mkdir -p "$work/docs/decisions" "$work/src/io" "$work/build"
printf '# Page\n\nEvery caller is served.\n' > "$work/README.md"
check() { "$1/tools/check-language" "$work" > "$work/out" 2>&1; }
expect_refused() {
  if check "$root"; then echo "not refused: $1"; exit 1; fi
  grep -q "$2" "$work/out" || { echo "refused without saying why: $1"; cat "$work/out"; exit 1; }
}
expect_fine() { check "$root" || { echo "refused: $1"; cat "$work/out"; exit 1; }; }
root=$1
expect_fine "a page without such phrases"
for page in CHANGELOG.md docs/how-to.md docs/decisions/0001-a.md src/io/README.md; do
  printf '# Page\n\nWhoever calls is told so.\n' > "$work/$page"
  expect_refused "$page" "^$page:3: 'Whoever': name the subject"
  grep -q "^$page:3: 'is told': is notified" "$work/out" || { echo "only one phrase of a line is refused"; exit 1; }
  rm "$work/$page"
done
printf '# Page\n\nFiles of `nobody`.\n\n```\nwhoever\n```\n' > "$work/docs/tour.md"
printf '| S1 | whoever asks |\n' > "$work/docs/requirements.md"
printf 'whoever\n' > "$work/build/README.md"
expect_fine "code, quoted rows and what was built"
printf 'Whoever asks.\n' >> "$work/docs/requirements.md"
expect_refused "prose beside quoted rows" "^docs/requirements.md:2:"
