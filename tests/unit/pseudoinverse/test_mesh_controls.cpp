// SPDX-License-Identifier: BSD-3-Clause
// What steps on meshes promise of batches, functors and controls on the device.
#include <gtest/gtest.h>

#include <limits>

#include "support/copy.hpp"
#include "support/pseudoinverse/mesh_drivers.hpp"

namespace {

using namespace carroll::test;
using carroll::MeshOptions;
using carroll::Status;

/// The rows of a problem by a functor: of Views, and in blocks.
struct FunctorRows {
  Kokkos::View<double***, Kokkos::LayoutLeft, Memory, Kokkos::MemoryTraits<Kokkos::Unmanaged>>
      motion, depth;
  Kokkos::View<double**, Kokkos::LayoutLeft, Memory, Kokkos::MemoryTraits<Kokkos::Unmanaged>> rhs,
      weights;

  struct OfTriangle {
    FunctorRows const* rows;
    int frame;
    KOKKOS_FUNCTION carroll::MeshRow<double, 3> operator()(int i) const {
      carroll::MeshRow<double, 3> row;
      for (int j = 0; j < 3; ++j) row.motion[j] = rows->motion(frame, i, j);
      for (int c = 0; c < 3; ++c) row.depth[c] = rows->depth(frame, i, c);
      row.residual = rows->rhs(frame, i);
      row.weight = rows->weights(frame, i);
      row.loss = row.weight * row.residual * row.residual;
      return row;
    }
  };
  KOKKOS_FUNCTION OfTriangle operator()(int frame, int) const { return {this, frame}; }
};

struct BlockRows {
  FunctorRows rows;

  struct OfTriangle : FunctorRows::OfTriangle {
    template <int W>
    void block(int first, int count, carroll::MeshRowBlock<double, 3, W>& block) const {
      for (int w = 0; w < count; ++w) {
        auto const row = (*this)(first + w);
        for (int j = 0; j < 3; ++j) block.motion[j][w] = row.motion[j];
        for (int c = 0; c < 3; ++c) block.depth[c][w] = row.depth[c];
        block.residual[w] = row.residual;
        block.weight[w] = row.weight;
        block.loss[w] = row.loss;
      }
    }
  };
  KOKKOS_FUNCTION OfTriangle operator()(int frame, int triangle) const {
    return {rows(frame, triangle)};
  }
};

TEST(Mesh, FunctorsAndBlocksOfThemGiveTheBitsOfRowsInMemory) {
  Random random(39);
  auto const problem = random_mesh<double>(random, 7, 6, 1300, 3, 2);
  auto const expected = run_mesh(problem, {.damping = 0.5});
  DeviceMesh<double, Kokkos::LayoutLeft> device(problem);
  FunctorRows const rows{device.motion.view(), device.depth.view(), device.rhs.view(),
                         device.weights.view()};
  auto const check = [&](auto const& functor) {
    Exec const exec;
    auto workspace = carroll::mesh_workspace<double>(
        exec, carroll::mesh_triangulation(exec, to_device(problem.triangles), problem.m),
        {.frames = 2, .rows = 2000, .motions = 3});  // room for more rows than there are
    GuardedView<double, 1, Kokkos::LayoutLeft> y({6}), xi({42});
    Kokkos::View<double, Memory> const damping("carroll_test::damping");
    carroll::test::deep_copy(damping, 0.5);
    auto const info = carroll::mesh_step(exec, device.offsets, functor,
                                         carroll::ArrowSolution{y.view(), xi.view()}, workspace,
                                         carroll::MeshControls{damping});
    y.to_host();
    xi.to_host();
    EXPECT_EQ(info.status, Status::success);
    y.for_each_index([&](auto i) { EXPECT_EQ(y(i), expected.motion[i[0]]); });
    xi.for_each_index([&](auto i) { EXPECT_EQ(xi(i), expected.depth[i[0]]); });
  };
  check(rows);
  check(BlockRows{rows});
}

/// A batch of windows, each with its own mesh, damping, prior and rows; one has a NaN and one is
/// not active.
TEST(Mesh, MembersOfABatchAreSolvedAsIfAlone) {
  Random random(40);
  int const problems = 4, frames = 2, k = 2, n = 600, width = 6, height = 5, m = 30;
  std::vector<MeshProblem<double>> members;
  for (int p = 0; p < problems; ++p)
    members.push_back(random_mesh<double>(random, width, height, n, k, frames));
  members[1].frames[1].rhs[5] = std::numeric_limits<double>::infinity();
  int const T = static_cast<int>(members[0].triangles.size());
  MeshProblem<double> all = members[0];
  all.frames.clear();
  Kokkos::View<int***, Kokkos::LayoutRight, Memory> const triangles("carroll_test::triangles",
                                                                    problems, T, 3);
  Kokkos::View<double**, Memory> const prior("carroll_test::prior", problems, m);
  auto const host_triangles = Kokkos::create_mirror_view(triangles);
  auto const host_prior = Kokkos::create_mirror_view(prior);
  for (int p = 0; p < problems; ++p) {
    for (auto const& frame : members[p].frames) all.frames.push_back(frame);
    for (int t = 0; t < T; ++t)
      for (int c = 0; c < 3; ++c) host_triangles(p, t, c) = members[p].triangles[t][c];
    for (int v = 0; v < m; ++v) host_prior(p, v) = random.normal();
  }
  carroll::test::deep_copy(triangles, host_triangles);
  carroll::test::deep_copy(prior, host_prior);
  DeviceMesh<double, Kokkos::LayoutLeft> device(all);
  Exec const exec;
  MeshOptions const options{.smoothness = 0.125};
  auto workspace = carroll::mesh_workspace<double>(
      exec, carroll::mesh_triangulation(exec, triangles, m),
      {.problems = problems, .frames = frames, .rows = n, .motions = k}, options);
  GuardedView<double, 2, Kokkos::LayoutRight> y({4, 4}), xi({4, 30});
  auto const damping = to_device(std::vector<double>{0.5, 0.5, 0.5, 0.5});
  auto const active = to_device(std::vector<int>{1, 1, 0, 1});
  auto const infos = carroll::apply_pseudoinverse(
      exec, device.jacobian(), device.rhs.view(), carroll::ArrowSolution{y.view(), xi.view()},
      workspace, carroll::MeshControls{damping, prior, active});
  ASSERT_EQ(infos.size(), 4U);
  y.to_host();
  xi.to_host();
  for (int p = 0; p < problems; ++p) {
    std::vector<double> own_prior;
    for (int v = 0; v < m; ++v) own_prior.push_back(host_prior(p, v));
    auto const alone = run_mesh(members[p], {.damping = 0.5, .smoothness = 0.125}, own_prior);
    if (p == 2) {
      for (std::size_t v = 0; v < 30; ++v) EXPECT_EQ(xi({2, v}), decltype(xi)::guard);
      continue;
    }
    EXPECT_EQ(infos[p].status, p == 1 ? Status::non_finite : Status::success);
    EXPECT_EQ(infos[p].status, alone.info.status);
    std::vector<double> motion, depth;
    for (std::size_t j = 0; j < 4; ++j) motion.push_back(y({std::size_t(p), j}));
    for (std::size_t v = 0; v < 30; ++v) depth.push_back(xi({std::size_t(p), v}));
    EXPECT_TRUE(same_bits(motion, alone.motion)) << p;
    EXPECT_TRUE(same_bits(depth, alone.depth)) << p;
  }
}

}  // namespace
