#!/usr/bin/env bash
# test_selection.sh SOURCE: in four days every test program has its turn under the sanitizers, a changed one at once, and
# a day on which everything changed takes no more than two fifths of them.
set -euo pipefail
scratch=$(mktemp -d); trap 'rm -rf "$scratch"' EXIT
fail() { echo "FAILED: $*" >&2; exit 1; }
mkdir -p "$scratch/tools" "$scratch/build/dev"
cp "$1/tools/test-selection" "$scratch/tools/"
cd "$scratch"
for i in $(seq 12); do
  mkdir -p "src/part$i"; echo "test$i src/part$i $([ $((i % 2)) -eq 0 ] && echo concurrent)"; echo old > "src/part$i/code.cpp"
done > build/dev/test_programs
echo "keycloak tests/services services" >> build/dev/test_programs
echo /build/ > .gitignore
git init -q .
commit() { git add -A; git -c user.name=t -c user.email=t@localhost commit -qm "$1"; }
GIT_AUTHOR_DATE='2020-01-01T00:00:00Z' GIT_COMMITTER_DATE='2020-01-01T00:00:00Z' commit old

for day in 0 1 2 3; do DAY=$day tools/test-selection dev > "day$day.out"; done
[ "$(cat day*.out | sort -u | wc -l)" -eq 12 ] || fail "a program has no turn within four days"
[ "$(cat day*.out | wc -l)" -eq 12 ] || fail "a program has two turns within four days"
! grep -q keycloak day*.out || fail "a service is run under sanitizers"
rm day*.out

echo new > src/part5/code.cpp
for day in 0 1 2 3; do DAY=$day tools/test-selection dev | grep -qx test5 || fail "a change that is not committed does not count"; done
commit new
for day in 0 1 2 3; do DAY=$day tools/test-selection dev | grep -qx test5 || fail "a committed change does not count"; done
[ "$(DAY=0 tools/test-selection dev concurrent | sort -u | tr '\n' ' ')" = "test8 " ] || fail "the label does not choose"

for i in $(seq 12); do echo newer > "src/part$i/code.cpp"; done
commit everything
[ "$(DAY=1 tools/test-selection dev | wc -l)" -eq 5 ] || fail "a day of many changes is not bounded"
echo "rotates, follows changes, stays bounded"
