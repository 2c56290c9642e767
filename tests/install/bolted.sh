#!/usr/bin/env bash
# bolted.sh SOURCE BUILD: a program that BOLT has laid out, as tools/build-tuned does, is installed without its symbols,
# still runs, and its symbols are found. GNU objcopy turns such a program into one that crashes.
. "$(dirname "$0")/common.sh"
bolt=$(llvm-config-19 --bindir 2> /dev/null)/llvm-bolt
[ -x "$bolt" ] || skip "BOLT is not installed (tools/setup tuned)"
"$bolt" "$build/gantry" -o "$scratch/gantry-symbols" -reorder-blocks=ext-tsp -split-functions -split-all-cold \
  -update-debug-sections > "$scratch/log" 2>&1 || { tail -5 "$scratch/log" >&2; fail "BOLT"; }
llvm-objcopy-19 --strip-debug "$scratch/gantry-symbols" "$scratch/gantry"
for part in program symbols; do
  DESTDIR=$scratch/stage cmake -Dgantry_program="$scratch/gantry" -Dgantry_bindir=bin -Dgantry_stage="$scratch/work" \
    -DCMAKE_INSTALL_PREFIX=/usr -P "$source/cmake/install/$part.cmake" > "$scratch/log" 2>&1 || { cat "$scratch/log" >&2; fail "$part"; }
done
installed=$scratch/stage/usr/bin/gantry
"$installed" completion bash > "$scratch/out" || fail "the stripped program does not run"
! readelf -SW "$installed" | grep -qE '\.debug_|\.symtab' || fail "the installed program is not stripped"
if command -v gdb > /dev/null; then
  gdb -nx -batch -ex 'info line main' "$installed" > "$scratch/out" 2>&1
  expect "main.cpp" "$scratch/out"
fi
echo "stripped to $(stat -c %s "$installed") bytes and runs"
