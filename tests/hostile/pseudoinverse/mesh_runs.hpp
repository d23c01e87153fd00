// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <carroll/mesh_jacobian.hpp>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "support/guarded_view.hpp"

/// Steps of mesh Jacobians as they are drawn, and what a way of running them gives.
namespace carroll::test {

inline std::size_t at(std::int64_t i) {
  return static_cast<std::size_t>(i);
}

/// Of one mesh for all problems; the rows of all their frames one after the other.
template <class Real>
struct Meshes {
  int problems = 1, frames = 1, n = 0, k = 1, m = 1, T = 0;
  MeshOptions options;
  std::vector<int> triangles;                     // 3·T
  std::vector<int> offsets;                       // frames of all problems, T+1
  std::vector<Real> motion, depth, rhs, weights;  // frames of all problems, n, by rows
  std::vector<Status> expected;                   // per problem

  [[nodiscard]] int all_frames() const { return problems * frames; }
  [[nodiscard]] int motions() const { return k * frames; }
};

template <class Real>
struct MeshRun {
  std::vector<MeshInfo<Real>> infos;
  std::vector<Real> y, xi;
  bool guarded = true;
};

/// All problems together, or one by one where they lie; that not with LayoutLeft.
template <class Layout, class Real>
MeshRun<Real> run(Meshes<Real> const& all, int together) {
  auto const f = at(all.all_frames()), n = at(all.n), k = at(all.k), m = at(all.m);
  auto const p = at(all.problems), K = at(all.motions());
  GuardedView<Real, 3, Layout> motion({f, n, k}), depth({f, n, 3});
  GuardedView<Real, 2, Layout> rhs({f, n}), weights({f, n}), y({p, K}), xi({p, m});
  GuardedView<int, 2, Layout> offsets({f, at(all.T + 1)}), triangles({at(all.T), 3});
  motion.for_each_index([&](auto i) { motion(i) = all.motion[(i[0] * n + i[1]) * k + i[2]]; });
  depth.for_each_index([&](auto i) { depth(i) = all.depth[(i[0] * n + i[1]) * 3 + i[2]]; });
  rhs.for_each_index([&](auto i) { rhs(i) = all.rhs[i[0] * n + i[1]]; });
  weights.for_each_index([&](auto i) { weights(i) = all.weights[i[0] * n + i[1]]; });
  offsets.for_each_index([&](auto i) { offsets(i) = all.offsets[i[0] * at(all.T + 1) + i[1]]; });
  triangles.for_each_index([&](auto i) { triangles(i) = all.triangles[i[0] * 3 + i[1]]; });
  motion.to_device();
  depth.to_device();
  rhs.to_device();
  weights.to_device();
  offsets.to_device();
  triangles.to_device();
  auto workspace = mesh_workspace<Real>(
      Exec(), mesh_triangulation(Exec(), triangles.view(), all.m),
      {.problems = together, .frames = all.frames, .rows = all.n, .motions = all.k}, all.options);
  MeshRun<Real> run;
  // `rows`: what has a row for each frame; `columns`: what has one for each problem.
  auto const solve = [&](auto const& rows, auto const& columns) {
    auto const infos = apply_pseudoinverse(
        Exec(), MeshJacobian{rows(motion), rows(depth), rows(offsets), rows(weights)}, rows(rhs),
        ArrowSolution{columns(y), columns(xi)}, workspace);
    run.infos.insert(run.infos.end(), infos.begin(), infos.end());
  };
  auto const whole = [](auto const& guarded) { return guarded.view(); };
  if (together == all.problems) {
    solve(whole, whole);
  } else if constexpr (!std::is_same_v<Layout, Kokkos::LayoutLeft>) {
    for (std::size_t q = 0; q < p; ++q) {
      std::size_t const frames = at(all.frames);
      solve([&](auto const& guarded) { return guarded.part(q * frames, frames); },
            [&](auto const& guarded) { return guarded.part(q, 1); });
    }
  }
  for (auto* view : {&y, &xi}) {
    view->to_host();
    run.guarded = run.guarded && view->guards_intact();
  }
  for (std::size_t q = 0; q < p; ++q) {
    for (std::size_t j = 0; j < K; ++j) run.y.push_back(y({q, j}));
    for (std::size_t i = 0; i < m; ++i) run.xi.push_back(xi({q, i}));
  }
  return run;
}

}  // namespace carroll::test
