#!/usr/bin/env bash
# units.sh SOURCE BUILD: systemd accepts the units, and rates the service as well protected.
. "$(dirname "$0")/common.sh"
command -v systemd-analyze > /dev/null || skip "systemd-analyze is not installed"
mkdir -p "$scratch/units"
# The program is not installed on this machine: any other that exists stands in for it.
for unit in gantry.service gantry.socket; do
  sed 's,=/usr/bin/gantry,=/bin/true,' "$source/packaging/systemd/$unit" > "$scratch/units/$unit"
done
systemd-analyze verify --man=no "$scratch/units/gantry.service" "$scratch/units/gantry.socket" > "$scratch/out" 2>&1 ||
  { cat "$scratch/out" >&2; fail "systemd refuses a unit"; }
! grep -F "$scratch" "$scratch/out" || fail "systemd has a remark about a unit"

# 0 is perfect, 9.6 an unprotected service. Namespaces and mounts, which the isolation of servers needs, cost the rest.
limit=35
systemd-analyze security --offline=yes --threshold=$limit "$scratch/units/gantry.service" > "$scratch/out" 2>&1 || {
  grep -q 'offline' "$scratch/out" && skip "this systemd-analyze cannot judge a file"
  cat "$scratch/out" >&2; fail "exposure above $limit of 100"; }
grep 'Overall exposure' "$scratch/out"
