# Finds cuSOLVER, and the cuBLAS that comes with it, where Kokkos runs on CUDA and the library can be told to repeat its
# results bit by bit. Serves the build and the installed package alike.
include_guard(GLOBAL)
include("${CMAKE_CURRENT_LIST_DIR}/CarrollImportLibrary.cmake")

# Sets carroll_cusolver_target in the caller's scope, which is empty if there is none; then carroll_cusolver_problem
# says why. WANTED: AUTO, ON or OFF. DEVICES: Kokkos'.
function(carroll_find_cusolver wanted devices)
  if(NOT wanted MATCHES "^(AUTO|ON|OFF)$")
    message(FATAL_ERROR "Carroll_ENABLE_CUSOLVER is '${wanted}'; it is AUTO, ON or OFF.")
  endif()
  set(carroll_cusolver_target "" PARENT_SCOPE)
  set(carroll_cusolver_problem "Kokkos does not run on CUDA" PARENT_SCOPE)
  if(wanted STREQUAL "OFF" OR NOT "CUDA" IN_LIST devices)
    return()
  endif()
  find_package(CUDAToolkit QUIET)
  foreach(name cusolver cublas)
    string(TOUPPER ${name} upper)
    find_library(Carroll_${upper}_LIBRARY ${name} HINTS "${CUDAToolkit_LIBRARY_DIR}" PATH_SUFFIXES lib lib64)
    mark_as_advanced(Carroll_${upper}_LIBRARY)
  endforeach()
  find_path(Carroll_CUSOLVER_INCLUDE_DIR cusolverDn.h HINTS ${CUDAToolkit_INCLUDE_DIRS})
  mark_as_advanced(Carroll_CUSOLVER_INCLUDE_DIR)
  if(NOT Carroll_CUSOLVER_LIBRARY OR NOT Carroll_CUBLAS_LIBRARY OR NOT Carroll_CUSOLVER_INCLUDE_DIR)
    set(carroll_cusolver_problem "there is no cuSOLVER with cuBLAS" PARENT_SCOPE)
    return()
  endif()
  file(STRINGS "${Carroll_CUSOLVER_INCLUDE_DIR}/cusolverDn.h" repeats LIMIT_COUNT 1
    REGEX "cusolverDnSetDeterministicMode")
  if(NOT repeats)
    set(carroll_cusolver_problem
      "the cuSOLVER in ${Carroll_CUSOLVER_LIBRARY} is too old: it has no cusolverDnSetDeterministicMode" PARENT_SCOPE)
    return()
  endif()
  carroll_import_library(Carroll::cusolver "${Carroll_CUSOLVER_LIBRARY};${Carroll_CUBLAS_LIBRARY}"
    "${Carroll_CUSOLVER_INCLUDE_DIR}")
  if(NOT CMAKE_FIND_PACKAGE_NAME OR NOT ${CMAKE_FIND_PACKAGE_NAME}_FIND_QUIETLY)
    message(STATUS "Carroll: found cuSOLVER (${Carroll_CUSOLVER_LIBRARY})")
  endif()
  set(carroll_cusolver_target Carroll::cusolver PARENT_SCOPE)
endfunction()
