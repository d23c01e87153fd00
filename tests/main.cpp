// The main function of every test executable: GoogleTest inside a running Kokkos.
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <iostream>

#include "keep_sources.hpp"

int main(int argc, char** argv) {
  // GoogleTest first: it takes its flags out of the arguments, and --gtest_list_tests needs no
  // device.
  ::testing::InitGoogleTest(&argc, argv);
  carroll::test::keep_sources(argc, argv);
  Kokkos::ScopeGuard const kokkos(argc, argv);
  std::cout << "Kokkos " << KOKKOS_VERSION / 10000 << '.' << KOKKOS_VERSION / 100 % 100 << '.'
            << KOKKOS_VERSION % 100 << ", " << Kokkos::DefaultExecutionSpace::name() << ", "
            << Kokkos::DefaultExecutionSpace().concurrency() << " thread(s)\n";
  return RUN_ALL_TESTS();
}
