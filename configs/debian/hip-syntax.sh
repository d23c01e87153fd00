#!/usr/bin/env bash
# Reads Carroll's solvers as a HIP compiler does, for an AMD GPU, without one and without linking: which is what Debian
# offers. Kokkos' headers are those of libkokkos-dev, told that they have HIP; clang is trixie's, and the HIP runtime's
# headers are sid's, unpacked into build/hip.
#
#   configs/debian/hip-syntax.sh
#
# After configs/debian/prepare.sh, which adds the package sources. Exit status: 0 if all of it is C++ to that compiler.
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

clang=clang++-19
kokkos=/usr/include/kokkos
hip=$PWD/build/hip
packages=(libamdhip64-dev libhsa-runtime-dev libamd-comgr-dev)

if [ ! -d "$kokkos/HIP" ]; then
  echo "hip-syntax: $kokkos has no headers of HIP; run configs/debian/prepare.sh" >&2
  exit 1
fi
if ! command -v "$clang" >/dev/null; then
  DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends -t trixie clang-19 libclang-common-19-dev \
    </dev/null >/dev/null
fi
if [ ! -d "$hip/usr/include/hip" ]; then
  rm -rf "$hip"
  mkdir -p "$hip/debs"
  [ "$(id -u)" -ne 0 ] || chown _apt "$hip/debs" 2>/dev/null || true
  (cd "$hip/debs" && apt-get -qq download "${packages[@]/%//sid}" </dev/null)
  for package in "$hip"/debs/*.deb; do dpkg -x "$package" "$hip"; done
fi

# What CMake writes for a Kokkos with HIP and Serial stands before what it wrote for the installed one.
config=$hip/config
mkdir -p "$config/desul/atomics" "$config/carroll"
for part in FwdBackend:FWD:fwd/Kokkos_Fwd SetupBackend:SETUP:setup/Kokkos_Setup DeclareBackend:DECLARE:decl/Kokkos_Declare; do
  IFS=: read -r name guard header <<<"$part"
  {
    printf '#ifndef KOKKOS_%s_HPP_\n#define KOKKOS_%s_HPP_\n' "$guard" "$guard"
    [ "$name" = SetupBackend ] || printf '#include <%s_SERIAL.hpp>\n' "$header"
    printf '#include <%s_HIP.hpp>\n#endif\n' "$header"
  } >"$config/KokkosCore_Config_$name.hpp"
done
backends='#define KOKKOS_ENABLE_SERIAL\n#define KOKKOS_ENABLE_HIP\n#define KOKKOS_ARCH_AMD_GFX90A\n#define KOKKOS_ARCH_AMD_GPU "gfx90a"'
sed "s/^#define KOKKOS_ENABLE_OPENMP\$/$backends/" "$kokkos/KokkosCore_config.h" >"$config/KokkosCore_config.h"
printf '#ifndef DESUL_ATOMICS_CONFIG_HPP_\n#define DESUL_ATOMICS_CONFIG_HPP_\n#define DESUL_ATOMICS_ENABLE_HIP\n#endif\n' \
  >"$config/desul/atomics/Config.hpp"

sources=(solvers/instances/*_instances.cpp solvers/instances/*/*.cpp examples/integer_determinant.cpp)
echo "hip-syntax: $($clang --version | head -n 1), Kokkos $(dpkg-query -W -f '${Version}' libkokkos-dev), gfx90a"
printf '%s\n' "${sources[@]}" | xargs -P "$(carroll_jobs)" -I '{}' \
  "$clang" -x hip --offload-arch=gfx90a --rocm-path="$hip/usr" -nogpulib -std=c++20 -fsyntax-only -D__HIP_PLATFORM_AMD__ \
  -Isolvers/instances -Icore/include -Iblas/include -Isolvers/include -isystem "$config" -isystem "$hip/usr/include" -isystem "$kokkos" '{}'
echo "hip-syntax: ${#sources[@]} sources are well formed"
