#!/usr/bin/env bash
# no_services.sh SOURCE BUILD: a package that enables and starts a service, as nginx-light does, is installed by tools/setup
# without either.
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/fresh_root.sh"
package=$scratch/package
mkdir -p "$package"/{DEBIAN,lib/systemd/system,etc/init.d}
cat > "$package/DEBIAN/control" <<EOF
Package: loud-server
Version: 1.0
Architecture: all
Maintainer: test <test@localhost>
Description: enables and starts a service when it is installed
EOF
cat > "$package/DEBIAN/postinst" <<'EOF'
#!/bin/sh
set -e
deb-systemd-helper enable loud-server.service
update-rc.d loud-server defaults
invoke-rc.d loud-server start
EOF
printf '[Service]\nExecStart=/bin/true\n[Install]\nWantedBy=multi-user.target\n' > "$package/lib/systemd/system/loud-server.service"
cat > "$package/etc/init.d/loud-server" <<'EOF'
#!/bin/sh
### BEGIN INIT INFO
# Provides: loud-server
# Required-Start:
# Required-Stop:
# Default-Start: 2 3 4 5
# Default-Stop: 0 1 6
### END INIT INFO
touch /started
EOF
chmod 755 "$package/DEBIAN/postinst" "$package/etc/init.d/loud-server"
dpkg-deb -b "$package" "$root/loud.deb" > /dev/null
: > "$root/etc/apt/sources.list"  # no network: the package is all there is to install
cp "$source/tools/lib/packages.sh" "$root/"
# A system that starts services: an init, and a runlevel to be in.
printf '#!/bin/sh\n' > "$root/sbin/init"; printf '#!/bin/sh\necho N 3\n' > "$root/sbin/runlevel"
chmod 755 "$root/sbin/init" "$root/sbin/runlevel"
links() { find "$root/etc/systemd/system" "$root/etc/rc3.d" -name '*loud*' -not -name 'K*'; }

# As apt would do by itself, to know that the package means it.
cp -r "$root" "$scratch/control"
(
  root=$scratch/control
  inside dpkg -i /loud.deb > "$scratch/log" 2>&1 || { cat "$scratch/log" >&2; fail "the package does not install"; }
  [ -e "$root/started" ] && [ -n "$(links)" ] || { cat "$scratch/log" >&2; fail "the test's own package starts nothing"; }
)

inside bash -c '. /packages.sh; apt_install /loud.deb' > "$scratch/log" 2>&1 || { cat "$scratch/log" >&2; fail "apt_install"; }
[ ! -e "$root/started" ] || fail "the service was started"
[ -z "$(links)" ] || fail "the service was enabled: $(links)"
[ ! -e "$root/usr/sbin/policy-rc.d" ] || fail "the policy that forbids starting services was left behind"
echo "installed, neither started nor enabled"
