#!/usr/bin/env bash
# The layer check has to fail, with file and rule, for each kind of forbidden include.
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
mkdir -p "$work/tools" "$work/include/gantry" "$work/src/base" "$work/src/mcp/protocol"
cp "$1/tools/check-layers" "$work/tools/"
expect_refused() {
  if "$work/tools/check-layers" > "$work/out" 2>&1; then echo "not refused: $1"; exit 1; fi
  grep -q "$2" "$work/out" || { echo "refused without saying why: $1"; cat "$work/out"; exit 1; }
}
"$work/tools/check-layers" > /dev/null
echo '#include "io/loop.hpp"' > "$work/src/base/a.cpp"
expect_refused "base includes io" "base must not see io"
rm "$work/src/base/a.cpp"
echo '#include "mcp/transport/connection.hpp"' > "$work/src/mcp/protocol/a.hpp"
expect_refused "protocol includes transport" "mcp/protocol must not see mcp/transport"
echo '#include <boost/asio.hpp>' > "$work/src/mcp/protocol/a.hpp"
expect_refused "protocol includes Boost" "may only be seen by"
rm "$work/src/mcp/protocol/a.hpp"
echo '#include "base/try.hpp"' > "$work/include/gantry/a.hpp"
expect_refused "a public header includes an internal one" "public header includes internal"
echo '#include <openssl/ssl.h>' > "$work/include/gantry/a.hpp"
expect_refused "a public header includes OpenSSL" "may only be seen by"
