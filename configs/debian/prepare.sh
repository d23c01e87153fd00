#!/usr/bin/env bash
# Makes a bare Debian 12 (or newer) ready to build and test Carroll.
#
#   configs/debian/prepare.sh [GROUP…] [--mpi openmpi|mpich|none] [--serial-prefix DIR] [--report FILE]
#
# Groups (default: run test perf):
#   run    compiler, ccache, CMake, Ninja, git, CLI11, nlohmann-json, fmt, libpng, libjpeg, zstd, and
#          Kokkos with OpenMP
#   test   GoogleTest, Google Benchmark, LAPACKE, OpenBLAS, Eigen, FLINT, MPFR, NumPy, and a second Kokkos
#          (Serial, with KokkosKernels) in a prefix of its own
#   perf   matplotlib, for the figures; Ceres and SuiteSparse, for bench_pseudoinverse to be compared with
#   mpi    MPI and ScaLAPACK, for Carroll::distributed and the tool under mpirun; run and test bring it.
#          Open MPI, unless --mpi says otherwise; from the machine's own suite, and only where nothing has to
#          go for it
#   slepc  SLEPc, some 70 packages, for bench_distributed to be compared with (Carroll_PERF_SLEPC); it is built
#          with Open MPI
#   ci     clang-format
#   tidy   clang-tidy 19
#   lapack-test
#          LAPACK's own test programs, for Carroll_ENABLE_LAPACK_TESTS
#
# The second Kokkos goes to /opt/carroll/serial-kernels, or to --serial-prefix, or to
# $CARROLL_SERIAL_PREFIX. --report writes the names of the CMake presets that are ready, one a line.
#
# Run it as root, or as a user who may use sudo. It asks nothing, says what it changes, leaves what
# is already there alone, and may be run again at any time. Exit status: 0 ready; 1 not ready; 2 usage.
set -euo pipefail

serial_prefix=${CARROLL_SERIAL_PREFIX:-/opt/carroll/serial-kernels}
mpi=openmpi
report=
groups=()
warnings=()
scratch_dir=

say() { printf 'prepare: %s\n' "$*"; }
warn() { warnings+=("$*"); printf 'prepare: warning: %s\n' "$*" >&2; }
die() { printf 'prepare: error: %s\n' "$*" >&2; exit 1; }
usage() { sed -n '2,/^set -/{/^set -/d;s/^# \{0,1\}//;p}' "$0"; }
wants() { [[ " ${groups[*]} " == *" $1 "* ]]; }

here=$(dirname "${BASH_SOURCE[0]}")
# shellcheck source=configs/debian/sources.sh
. "$here/sources.sh"
# shellcheck source=configs/debian/kokkos.sh
. "$here/kokkos.sh"

parse_arguments() {
  while [ $# -gt 0 ]; do
    case $1 in
      run | test | perf | mpi | slepc | ci | tidy | lapack-test) groups+=("$1") ;;
      --mpi)
        case ${2:-} in
          openmpi | mpich | none) mpi=$2 ;;
          *) echo "prepare: --mpi needs openmpi, mpich or none" >&2; exit 2 ;;
        esac
        shift
        ;;
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
    as_root=(sudo env DEBIAN_FRONTEND=noninteractive)
  fi
}

# Of package lists descriptions in other languages are not wanted. A machine of CI is thrown away: there dpkg need not wait
# until every file is on the disk, and nobody reads manuals, of which MPI alone has a thousand.
apt_options=(-qq -o Dpkg::Use-Pty=0 -o DPkg::Lock::Timeout=300 -o Acquire::Languages=none)
if [ -n "${CI:-}" ]; then
  apt_options+=(-o DPkg::Options::=--force-unsafe-io)
  for folder in doc info locale man; do apt_options+=(-o "DPkg::Options::=--path-exclude=/usr/share/$folder/*"); done
fi
apt() { "${as_root[@]}" apt-get "${apt_options[@]}" "$@" </dev/null; }

# Whether the package lists were read within the last hour, and the sources are no newer: this script runs several times
# in a row, and reading takes seconds.
lists_are_fresh() {
  local lists=/var/lib/apt/lists
  [ -n "$(find "$lists" -maxdepth 1 -name '*_Packages*' -print -quit 2>/dev/null)" ] &&
    [ -n "$(find "$lists/partial" -maxdepth 0 -mmin -60 2>/dev/null)" ] &&
    [ -z "$(find /etc/apt/sources.list /etc/apt/sources.list.d -newer "$lists/partial" -print -quit 2>/dev/null)" ]
}

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

# Ranks are an addition: what stands in their way is a warning. MPI of a newer suite would remove packages.
prepare_mpi() {
  local packages changes package lacks=
  case $mpi in
    openmpi) packages=(openmpi-bin libopenmpi-dev libscalapack-openmpi-dev) ;;
    mpich) packages=(mpich libmpich-dev libscalapack-mpich-dev) ;;
    none) return 0 ;;
  esac
  for package in "${packages[@]}"; do installed "$package" || lacks=yes; done
  [ -n "$lacks" ] || return 0
  if ! changes=$(apt -s install --no-install-recommends "${packages[@]}" 2>/dev/null); then
    warn "${packages[*]} cannot be installed; Carroll is built without ranks"
  elif grep -q '^Remv ' <<<"$changes"; then
    warn "${packages[*]} would remove packages; Carroll is built without ranks"
  else
    install_missing "${packages[@]}" || warn "MPI cannot be installed; Carroll is built without ranks"
  fi
}

# A peer is an addition, too.
prepare_slepc() {
  local changes
  if ! changes=$(apt -s install --no-install-recommends libslepc-real-dev 2>/dev/null) || grep -q '^Remv ' <<<"$changes"; then
    warn "libslepc-real-dev cannot be installed, or not without removing packages; bench_distributed does without"
  else
    install_missing libslepc-real-dev || warn "SLEPc cannot be installed; bench_distributed does without"
  fi
}

main() {
  parse_arguments "$@"
  check_machine
  scratch_dir=$(mktemp -d "${TMPDIR:-/tmp}/carroll-prepare.XXXXXX")
  trap 'rm -rf "$scratch_dir"' EXIT
  chmod 755 "$scratch_dir"

  if ! lists_are_fresh; then
    say "reading the package lists"
    quietly apt update || warn "apt-get update failed; using the lists that are there"
  fi

  # Groups are ready-made sets; build-essential is left out because g++ and make suffice.
  if wants run || wants test; then
    install_missing ca-certificates g++ ccache cmake ninja-build git libcli11-dev nlohmann-json3-dev libfmt-dev \
      libpng-dev ||
      die "the packages above cannot be installed; see the messages of apt-get"
    # zstd's own suite may be a newer one than the machine's, which the header has to go with.
    install_missing libjpeg62-turbo-dev libzstd-dev ||
      install_missing "libzstd-dev=$(dpkg-query -W -f '${Version}' libzstd1)" ||
      warn "without libjpeg or zstd, carroll compress reads no JPEG or is left out"
  fi
  if wants test; then
    install_missing libgtest-dev libbenchmark-dev liblapacke-dev libopenblas-dev libeigen3-dev \
      libflint-dev libmpfr-dev python3 python3-numpy ||
      die "the packages above cannot be installed; see the messages of apt-get"
  fi
  if wants perf; then
    install_missing libbenchmark-dev python3 python3-numpy python3-matplotlib libceres-dev libsuitesparse-dev ||
      die "the packages above cannot be installed; see the messages of apt-get"
  fi
  if wants ci; then
    install_missing clang-format || die "the packages above cannot be installed; see the messages of apt-get"
  fi
  if wants tidy; then
    installed clang-tidy-19 || install_from_newer_suite clang-tidy-19 ||
      die "clang-tidy-19 cannot be installed, or not without removing packages"
  fi
  if wants lapack-test; then
    install_missing liblapack-test || die "liblapack-test cannot be installed; see the messages of apt-get"
  fi

  # Before packages of newer suites come: these are of the machine's own.
  if wants run || wants test || wants mpi; then prepare_mpi; fi
  if wants slepc; then prepare_slepc; fi

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
