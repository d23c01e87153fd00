# Carroll::distributed, the solvers over ranks, where MPI is; device buffers go through NCCL where that is found beside
# CUDA. The installed package's configuration reads this file, too.
include_guard(GLOBAL)

set(carroll_distributed OFF)
set(carroll_nccl "")

# Sets carroll_distributed and carroll_nccl in the caller's scope. WANTED: AUTO, ON or OFF.
function(carroll_find_ranks wanted)
  if(NOT wanted MATCHES "^(AUTO|ON|OFF)$")
    message(FATAL_ERROR "Carroll_ENABLE_MPI is '${wanted}'; it is AUTO, ON or OFF.")
  endif()
  set(carroll_distributed OFF PARENT_SCOPE)
  set(carroll_nccl "" PARENT_SCOPE)
  if(wanted STREQUAL "OFF")
    return()
  endif()
  find_package(MPI QUIET COMPONENTS CXX)
  if(NOT MPI_CXX_FOUND)
    if(wanted STREQUAL "ON")
      message(FATAL_ERROR
        "Carroll needs MPI (libopenmpi-dev or libmpich-dev) for Carroll::distributed. Install it from packages, point "
        "MPI_HOME to where it is, or give -DCarroll_ENABLE_MPI=OFF to do without.")
    endif()
    return()
  endif()
  set(carroll_distributed ON PARENT_SCOPE)
  if("CUDA" IN_LIST Carroll_KOKKOS_DEVICES OR "CUDA" IN_LIST Kokkos_DEVICES)
    find_package(CUDAToolkit QUIET)
    find_library(Carroll_NCCL_LIBRARY nccl HINTS "${CUDAToolkit_LIBRARY_DIR}" ENV NCCL_HOME PATH_SUFFIXES lib lib64)
    find_path(Carroll_NCCL_INCLUDE_DIR nccl.h HINTS ${CUDAToolkit_INCLUDE_DIRS} ENV NCCL_HOME PATH_SUFFIXES include)
    mark_as_advanced(Carroll_NCCL_LIBRARY Carroll_NCCL_INCLUDE_DIR)
    if(Carroll_NCCL_LIBRARY AND Carroll_NCCL_INCLUDE_DIR)
      if(NOT TARGET Carroll::nccl)
        add_library(Carroll::nccl INTERFACE IMPORTED GLOBAL)
        set_target_properties(Carroll::nccl PROPERTIES
          INTERFACE_LINK_LIBRARIES "${Carroll_NCCL_LIBRARY}"
          INTERFACE_INCLUDE_DIRECTORIES "${Carroll_NCCL_INCLUDE_DIR}")
      endif()
      set(carroll_nccl Carroll::nccl PARENT_SCOPE)
    endif()
  endif()
endfunction()
