#!/usr/bin/env bash
# Makes a bare Debian 12 (or newer) ready to build and test Carroll.
#
#   configs/debian/prepare.sh [GROUP…] [--serial-prefix DIR] [--report FILE]
#
# Groups (default: run test perf):
#   run    compiler, CMake, Ninja, git, CLI11, nlohmann-json, fmt, and Kokkos with OpenMP
#   test   GoogleTest, Google Benchmark, LAPACKE, OpenBLAS, Eigen, NumPy, and a second Kokkos
#          (Serial, with KokkosKernels) in a prefix of its own
#   perf   matplotlib, for the figures
#   ci     clang-format
#
# The second Kokkos goes to /opt/carroll/serial-kernels, or to --serial-prefix, or to
# $CARROLL_SERIAL_PREFIX. --report writes the names of the CMake presets that are ready, one a line.
#
# Run it as root, or as a user who may use sudo. It asks nothing, says what it changes, leaves what
# is already there alone, and may be run again at any time. Exit status: 0 ready; 1 not ready; 2 usage.
set -euo pipefail

readonly min_kokkos=5
readonly min_trilinos=17
readonly apt_sources=/etc/apt/sources.list.d/carroll.sources
readonly apt_pins=/etc/apt/preferences.d/carroll
readonly fallback_mirror=http://deb.debian.org/debian/
readonly debian_keyring=/usr/share/keyrings/debian-archive-keyring.gpg

serial_prefix=${CARROLL_SERIAL_PREFIX:-/opt/carroll/serial-kernels}
report=
groups=()
warnings=()
scratch_dir=

say() { printf 'prepare: %s\n' "$*"; }
warn() { warnings+=("$*"); printf 'prepare: warning: %s\n' "$*" >&2; }
die() { printf 'prepare: error: %s\n' "$*" >&2; exit 1; }
usage() { sed -n '2,/^set -/{/^set -/d;s/^# \{0,1\}//;p}' "$0"; }
wants() { [[ " ${groups[*]} " == *" $1 "* ]]; }

parse_arguments() {
  while [ $# -gt 0 ]; do
    case $1 in
      run | test | perf | ci) groups+=("$1") ;;
      --serial-prefix)
        [ $# -ge 2 ] || { echo "prepare: --serial-prefix needs a directory" >&2; exit 2; }
        serial_prefix=$2
        shift
        ;;
      --report)
        [ $# -ge 2 ] || { echo "prepare: --report needs a file" >&2; exit 2; }
        report=$2
        shift
        ;;
      -h | --help) usage; exit 0 ;;
      *) echo "prepare: unknown argument '$1' (see --help)" >&2; exit 2 ;;
    esac
    shift
  done
  [ ${#groups[@]} -gt 0 ] || groups=(run test perf)
  case $serial_prefix in
    /*) ;;
    *) serial_prefix=$PWD/$serial_prefix ;;
  esac
}

# --- the machine ------------------------------------------------------------------------------------

check_machine() {
  local id='' id_like='' name='this system'
  codename=''
  if [ -r /etc/os-release ]; then
    # shellcheck disable=SC1091
    . /etc/os-release
    id=${ID:-} id_like=${ID_LIKE:-} name=${PRETTY_NAME:-$name} codename=${VERSION_CODENAME:-}
  fi
  if [ "$id" != debian ] || ! command -v apt-get >/dev/null; then
    die "$name is not Debian${id_like:+ (but like $id_like)}; install a C++20 compiler, CMake 3.25," \
      "Kokkos 5 and the libraries that README.md names by hand"
  fi
  architecture=$(dpkg --print-architecture)
  say "$name, $architecture; groups: ${groups[*]}"
  export DEBIAN_FRONTEND=noninteractive
  as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || die "not root, and there is no sudo: run this script as root"
    as_root=(sudo DEBIAN_FRONTEND=noninteractive)
  fi
}

apt() { "${as_root[@]}" apt-get -qq -o Dpkg::Use-Pty=0 -o DPkg::Lock::Timeout=300 "$@" </dev/null; }

# Runs a command silently; on failure shows the end of what it said.
quietly() {
  if "$@" >"$scratch_dir/log" 2>&1; then return 0; fi
  tail -n 15 "$scratch_dir/log" | sed 's/^/    /' >&2
  return 1
}

installed() { [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }

install_missing() {
  local package missing=()
  for package in "$@"; do installed "$package" || missing+=("$package"); done
  [ ${#missing[@]} -gt 0 ] || return 0
  say "installing ${missing[*]}"
  quietly apt install -y --no-install-recommends "${missing[@]}"
}

# --- sources: trixie, sid and experimental, pinned below everything that is there -----------------

# The address of the Debian archive that this machine already uses.
archive_mirror() {
  local mirror
  mirror=$(apt-get indextargets --format '$(ORIGIN)|$(LABEL)|$(CODENAME)|$(REPO_URI)' \
    'Created-By: Packages' 2>/dev/null |
    awk -F'|' -v codename="$codename" \
      '$1 == "Debian" && $2 == "Debian" && (codename == "" || $3 == codename) { print $4; exit }')
  printf '%s\n' "${mirror:-$fallback_mirror}"
}

knows_suite() {
  apt-get indextargets --format '$(ORIGIN)|$(CODENAME)|$(SUITE)|$(RELEASE)' 'Created-By: Packages' |
    awk -F'|' -v suite="$1" '$1 == "Debian" && ($2 == suite || $3 == suite || $4 == suite) { found = 1 }
      END { exit !found }'
}

write_sources() { # MIRROR SUITE…
  local mirror=$1
  shift
  {
    echo "# Written by Carroll's configs/debian/prepare.sh; pinned low in $apt_pins."
    echo "Types: deb"
    echo "URIs: $mirror"
    echo "Suites: $*"
    echo "Components: main"
    [ ! -r "$debian_keyring" ] || echo "Signed-By: $debian_keyring"
  } >"$scratch_dir/carroll.sources"
  "${as_root[@]}" install -m 644 "$scratch_dir/carroll.sources" "$apt_sources"
}

write_pins() { # SUITE…
  local suite name priority
  echo "# Written by Carroll's configs/debian/prepare.sh: nothing comes from these suites unless asked for." \
    >"$scratch_dir/carroll.pins"
  for suite in "$@"; do
    name=$suite
    case $suite in
      sid) priority=50 ;;
      experimental) priority=1 name=rc-buggy ;; # its code name
      *) priority=100 ;;
    esac
    printf '\nPackage: *\nPin: release o=Debian,n=%s\nPin-Priority: %s\n' "$name" "$priority"
  done >>"$scratch_dir/carroll.pins"
  "${as_root[@]}" install -m 644 "$scratch_dir/carroll.pins" "$apt_pins"
}

update_carroll_sources() {
  quietly apt -o Dir::Etc::SourceList="$apt_sources" -o Dir::Etc::SourceParts=/dev/null \
    -o APT::Get::List-Cleanup=0 -o APT::Update::Error-Mode=any update
}

add_sources() {
  local suite missing=() mirror
  if [ -e "$apt_sources" ]; then
    say "package sources: $apt_sources is there already"
    update_carroll_sources || warn "the sources in $apt_sources cannot be read; using older lists"
    return
  fi
  for suite in trixie sid experimental; do knows_suite "$suite" || missing+=("$suite"); done
  [ ${#missing[@]} -gt 0 ] || return 0
  # Before the sources, so that there is no moment at which they are not pinned.
  write_pins "${missing[@]}"
  for mirror in "$(archive_mirror)" "$fallback_mirror"; do
    say "adding package sources: ${missing[*]} from $mirror ($apt_sources, pinned low by $apt_pins)"
    write_sources "$mirror" "${missing[@]}"
    if update_carroll_sources; then return; fi
  done
  "${as_root[@]}" rm -f "$apt_sources" "$apt_pins"
  warn "neither this machine's mirror nor $fallback_mirror offers ${missing[*]}; removed those sources again"
}

# The newest version of a package that any source offers, if its major number is at least the given one.
newest_version() { # PACKAGE MAJOR
  local version newest=''
  while read -r version; do
    version=${version// /}
    [ -n "$version" ] || continue
    if [ -z "$newest" ] || dpkg --compare-versions "$version" gt "$newest"; then newest=$version; fi
  done < <(apt-cache madison "$1" 2>/dev/null | awk -F'|' '{ print $2 }')
  if [ -n "$newest" ] && dpkg --compare-versions "$newest" ge "$2"; then echo "$newest"; fi
}

# Installs packages that need newer libraries than the release has; refuses to remove anything.
install_from_newer_suite() {
  local suite option simulation upgraded
  for suite in '' trixie forky sid; do
    option=()
    [ -z "$suite" ] || option=(-t "$suite")
    simulation=$(apt-get -s "${option[@]}" --no-install-recommends install "$@" 2>/dev/null) || continue
    if grep -q '^Remv ' <<<"$simulation"; then continue; fi
    say "installing $*${suite:+, with libraries of $suite}"
    upgraded=$(sed -n 's/^Inst \([^ ]*\) \[.*/\1/p' <<<"$simulation" | sort | tr '\n' ' ')
    [ -z "$upgraded" ] || say "this upgrades, and removes nothing: $upgraded"
    quietly apt install -y --no-install-recommends "${option[@]}" "$@" && return 0
  done
  return 1
}

# --- Kokkos with OpenMP, from libkokkos-dev ---------------------------------------------------------

# libkokkos-dev 5.2.2-2 names two static libraries in its CMake files that it does not ship. They
# hold nothing (both parts of Kokkos are header-only), so empty ones make find_package succeed.
complete_kokkos_archives() {
  local targets archive
  targets=$(dpkg -L libkokkos-dev | grep '/KokkosTargets-.*\.cmake$' | head -n 1) || return 0
  for archive in libkokkosalgorithms.a libkokkossimd.a; do
    grep -q "/$archive\"" "$targets" || continue
    archive=$(dirname "$(dirname "$(dirname "$targets")")")/$archive
    [ ! -e "$archive" ] || continue
    echo "prepare: note: libkokkos-dev names $archive but does not ship it; making an empty one" >&2
    "${as_root[@]}" ar cr "$archive"
  done
}

prepare_openmp() {
  local version
  openmp_found=''
  if ! installed libkokkos-dev; then
    if installed libtrilinos-kokkos-dev; then
      warn "libtrilinos-kokkos-dev is installed, which excludes libkokkos-dev; not touching it." \
        "No OpenMP configuration"
      return 0
    fi
    version=$(newest_version libkokkos-dev $min_kokkos)
    if [ -z "$version" ]; then
      warn "no source offers libkokkos-dev $min_kokkos or newer: no OpenMP configuration"
      return 0
    fi
    install_from_newer_suite libkokkos-dev ||
      { warn "libkokkos-dev $version cannot be installed: no OpenMP configuration"; return 0; }
  fi
  complete_kokkos_archives
  openmp_found=$(probe_kokkos /usr Kokkos) ||
    { warn "libkokkos-dev is installed, but find_package(Kokkos 5) fails"; openmp_found=''; }
}

# --- Kokkos with Serial and KokkosKernels, unpacked from Trilinos -----------------------------------

depends_of() { apt-cache show "$1=$2" | sed -n 's/^Depends: //p' | head -n 1 | tr ',' '\n'; }

unpack_trilinos() { # VERSION
  local version=$1 dev runtime packages=() package staging=$scratch_dir/staging library
  for dev in libtrilinos-kokkos-dev libtrilinos-kokkos-kernels-dev; do
    runtime=$(depends_of "$dev" "$version" | grep -o 'libtrilinos-[a-z-]*-[0-9.]*[0-9]' | head -n 1)
    packages+=("$dev=$version" "$runtime=$version")
  done
  packages+=("trilinos-dev=$version")
  mkdir "$scratch_dir/debs" "$staging"
  [ "$(id -u)" -ne 0 ] || chown _apt "$scratch_dir/debs" 2>/dev/null || true
  say "unpacking ${packages[*]} into $serial_prefix"
  (cd "$scratch_dir/debs" && quietly apt-get -qq download "${packages[@]}" </dev/null) || return 1
  for package in "$scratch_dir"/debs/*.deb; do dpkg -x "$package" "$staging"; done
  # Outside of the loader's path these libraries must find each other.
  while read -r library; do
    quietly patchelf --set-rpath '$ORIGIN' "$library" || return 1
  done < <(find "$staging/usr/lib" -type f -name 'lib*.so.*')
  # BLAS and LAPACK are named by absolute paths, which hold: they are installed, not unpacked.
  chmod 755 "$staging"
  "${as_root[@]}" mkdir -p "$(dirname "$serial_prefix")"
  "${as_root[@]}" rmdir "$serial_prefix" 2>/dev/null || true
  "${as_root[@]}" cp -r "$staging" "$serial_prefix.partial"
  "${as_root[@]}" mv -T "$serial_prefix.partial" "$serial_prefix"
}

# The unpacked libraries were built against newer libc and libstdc++ than Debian 12 has.
upgrade_runtime() { # VERSION
  local runtime needed library
  for runtime in libtrilinos-kokkos-dev libtrilinos-kokkos-kernels-dev; do
    needed=$(depends_of "$runtime" "$1" | grep -o 'libtrilinos-[a-z-]*-[0-9.]*[0-9]' | head -n 1)
    while read -r library needed_version; do
      dpkg --compare-versions "$(dpkg-query -W -f '${Version}' "$library" 2>/dev/null || echo 0)" \
        ge "$needed_version" || install_from_newer_suite "$library" || return 1
    done < <(depends_of "$needed" "$1" |
      sed -n 's/^ *\(libc6\|libstdc++6\|libgcc-s1\) (>= \(.*\))$/\1 \2/p')
  done
}

prepare_serial() {
  local version
  serial_found=''
  if [ -e "$serial_prefix/usr/include" ]; then
    say "Kokkos (Serial) with KokkosKernels is in $serial_prefix already"
  else
    version=$(newest_version libtrilinos-kokkos-kernels-dev $min_trilinos)
    if [ -z "$version" ]; then
      warn "no source offers libtrilinos-kokkos-kernels-dev $min_trilinos or newer:" \
        "no Serial configuration with KokkosKernels"
      return 0
    fi
    install_missing libopenblas-dev patchelf && upgrade_runtime "$version" && unpack_trilinos "$version" ||
      { warn "Trilinos $version cannot be unpacked: no Serial configuration with KokkosKernels"; return 0; }
  fi
  serial_found=$(probe_kokkos "$serial_prefix/usr" Kokkos KokkosKernels) ||
    { warn "find_package fails in $serial_prefix; remove that folder and run this again"; serial_found=''; }
}

# --- the result -------------------------------------------------------------------------------------

# Prints "version (devices)" of the Kokkos under a prefix, as CMake finds it.
probe_kokkos() { # PREFIX PACKAGE…
  local prefix=$1 dir
  shift
  dir=$(mktemp -d "$scratch_dir/probe.XXXX")
  {
    echo 'cmake_minimum_required(VERSION 3.25...4.2)'
    echo 'project(Probe LANGUAGES CXX)'
    for package in "$@"; do
      echo "find_package($package REQUIRED NO_DEFAULT_PATH PATHS $prefix)"
    done
    echo 'file(WRITE ${CMAKE_BINARY_DIR}/found "${Kokkos_VERSION} (${Kokkos_DEVICES})")'
  } >"$dir/CMakeLists.txt"
  quietly cmake -G Ninja -S "$dir" -B "$dir/build" || return 1
  cat "$dir/build/found"
}

main() {
  parse_arguments "$@"
  check_machine
  scratch_dir=$(mktemp -d "${TMPDIR:-/tmp}/carroll-prepare.XXXXXX")
  trap 'rm -rf "$scratch_dir"' EXIT
  chmod 755 "$scratch_dir"

  say "reading the package lists"
  quietly apt update || warn "apt-get update failed; using the lists that are there"

  # Groups are ready-made sets; build-essential is left out because g++ and make suffice.
  if wants run || wants test; then
    install_missing ca-certificates g++ cmake ninja-build git libcli11-dev nlohmann-json3-dev libfmt-dev ||
      die "the packages above cannot be installed; see the messages of apt-get"
  fi
  if wants test; then
    install_missing libgtest-dev libbenchmark-dev liblapacke-dev libopenblas-dev libeigen3-dev \
      python3 python3-numpy || die "the packages above cannot be installed; see the messages of apt-get"
  fi
  if wants perf; then
    install_missing libbenchmark-dev python3 python3-numpy python3-matplotlib ||
      die "the packages above cannot be installed; see the messages of apt-get"
  fi
  if wants ci; then
    install_missing clang-format || die "clang-format cannot be installed; see the messages of apt-get"
  fi

  if wants run || wants test; then
    if ! installed libkokkos-dev || { wants test && [ ! -e "$serial_prefix/usr/include" ]; }; then
      add_sources
    fi
    prepare_openmp
    # A user's run takes the second Kokkos only where the first cannot be had.
    if wants test || [ -z "$openmp_found" ]; then prepare_serial; else serial_found=''; fi
    if [ -z "$openmp_found$serial_found" ]; then
      die "no Kokkos $min_kokkos from packages. Install one by hand and set CMAKE_PREFIX_PATH, or let" \
        "CMake fetch it from github.com while it configures"
    fi
    [ -z "$openmp_found" ] || say "ready: preset openmp, Kokkos $openmp_found in /usr"
    [ -z "$serial_found" ] ||
      say "ready: preset serial-kernels, Kokkos $serial_found and KokkosKernels in $serial_prefix"
    if [ -n "$report" ]; then
      printf '%s' "${openmp_found:+openmp$'\n'}${serial_found:+serial-kernels$'\n'}" >"$report"
    fi
  fi
  [ ${#warnings[@]} -eq 0 ] || say "done, with ${#warnings[@]} warning(s) above"
}

main "$@"
