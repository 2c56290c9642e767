#!/usr/bin/env bash
# steps.sh SOURCE: a step of setup or build is one line with its time; the rest is in a log that the line names, and the end
# of the log is shown when the step fails.
set -euo pipefail
scratch=$(mktemp -d); trap 'rm -rf "$scratch"' EXIT
fail() { echo "FAILED: $*" >&2; cat "$scratch/out" >&2; exit 1; }
unset GANTRY_VERBOSE
cd "$scratch"
# run COMMAND: in a shell of its own that knows step.
run() { bash -c ". '$source/tools/lib/steps.sh'; log=$scratch/logs/it.log; $1" > out 2>&1; }
source=$1

run "step 'first thing' echo noise; step 'second thing' echo more" || fail "a step that went well fails"
[ "$(wc -l < out)" -eq 2 ] || fail "not one line per step"
grep -qE '^first thing … \(log: logs/it\.log\) [0-9]+ s$' out || fail "the first line lacks the log's name or the time"
grep -qE '^second thing … [0-9]+ s$' out || fail "the second line lacks the time"
grep -q noise logs/it.log && grep -q more logs/it.log || fail "the log lacks what the steps printed"

! run "step 'bad thing' bash -c 'echo the reason; exit 3'" || fail "a step that failed is taken for a good one"
grep -q '^bad thing … .*FAILED' out || fail "the failure is not in the line"
grep -qx 'the reason' out || fail "the end of the log is not shown"
! grep -q noise out || fail "what earlier steps printed is shown too"
run "step 'bad thing' bash -c 'exit 3' || exit \$?" && fail "lost status" || [ $? -eq 3 ] || fail "another exit status"

GANTRY_VERBOSE=1 run "step 'loud thing' echo noise" || fail "verbose fails"
grep -qx noise out || fail "GANTRY_VERBOSE=1 does not show the output"
echo "one line per step, the rest in the log"
