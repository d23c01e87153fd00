#!/usr/bin/env bash
# From a bare Debian 12 (or newer) to passed tests: prepares the machine, then configures, builds and tests Carroll for
# each Kokkos that can be had: with OpenMP, and Serial with KokkosKernels, the second with sanitizers.
#
#   configs/debian/test.sh [ARGUMENT OF CMAKE…]        e.g. -DCarroll_WARNINGS_AS_ERRORS=ON
#
# Run it as root, or as a user who may use sudo. Exit status: 0 if every test passed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
# shellcheck source=configs/debian/common.sh
. configs/debian/common.sh
case ${1:-} in
  -h | --help)
    carroll_usage "$0"
    exit 0
    ;;
esac

report=$(mktemp)
trap 'rm -f "$report"' EXIT
configs/debian/prepare.sh run test perf --report "$report"
jobs=$(carroll_jobs)

failed=()
# build_and_test PRESET 'ARGUMENTS OF CMAKE' 'ARGUMENTS OF THE BUILD' ARGUMENT OF CTEST…
build_and_test() {
  local preset=$1 cmake_arguments=$2 build_arguments=$3
  shift 3
  printf '\n== %s: building with %s job(s)\n' "$preset" "$jobs"
  # shellcheck disable=SC2046,SC2086
  if carroll_configure --preset "$preset" $(carroll_preset_arguments "$preset") $cmake_arguments "${options[@]}" &&
    cmake --build --preset "$preset" -j "$jobs" $build_arguments; then
    printf '\n== %s: testing\n' "$preset"
    ctest --preset "$preset" -j "$(nproc)" "$@" || failed+=("$preset (tests)")
  else
    failed+=("$preset (build)")
  fi
}

options=("$@")
{ read -r first && read -r second || true; } <"$report"
# What takes long and seldom finds anything is for .ci/run --full.
build_and_test "$first" '' '' --label-exclude '^full$'
# On hosts solvers are the same code, and have the same bits with any number of threads. What is new is an execution
# space, KokkosKernels and, so that this run finds what the first cannot, the sanitizers for addresses and undefined
# behaviour, under the testers that walk all of the code: of random problems, and of what callers are promised.
if [ "${second:-}" = serial-kernels ]; then
  build_and_test serial-sanitizers -DCarroll_HOSTILE_SECONDS=12 \
    '--target carroll_hostile_tests carroll_contract_tests' --tests-regex '^(hostile|contract)'
fi

if [ ${#failed[@]} -gt 0 ]; then
  printf '\nfailed: %s\n' "${failed[*]}" >&2
  exit 1
fi
