# Builds and runs one consumer project, or checks that a wrong version is refused. Run by ctest with cmake -P.
cmake_minimum_required(VERSION 3.25...4.2)

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result)
  if(NOT result EQUAL 0)
    string(REPLACE ";" " " command "${ARGN}")
    message(FATAL_ERROR "failed (${result}): ${command}")
  endif()
endfunction()

# An installation of its own for each case, so that the cases may run at the same time.
set(prefix "${WORK_DIR}/${CASE}/prefix")
set(project "${WORK_DIR}/${CASE}/project")
set(build "${WORK_DIR}/${CASE}/build")
file(REMOVE_RECURSE "${WORK_DIR}/${CASE}")

if(CASE STREQUAL "add_subdirectory")
  file(COPY "${SOURCE_DIR}/tests/install/add_subdirectory/CMakeLists.txt" DESTINATION "${project}")
  file(CREATE_LINK "${SOURCE_DIR}" "${project}/carroll" SYMBOLIC)
else()
  run("${CMAKE_COMMAND}" --install "${BUILD_DIR}" --prefix "${prefix}")
  file(COPY "${SOURCE_DIR}/tests/install/find_package/CMakeLists.txt" DESTINATION "${project}")
endif()
file(COPY "${SOURCE_DIR}/examples/svd.cpp" DESTINATION "${project}")

set(configure "${CMAKE_COMMAND}" -S "${project}" -B "${build}" -G "${GENERATOR}"
  "-DCMAKE_CXX_COMPILER=${COMPILER}" "-DCMAKE_PREFIX_PATH=${prefix};${PREFIX_PATH}" "-DKokkos_DIR=${KOKKOS_DIR}"
  -DCMAKE_BUILD_TYPE=Debug)

if(CASE STREQUAL "other_version")
  # 0.1 and 0.2 may differ in their interface, so that 0.1 must not pass for 0.2, and 1.0 is far away.
  foreach(wrong 0.2 1.0)
    file(READ "${SOURCE_DIR}/tests/install/find_package/CMakeLists.txt" text)
    string(REPLACE "find_package(Carroll 0.1 " "find_package(Carroll ${wrong} " changed "${text}")
    if(text STREQUAL changed)
      message(FATAL_ERROR "the consumer project does not ask for version 0.1; adapt this test")
    endif()
    file(WRITE "${project}/CMakeLists.txt" "${changed}")
    execute_process(COMMAND ${configure} RESULT_VARIABLE result OUTPUT_QUIET ERROR_VARIABLE errors)
    if(result EQUAL 0 OR NOT errors MATCHES "version: ${VERSION}")
      message(FATAL_ERROR "find_package(Carroll ${wrong}) was not refused by version ${VERSION}:\n${errors}")
    endif()
  endforeach()
  return()
endif()

run(${configure})
run("${CMAKE_COMMAND}" --build "${build}" -j 1)
if(KOKKOSKERNELS)
  file(STRINGS "${build}/build.ninja" defined REGEX "CARROLL_HAVE_KOKKOSKERNELS" LIMIT_COUNT 1)
  if(GENERATOR STREQUAL "Ninja" AND NOT defined)
    message(FATAL_ERROR "the consumer does not use the KokkosKernels that Carroll was built with")
  endif()
endif()
run("${build}/my_app")
