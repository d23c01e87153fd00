# Installs headers and package files, so that find_package(Carroll 0.1) works.
include(CMakePackageConfigHelpers)

set(carroll_package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/Carroll")

install(TARGETS carroll_core carroll_blas carroll_solvers carroll_recommenders carroll_pictures EXPORT CarrollTargets FILE_SET HEADERS)
install(EXPORT CarrollTargets NAMESPACE Carroll:: DESTINATION "${carroll_package_dir}")
if(Carroll_COMPILED)
  # In a file of its own: it may be left out, and goes with one Kokkos.
  install(TARGETS carroll_compiled EXPORT CarrollCompiledTargets)
  install(EXPORT CarrollCompiledTargets NAMESPACE Carroll:: DESTINATION "${carroll_package_dir}")
endif()
if(carroll_distributed)
  # In a file of its own: it may be left out, and needs MPI.
  install(TARGETS carroll_distributed EXPORT CarrollDistributedTargets FILE_SET HEADERS)
  install(EXPORT CarrollDistributedTargets NAMESPACE Carroll:: DESTINATION "${carroll_package_dir}")
endif()
if(carroll_tracking)
  # In a file of its own: it may be left out.
  install(TARGETS carroll_tracking EXPORT CarrollTrackingTargets FILE_SET HEADERS)
  install(EXPORT CarrollTrackingTargets NAMESPACE Carroll:: DESTINATION "${carroll_package_dir}")
endif()

configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/CarrollConfig.cmake.in"
  "${PROJECT_BINARY_DIR}/CarrollConfig.cmake" INSTALL_DESTINATION "${carroll_package_dir}")
# Before 1.0 a minor version may change the interface. Headers fit any architecture, a library does not.
set(carroll_any_architecture ARCH_INDEPENDENT)
if(Carroll_COMPILED)
  set(carroll_any_architecture "")
endif()
write_basic_package_version_file("${PROJECT_BINARY_DIR}/CarrollConfigVersion.cmake"
  COMPATIBILITY SameMinorVersion ${carroll_any_architecture})
install(FILES
  "${PROJECT_BINARY_DIR}/CarrollConfig.cmake"
  "${PROJECT_BINARY_DIR}/CarrollConfigVersion.cmake"
  "${PROJECT_SOURCE_DIR}/cmake/CarrollKokkosKernels.cmake"
  "${PROJECT_SOURCE_DIR}/cmake/CarrollCusolver.cmake"
  "${PROJECT_SOURCE_DIR}/cmake/CarrollImportLibrary.cmake"
  "${PROJECT_SOURCE_DIR}/cmake/CarrollDistributed.cmake"
  DESTINATION "${carroll_package_dir}")
