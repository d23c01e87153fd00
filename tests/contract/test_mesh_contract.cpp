// SPDX-License-Identifier: BSD-3-Clause
// What steps on meshes and fused steps promise to callers with several instances: fences, instance,
// allocations, labels, and the same bits everywhere.
#include <gtest/gtest.h>

#include <carroll/fused_pseudoinverse.hpp>

#include "documented_calls.hpp"
#include "new_instance.hpp"
#include "support/pseudoinverse/mesh_drivers.hpp"

namespace {

using namespace carroll::test;
using carroll::MeshInfo;
using Left = Kokkos::LayoutLeft;

/// Rows that need no memory.
struct Rows {
  struct OfTriangle {
    int triangle;
    KOKKOS_FUNCTION carroll::MeshRow<double, 1> operator()(int row) const {
      double const x = 1 + row % 7, y = 1 + (row + triangle) % 5;
      return {{x * y}, {x, y, x - y}, x + y, 1, (x + y) * (x + y)};
    }
  };
  KOKKOS_FUNCTION OfTriangle operator()(int, int triangle) const { return {triangle}; }
};

struct ArrowRows {
  KOKKOS_FUNCTION carroll::ArrowRow<double, 1> operator()(int, int row) const {
    double const x = 1 + row % 7, y = 1 + row % 5;
    return {{x * y}, x, x + y};
  }
};

struct Problem {
  Exec exec = new_instance_of<Exec>();
  MeshProblem<double> host;
  DeviceMesh<double, Left> device;
  Kokkos::View<int**, Memory> triangles;
  Kokkos::View<double*, Memory> y{"carroll_test::y", 1}, xi{"carroll_test::xi", 90};
  Kokkos::View<MeshInfo<double>, Memory> info{"carroll_test::info"};
  Kokkos::View<carroll::PseudoinverseInfo<double>, Memory> arrow_info{"carroll_test::arrow_info"};
  carroll::MeshWorkspace<Exec, double> workspace;
  carroll::PseudoinverseWorkspace<Exec, double> arrow_workspace;

  static MeshProblem<double> made() {
    Random random(50);
    return random_mesh<double>(random, 10, 9, 2500, 1);
  }
  Problem()
      : host(made()),
        device(host),
        triangles(to_device(host.triangles)),
        workspace(carroll::mesh_workspace<double>(
            exec, carroll::mesh_triangulation(exec, triangles, 90), {.rows = 2500})),
        arrow_workspace(carroll::pseudoinverse_workspace<double>(
            exec, {.rows = 2500, .motions = 1, .depths = 90})) {
    Kokkos::fence();
  }
  auto x() const { return carroll::ArrowSolution{y, xi}; }
  auto arrow() const {
    // The triangles' offsets serve as those of segments.
    auto const offsets = Kokkos::subview(device.offsets, Kokkos::pair<int, int>(0, 91));
    return carroll::FusedArrowJacobian{ArrowRows{}, offsets};
  }

  void triangulation() { (void)carroll::mesh_triangulation(exec, triangles, 90); }
  void moments_async() { carroll::mesh_moments_async(exec, device.offsets, Rows{}, workspace); }
  void step_async() { carroll::mesh_step_async(exec, x(), info, workspace); }
  void step() { (void)carroll::mesh_step(exec, device.offsets, Rows{}, x(), workspace); }
  void stored_async() {
    carroll::apply_pseudoinverse_async(exec, device.jacobian(), device.rhs.view(), x(), info,
                                       workspace);
  }
  void stored() {
    (void)carroll::apply_pseudoinverse(exec, device.jacobian(), device.rhs.view(), x(), workspace);
  }
  void fused_async() {
    carroll::apply_pseudoinverse_async(exec, arrow(), x(), arrow_info, arrow_workspace);
  }
  void fused() { (void)carroll::apply_pseudoinverse(exec, arrow(), x(), arrow_workspace); }
};

TEST(MeshContract, FencesInstanceAllocationsAndLabelsAreThoseDocumented) {
  Problem problem;
  constexpr std::size_t step_kernels = carroll::detail::has_warps<Exec> ? 2 : 4;
  constexpr DocumentedCall<Problem> mesh_calls[] = {
      {"mesh_triangulation", &Problem::triangulation, 2, true},
      {"mesh_moments_async", &Problem::moments_async, 0, false, 1},
      {"mesh_step_async", &Problem::step_async, 0, false, step_kernels},
      {"mesh_step", &Problem::step, 1, false, 1 + step_kernels},
      {"apply_pseudoinverse_async", &Problem::stored_async, 0, false, 1 + step_kernels},
      {"apply_pseudoinverse", &Problem::stored, 1, false, 1 + step_kernels},
  };
  expect_documented(problem, mesh_calls, "carroll::mesh");
  constexpr std::size_t fused_kernels = carroll::detail::has_warps<Exec> ? 1 : 2;
  constexpr DocumentedCall<Problem> fused_calls[] = {
      {"fused apply_pseudoinverse_async", &Problem::fused_async, 0, false, fused_kernels},
      {"fused apply_pseudoinverse", &Problem::fused, 1, false, fused_kernels},
  };
  expect_documented(problem, fused_calls, "carroll::pseudoinverse");
}

/// With OpenMP the other instance has one thread: the same bits also for every number of them, with
/// a team of several threads for a mesh as large as the second.
TEST(MeshContract, SameBitsOnEveryInstance) {
  Random random(51);
  for (int const side : {20, 240}) {
    auto const problem = random_mesh<double>(random, side, side, 60'000, 1);
    auto const expected = run_mesh(problem, {.smoothness = 0.1, .max_iterations = 12});
    auto const result =
        run_mesh(problem, {.smoothness = 0.1, .max_iterations = 12}, {}, new_instance_of<Exec>());
    EXPECT_EQ(result.info.iterations, expected.info.iterations);
    EXPECT_TRUE(same_bits(result.motion, expected.motion));
    EXPECT_TRUE(same_bits(result.depth, expected.depth));
    EXPECT_EQ(result.info.cost, expected.info.cost);
    EXPECT_EQ(result.info.predicted_reduction, expected.info.predicted_reduction);
  }
}

}  // namespace
