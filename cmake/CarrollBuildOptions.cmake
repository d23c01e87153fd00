# carroll_build_options: warnings and sanitizers for Carroll's own executables. It is neither installed nor part of
# what a user of Carroll::core or Carroll::solvers gets.
add_library(carroll_build_options INTERFACE)

target_compile_options(carroll_build_options INTERFACE -Wall -Wextra -Wshadow -Wnon-virtual-dtor)
if(NOT "CUDA" IN_LIST Carroll_KOKKOS_DEVICES)
  # nvcc's generated host code is not pedantic C++.
  target_compile_options(carroll_build_options INTERFACE -Wpedantic)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # From version 12 on g++ takes the reference counts of Kokkos' instances, once inlined, for uses after a delete.
  target_compile_options(carroll_build_options INTERFACE -Wno-use-after-free)
endif()
if(CMAKE_UNITY_BUILD AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # A type of one file only is no header's because g++ does not know the file that it reads first.
  target_compile_options(carroll_build_options INTERFACE -Wno-subobject-linkage)
  # g++ looks for garbage at 256 MB, and again whenever it has twice of what was left, which is 4 % of its time; most sources
  # end before they have 800 MB, and the largest need no more memory than before.
  if(NOT "CUDA" IN_LIST Carroll_KOKKOS_DEVICES)
    target_compile_options(carroll_build_options INTERFACE --param=ggc-min-heapsize=400000)
  endif()
endif()
if(Carroll_WARNINGS_AS_ERRORS)
  target_compile_options(carroll_build_options INTERFACE -Werror)
endif()

if(Carroll_NATIVE)
  if("CUDA" IN_LIST Carroll_KOKKOS_DEVICES)
    target_compile_options(carroll_build_options INTERFACE -Xcompiler=-march=native -Xcompiler=-ffp-contract=off)
  else()
    # Where a product and a sum are to be fused the kernels say so. Left to the compiler, the choice may differ from
    # one copy of a loop to the next, and the bits of a result with it.
    target_compile_options(carroll_build_options INTERFACE -march=native -ffp-contract=off)
  endif()
endif()

# What a processor runs of the kernels that are chosen when it is known, and no more: half of what takes time to compile.
if(NOT Carroll_VECTOR_BYTES MATCHES "^(|16|32|64)$")
  message(FATAL_ERROR "Carroll_VECTOR_BYTES is '${Carroll_VECTOR_BYTES}'; it is 16, 32, 64 or empty.")
elseif(Carroll_VECTOR_BYTES EQUAL 64 AND "CUDA" IN_LIST Carroll_KOKKOS_DEVICES)
  message(FATAL_ERROR "Carroll_VECTOR_BYTES is 64, for which nvcc compiles no kernels of hosts.")
elseif(Carroll_VECTOR_BYTES)
  target_compile_definitions(carroll_build_options INTERFACE CARROLL_ONLY_VECTOR_BYTES=${Carroll_VECTOR_BYTES})
endif()

if(Carroll_SANITIZER STREQUAL "address")
  set(carroll_sanitizer_flags -fsanitize=address -fno-omit-frame-pointer)
elseif(Carroll_SANITIZER STREQUAL "undefined")
  set(carroll_sanitizer_flags -fsanitize=undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
elseif(Carroll_SANITIZER STREQUAL "address,undefined")
  set(carroll_sanitizer_flags -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
elseif(Carroll_SANITIZER)
  message(FATAL_ERROR "Carroll_SANITIZER is '${Carroll_SANITIZER}'; it is address, undefined, both (with a comma between "
                      "them) or empty.")
else()
  set(carroll_sanitizer_flags "")
endif()
# What says where undefined behaviour is takes a quarter of the time to compile, and numbers of lines an eighth of the rest;
# what the sanitizer for addresses finds still has the names of functions.
option(Carroll_SANITIZER_TRAPS "Let undefined behaviour end a program by SIGILL, without a word, and leave out numbers of lines" OFF)
if(Carroll_SANITIZER_TRAPS AND Carroll_SANITIZER MATCHES "undefined")
  list(APPEND carroll_sanitizer_flags -fsanitize-undefined-trap-on-error -g0)
endif()
# What is left to the other sanitizer: a null pointer, and one beyond its object, that is read or written.
set(Carroll_SANITIZER_WITHOUT "" CACHE STRING
  "Checks of -fsanitize=undefined to go without: null,object-size,pointer-overflow are 15 % of the time to compile kernels")
if(Carroll_SANITIZER_WITHOUT AND Carroll_SANITIZER MATCHES "undefined")
  list(APPEND carroll_sanitizer_flags "-fno-sanitize=${Carroll_SANITIZER_WITHOUT}")
endif()
target_compile_options(carroll_build_options INTERFACE ${carroll_sanitizer_flags})
target_link_options(carroll_build_options INTERFACE ${carroll_sanitizer_flags})

# carroll_kernel_options: for the tests and what they are linked to. A host-only function called from a kernel is but a
# warning to nvcc, and the kernel comes out empty.
add_library(carroll_kernel_options INTERFACE)
if("CUDA" IN_LIST Carroll_KOKKOS_DEVICES)
  foreach(diagnostic 20011 20012 20013 20014 20015)
    target_compile_options(carroll_kernel_options INTERFACE "SHELL:-Xcudafe --diag_error=${diagnostic}")
  endforeach()
endif()

# carroll_list_headers(<folder> <name>…): appends <folder>/<name>.hpp for each to the caller's `headers`.
macro(carroll_list_headers folder)
  foreach(name ${ARGN})
    list(APPEND headers "${folder}/${name}.hpp")
  endforeach()
endmacro()

# Stops a developer's build if a header of this folder is not listed: it would be neither installed nor checked.
function(carroll_check_header_list)
  if(NOT PROJECT_IS_TOP_LEVEL)
    return()
  endif()
  file(GLOB_RECURSE present RELATIVE "${CMAKE_CURRENT_SOURCE_DIR}" include/carroll/*.hpp)
  list(REMOVE_ITEM present ${ARGN})
  if(present)
    list(JOIN present " " present)
    message(FATAL_ERROR "Not in the header list of ${CMAKE_CURRENT_LIST_FILE}: ${present}")
  endif()
endfunction()

function(carroll_print_summary)
  string(REPLACE ";" ", " devices "${Carroll_KOKKOS_DEVICES}")
  set(kernels "none")
  if(carroll_kokkoskernels_target)
    set(kernels "${carroll_kokkoskernels_target} (${KokkosKernels_DIR})")
  endif()
  set(kokkos "${Kokkos_VERSION}, ${devices} (${Kokkos_DIR})")
  if(Kokkos_SOURCE_DIR)
    set(kokkos "${devices}, built from ${Kokkos_SOURCE_DIR}")
  endif()
  message(STATUS "Carroll ${PROJECT_VERSION}, ${CMAKE_BUILD_TYPE}")
  message(STATUS "  Kokkos:        ${kokkos}")
  message(STATUS "  KokkosKernels: ${kernels}")
  message(STATUS "  tests ${Carroll_ENABLE_TESTS}, tool ${Carroll_ENABLE_APPS}, benchmarks ${Carroll_ENABLE_PERF}, "
                 "sanitizer '${Carroll_SANITIZER}', native ${Carroll_NATIVE}, portable kernels "
                 "${Carroll_PORTABLE_KERNELS}, tracking ${carroll_tracking}, ranks ${carroll_distributed}")
endfunction()
