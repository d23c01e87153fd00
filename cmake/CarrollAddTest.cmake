# carroll_add_test(NAME <name> SOURCES <file>… [LIBRARIES <target>…] [ARGS <argument>…] [THREADS <n>…]
#                  [PROCESSORS <n>] [TIMEOUT <seconds>] [LABELS <label>…] [FULL <filter>] [FULL_THREADS <n>…] [LONG]
#                  [GROUP <group>] [OPTIMISED] [EMULATED])
#
# Builds one GoogleTest executable on tests/main.cpp, which starts Kokkos, and registers it with ctest: as <name> or,
# with the OpenMP backend, as <name>.1_threads, <name>.2_threads … for each number in THREADS (default: 2, with a
# sanitizer 1; the contract tests show that the bits of results are the same with both). While it runs it has as many
# processors as threads, or PROCESSORS, by default 1 where THREADS is not given: tests are mostly one thread's work.
# OPTIMISED is for tests that have much to do besides calling solvers that are compiled already, so that they take longer
# without than it takes to optimise them. The cases that FULL picks, in GoogleTest's words, take longest: they are a test
# of their own, <name>.full with the label full, for .ci/run --full, and so are the numbers FULL_THREADS of threads. With
# LONG all of the test is, and it is not built without Carroll_ENABLE_LONG_TESTS. EMULATED is for tests of devices' kernels on
# the host, of which one precision is compiled without that (tests/support/emulated_types.hpp): FULL picks the cases of the other.
# All tests of a folder are built with the target carroll_<folder>_tests.

include(CarrollTestGroups)

set(carroll_test_timeout 600)
if(Carroll_SANITIZER)
  set(carroll_test_timeout 1500)
endif()

function(carroll_add_test)
  cmake_parse_arguments(test "EMULATED;OPTIMISED;LONG" "NAME;PROCESSORS;TIMEOUT;FULL;GROUP"
    "SOURCES;LIBRARIES;ARGS;THREADS;FULL_THREADS;LABELS" ${ARGN})
  if(test_UNPARSED_ARGUMENTS OR NOT test_NAME OR NOT test_SOURCES)
    message(FATAL_ERROR "carroll_add_test needs NAME and SOURCES; not understood: '${test_UNPARSED_ARGUMENTS}'")
  endif()
  if(test_LONG AND NOT Carroll_ENABLE_LONG_TESTS)
    return()
  endif()
  if(test_LONG)
    list(APPEND test_LABELS full)
  endif()
  if(NOT test_TIMEOUT)
    set(test_TIMEOUT ${carroll_test_timeout})
  endif()

  set(target test_${test_NAME})
  set(options plain)
  if(test_OPTIMISED)
    set(options optimised)
  endif()
  carroll_add_test_executable(target "${test_GROUP}" ${options} arguments ${test_SOURCES})
  list(PREPEND test_ARGS ${arguments})
  cmake_path(GET CMAKE_CURRENT_SOURCE_DIR FILENAME folder)
  if(NOT TARGET carroll_${folder}_tests)
    add_custom_target(carroll_${folder}_tests)
  endif()
  add_dependencies(carroll_${folder}_tests ${target})
  target_link_libraries(${target} PRIVATE carroll_test_main carroll_build_options ${test_LIBRARIES})
  target_link_libraries(${target} PRIVATE carroll_${options}_test_options)
  if(test_EMULATED AND Carroll_ENABLE_LONG_TESTS)
    target_compile_definitions(${target} PRIVATE CARROLL_LONG_TESTS)
  endif()

  if("OPENMP" IN_LIST Carroll_KOKKOS_DEVICES AND NOT "CUDA" IN_LIST Carroll_KOKKOS_DEVICES)
    if(NOT test_THREADS)
      set(test_THREADS 2)
      if(NOT test_PROCESSORS)
        set(test_PROCESSORS 1)
      endif()
      if(Carroll_SANITIZER)
        set(test_THREADS 1)
      endif()
    endif()
    foreach(threads IN LISTS test_THREADS)
      carroll_register_test(${test_NAME}.${threads}_threads ${threads})
    endforeach()
    set(test_LABELS ${test_LABELS} full)
    foreach(threads IN LISTS test_FULL_THREADS)
      carroll_register_test(${test_NAME}.${threads}_threads ${threads})
    endforeach()
  else()
    carroll_register_test(${test_NAME} 1)
  endif()
endfunction()

# Part of carroll_add_test, in whose scope it runs. Memory that cannot be had is an exception with AddressSanitizer too,
# not the end of the program. Threads that have a processor each may look for work for a while before they sleep,
# which makes small launches up to three times as fast; those that share one must not.
macro(carroll_register_test name threads)
  set(processors ${threads})
  if(test_PROCESSORS)
    set(processors ${test_PROCESSORS})
  endif()
  set(wait "OMP_WAIT_POLICY=unset:")
  if(processors LESS ${threads})
    set(wait "OMP_WAIT_POLICY=set:passive")
  endif()
  set(registered ${name})
  if(test_FULL AND NOT Carroll_SANITIZER)  # where .ci/run has a filter for all of them
    add_test(NAME ${name} COMMAND ${target} ${test_ARGS} "--gtest_filter=-${test_FULL}")
    if(NOT test_EMULATED OR Carroll_ENABLE_LONG_TESTS)
      add_test(NAME ${name}.full COMMAND ${target} ${test_ARGS} "--gtest_filter=${test_FULL}")
      list(APPEND registered ${name}.full)
    endif()
  else()
    add_test(NAME ${name} COMMAND ${target} ${test_ARGS})
  endif()
  set_tests_properties(${registered} PROPERTIES
    TIMEOUT ${test_TIMEOUT}
    PROCESSORS ${processors}
    LABELS "${test_LABELS}"
    ENVIRONMENT "OMP_NUM_THREADS=${threads};OMP_PROC_BIND=false;OPENBLAS_NUM_THREADS=1"
    ENVIRONMENT_MODIFICATION "${wait};ASAN_OPTIONS=path_list_append:allocator_may_return_null=1")
  if(TEST ${name}.full)
    set_tests_properties(${name}.full PROPERTIES
      LABELS "${test_LABELS};full" FAIL_REGULAR_EXPRESSION "Running 0 tests")
  endif()
endmacro()
