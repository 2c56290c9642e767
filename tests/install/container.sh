#!/usr/bin/env bash
# container.sh SOURCE BUILD: packaging/Containerfile builds an image from the Debian package; the image's command, as the
# image's user, serves a configuration that is put into it and ends with the image's stop signal. No container engine and
# no registry: buildah in a chroot, on a base made of a fresh Debian.
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/fresh_root.sh"
command -v buildah > /dev/null || skip "buildah is not installed"
command -v dpkg-shlibdeps > /dev/null || skip "dpkg-shlibdeps is not installed (tools/setup deb)"

storage() { buildah --root "$scratch/storage" --runroot "$scratch/run" --storage-driver vfs "$@"; }
container=
on_exit() { [ -z "$container" ] || storage umount "$container" > /dev/null 2>&1 || true; rm -rf "$scratch"; }

cpack --config "$build/CPackConfig.cmake" -B "$scratch/package" > "$scratch/log" 2>&1 || { tail -20 "$scratch/log" >&2; fail "cpack"; }
: > "$root/etc/apt/sources.list"  # no network: the libraries are in the base already
empty=$(storage from scratch)
storage add -q "$empty" "$root" / > /dev/null
storage commit -q --rm "$empty" docker.io/library/debian:bookworm-slim > /dev/null
storage build --isolation chroot --pull-never -f "$source/packaging/Containerfile" -t gantry "$scratch/package" > "$scratch/log" 2>&1 ||
  { tail -30 "$scratch/log" >&2; fail "the image does not build"; }

# The image's own words on how it is run.
storage inspect --type image --format '{{range .OCIv1.Config.Entrypoint}}{{println .}}{{end}}{{range .OCIv1.Config.Cmd}}{{println .}}{{end}}' \
  gantry | grep . > "$scratch/command"
mapfile -t command < "$scratch/command"
user=$(storage inspect --type image --format '{{.OCIv1.Config.User}}' gantry)
stop=$(storage inspect --type image --format '{{.OCIv1.Config.StopSignal}}' gantry)
folder=$(storage inspect --type image --format '{{.OCIv1.Config.WorkingDir}}' gantry)
[[ $user =~ ^[1-9][0-9]*:[1-9][0-9]*$ ]] || fail "the image's user is '$user', not a number other than root's"
container=$(storage from --pull-never gantry)
root=$(storage mount "$container")
[ ! -e "$root/package" ] || [ -z "$(ls "$root/package")" ] || fail "the package is left in the image"
[ "$(stat -c '%u:%g %a' "$root/var/lib/gantry")" = "$user 700" ] || fail "the state folder is not the user's own"

# In a network, processes and mounts of its own, as an engine would start it.
start() {
  exec unshare --mount --pid --net --fork --kill-child=KILL bash -c 'mount -t proc proc "$0/proc" && ip link set lo up &&
    exec chroot --userspec="$1" "$0" /usr/bin/env -i -C "$2" PATH=/usr/local/bin:/usr/bin:/bin "${@:3}"' "$root" "$user" "$folder" "${command[@]}"
}
code=0; (start) > "$scratch/out" 2>&1 || code=$?
[ "$code" -ne 0 ] || { cat "$scratch/out" >&2; fail "the packaged configuration opens it to other machines"; }
expect allow_unauthenticated "$scratch/out"

printf 'allow_unauthenticated: true\ndemo_tools: true\n' > "$root/etc/gantry/gantry.yaml"
start > "$scratch/served" 2>&1 &
served=$!
# The gateway by itself: with the change of user it no longer ends with its parent.
on_exit() {
  pkill -KILL -P "$served" 2> /dev/null || true
  kill -KILL "$served" 2> /dev/null || true
  wait "$served" 2> /dev/null || true
  storage umount "$container" > /dev/null 2>&1 || true
  rm -rf "$scratch"
}
for _ in $(seq 600); do
  ! grep -q 'Ctrl-C stops it' "$scratch/served" || break
  kill -0 "$served" 2> /dev/null || { cat "$scratch/served" >&2; fail "the image's command does not start"; }
  sleep 0.1
done
gateway=$(pgrep -P "$served")
[ "$(stat -c %u "/proc/$gateway")" = "${user%:*}" ] || fail "the gateway runs as user $(stat -c %u "/proc/$gateway")"
nsenter -t "$gateway" -n curl -sS --max-time 30 http://127.0.0.1:8090/health > "$scratch/out" || fail "no answer from /health"
expect '"status":"ok"' "$scratch/out"
nsenter -t "$gateway" -n "$build/gantry" call demo_echo message=contained --url http://127.0.0.1:8090/mcp > "$scratch/out" ||
  { cat "$scratch/served" >&2; fail "a demo tool cannot be called"; }
expect contained "$scratch/out"

kill -"${stop#SIG}" "$gateway"
code=0; wait "$served" || code=$?
[ "$code" -eq 0 ] || { cat "$scratch/served" >&2; fail "$stop ended the gateway with $code"; }
echo "built, served as user $user and stopped by $stop"
