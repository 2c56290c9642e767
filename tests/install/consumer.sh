#!/usr/bin/env bash
# consumer.sh SOURCE BUILD COMPILER: examples/consumer outside the tree, against an install prefix, with that compiler and
# without the packages that only the gateway program needs; then its programs talk to each other.
. "$(dirname "$0")/common.sh"
compiler=$3
command -v "$compiler" > /dev/null || skip "$compiler is not installed"
cmake --install "$build" --prefix "$scratch/prefix" --component library > "$scratch/log"
cp -r "$source/examples/consumer" "$scratch/consumer"
refused=(); for name in CLI11 SQLite3 mimalloc GTest benchmark simdjson; do refused+=("-DCMAKE_DISABLE_FIND_PACKAGE_$name=ON"); done
cmake -S "$scratch/consumer" -B "$scratch/build" -G Ninja -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_BUILD_TYPE=Release \
  -DCMAKE_PREFIX_PATH="$scratch/prefix" "${refused[@]}" > "$scratch/log" 2>&1 ||
  { cat "$scratch/log" >&2; fail "the consumer does not configure"; }
cmake --build "$scratch/build" > "$scratch/log" 2>&1 || { tail -30 "$scratch/log" >&2; fail "the consumer does not build"; }

"$scratch/build/consumer_client" "$scratch/build/consumer_server" > "$scratch/out"
expect "tool add" "$scratch/out"; expect "answer 42" "$scratch/out"
"$scratch/build/consumer_both" > "$scratch/out"
expect "hello world" "$scratch/out"

ldd "$scratch/build/consumer_client" > "$scratch/out"
! grep -E 'sqlite|prometheus|yaml|mimalloc' "$scratch/out" || fail "a client needs libraries of the gateway program"
echo "built and run with $compiler"
