#!/usr/bin/env bash
# From a bare Debian 12 (or newer) to passed tests: prepares the machine, then configures, builds and tests Carroll for
# each Kokkos that can be had: with OpenMP, and Serial with KokkosKernels.
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
cmake_arguments=()
build_arguments=()
ctest_arguments=()
while read -r preset <&3; do
  printf '\n== %s: building with %s job(s)\n' "$preset" "$jobs"
  # shellcheck disable=SC2046
  if carroll_configure --preset "$preset" $(carroll_preset_arguments "$preset") "${cmake_arguments[@]}" "$@" &&
    cmake --build --preset "$preset" -j "$jobs" "${build_arguments[@]}"; then
    printf '\n== %s: testing\n' "$preset"
    ctest --preset "$preset" -j "$(nproc)" "${ctest_arguments[@]}" || failed+=("$preset (tests)")
  else
    failed+=("$preset (build)")
  fi
  # The next one has another execution space, and KokkosKernels. What static_asserts say and whether headers include what
  # they use is up to the compiler, which is the same, and so are the peers of the benchmarks, how misuse is told, and
  # the tool's reading, writing and command line, which know nothing of Kokkos. Solvers on hosts are the same code, and
  # have the same bits with any number of threads: how accurate they are has been seen, and hostile testers draw the
  # same problems.
  cmake_arguments=(-DCarroll_ENABLE_PERF=OFF -DCarroll_ENABLE_ACCURACY_TESTS=OFF -DCarroll_HOSTILE_SECONDS=3)
  build_arguments=(--target carroll carroll_unit_tests carroll_contract_tests carroll_hostile_tests)
  ctest_arguments=(--label-exclude '^(compile|headers|misuse|examples)$'
    --exclude-regex '^tool\.(command_line|npy|matrix_market|output|bad_input|mutations|synth_sequence)$')
done 3<"$report"

if [ ${#failed[@]} -gt 0 ]; then
  printf '\nfailed: %s\n' "${failed[*]}" >&2
  exit 1
fi
