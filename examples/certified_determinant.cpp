#include <Kokkos_Core.hpp>
#include <carroll/certified_determinant.hpp>
#include <carroll/integer_determinant.hpp>
#include <cstdint>
#include <cstdio>

/// The inverse of Hilbert's matrix of order 8: integers, and a condition of 1.5e10. Its determinant
/// between two proved bounds, then with all digits.
int main(int argc, char** argv) {
  Kokkos::ScopeGuard const kokkos(argc, argv);
  Kokkos::DefaultExecutionSpace const exec;
  constexpr int n = 8;
  Kokkos::View<std::int64_t**> integers("integers", n, n);
  Kokkos::View<double**> A("A", n, n);
  Kokkos::parallel_for(
      n, KOKKOS_LAMBDA(int i) {
        // (-1)^(i+j)·f(i)·f(j) / (i + j + 1) with f(i) = n·C(n + i, i)·C(n − 1, i).
        auto const f = [](std::int64_t k) {
          std::int64_t value = n;
          for (std::int64_t m = 1; m <= k; ++m) value = value * (n + m) / m * (n - m) / m;
          return value;
        };
        for (int j = 0; j < n; ++j) {
          integers(i, j) = ((i + j) % 2 == 0 ? 1 : -1) * f(i) * f(j) / (i + j + 1);
          A(i, j) = static_cast<double>(integers(i, j));
        }
      });
  auto const info = carroll::certified_determinant(exec, A);
  std::printf("%s\nat least %s\nat most  %s\n", to_string(info.status).data(),
              to_string(info.lower).c_str(), to_string(info.upper).c_str());
  auto const exact = carroll::integer_determinant(exec, integers);
  std::printf("exactly  %s\n", exact.to_string().c_str());
  return info.status == carroll::Status::success ? 0 : 1;
}
