#!/usr/bin/env bash
# The check of docs/requirements.md has to fail for each thing it is there to find.
. "$(dirname "$0")/refusals.sh"
root=$1 page=docs/requirements.md check=requirements_are_proved.py
scratch=$(mktemp -d); trap 'rm -rf "$edited" "$scratch"' EXIT
# set_row ID STATUS TEXT: an edit that gives a row another end.
set_row() { echo "s#^\(| $1 |[^|]*|\).*#\1 $2 | $3 |#"; }

# Tests that are not there, or elsewhere.
expect_refused 's/`Rpc.AJsonRpcErrorKeepsItsCodeAndData`/`Rpc.WasNeverWritten`/' "there is no test Rpc.WasNeverWritten"
expect_refused 's|(client/tool_test.cpp)|(client/client_test.cpp)|' "is not a test of client/client_test.cpp"
expect_refused "$(set_row S4-13 holds '`Tool.AMissingDescriptionReadsAsAnEmptyString`')" "is named without its file"
expect_refused 's|tests/build/refuses_forbidden_include.sh|tests/build/refuses_nothing.sh|' "there is no tests/build/refuses_nothing.sh"

# Rows that are missing, repeated, misplaced or nothing.
expect_refused '/^| S4-08 /d' "S4-08 is missing"
expect_refused '/^| T-33 /d' "T-33 is missing"
expect_refused '/^| S4-13 /p' "S4-13 is there twice"
expect_refused '/^| S4-13 /{h;d};/^| S4-14 /G' "S4-14 stands after S4-13"
expect_refused 's/^| S4-34 /| S4-35 /' "there is no S4-35 in any design"
expect_refused 's/^| S4-13 | \(.*\)/| S4-13, S4-14 | \1/' "not a row of this page"

# Statuses, and what each has to say.
expect_refused "$(set_row S4-13 nearly 'we are working on it')" "'nearly' is no status"
expect_refused "$(set_row S4-13 holds 'everybody knows')" "S4-13: holds without a test"
expect_refused "$(set_row S4-12 deviates 'we know better')" "S4-12: deviates without a test"
expect_refused "$(set_row S4-12 deviates '`Tool.AMissingDescriptionReadsAsAnEmptyString` (client/tool_test.cpp)')" "deviates without a reason"
expect_refused "$(set_row S4-26 settled '')" "S4-26: settled without a reason"
expect_refused "$(set_row S4-34 open '')" "S4-34: open without a reason"
expect_refused 's/^| T-33 | \([^|]*\)| .*/| T-33 | \1| tried by hand |/' "fact without a test"
expect_refused 's/^| Webhooks are signed \([^|]*\)| .*/| Webhooks are signed \1| tried by hand |/' "demand without a test"

# Superseded rows are not held, neither by their status nor in the totals.
expect_refused "$(set_row S4-15 holds '`Tool.AMissingDescriptionReadsAsAnEmptyString` (client/tool_test.cpp)')" \
  "S4-15: it contradicts S4-29, so it is superseded and does not count as held"
expect_refused "$(set_row S4-14 superseded 'by S4-29')" "S4-14: superseded, but the check knows no row that it contradicts"
expect_refused "$(set_row S4-15 superseded 'by S4-14')" "does not begin with 'by S4-29'"
expect_refused "$(set_row S4-29 superseded 'by S4-15')" "superseded by S4-29, which does not count either"
held=$(sed -n 's/^| all | [0-9]* | \([0-9]*\) .*/\1/p' "$root/$page") out_of_force=$(grep -c '| superseded | by' "$root/$page")
expect_refused "s/^\(| all | [0-9]* |\) $held /\1 $((held + out_of_force)) /" "the totals are"
expect_refused '/^| S2 | [0-9]/d' "the table of totals is incomplete"

# Other words than those of the catalogue: here a catalogue in the words of the page itself.
awk -F'|' '/^\| S[0-4]-/ { print "|" $2 "| N |" $3 "|" }' "$root/$page" > "$scratch/catalogue.md"
"$root/tests/build/$check" "$root" --catalogue "$scratch/catalogue.md" --words > /dev/null || { echo "refused in the right words"; exit 1; }
expect_refused 's/^\(| S4-13 |\) Missing tool description becomes /\1 A missing description reads as /' \
  "S4-13 is not in the words of the catalogue" --catalogue "$scratch/catalogue.md"
echo '| S4-35 | N | One more. |' >> "$scratch/catalogue.md"
expect_refused '' "S4-35 of the catalogue is missing" --catalogue "$scratch/catalogue.md"
status=0; out=$("$root/tests/build/$check" "$root" --catalogue "$scratch/absent.md" --words) || status=$?
[ $status -eq 77 ] && grep -q SKIPPED <<< "$out" || { echo "an absent catalogue is not said to be absent"; exit 1; }

# A row none of whose tests ran. Of a test with parameters one instance is enough.
results() {  # results SKIPPED…: everything the page names ran, except these
  echo '<testsuite>'
  grep -oE '`[A-Z]\w+\.[A-Z]\w+`' "$root/$page" | tr -d '`' | sort -u | grep -vxF "$(printf '%s\n' "$@")" |
    sed 's|.*|<testcase name="Any/&/0" status="run"/>|'
  printf '<testcase name="Any/%s/1" status="notrun"><skipped/></testcase>\n' "$@"
  echo '</testsuite>'
}
results Tool.AMissingDescriptionReadsAsAnEmptyString > "$scratch/results.xml"
"$root/tests/build/$check" "$root" --results "$scratch/results.xml" > /dev/null || { echo "refused although another test ran"; exit 1; }
results Tool.AMissingDescriptionReadsAsAnEmptyString Tools.TheDefinitionComesOutAsTheServerSentIt > "$scratch/results.xml"
expect_refused '' "S4-13: none of its tests ran" --results "$scratch/results.xml"

# --fix writes the totals and nothing else.
sed 's/^\(| S2 | [0-9]* |\) [0-9]* /\1 0 /' "$root/$page" > "$edited"
"$root/tests/build/$check" "$root" "$edited" --fix > /dev/null && cmp -s "$edited" "$root/$page" || { echo "totals are not put right"; exit 1; }
