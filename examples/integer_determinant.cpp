#include <Kokkos_Core.hpp>
#include <carroll/integer_determinant.hpp>
#include <cstdint>
#include <cstdio>

int main(int argc, char** argv) {
  Kokkos::ScopeGuard const kokkos(argc, argv);
  Kokkos::View<std::int32_t**> A("A", 40, 40);
  Kokkos::parallel_for(
      40, KOKKOS_LAMBDA(int i) {
        for (int j = 0; j < 40; ++j) A(i, j) = (i * i + 3 * i * j + j * j * j) % 101 - 50;
      });
  auto const det = carroll::integer_determinant(Kokkos::DefaultExecutionSpace(), A);
  std::printf("%s\n", det.to_string().c_str());
  std::printf("%.3e, modulo %d primes\n", static_cast<double>(det), det.primes);
  return det.proven ? 0 : 1;
}
