# Tests that say GROUP <group> share an executable with all others of that group in unity builds, compiled as one source:
# what Kokkos makes of its Views, and what they all read, is most of a test's compile, and is then done once. Each test
# runs the cases of its own sources, --sources=… (tests/keep_sources.hpp). A group is one solver's unit, contract and misuse
# tests, say, all OPTIMISED or none, all with CARROLL_COMPILED or none. Builds of source by source have an executable for each
# test.
#
# Groups that are compiled together, too: a minute of a processor's work and 1.5 GB at most. Integer determinants are not
# with the others: what they call words is a name of its own there.
set(carroll_arrow_groups pseudoinverse mesh tracker)
set(carroll_blas_groups gemm reductions)
set(carroll_decompositions_groups eigh qr solve)
set(carroll_determinants_groups certified_determinant determinant core)
set(carroll_svds_groups svd svd_accuracy complex_svd lstsq integer_determinant)

set(carroll_group_tests FALSE)
if(CMAKE_UNITY_BUILD AND NOT Carroll_SANITIZER AND NOT "CUDA" IN_LIST Carroll_KOKKOS_DEVICES)
  set(carroll_group_tests TRUE)
endif()

# carroll_add_test_executable(<variable> <group> plain|optimised <arguments> <source>…): makes the executable that
# `variable` names, of sources in the current folder; or, where there is a group, adds them to its executable, sets
# `variable` to that, and `arguments` to what it is to be called with.
function(carroll_add_test_executable variable group options arguments)
  set(${arguments} "" PARENT_SCOPE)
  if(NOT group OR NOT carroll_group_tests)
    add_executable(${${variable}} ${ARGN})
    carroll_read_beforehand(${${variable}} ${options})
    return()
  endif()
  foreach(together arrow blas decompositions determinants svds)
    if(group IN_LIST carroll_${together}_groups)
      set(group ${together})
    endif()
  endforeach()
  set(executable tests_${group})
  set(${variable} ${executable} PARENT_SCOPE)
  if(NOT TARGET ${executable})
    set(together "${PROJECT_BINARY_DIR}/tests/groups/${group}.cpp")
    set_property(SOURCE "${together}" PROPERTY GENERATED TRUE)
    add_executable(${executable} "${together}")
    set_target_properties(${executable} PROPERTIES UNITY_BUILD OFF CARROLL_TOGETHER "${together}")
    set_property(GLOBAL APPEND PROPERTY carroll_groups ${executable})
    carroll_read_beforehand(${executable} ${options})
  endif()
  list(TRANSFORM ARGN PREPEND "${CMAKE_CURRENT_SOURCE_DIR}/" OUTPUT_VARIABLE sources)
  set_property(TARGET ${executable} APPEND PROPERTY CARROLL_SOURCES ${sources})
  list(JOIN sources "," sources)
  set(${arguments} "--sources=${sources}" PARENT_SCOPE)
endfunction()

# Writes the sources of all groups: what their files include, and before that the emulated space where one of them reads
# it, which has to be known before what it emulates, then each file in a namespace of its own, so that it may call
# what it keeps to itself as it likes. Files with something of namespace carroll stand before them, outside.
function(carroll_write_groups)
  get_property(executables GLOBAL PROPERTY carroll_groups)
  foreach(executable IN LISTS executables)
    get_target_property(sources ${executable} CARROLL_SOURCES)
    get_target_property(together ${executable} CARROLL_TOGETHER)
    set(includes "")
    set(outside "")
    set(inside "")
    foreach(source IN LISTS sources)
      cmake_path(GET source PARENT_PATH folder)
      file(STRINGS "${source}" lines REGEX "^#include [<\"][^>\"]*[>\"]")
      foreach(line IN LISTS lines)
        string(REGEX REPLACE "^#include ([<\"][^>\"]*[>\"]).*" "\\1" header "${line}")
        string(REGEX REPLACE "[<>\"]" "" path "${header}")
        if(EXISTS "${folder}/${path}")
          set(header "\"${folder}/${path}\"")
        endif()
        list(APPEND includes "#include ${header}")
      endforeach()
      file(STRINGS "${source}" carroll REGEX "^namespace carroll" LIMIT_COUNT 1)
      if(carroll)
        string(APPEND outside "#include \"${source}\"\n")
      else()
        string(MD5 id "${source}")
        string(APPEND inside "namespace source_${id} {\n#include \"${source}\"\n}\n")
      endif()
    endforeach()
    if("${includes}" MATCHES "emulated")
      list(PREPEND includes "#include <carroll/detail/device/emulated/space.hpp>")
    endif()
    list(REMOVE_DUPLICATES includes)
    list(JOIN includes "\n" includes)
    file(CONFIGURE OUTPUT "${together}" CONTENT "${includes}\n${outside}${inside}" @ONLY)
    # What they include may change.
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${sources})
  endforeach()
endfunction()
