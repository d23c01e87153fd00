# Shared by try.sh, test.sh and .ci/run: sourced, not run.
# shellcheck shell=bash

# ccache knows results with precompiled headers only where it may overlook when those were made; and it need not
# preprocess what it compiles for the first time, which takes a second or two of each file, as compilers say what they read.
export CCACHE_SLOPPINESS=${CCACHE_SLOPPINESS:-pch_defines,time_macros} CCACHE_DEPEND=${CCACHE_DEPEND:-true}

# The comment at the beginning of a script.
carroll_usage() { sed -n '2,/^set -/{/^set -/d;s/^# \{0,1\}//;p}' "$1"; }

# A compile of Carroll's templates takes up to 1.5 GB: how many at once the memory has room for, at least one.
carroll_compiles() {
  local memory_gb
  memory_gb=$(awk '/^MemAvailable:/ { print int($2 / 1024 / 1024 / 1.5) }' /proc/meminfo)
  echo $((${memory_gb:-0} < 1 ? 1 : memory_gb))
}

# As many at once as there are processors and memory.
carroll_jobs() {
  local processors compiles
  processors=$(nproc)
  compiles=$(carroll_compiles)
  echo $((processors < compiles ? processors : compiles))
}

# The vector registers of this processor, in bytes, as the kernels choose them (core/include/carroll/detail/simd/choice.hpp);
# nothing where they have no choice.
carroll_vector_bytes() {
  local flags
  flags=" $(sed -n '/^flags/{s/.*://;p;q}' /proc/cpuinfo) "
  [ "$(uname -m)" = x86_64 ] || return 0
  if [[ $flags == *" avx512f "* && $flags == *" avx512vl "* && $flags == *" avx512dq "* && $flags == *" avx512bw "* ]]; then
    echo 64
  elif [[ $flags == *" avx2 "* && $flags == *" fma "* ]]; then
    echo 32
  else
    echo 16
  fi
}

# Configures, with one line instead of forty unless it fails. Arguments: those of cmake. Several sources are compiled as
# one: what Kokkos makes of its Views is then compiled once for all of them, which takes a third of the time.
carroll_configure() {
  local log
  log=$(mktemp)
  if cmake -DCMAKE_UNITY_BUILD=ON "$@" >"$log" 2>&1; then
    sed -n 's/^-- \(Carroll\|  \)/\1/p' "$log" | sed -n '/^Carroll [0-9]/,$p'
    rm -f "$log"
    return 0
  fi
  cat "$log" >&2
  rm -f "$log"
  return 1
}

# The -D that a preset needs where the second Kokkos is not in its usual place.
carroll_preset_arguments() { # PRESET
  if [[ $1 == serial-* ]] && [ -n "${CARROLL_SERIAL_PREFIX:-}" ]; then
    echo "-DCMAKE_PREFIX_PATH=$CARROLL_SERIAL_PREFIX/usr"
  fi
}
