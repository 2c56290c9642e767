#!/usr/bin/env bash
# systemd.sh SOURCE BUILD: the package under a real systemd, which runs in namespaces of its own in a fresh Debian (no
# container engine, no virtual machine): readiness, hardening and the isolation of a server, reload, restart after a
# crash, stop, activation by socket, upgrade and removal.
. "$(dirname "$0")/common.sh"
root_variant=systemd root_packages=systemd-sysv,dbus
. "$(dirname "$0")/fresh_root.sh"
. "$(dirname "$0")/booted_root.sh"
command -v dpkg-shlibdeps > /dev/null || skip "dpkg-shlibdeps is not installed (tools/setup deb)"

cpack --config "$build/CPackConfig.cmake" -B "$scratch/package" > "$scratch/log" 2>&1 || { tail -20 "$scratch/log" >&2; fail "cpack"; }
cp "$scratch"/package/gantry_*.deb "$root/gantry.deb"
boot
trouble() { booted journalctl --no-pager -n 40 -o short >&2 || true; fail "$*"; }
property() { booted systemctl show -p "$1" --value gantry.service; }
# becomes WHAT COMMAND …: awaits that the command succeeds.
becomes() {
  local what=$1; shift
  for _ in $(seq 300); do ! "$@" > /dev/null 2>&1 || return 0; sleep 0.1; done
  trouble "not within 30 s: $what"
}
call() { booted gantry call "$@" --url http://127.0.0.1:8090/mcp; }

booted dpkg -i /gantry.deb > "$scratch/log" 2>&1 || { cat "$scratch/log" >&2; fail "the package does not install"; }
[ "$(property ActiveState)" = inactive ] || fail "the service was started by installing"
cp "$source/tests/install/looking_server.sh" "$root/srv/"
cat > "$root/etc/gantry/gantry.yaml" <<YAML
listen: 127.0.0.1:8090
demo_tools: true
servers:
  - name: look
    command: sh
    args: [/srv/looking_server.sh]
    env: {TOKEN: "\${SECRET_TOKEN}"}
YAML
(umask 077; echo SECRET_TOKEN=from-the-environment > "$root/etc/gantry/environment")

# Type=notify: start returns when the gateway has said READY=1, so that it can be called at once.
booted systemctl start gantry.service || trouble "the service does not start"
call look_around > "$scratch/out" || trouble "a local server cannot be called"
for seen in "state hidden" "system read-only" "home writable" "token from-the-environment"; do expect "$seen" "$scratch/out"; done
! grep -E '^uid (0|65534)$' "$scratch/out" || fail "servers do not run as the dynamic user"
booted journalctl -u gantry --no-pager -o cat > "$scratch/out"
! grep 'isolation lacks' "$scratch/out" || fail "the hardening of the unit takes isolation away"

# An edited file is taken over by itself; reload waits for the result and reports a mistake.
sed -i 's/name: look$/name: peek/' "$root/etc/gantry/gantry.yaml"
becomes "the edited configuration is in force" call peek_around
booted systemctl reload gantry.service || trouble "reload"
echo 'nonsense: true' >> "$root/etc/gantry/gantry.yaml"
! booted systemctl reload gantry.service 2> /dev/null || fail "reload accepts a broken configuration"
booted journalctl -u gantry --no-pager -o cat > "$scratch/out"; expect nonsense "$scratch/out"
sed -i '/^nonsense/d' "$root/etc/gantry/gantry.yaml"
call peek_around > /dev/null || trouble "a refused reload harmed the service"

before=$(property MainPID)
booted bash -c "kill -KILL $before"
# Asked in one question: between two, the service may end.
restarted() {
  local now; now=$(booted systemctl show -p ActiveState,MainPID gantry.service | sort | tr '\n' ' ')
  [[ $now =~ ^ActiveState=active\ MainPID=([1-9][0-9]*)\ $ ]] && [ "${BASH_REMATCH[1]}" != "$before" ]
}
becomes "the service is restarted" restarted
call demo_echo message=again > "$scratch/out" || trouble "the restarted service does not answer"
expect again "$scratch/out"

booted systemctl stop gantry.service || trouble "stop"
[ "$(property Result) $(property ExecMainStatus)" = "success 0" ] || trouble "the service ended with $(property Result) $(property ExecMainStatus)"

# The socket alone listens; the first call starts the service.
booted systemctl start gantry.socket || trouble "the socket does not start"
[ "$(property ActiveState)" = inactive ] || fail "the socket starts the service at once"
call demo_echo message=woken > "$scratch/out" || trouble "the socket does not start the service"
expect woken "$scratch/out"

before=$(property MainPID)
booted dpkg -i /gantry.deb > "$scratch/log" 2>&1 || { cat "$scratch/log" >&2; fail "the upgrade"; }
restarted || trouble "an upgrade does not restart the service"
booted dpkg --purge gantry > "$scratch/log" 2>&1 || { cat "$scratch/log" >&2; fail "the package cannot be purged"; }
! booted systemctl is-active gantry.service gantry.socket > /dev/null || fail "a removed service still runs"
for left in /etc/gantry /var/lib/gantry /var/lib/private/gantry; do [ ! -e "$root$left" ] || fail "purging leaves $left"; done
echo "started, isolated, reloaded, restarted, stopped, woken by its socket, upgraded and purged"
