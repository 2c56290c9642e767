# Sourced by tests that need a fresh Debian of their own (debootstrap and chroot, no container engine): leaves it in $root,
# and `inside COMMAND …` runs a command there. It is made once and kept as an archive in $GANTRY_ROOTS_DIR (by default
# gantry/roots in the user's cache directory). Skips the test without root, debootstrap or network. With $root_variant and
# $root_packages (separated by commas) it is another one, with those packages as well.
[ "$(id -u)" -eq 0 ] || skip "needs root for chroot"
for tool in debootstrap dpkg-deb chroot unshare; do
  command -v $tool > /dev/null || skip "$tool is not installed"
done
# The mirror that this machine uses itself; on a machine that is not Debian 12 there is none.
mirror=$(apt-get indextargets --format '$(SITE) $(CODENAME) $(CREATED_BY)' 2> /dev/null | awk '$2 == "bookworm" && $3 == "Packages" {print $1; exit}')
[ -n "$mirror" ] || skip "this machine has no Debian bookworm mirror configured"

roots=${GANTRY_ROOTS_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/gantry/roots}
archive=$roots/bookworm-$(dpkg --print-architecture)${root_variant:+-$root_variant}.tar
# What the program links to, so that a run needs the network only the first time.
make_root() {
  local fresh=$scratch/fresh
  timeout 450 debootstrap --variant=minbase "--include=ca-certificates,libssl3,libsecret-1-0,libmimalloc2.0,libprometheus-cpp-core1.0,libre2-9,libsqlite3-0,libyaml-0-2${root_packages:+,$root_packages}" \
    bookworm "$fresh" "$mirror" > "$scratch/log" 2>&1 || { tail -5 "$scratch/log"; skip "debootstrap failed or took too long: no network?"; }
  rm -rf "$fresh"/var/cache/apt/archives/*.deb
  mkdir -p "$roots"
  tar -C "$fresh" -cf "$archive.$$" . && mv "$archive.$$" "$archive"
  rm -rf "$fresh"
}
[ -e "$archive" ] || make_root
root=$scratch/root; mkdir "$root"
tar -C "$root" -xf "$archive"

# In namespaces of its own: mounts and processes end with the command.
exec_inside() {
  exec unshare --mount --pid --fork --kill-child=KILL bash -c 'mount -t proc proc "$0/proc" && exec chroot "$0" "$@"' "$root" "$@"
}
inside() { (exec_inside "$@"); }
