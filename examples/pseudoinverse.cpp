#include <Kokkos_Core.hpp>
#include <carroll/pseudoinverse.hpp>
#include <cstdio>

int main(int argc, char** argv) {
  Kokkos::ScopeGuard const kokkos(argc, argv);
  // Four residuals of two depths, the rows of each together, and one parameter of the motion.
  Kokkos::View<double**> motion("motion", 4, 1);
  Kokkos::View<double*> depth("depth", 4), residual("residual", 4), y("y", 1), xi("xi", 2);
  Kokkos::View<int*> offsets("offsets", 3);
  Kokkos::parallel_for(
      1, KOKKOS_LAMBDA(int) {
        motion(0, 0) = 1, motion(1, 0) = 2, motion(2, 0) = 3, motion(3, 0) = 5;
        depth(0) = 1, depth(1) = 1, depth(2) = 1, depth(3) = 2;
        residual(0) = 1, residual(1) = 2, residual(2) = 4, residual(3) = 3;
        offsets(0) = 0, offsets(1) = 2, offsets(2) = 4;
      });
  carroll::ArrowJacobian const A{motion, depth, offsets};
  auto const info = carroll::apply_pseudoinverse(Kokkos::DefaultExecutionSpace(), A, residual,
                                                 carroll::ArrowSolution{y, xi});
  auto const step = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), y);
  auto const depths = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), xi);
  std::printf("rank %d: y = %.6f, xi = %.6f %.6f\n", info.rank, step(0), depths(0), depths(1));
  return info.status == carroll::Status::success ? 0 : 1;
}
