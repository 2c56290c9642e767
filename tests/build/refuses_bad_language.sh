#!/usr/bin/env bash
# The language check has to fail, with file, line and advice, for a phrase in any kind of page it reads and in a comment
# of a source, and to pass over code, string literals and the rows of docs/requirements.md.
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
cat > "$work/src/io/limits.cpp" <<'EOF'
const char* kText = "nobody // whoever";
const char* kRaw = R"x(whoever )" // "
/* nobody */)x";
const long kMost = 1'000'000;  // far above the `nobody` of real use
const char kQuote = '"', kOther = u8'\'';
int somebody = 0xff'ff;
EOF
expect_fine "identifiers and literals of a source"
for comment in '// Nobody waits.' '/// Nobody waits.' 'int i = 0;  // nobody waits' '/* nobody waits */'; do
  cp "$work/src/io/limits.cpp" "$work/src/io/comment.cpp"
  printf '%s\n' "$comment" >> "$work/src/io/comment.cpp"
  expect_refused "$comment" "^src/io/comment.cpp:7: '[Nn]obody': name the subject"
done
printf '/* Two\n   of them wait for ever. */\n' > "$work/src/io/comment.cpp"
expect_refused "a comment of two lines" "^src/io/comment.cpp:2: 'for ever': without limit"
rm "$work/src/io/comment.cpp"
printf '# Page\n\nFiles of `nobody`.\n\n```\nwhoever\n```\n' > "$work/docs/tour.md"
printf '| S1 | whoever asks |\n' > "$work/docs/requirements.md"
printf 'whoever\n' > "$work/build/README.md"
expect_fine "code, quoted rows and what was built"
printf 'Whoever asks.\n' >> "$work/docs/requirements.md"
expect_refused "prose beside quoted rows" "^docs/requirements.md:2:"
