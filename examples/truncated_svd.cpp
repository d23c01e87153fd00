#include <Kokkos_Core.hpp>
#include <carroll/truncated_svd.hpp>
#include <cstdio>

int main(int argc, char** argv) {
  Kokkos::ScopeGuard const kokkos(argc, argv);
  Kokkos::View<double**> A("A", 400, 300), U("U", 400, 5), V("V", 300, 5);
  Kokkos::View<double*> S("S", 5);
  Kokkos::parallel_for(
      400, KOKKOS_LAMBDA(int i) {
        for (int j = 0; j < 300; ++j) A(i, j) = 1.0 / (1 + i + j);
      });
  auto const info = carroll::truncated_svd(Kokkos::DefaultExecutionSpace(), A, U, S, V);
  auto const s = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), S);
  std::printf("%.6f %.6f %.6f %.6f %.6f\n", s(0), s(1), s(2), s(3), s(4));
  std::printf("|A - U diag(S) V^T| is at most %.0e of |A|\n", info.error);
  return info.status == carroll::Status::success ? 0 : 1;
}
