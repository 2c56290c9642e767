# Sourced by setup: the Debian packages of each part, and installing them without starting or enabling a service.

# Compiler, build tools and libraries of the program itself. npm brings the demo's MCP server.
run_packages=(
  clang-19 libc6-dev libstdc++-12-dev cmake ninja-build ccache mold make pkg-config git ca-certificates
  libssl-dev libre2-dev libyaml-dev libcli11-dev libsecret-1-dev
  libmimalloc-dev libsqlite3-dev prometheus-cpp-dev
  nodejs npm
)
# Test framework, a second compiler for the public headers, shells to complete in, and programs that tests talk to.
test_packages=(
  libgtest-dev libgmock-dev libcpp-httplib-dev g++ zsh fish
  sqlite3 nginx-light curl openssl procps dbus dbus-daemon gnome-keyring libsecret-tools python3-minimal python3-venv
  debootstrap
)
# Sanitizers, formatter and linter, for make check, test-dev, test-tsan and fuzz; what benchmarks compile with.
check_packages=(libclang-rt-19-dev llvm-19 clang-tidy-19 clang-format-19 libbenchmark-dev libsimdjson-dev)
# Yardsticks and the load generator.
bench_packages=(libbenchmark-dev libsimdjson-dev nginx-light wrk python3-minimal)
# Profile-guided build and code layout, for make tuned.
tuned_packages=(lld-19 llvm-19 libclang-rt-19-dev bolt-19 python3-minimal)
# dpkg-shlibdeps, for make deb.
deb_packages=(dpkg-dev file)
# Java for Keycloak and Kafka, and a browser. Consul needs a newer Go than Debian has.
services_packages=(maven openjdk-17-jre-headless chromium unzip curl)

# packages_of PART: one line per package, with those of the parts it builds on.
packages_of() {
  case $1 in
    run) printf '%s\n' "${run_packages[@]}" ;;
    test) printf '%s\n' "${run_packages[@]}" "${test_packages[@]}" ;;
    check) printf '%s\n' "${run_packages[@]}" "${test_packages[@]}" "${check_packages[@]}" ;;
    bench) printf '%s\n' "${run_packages[@]}" "${bench_packages[@]}" "${tuned_packages[@]}" ;;
    tuned) printf '%s\n' "${run_packages[@]}" "${tuned_packages[@]}" ;;
    deb) printf '%s\n' "${run_packages[@]}" "${deb_packages[@]}" ;;
    services) printf '%s\n' "${services_packages[@]}" ;;
    *) return 1 ;;
  esac | sort -u
}

installed() { [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }

# missing_packages PACKAGE …: those that are not installed. Any Node and npm will do, whoever packaged them.
missing_packages() {
  local package
  for package in "$@"; do
    case $package in
      nodejs) command -v node > /dev/null || echo "$package" ;;
      npm) command -v npm > /dev/null || echo "$package" ;;
      *) installed "$package" || echo "$package" ;;
    esac
  done
}

# Units that systemd would start at boot, by their links.
enabled_units() { find /etc/systemd/system -type l -path '*.wants/*' 2>/dev/null | sort; }

# apt_install PACKAGE …: installs as root. Packages such as nginx-light start and enable a service of theirs; tests
# start their own copies, so a policy file forbids starting and newly enabled units are disabled again.
apt_install() {
  local before policy=/usr/sbin/policy-rc.d ours='' unit code=0
  before=$(enabled_units)
  if [ ! -e "$policy" ]; then
    ours=1
    printf '#!/bin/sh\nexit 101\n' > "$policy"; chmod 755 "$policy"
    trap 'rm -f /usr/sbin/policy-rc.d' EXIT
  fi
  apt-get update -q &&
    env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "$@" || code=$?
  [ -z "$ours" ] || rm -f "$policy"
  comm -13 <(echo "$before") <(enabled_units) | while read -r unit; do
    unit=$(basename "$unit")
    echo "disabling $unit, which a package had enabled"
    deb-systemd-helper disable "$unit" || true
    if [ -e "/etc/init.d/${unit%.service}" ]; then update-rc.d "${unit%.service}" disable || true; fi
  done
  return "$code"
}
