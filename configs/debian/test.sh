#!/usr/bin/env bash
# From a bare Debian 12 (or newer) to passed tests: prepares the machine, then configures, builds and tests Carroll for
# each Kokkos that can be had: with OpenMP all but the benchmarks, the tests that take longest and, if there is the other,
# the hostile testers; Serial with KokkosKernels, with sanitizers, hostile testers and what calls KokkosKernels.
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
log=$(mktemp)
trap 'rm -f "$report" "$log"' EXIT
configs/debian/prepare.sh run test --report "$report"
jobs=$(carroll_jobs)

failed=()
options=("$@")
# build PRESET 'ARGUMENTS OF CMAKE' 'ARGUMENTS OF THE BUILD'
build() {
  printf '\n== %s: building with %s job(s)\n' "$1" "$jobs"
  # shellcheck disable=SC2046,SC2086
  carroll_configure --preset "$1" $(carroll_preset_arguments "$1") $2 "${options[@]}" &&
    cmake --build --preset "$1" -j "$jobs" $3
}
# run_tests PRESET ARGUMENT OF CTEST…
run_tests() {
  local preset=$1
  shift
  printf '\n== %s: testing\n' "$preset"
  ctest --preset "$preset" -j "$(nproc)" "$@" || failed+=("$preset (tests)")
}

{ read -r first && read -r second || true; } <"$report"
# What takes long and seldom finds anything is for .ci/run --full. Hostile testers run once: with sanitizers, where there
# is a configuration for that.
hostile=ON
[ "${second:-}" != serial-kernels ] || hostile=OFF
# On hosts solvers are the same code, and have the same bits with any number of threads. What is new is an execution
# space, KokkosKernels, which gemm calls, and, so that this run finds what the first cannot, the sanitizers for addresses
# and undefined behaviour, under the testers that walk all of the code. They would make compiling three times as long:
# kernels are compiled for this machine's registers alone, null pointers and those beyond their objects are left to the
# sanitizer for addresses, which finds them where they are used, and undefined behaviour ends a tester by SIGILL, with its
# kind and place for -DCarroll_SANITIZER_TRAPS=OFF to tell. All of it is built where the first build and its tests leave a
# processor idle; where memory has no room for two builds, beside the tests alone.
building=
build_second() {
  if [ "${second:-}" != serial-kernels ] || [ -n "$building" ]; then return 0; fi
  {
    renice -n 15 "$BASHPID" >/dev/null
    build serial-sanitizers \
      '-DCarroll_NATIVE=ON -DCarroll_SANITIZER_WITHOUT=null,object-size,pointer-overflow
        -DCarroll_SANITIZED_TESTS_WITHOUT=alignment -DCarroll_SANITIZER_TRAPS=ON
        -DCarroll_HOSTILE_SECONDS=3' \
      '--target carroll_hostile_tests test_contract_gemm'
  } >"$log" 2>&1 &
  building=$!
}
[ "$(carroll_compiles)" -lt $((2 * jobs)) ] || build_second

built=
build "$first" "-DCarroll_ENABLE_PERF=OFF -DCarroll_ENABLE_LONG_TESTS=OFF -DCarroll_ENABLE_HOSTILE_TESTS=$hostile \
  -DCarroll_HOSTILE_SECONDS=3" '' && built=yes || failed+=("$first (build)")
build_second
[ -z "$built" ] || run_tests "$first" --label-exclude '^full$'
if [ -n "$building" ]; then
  wait "$building" && built=yes || built=
  cat "$log"
  if [ -n "$built" ]; then
    run_tests serial-sanitizers --tests-regex '^(hostile|contract_gemm)'
  else
    failed+=("serial-sanitizers (build)")
  fi
fi

if [ ${#failed[@]} -gt 0 ]; then
  printf '\nfailed: %s\n' "${failed[*]}" >&2
  exit 1
fi
