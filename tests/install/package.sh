#!/usr/bin/env bash
# package.sh SOURCE BUILD: the Debian package in a fresh Debian of its own (debootstrap and chroot, no container engine):
# installs with its dependencies, serves with the packaged configuration, stops, and leaves nothing behind when purged.
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/fresh_root.sh"
command -v dpkg-shlibdeps > /dev/null || skip "dpkg-shlibdeps is not installed (tools/setup deb)"

cpack --config "$build/CPackConfig.cmake" -B "$scratch/package" > "$scratch/log" 2>&1 || { tail -20 "$scratch/log" >&2; fail "cpack"; }
cp "$scratch"/package/gantry_*.deb "$root/gantry.deb"
[ "$(dpkg-deb -f "$root/gantry.deb" Package)" = gantry ] || fail "the package has another name"

inside dpkg -i /gantry.deb > "$scratch/log" 2>&1 || { cat "$scratch/log" >&2; fail "the package does not install"; }
inside gantry --version > "$scratch/out"; expect "gantry " "$scratch/out"
[ ! -e "$root/etc/systemd/system/multi-user.target.wants/gantry.service" ] || fail "the service was enabled unasked"
[ -e "$root/lib/systemd/system/gantry.service" ] || fail "the unit is missing"
inside dpkg-query -W -f '${Conffiles}' gantry > "$scratch/out"; expect /etc/gantry/gantry.yaml "$scratch/out"
inside gantry check /etc/gantry/gantry.yaml > "$scratch/out" 2>&1 || { cat "$scratch/out" >&2; fail "the packaged configuration is not valid"; }

# Serves as in the unit, on a free port.
mkdir -p "$root/var/lib/gantry"
exec_inside gantry serve --config /etc/gantry/gantry.yaml --state-dir /var/lib/gantry --listen 127.0.0.1:0 > "$scratch/served" 2>&1 &
served=$!
on_exit() { kill -KILL "$served" 2> /dev/null || true; wait "$served" 2> /dev/null || true; rm -rf "$scratch"; }
url=
for _ in $(seq 600); do
  url=$(grep -om 1 'http://[^ ]*/mcp' "$scratch/served") && break
  kill -0 "$served" 2> /dev/null || { cat "$scratch/served" >&2; fail "the installed gateway does not start"; }
  sleep 0.1
done
[ -n "$url" ] || { cat "$scratch/served" >&2; fail "the installed gateway does not say where it serves"; }
curl -sS --max-time 30 -o "$scratch/health" -w '%{http_code}' "${url%/mcp}/health" > "$scratch/code" || fail "no answer from /health"
[ "$(cat "$scratch/code")" = 200 ] || { cat "$scratch/health" >&2; fail "/health says $(cat "$scratch/code")"; }

# The child of unshare, which is PID 1 of its namespace.
gateway=$(pgrep -P "$served")
kill -TERM "$gateway"
code=0; wait "$served" || code=$?
[ "$code" -eq 0 ] || { cat "$scratch/served" >&2; fail "the gateway ended with $code"; }
on_exit() { rm -rf "$scratch"; }

inside dpkg --purge gantry > "$scratch/log" 2>&1 || { cat "$scratch/log" >&2; fail "the package cannot be purged"; }
for left in /usr/bin/gantry /etc/gantry /var/lib/gantry /lib/systemd/system/gantry.service; do
  [ ! -e "$root$left" ] || fail "purging leaves $left"
done
echo "installed, served at $url, stopped and purged"
