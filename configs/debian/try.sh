#!/usr/bin/env bash
# From a bare Debian 12 (or newer) to singular vectors: prepares the machine, builds the carroll tool, and decomposes a
# matrix that is shipped with the sources.
#
#   configs/debian/try.sh [ARGUMENT OF CMAKE…]         e.g. -DCarroll_WARNINGS_AS_ERRORS=ON
#
# Run it as root, or as a user who may use sudo. configs/debian/test.sh goes on with what is built here.
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

matrix=examples/data/longley.mtx

report=$(mktemp)
trap 'rm -f "$report"' EXIT
configs/debian/prepare.sh run --report "$report"
preset=$(head -n 1 "$report")
build=build/$preset

printf '\n== building the tool (%s)\n' "$preset"
# What is configured already stays as it is, with its tests.
if [ $# -gt 0 ] || [ ! -f "$build/build.ninja" ]; then
  only_tool=(-DCarroll_ENABLE_TESTS=OFF -DCarroll_ENABLE_PERF=OFF)
  [ -f "$build/build.ninja" ] && only_tool=()
  # shellcheck disable=SC2046
  carroll_configure --preset "$preset" "${only_tool[@]}" $(carroll_preset_arguments "$preset") "$@"
fi
cmake --build "$build" --target carroll -j "$(carroll_jobs)"

printf '\n== %s/bin/carroll svd %s\n' "$build" "$matrix"
OMP_PROC_BIND=${OMP_PROC_BIND:-false} "$build/bin/carroll" svd "$matrix"
