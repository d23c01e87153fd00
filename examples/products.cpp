#include <Kokkos_Core.hpp>
#include <carroll/gemm.hpp>
#include <carroll/gemv.hpp>
#include <carroll/norm2.hpp>
#include <cmath>
#include <cstdio>

/// Steps of a power iteration on AᵀA: the largest singular value of A, where the second is far.
int main(int argc, char** argv) {
  Kokkos::ScopeGuard const kokkos(argc, argv);
  Kokkos::DefaultExecutionSpace const exec;
  int const m = 300, n = 40;
  Kokkos::View<double**> A("A", m, n), B("B", n, n);
  Kokkos::View<double*> x("x", n), y("y", n);
  Kokkos::parallel_for(
      m, KOKKOS_LAMBDA(int i) {
        for (int j = 0; j < n; ++j) A(i, j) = 1 + 1.0 / (i + j + 1);
      });
  Kokkos::deep_copy(x, 1.0);

  // B := AᵀA, then y := Bx, and x := y/|y|. Without a workspace each call makes its own.
  auto const made = carroll::gemm(exec, 1.0, A, A, 0.0, B, {.op_a = carroll::MatrixOp::transpose});
  auto const workspace = carroll::gemv_workspace<double>(exec, {.rows = n, .terms = n});
  double norm = 0;
  for (int step = 0; step < 20; ++step) {
    carroll::gemv(exec, 1.0, B, x, 0.0, y, workspace);
    norm = carroll::norm2(exec, y).value;
    double const factor = 1 / norm;
    Kokkos::parallel_for(
        n, KOKKOS_LAMBDA(int j) { x(j) = factor * y(j); });
  }
  std::printf("%s by %s: largest singular value %.12f\n", to_string(made.method).data(),
              to_string(made.kernel).data(), std::sqrt(norm));
  return made.status == carroll::Status::success ? 0 : 1;
}
