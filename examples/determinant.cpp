#include <Kokkos_Core.hpp>
#include <carroll/determinant.hpp>
#include <cstdio>

int main(int argc, char** argv) {
  Kokkos::ScopeGuard const kokkos(argc, argv);
  int const n = 400;  // det A = 3^(n-1)·(n + 3), about 10^193: far beyond float
  Kokkos::View<float**> A("A", n, n);
  Kokkos::parallel_for(
      n, KOKKOS_LAMBDA(int i) {
        for (int j = 0; j < n; ++j) A(i, j) = i == j ? 4 : 1;
      });
  auto const info = carroll::determinant(Kokkos::DefaultExecutionSpace(), A);
  std::printf("%s = %.4f * 2^%lld, ln|det| %.4f\n", to_string(info.value, 4).c_str(),
              info.value.mantissa(), static_cast<long long>(info.value.exponent()),
              info.value.log_abs());
  return info.status == carroll::Status::success ? 0 : 1;
}
