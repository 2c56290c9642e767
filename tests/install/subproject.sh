#!/usr/bin/env bash
# subproject.sh SOURCE BUILD: a project that adds this folder gets the libraries, no tests, benchmarks or program, and
# configures without the packages of those.
. "$(dirname "$0")/common.sh"
cat > "$scratch/CMakeLists.txt" <<EOF
cmake_minimum_required(VERSION 3.25)
project(outer LANGUAGES C CXX)
add_subdirectory($source gantry)
add_executable(outer $source/examples/consumer/client.cpp)
target_link_libraries(outer PRIVATE Gantry::client)
EOF
refused=(); for name in CLI11 SQLite3 mimalloc GTest benchmark simdjson; do refused+=("-DCMAKE_DISABLE_FIND_PACKAGE_$name=ON"); done
cmake -S "$scratch" -B "$scratch/build" -G Ninja -DCMAKE_C_COMPILER=clang-19 -DCMAKE_CXX_COMPILER=clang++-19 "${refused[@]}" \
  > "$scratch/log" 2>&1 || { cat "$scratch/log" >&2; fail "does not configure as a subproject"; }
ninja -C "$scratch/build" -t targets all | cut -d: -f1 > "$scratch/targets"
expect libgantry-client.a "$scratch/targets"
! grep -E '_test$|_bench$|gateway_events|/gantry$|yaml' "$scratch/targets" || fail "brings more than the libraries"
# Compiling all of it takes minutes; the plan and one file show that flags and include paths hold.
ninja -C "$scratch/build" -n outer > "$scratch/log" || { cat "$scratch/log" >&2; fail "cannot be planned"; }
ninja -C "$scratch/build" CMakeFiles/outer.dir"$source"/examples/consumer/client.cpp.o > "$scratch/log" 2>&1 ||
  { tail -30 "$scratch/log" >&2; fail "a user of the subproject does not compile"; }
echo "configures with the libraries' own dependencies"
