#!/usr/bin/env bash
# headers.sh SOURCE BUILD: every public header compiles by itself with Debian's g++ 12.
. "$(dirname "$0")/common.sh"
command -v g++-12 > /dev/null || skip "g++-12 is not installed"
cd "$source/include"
# The main file is one that includes the header: `#pragma once` in a main file is a warning of its own.
check() {
  local unit; unit=$1/$(tr / _ <<< "$2").cpp
  printf '#include "%s"\n' "${2#./}" > "$unit"
  g++-12 -std=c++23 -fsyntax-only -Wall -Wextra -Werror -I . "$unit"
}
export -f check
find . -name '*.hpp' -print0 | xargs -0 -n 1 -P 2 bash -c 'check "$0" "$1"' "$scratch" || fail "see above"

# Awaiting with g++ 12 would compile into broken code, so it must not compile.
cat > "$scratch/awaits.cpp" <<EOF
#include "gantry/pending.hpp"
#include <coroutine>
struct Job { struct promise_type { Job get_return_object() { return {}; } std::suspend_never initial_suspend() { return {}; }
  std::suspend_never final_suspend() noexcept { return {}; } void return_void() {} void unhandled_exception() {} }; };
Job wait(gantry::Pending<int> pending) { auto got = co_await pending; (void)got; }
EOF
! g++-12 -std=c++23 -fsyntax-only -I . "$scratch/awaits.cpp" 2> /dev/null || fail "g++ 12 accepts co_await on a Pending"
clang++-19 -std=c++23 -fsyntax-only -I . "$scratch/awaits.cpp" || fail "clang refuses co_await on a Pending"
echo "every public header compiles by itself"
