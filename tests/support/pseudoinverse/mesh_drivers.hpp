// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <carroll/mesh_jacobian.hpp>
#include <cmath>
#include <cstddef>
#include <vector>

#include "support/copy.hpp"
#include "support/guarded_view.hpp"
#include "support/host_matrix.hpp"
#include "support/random.hpp"

namespace carroll::test {

/// A least-squares problem on a mesh: a window of frames, each with rows of its own.
template <class Real>
struct MeshProblem {
  int m = 0;
  int k = 1;
  std::vector<std::array<int, 3>> triangles;
  std::vector<int> offsets;  // T+1
  struct Frame {
    HostMatrix<Real> motion;    // n×k
    HostMatrix<Real> depth;     // n×3
    std::vector<Real> rhs;      // n
    std::vector<Real> weights;  // n
  };
  std::vector<Frame> frames;

  [[nodiscard]] int n() const { return offsets.back(); }
  [[nodiscard]] int motions() const { return k * static_cast<int>(frames.size()); }
  [[nodiscard]] int triangle_of(int row) const {
    int t = 0;
    while (offsets[t + 1] <= row) ++t;
    return t;
  }

  /// √w·A, below it the rows of damping λ and smoothness τ, less of it where the prior jumps by
  /// more than `scale`; right-hand side beside it.
  [[nodiscard]] HostMatrix<double> dense(std::vector<double>& rhs, double lambda = 0,
                                         double tau = 0, std::vector<Real> const& prior = {},
                                         double scale = 0) const {
    int const F = static_cast<int>(frames.size()), T = static_cast<int>(triangles.size());
    int const K = motions(), columns = K + m;
    HostMatrix<double> A(F * n() + columns + 3 * T, columns);
    rhs.assign(static_cast<std::size_t>(A.rows), 0.0);
    for (int f = 0; f < F; ++f)
      for (int t = 0; t < T; ++t)
        for (int i = offsets[t]; i < offsets[t + 1]; ++i) {
          Frame const& frame = frames[f];
          double const root = std::sqrt(static_cast<double>(frame.weights[i]));
          if (root == 0) continue;
          for (int j = 0; j < k; ++j)
            A(f * n() + i, f * k + j) = root * static_cast<double>(frame.motion(i, j));
          for (int c = 0; c < 3; ++c)
            A(f * n() + i, K + triangles[t][c]) += root * static_cast<double>(frame.depth(i, c));
          rhs[f * n() + i] = root * static_cast<double>(frame.rhs[i]);
        }
    for (int j = 0; j < columns; ++j) A(F * n() + j, j) = std::sqrt(lambda);
    for (int e = 0; e < 3 * T; ++e) {
      int const row = F * n() + columns + e;
      int const a = triangles[e / 3][e % 3], b = triangles[e / 3][(e + 1) % 3];
      double const jump =
          prior.empty() ? 0 : static_cast<double>(prior[a]) - static_cast<double>(prior[b]);
      double const own = scale > 0 ? tau * scale * scale / (scale * scale + jump * jump) : tau;
      A(row, K + a) += std::sqrt(own / 2);
      A(row, K + b) -= std::sqrt(own / 2);
      rhs[row] = std::sqrt(own / 2) * jump;
    }
    return A;
  }
};

/// The triangles of a grid of width×height vertices, corners in any order.
[[nodiscard]] inline std::vector<std::array<int, 3>> grid_triangles(Random& random, int width,
                                                                    int height) {
  std::vector<std::array<int, 3>> triangles;
  for (int y = 0; y + 1 < height; ++y)
    for (int x = 0; x + 1 < width; ++x) {
      int const a = y * width + x, c = a + width;
      for (std::array<int, 3> t : {std::array{a, a + 1, c}, std::array{a + 1, c + 1, c}}) {
        int const turn = random.index(3);
        triangles.push_back({t[turn], t[(turn + 1) % 3], t[(turn + 2) % 3]});
      }
    }
  return triangles;
}

/// Rows with barycentric weights times a gradient, cut at random places of the triangles.
template <class Real>
[[nodiscard]] MeshProblem<Real> random_mesh(Random& random, int width, int height, int n, int k,
                                            int frames = 1) {
  MeshProblem<Real> problem;
  problem.m = width * height;
  problem.k = k;
  problem.triangles = grid_triangles(random, width, height);
  int const T = static_cast<int>(problem.triangles.size());
  for (int t = 0; t <= T; ++t)
    problem.offsets.push_back(static_cast<int>(static_cast<std::int64_t>(n) * t / std::max(T, 1)));
  problem.offsets.back() = T > 0 ? n : 0;
  for (int f = 0; f < frames; ++f) {
    typename MeshProblem<Real>::Frame frame;
    frame.motion = HostMatrix<Real>(problem.n(), k);
    frame.depth = HostMatrix<Real>(problem.n(), 3);
    for (int i = 0; i < problem.n(); ++i) {
      double u = random.uniform(), v = random.uniform();
      if (u + v > 1) u = 1 - u, v = 1 - v;
      double const gradient = random.normal();
      double const w[3] = {1 - u - v, u, v};
      for (int c = 0; c < 3; ++c) frame.depth(i, c) = static_cast<Real>(gradient * w[c]);
      for (int j = 0; j < k; ++j)
        frame.motion(i, j) = static_cast<Real>(gradient * u + 0.5 * random.normal());
      frame.rhs.push_back(static_cast<Real>(random.normal()));
      frame.weights.push_back(static_cast<Real>(0.25 + random.uniform()));
    }
    problem.frames.push_back(frame);
  }
  return problem;
}

template <class Real>
struct MeshResult {
  MeshInfo<Real> info;
  std::vector<Real> motion, depth;
  HostMatrix<Real> covariance;

  [[nodiscard]] std::vector<double> all() const {
    std::vector<double> x(motion.begin(), motion.end());
    x.insert(x.end(), depth.begin(), depth.end());
    return x;
  }
};

[[nodiscard]] inline Kokkos::View<int**, Memory> to_device(
    std::vector<std::array<int, 3>> const& triangles) {
  Kokkos::View<int**, Memory> view("carroll_test::triangles", triangles.size(), 3);
  auto const host = Kokkos::create_mirror_view(view);
  for (std::size_t t = 0; t < triangles.size(); ++t)
    for (int c = 0; c < 3; ++c) host(t, c) = triangles[t][c];
  carroll::test::deep_copy(view, host);
  return view;
}

template <class T>
[[nodiscard]] Kokkos::View<T*, Memory> to_device(std::vector<T> const& values) {
  Kokkos::View<T*, Memory> view("carroll_test::values", values.size());
  carroll::test::deep_copy(view, Kokkos::View<T const*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(
                                     values.data(), values.size()));
  return view;
}

/// On the device: the Views of a problem, frames first.
template <class Real, class Layout>
struct DeviceMesh {
  GuardedView<Real, 3, Layout> motion, depth;
  GuardedView<Real, 2, Layout> rhs, weights;
  Kokkos::View<int*, Memory> offsets;

  explicit DeviceMesh(MeshProblem<Real> const& problem)
      : motion({problem.frames.size(), static_cast<std::size_t>(problem.n()),
                static_cast<std::size_t>(problem.k)}),
        depth({problem.frames.size(), static_cast<std::size_t>(problem.n()), 3}),
        rhs({problem.frames.size(), static_cast<std::size_t>(problem.n())}),
        weights({problem.frames.size(), static_cast<std::size_t>(problem.n())}),
        offsets(to_device(problem.offsets)) {
    for (std::size_t f = 0; f < problem.frames.size(); ++f)
      for (int i = 0; i < problem.n(); ++i) {
        auto const& frame = problem.frames[f];
        auto const row = static_cast<std::size_t>(i);
        for (int j = 0; j < problem.k; ++j)
          motion({f, row, static_cast<std::size_t>(j)}) = frame.motion(i, j);
        for (int c = 0; c < 3; ++c)
          depth({f, row, static_cast<std::size_t>(c)}) = frame.depth(i, c);
        rhs({f, row}) = frame.rhs[i];
        weights({f, row}) = frame.weights[i];
      }
    motion.to_device();
    depth.to_device();
    rhs.to_device();
    weights.to_device();
  }
  [[nodiscard]] auto jacobian() const {
    return carroll::MeshJacobian{motion.view(), depth.view(), offsets, weights.view()};
  }
};

/// The step of a window, which must leave all other memory alone.
template <class Layout = Kokkos::LayoutLeft, class Real>
[[nodiscard]] MeshResult<Real> run_mesh(MeshProblem<Real> const& problem,
                                        MeshOptions const& options = {},
                                        std::vector<Real> const& prior = {},
                                        Exec const& exec = Exec()) {
  auto const K = static_cast<std::size_t>(problem.motions());
  auto const m = static_cast<std::size_t>(problem.m);
  DeviceMesh<Real, Layout> device(problem);
  GuardedView<Real, 1, Layout> y({K}), xi({m});
  GuardedView<Real, 2, Layout> covariance({K, K});
  auto workspace =
      mesh_workspace<Real>(exec, mesh_triangulation(exec, to_device(problem.triangles), problem.m),
                           {.frames = static_cast<std::int64_t>(problem.frames.size()),
                            .rows = problem.n(),
                            .motions = problem.k},
                           options);
  ArrowSolution const x{y.view(), xi.view(), covariance.view()};
  MeshResult<Real> result;
  if (prior.empty())
    result.info = apply_pseudoinverse(exec, device.jacobian(), device.rhs.view(), x, workspace);
  else
    result.info = apply_pseudoinverse(exec, device.jacobian(), device.rhs.view(), x, workspace,
                                      MeshControls{none, to_device(prior)});
  for (auto* view : {&y, &xi}) {
    view->to_host();
    EXPECT_TRUE(view->guards_intact());
  }
  covariance.to_host();
  EXPECT_TRUE(covariance.guards_intact());
  y.for_each_index([&](auto i) { result.motion.push_back(y(i)); });
  xi.for_each_index([&](auto i) { result.depth.push_back(xi(i)); });
  result.covariance = HostMatrix<Real>(problem.motions(), problem.motions());
  covariance.for_each_index([&](auto i) {
    result.covariance(static_cast<int>(i[0]), static_cast<int>(i[1])) = covariance(i);
  });
  return result;
}

}  // namespace carroll::test
