# Sourced by the start scripts: finds the service, gives it a scratch folder, and ends it with the script.
#
# Each script starts its service on a free port of 127.0.0.1, prints "ready URL" when it answers, and keeps it running until
# it gets SIGTERM or SIGINT. Exit status 77: the service is not installed (tools/setup services).
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
name=$(basename "$0")
service=$("$here/../../tools/services" where "$name") || { echo "SKIPPED: $name is not installed (tools/setup services)"; exit 77; }
scratch=$(mktemp -d "${TMPDIR:-/tmp}/gantry-$name-XXXXXX")
pid=

finish() {
  trap - EXIT INT TERM
  if [ -n "$pid" ]; then
    kill "$pid" 2> /dev/null || true
    for _ in $(seq 100); do kill -0 "$pid" 2> /dev/null || break; sleep 0.1; done
    kill -KILL "$pid" 2> /dev/null || true
    wait "$pid" 2> /dev/null || true
  fi
  rm -rf "$scratch"
}
trap finish EXIT
trap 'exit 0' INT TERM

# free_port: one that is free now; another program may take it first, then the service fails and so does the script.
free_port() {
  python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

# run COMMAND …: in the background, output into $scratch/log.
run() { "$@" > "$scratch/log" 2>&1 < /dev/null & pid=$!; }

# serve URL CHECK …: waits up to four minutes until the check succeeds, says so, and stays as long as the service does.
serve() {
  local url=$1; shift
  for _ in $(seq 1200); do
    if "$@" > /dev/null 2>&1; then
      echo "ready $url"
      wait "$pid" || true
      return
    fi
    kill -0 "$pid" 2> /dev/null || { tail -n 40 "$scratch/log" >&2; echo "$name ended before it was ready" >&2; exit 1; }
    sleep 0.2
  done
  tail -n 40 "$scratch/log" >&2; echo "$name was not ready within four minutes" >&2; exit 1
}
