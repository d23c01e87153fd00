# The two Kokkos of configs/debian/prepare.sh: sourced, not run. Each prepare_… sets its …_found to "version (devices)",
# or warns and leaves it empty.
# shellcheck shell=bash disable=SC2016,SC2034,SC2154

readonly min_kokkos=5
readonly min_trilinos=17

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
    { warn "libkokkos-dev is installed, but find_package(Kokkos $min_kokkos) fails"; openmp_found=''; }
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
    if ! { install_missing libopenblas-dev patchelf && upgrade_runtime "$version" && unpack_trilinos "$version"; }; then
      warn "Trilinos $version cannot be unpacked: no Serial configuration with KokkosKernels"
      return 0
    fi
  fi
  serial_found=$(probe_kokkos "$serial_prefix/usr" Kokkos KokkosKernels) ||
    { warn "find_package fails in $serial_prefix; remove that folder and run this again"; serial_found=''; }
}

# --- the result -------------------------------------------------------------------------------------

# Prints "version (devices)" of the Kokkos under a prefix, as CMake finds it.
probe_kokkos() { # PREFIX PACKAGE…
  local prefix=$1 dir package version
  shift
  dir=$(mktemp -d "$scratch_dir/probe.XXXX")
  {
    echo 'cmake_minimum_required(VERSION 3.25...4.2)'
    echo 'project(Probe LANGUAGES CXX)'
    for package in "$@"; do
      version=
      [ "$package" != Kokkos ] || version="$min_kokkos.0...<$((min_kokkos + 1))"
      echo "find_package($package $version REQUIRED NO_DEFAULT_PATH PATHS $prefix)"
    done
    echo 'file(WRITE ${CMAKE_BINARY_DIR}/found "${Kokkos_VERSION} (${Kokkos_DEVICES})")'
  } >"$dir/CMakeLists.txt"
  quietly cmake -G Ninja -S "$dir" -B "$dir/build" || return 1
  cat "$dir/build/found"
}
