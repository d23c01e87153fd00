# Finds what Carroll needs: installed packages first, then the pinned upstream release, then an error that says what to
# do. Each part of the project asks for what it needs: carroll_require(<package>).
include(CarrollFindOrFetch)
include(CarrollKokkosKernels)
include(CarrollCusolver)

# Pinned releases: name, version range, upstream archive and its SHA-256, targets, and the Debian package.
carroll_declare(Kokkos
  VERSION 5.0...<6
  TARGET Kokkos::kokkos
  DEBIAN libkokkos-dev
  URL https://github.com/kokkos/kokkos/releases/download/5.2.2/kokkos-5.2.2.tar.gz
  SHA256 d6557aaef39302282a15f9c770433d1fcdf4e961dfd6d9ed726b9d0d0f546b9f)
carroll_declare(KokkosKernels
  TARGET Kokkos::kokkoskernels KokkosKernels::all_libs
  DEBIAN libtrilinos-kokkos-kernels-dev
  URL https://github.com/kokkos/kokkos-kernels/archive/refs/tags/5.2.0.tar.gz
  SHA256 083da4c4f69f0b4169c4b295c6dd09642aabbab455caff8d9614d178346e750f)
carroll_declare(GTest
  VERSION 1.12
  TARGET GTest::gtest
  DEBIAN libgtest-dev
  URL https://github.com/google/googletest/releases/download/v1.17.0/googletest-1.17.0.tar.gz
  SHA256 65fab701d9829d38cb77c14acdc431d2108bfdbf8979e40eb8ae567edf10b27c)
carroll_declare(benchmark
  VERSION 1.7
  TARGET benchmark::benchmark
  DEBIAN libbenchmark-dev
  URL https://github.com/google/benchmark/archive/refs/tags/v1.9.5.tar.gz
  SHA256 9631341c82bac4a288bef951f8b26b41f69021794184ece969f8473977eaa340)
carroll_declare(CLI11
  VERSION 2.1
  TARGET CLI11::CLI11
  DEBIAN libcli11-dev
  URL https://github.com/CLIUtils/CLI11/archive/refs/tags/v2.5.0.tar.gz
  SHA256 17e02b4cddc2fa348e5dbdbb582c59a3486fa2b2433e70a0c3bacb871334fd55)
carroll_declare(nlohmann_json
  VERSION 3.10
  TARGET nlohmann_json::nlohmann_json
  DEBIAN nlohmann-json3-dev
  URL https://github.com/nlohmann/json/releases/download/v3.12.0/json.tar.xz
  SHA256 42f6e95cad6ec532fd372391373363b62a14af6d771056dbfc86160e6dfff7aa)
carroll_declare(fmt
  VERSION 9
  TARGET fmt::fmt
  DEBIAN libfmt-dev
  URL https://github.com/fmtlib/fmt/releases/download/11.2.0/fmt-11.2.0.zip
  SHA256 203eb4e8aa0d746c62d8f903df58e0419e3751591bb53ff971096eaa0ebd4ec3)

# What a fetched release should build: the library and nothing else.
set(BUILD_GMOCK OFF CACHE BOOL "")
set(INSTALL_GTEST OFF CACHE BOOL "")
set(BENCHMARK_ENABLE_TESTING OFF CACHE BOOL "")
set(BENCHMARK_ENABLE_INSTALL OFF CACHE BOOL "")
mark_as_advanced(BUILD_GMOCK INSTALL_GTEST BENCHMARK_ENABLE_TESTING BENCHMARK_ENABLE_INSTALL)

# --- Kokkos -------------------------------------------------------------------------------------------------------

set(carroll_cuda_arch_names 86:AMPERE86 87:AMPERE87 89:ADA89 90:HOPPER90)
if(NOT Carroll_BACKEND MATCHES "^(|SERIAL|OPENMP|CUDA)$")
  message(FATAL_ERROR "Carroll_BACKEND is '${Carroll_BACKEND}'; it is SERIAL, OPENMP, CUDA or empty.")
endif()
if(Carroll_CUDA_ARCH AND NOT "${carroll_cuda_arch_names}" MATCHES "${Carroll_CUDA_ARCH}:([A-Z0-9]+)")
  message(FATAL_ERROR "Carroll_CUDA_ARCH is '${Carroll_CUDA_ARCH}'; it is 86, 87, 89, 90 or empty.")
endif()
# These speak to a fetched Kokkos only; an installed one has been configured already.
if(Carroll_CUDA_ARCH)
  set(Kokkos_ARCH_${CMAKE_MATCH_1} ON CACHE BOOL "")
endif()
if(Carroll_BACKEND AND NOT DEFINED Kokkos_ENABLE_${Carroll_BACKEND})
  set(carroll_set_backend ON)
endif()

carroll_require(Kokkos
  WHY "every kernel of Carroll is written in it"
  BEFORE_FETCH carroll_choose_backend)

function(carroll_check_kokkos)
  set(where "The one in ${Kokkos_DIR}")
  if(NOT Kokkos_DEVICES)
    # Kokkos is part of this very build, and tells by its options only.
    set(where "The one in this build")
    foreach(backend OPENMP THREADS SERIAL CUDA HIP SYCL)
      if(Kokkos_ENABLE_${backend})
        list(APPEND Kokkos_DEVICES ${backend})
      endif()
    endforeach()
  endif()
  set(hint "To have one downloaded in its place, add -DCMAKE_DISABLE_FIND_PACKAGE_Kokkos=ON.")
  if(Carroll_BACKEND AND NOT Carroll_BACKEND IN_LIST Kokkos_DEVICES)
    carroll_missing(Kokkos "a Kokkos with the ${Carroll_BACKEND} backend"
      "${where} has ${Kokkos_DEVICES}. ${hint}")
  endif()
  if(Carroll_CUDA_ARCH AND Kokkos_CUDA_ARCHITECTURES AND NOT Carroll_CUDA_ARCH IN_LIST Kokkos_CUDA_ARCHITECTURES)
    carroll_missing(Kokkos "a Kokkos for compute capability ${Carroll_CUDA_ARCH}"
      "${where} is for ${Kokkos_CUDA_ARCHITECTURES}. ${hint}")
  endif()
  foreach(backend HIP SYCL)
    if(backend IN_LIST Kokkos_DEVICES)
      message(WARNING "Carroll has never run on ${backend}; README.md says what has been tried. Run the tests.")
    endif()
  endforeach()
  set(Carroll_KOKKOS_DEVICES "${Kokkos_DEVICES}" PARENT_SCOPE)
endfunction()
carroll_check_kokkos()

# Compilers' results from earlier builds. Kokkos' wrapper of nvcc is not for it.
if(PROJECT_IS_TOP_LEVEL AND NOT "CUDA" IN_LIST Carroll_KOKKOS_DEVICES AND NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
  find_program(Carroll_CCACHE ccache DOC "ccache, or empty for none")
  mark_as_advanced(Carroll_CCACHE)
  if(Carroll_CCACHE)
    set(CMAKE_CXX_COMPILER_LAUNCHER "${Carroll_CCACHE}")
  endif()
endif()

# --- KokkosKernels ------------------------------------------------------------------------------------------------

carroll_find_kokkoskernels(${Carroll_ENABLE_KOKKOSKERNELS})
if(Carroll_ENABLE_KOKKOSKERNELS STREQUAL "ON" AND NOT carroll_kokkoskernels_target)
  carroll_require(KokkosKernels WHY "Carroll_ENABLE_KOKKOSKERNELS is ON")
  carroll_kokkoskernels_target(carroll_kokkoskernels_target)
endif()

# --- cuSOLVER -----------------------------------------------------------------------------------------------------

carroll_find_cusolver("${Carroll_ENABLE_CUSOLVER}" "${Carroll_KOKKOS_DEVICES}")
if(Carroll_ENABLE_CUSOLVER STREQUAL "ON" AND NOT carroll_cusolver_target)
  message(FATAL_ERROR
    "Carroll_ENABLE_CUSOLVER is ON, and ${carroll_cusolver_problem}. Point CUDAToolkit_ROOT to a CUDA that has it, "
    "or give -DCarroll_ENABLE_CUSOLVER=OFF to do without.")
endif()
