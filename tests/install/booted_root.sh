# Sourced after fresh_root.sh, whose root has systemd-sysv: `boot` starts systemd there as PID 1 of namespaces of its own
# (mounts, processes, network, control groups), and `booted COMMAND …` runs a command beside it. Ends with the test.
for tool in nsenter ip pivot_root; do
  command -v $tool > /dev/null || skip "$tool is not installed"
done
# The version 2 hierarchy, wherever this machine has it.
groups=$(awk '$3 == "cgroup2" {print $2; exit}' /proc/mounts)
[ -n "$groups" ] && [ -w "$groups/cgroup.procs" ] || skip "needs a writable cgroup v2 hierarchy"
group=$groups/gantry-test-$$
manager='' init=''

end_boot() {
  [ -z "$manager" ] || kill -KILL "$manager" 2> /dev/null || true
  [ -z "$manager" ] || wait "$manager" 2> /dev/null || true
  # Processes leave their groups a moment after they have ended.
  for _ in $(seq 100); do
    [ -d "$group" ] || return 0
    find "$group" -depth -type d -exec rmdir {} \; 2> /dev/null || true
    sleep 0.1
  done
}
on_exit() { end_boot; rm -rf "$scratch"; }

boot_in_namespaces() {
  echo $BASHPID > "$group/cgroup.procs"
  exec unshare --mount --pid --cgroup --net --uts --ipc --fork --kill-child=KILL bash -c '
    set -e
    mount --bind "$0" "$0"; cd "$0"
    mount -t proc proc proc; mount -t sysfs sysfs sys; mount -t cgroup2 cgroup2 sys/fs/cgroup
    for folder in run tmp dev; do mount -t tmpfs -o mode=755 tmpfs $folder; done; chmod 1777 tmp
    while read -r name major minor; do mknod -m 666 "dev/$name" c "$major" "$minor"; done <<< "null 1 3
zero 1 5
full 1 7
random 1 8
urandom 1 9
tty 5 0"
    mkdir dev/pts dev/shm; mount -t tmpfs -o mode=1777 tmpfs dev/shm
    mount -t devpts -o newinstance,ptmxmode=0666 devpts dev/pts; ln -s pts/ptmx dev/ptmx; ln -s /proc/self/fd dev/fd
    ip link set lo up; hostname gantry-test
    mkdir .outside; pivot_root . .outside; umount -l /.outside; rmdir /.outside
    exec env -i container=gantry PATH=/usr/sbin:/usr/bin:/sbin:/bin /sbin/init --show-status=no' "$root" < /dev/null
}

boot() {
  mkdir "$group"
  boot_in_namespaces > "$scratch/boot" 2>&1 &
  manager=$!
  for _ in $(seq 600); do
    kill -0 "$manager" 2> /dev/null || { cat "$scratch/boot" >&2; skip "this machine lets no systemd run in namespaces"; }
    init=$(pgrep -P "$manager") || true
    if [ -n "$init" ] && [ "$(booted systemctl is-system-running 2> /dev/null)" = running ]; then return; fi
    sleep 0.1
  done
  cat "$scratch/boot" >&2
  booted systemctl --failed --no-pager >&2 || true
  fail "systemd has not started within a minute"
}
booted() { nsenter -t "$init" -m -p -n -C -u -i -- "$@"; }
