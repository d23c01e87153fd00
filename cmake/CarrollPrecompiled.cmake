# carroll_precompiled_kokkos: two seconds per file go into reading Kokkos' headers. They are read once, as the build type
# optimises, for the solvers' instances and for sources that are only looked at (tests/headers, tests/misuse); tests have
# theirs (tests/CMakeLists.txt). A device compiler has no such thing. What reads it has to be optimised as it was: g++
# takes all of that from it, whatever its own -O says, without a word.
if(NOT "CUDA" IN_LIST Carroll_KOKKOS_DEVICES)
  file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/precompiled_kokkos.cpp" CONTENT "")
  add_library(carroll_precompiled_kokkos OBJECT EXCLUDE_FROM_ALL "${PROJECT_BINARY_DIR}/precompiled_kokkos.cpp")
  target_link_libraries(carroll_precompiled_kokkos PRIVATE Carroll::solvers carroll_build_options)
  target_precompile_headers(carroll_precompiled_kokkos PRIVATE <Kokkos_Core.hpp>)
endif()

# carroll_read_kokkos_beforehand(<target>): in unity builds, where a missing #include would not be seen anyway. Code that
# is for a shared library is compiled in another way.
function(carroll_read_kokkos_beforehand target)
  if(PROJECT_IS_TOP_LEVEL AND CMAKE_UNITY_BUILD AND TARGET carroll_precompiled_kokkos AND NOT BUILD_SHARED_LIBS
     AND NOT CMAKE_POSITION_INDEPENDENT_CODE)
    target_precompile_headers(${target} REUSE_FROM carroll_precompiled_kokkos)
  endif()
endfunction()
