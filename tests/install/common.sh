# Sourced by the tests here: SOURCE and BUILD folders, a scratch folder that is removed at the end.
set -euo pipefail
source=$1 build=$2
scratch=$(mktemp -d "${TMPDIR:-/tmp}/gantry-install-XXXXXX")
on_exit() { rm -rf "$scratch"; }
trap on_exit EXIT
trap 'exit 143' INT TERM

skip() { echo "SKIPPED: $*"; exit 77; }
fail() { echo "FAILED: $*" >&2; exit 1; }
# expect TEXT FILE: the file has this text.
expect() { grep -qF -- "$1" "$2" || { cat "$2" >&2; fail "'$1' is not in $2"; }; }
