#!/usr/bin/env bash
# setup_parts.sh SOURCE BUILD: what each part of tools/setup would bring onto a machine that has nothing, by apt's own
# reckoning. Running Gantry needs no web server, keyring, desktop, service manager or test framework.
. "$(dirname "$0")/common.sh"
setup=$source/tools/setup
for part in run test check bench tuned deb services; do
  "$setup" --print "$part" > "$scratch/$part"
  [ -s "$scratch/$part" ] || fail "tools/setup --print $part is empty"
done
! "$setup" --print nonsense > /dev/null 2>&1 || fail "an unknown part is accepted"
for part in test bench; do
  [ -z "$(comm -23 "$scratch/run" "$scratch/$part")" ] || fail "$part lacks packages of run"
done
expect libgtest-dev "$scratch/test"; expect wrk "$scratch/bench"

unwanted='^(nginx|gnome-keyring|libgtk|gcr$|x11-common|dbus$|dbus-daemon|systemd|zsh|fish|buildah|libgtest|libbenchmark|valgrind|wrk$|debootstrap|maven|chromium|openssh-server)'
! grep -E "$unwanted" "$scratch/run" || fail "running needs none of these"

command -v apt-get > /dev/null || skip "no apt-get to ask what the packages depend on"
# From an empty package database, nothing is installed; only the dependencies are worked out.
mapfile -t packages < "$scratch/run"
apt-get -s -o Dir::State::status=/dev/null --no-install-recommends install "${packages[@]}" > "$scratch/apt" 2>&1 ||
  skip "apt's package lists are missing or incomplete: $(tail -1 "$scratch/apt")"
awk '/^Inst/ {print $2}' "$scratch/apt" > "$scratch/all"
! grep -E "$unwanted" "$scratch/all" || fail "a package that running needs brings these along"
echo "run: $(wc -l < "$scratch/run") packages, $(wc -l < "$scratch/all") with all dependencies down to libc"
