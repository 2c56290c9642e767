#!/usr/bin/env bash
# package.sh SOURCE BUILD: the Debian package in a fresh Debian of its own (debootstrap and chroot, no container engine):
# installs with its dependencies, serves with the packaged configuration, stops, and leaves nothing behind when purged.
#
# The fresh system is made once and kept as an archive in $GANTRY_ROOTS_DIR (gantry/roots in the user's cache directory).
. "$(dirname "$0")/common.sh"
[ "$(id -u)" -eq 0 ] || skip "needs root for chroot"
for tool in debootstrap dpkg-deb dpkg-shlibdeps chroot unshare; do
  command -v $tool > /dev/null || skip "$tool is not installed"
done
# The mirror that this machine uses itself; on a machine that is not Debian 12 there is none.
mirror=$(apt-get indextargets --format '$(SITE) $(CODENAME) $(CREATED_BY)' 2> /dev/null | awk '$2 == "bookworm" && $3 == "Packages" {print $1; exit}')
[ -n "$mirror" ] || skip "this machine has no Debian bookworm mirror configured"

roots=${GANTRY_ROOTS_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/gantry/roots}
archive=$roots/bookworm-$(dpkg --print-architecture).tar
# What the program links to, so that a run needs the network only the first time.
make_root() {
  local fresh=$scratch/fresh
  debootstrap --variant=minbase "--include=ca-certificates,libssl3,libsecret-1-0,libmimalloc2.0,libprometheus-cpp-core1.0,libre2-9,libsqlite3-0,libyaml-0-2" \
    bookworm "$fresh" "$mirror" > "$scratch/log" 2>&1 || { tail -5 "$scratch/log"; skip "debootstrap failed: no network?"; }
  rm -rf "$fresh"/var/cache/apt/archives/*.deb
  mkdir -p "$roots"
  tar -C "$fresh" -cf "$archive.$$" . && mv "$archive.$$" "$archive"
  rm -rf "$fresh"
}
[ -e "$archive" ] || make_root
root=$scratch/root; mkdir "$root"
tar -C "$root" -xf "$archive"

cpack --config "$build/CPackConfig.cmake" -B "$scratch/package" > "$scratch/log" 2>&1 || { tail -20 "$scratch/log" >&2; fail "cpack"; }
cp "$scratch"/package/gantry_*.deb "$root/gantry.deb"
[ "$(dpkg-deb -f "$root/gantry.deb" Package)" = gantry ] || fail "the package has another name"

# In namespaces of its own: mounts and processes end with the command.
inside=(unshare --mount --pid --fork --kill-child=KILL bash -c 'mount -t proc proc "$0/proc" && exec chroot "$0" "$@"' "$root")
inside() { "${inside[@]}" "$@"; }

inside dpkg -i /gantry.deb > "$scratch/log" 2>&1 || { cat "$scratch/log" >&2; fail "the package does not install"; }
inside gantry --version > "$scratch/out"; expect "gantry " "$scratch/out"
[ ! -e "$root/etc/systemd/system/multi-user.target.wants/gantry.service" ] || fail "the service was enabled unasked"
[ -e "$root/lib/systemd/system/gantry.service" ] || fail "the unit is missing"
inside dpkg-query -W -f '${Conffiles}' gantry > "$scratch/out"; expect /etc/gantry/gantry.yaml "$scratch/out"
inside gantry check /etc/gantry/gantry.yaml > "$scratch/out" 2>&1 || { cat "$scratch/out" >&2; fail "the packaged configuration is not valid"; }

# Serves as in the unit, on a free port.
mkdir -p "$root/var/lib/gantry"
"${inside[@]}" gantry serve --config /etc/gantry/gantry.yaml --state-dir /var/lib/gantry --listen 127.0.0.1:0 > "$scratch/served" 2>&1 &
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
