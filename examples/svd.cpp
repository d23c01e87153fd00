#include <Kokkos_Core.hpp>
#include <carroll/svd.hpp>
#include <cstdio>

int main(int argc, char** argv) {
  Kokkos::ScopeGuard const kokkos(argc, argv);
  Kokkos::View<double**> A("A", 3, 2), U("U", 3, 2), V("V", 2, 2);
  Kokkos::View<double*> S("S", 2);
  Kokkos::parallel_for(
      3, KOKKOS_LAMBDA(int i) { A(i, 0) = i + 1, A(i, 1) = i * i; });
  auto const info = carroll::svd(Kokkos::DefaultExecutionSpace(), A, U, S, V);
  auto const s = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), S);
  std::printf("%.6f %.6f\n", s(0), s(1));
  return info.status == carroll::Status::success ? 0 : 1;
}
