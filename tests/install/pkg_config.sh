#!/usr/bin/env bash
# pkg_config.sh SOURCE BUILD: one compiler call with what pkg-config says builds a client and a server.
. "$(dirname "$0")/common.sh"
compiler=g++-12; command -v $compiler > /dev/null || compiler=clang++-19
cmake --install "$build" --prefix "$scratch/prefix" --component library > "$scratch/log"
export PKG_CONFIG_PATH=$scratch/prefix/lib/pkgconfig
for part in client server; do
  flags=$(pkg-config --cflags --libs gantry-$part) || fail "pkg-config does not know gantry-$part"
  # shellcheck disable=SC2086
  $compiler -std=c++23 "$source/examples/consumer/$part.cpp" -o "$scratch/$part" $flags || fail "$part does not link"
done
"$scratch/client" "$scratch/server" > "$scratch/out"
expect "answer 42" "$scratch/out"
echo "built with $compiler and pkg-config"
