#!/usr/bin/env bash
# From a bare Debian 12 (or newer) to singular vectors: prepares the machine, builds the carroll tool, and decomposes a
# matrix that is shipped with the sources.
#
#   configs/debian/try.sh
#
# Run it as root, or as a user who may use sudo.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
# shellcheck source=configs/debian/common.sh
. configs/debian/common.sh
[ $# -eq 0 ] || { sed -n '2,8s/^# \{0,1\}//p' "$0"; exit 2; }

matrix=examples/data/longley.mtx
build=build/try

report=$(mktemp)
trap 'rm -f "$report"' EXIT
configs/debian/prepare.sh run --report "$report"
preset=$(head -n 1 "$report")

printf '\n== building the tool (%s)\n' "$preset"
# shellcheck disable=SC2046
carroll_configure --preset "$preset" -B "$build" -DCarroll_ENABLE_TESTS=OFF -DCarroll_ENABLE_PERF=OFF \
  $(carroll_preset_arguments "$preset")
cmake --build "$build" --target carroll -j "$(carroll_jobs)"

printf '\n== %s/bin/carroll svd %s\n' "$build" "$matrix"
OMP_PROC_BIND=${OMP_PROC_BIND:-false} "$build/bin/carroll" svd "$matrix"
