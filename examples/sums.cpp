#include <Kokkos_Core.hpp>
#include <carroll/sum.hpp>
#include <cstdio>

/// Large numbers that cancel, and what is left of the small ones between them.
int main(int argc, char** argv) {
  Kokkos::ScopeGuard const kokkos(argc, argv);
  Kokkos::DefaultExecutionSpace const exec;
  int const thirds = 100'000;  // the sum is theirs: 100000 times the double next to 1/3
  Kokkos::View<double*> x("x", 3 * thirds);
  Kokkos::parallel_for(
      thirds, KOKKOS_LAMBDA(int i) {
        double const large = 1e13 * (i + 1) / 7;
        x(i) = large;
        x(thirds + i) = 1.0 / 3;
        x(3 * thirds - 1 - i) = -large;
      });
  // Each prints the same digits for every number of threads, on every device.
  auto const canonical = carroll::sum(exec, x);
  auto const compensated = carroll::sum(exec, x, {.summation = carroll::Summation::compensated});
  auto const exact = carroll::sum(exec, x, {.summation = carroll::Summation::exact});
  std::printf("canonical   %.16e\n", canonical.value);
  std::printf("compensated %.16e\n", compensated.value);
  std::printf("exact       %.16e\n", exact.value);
  return exact.status == carroll::Status::success ? 0 : 1;
}
