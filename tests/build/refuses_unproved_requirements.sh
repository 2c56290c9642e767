#!/usr/bin/env bash
# The check of docs/requirements.md has to fail for a test that is not there, for one elsewhere and for a missing row.
set -euo pipefail
page=$(mktemp); trap 'rm -f "$page"' EXIT
expect_refused() {
  sed "$1" "$2/docs/requirements.md" > "$page"
  if out=$("$2/tests/build/requirements_are_proved.py" "$2" "$page"); then echo "not refused: $3"; exit 1; fi
  grep -q "$3" <<< "$out" || { echo "refused without saying why: $3"; echo "$out"; exit 1; }
}
expect_refused 's/`Message.CarriesErrorDataAsItCame`/`Message.WasNeverWritten`/' "$1" "there is no test Message.WasNeverWritten"
expect_refused 's|(mcp/protocol/message_test.cpp)|(mcp/protocol/codec_test.cpp)|' "$1" "is not a test of mcp/protocol/codec_test.cpp"
expect_refused '/^| S4-08 /d' "$1" "S4-08 is missing"
expect_refused 's/^| S4-13 .*/| S4-13 | empty | no test yet |/' "$1" "a row without a test"
