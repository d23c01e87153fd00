# Finds the KokkosKernels that belongs to the Kokkos in use. Serves the build and the installed package alike.
# Upstream calls its target Kokkos::kokkoskernels, Trilinos calls it KokkosKernels::all_libs.

function(carroll_kokkoskernels_target result)
  set(${result} "" PARENT_SCOPE)
  foreach(target Kokkos::kokkoskernels KokkosKernels::all_libs)
    if(TARGET ${target})
      set(${result} ${target} PARENT_SCOPE)
      return()
    endif()
  endforeach()
endfunction()

# Sets carroll_kokkoskernels_target, which is empty if there is none. <mode>: AUTO, ON or OFF. The package is taken from
# beside Kokkos or from where the user points, never from wherever the system has one: that one would bring a second
# Kokkos into the program.
macro(carroll_find_kokkoskernels mode)
  set(carroll_kokkoskernels_target "")
  if(NOT "${mode}" STREQUAL "OFF")
    carroll_kokkoskernels_target(carroll_kokkoskernels_target)
    if(NOT carroll_kokkoskernels_target)
      # No version: the package that Trilinos installs has no version file.
      if(Kokkos_DIR)
        find_package(KokkosKernels QUIET GLOBAL CONFIG PATHS "${Kokkos_DIR}/../KokkosKernels" NO_DEFAULT_PATH)
      endif()
      if(NOT KokkosKernels_FOUND)
        find_package(KokkosKernels QUIET GLOBAL CONFIG NO_SYSTEM_ENVIRONMENT_PATH NO_CMAKE_PACKAGE_REGISTRY
          NO_CMAKE_SYSTEM_PATH NO_CMAKE_SYSTEM_PACKAGE_REGISTRY)
      endif()
      carroll_kokkoskernels_target(carroll_kokkoskernels_target)
    endif()
  endif()
endmacro()
