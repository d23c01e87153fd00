// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <carroll/pseudoinverse.hpp>
#include <cmath>
#include <cstddef>
#include <vector>

#include "pseudoinverse_instances.hpp"
#include "support/copy.hpp"
#include "support/guarded_view.hpp"
#include "support/host_matrix.hpp"
#include "support/random.hpp"

namespace carroll::test {

/// A least-squares problem with an arrow Jacobian on the host, rows in the order of the segments.
template <class Real>
struct ArrowProblem {
  HostMatrix<Real> motion;         // n×k
  std::vector<Real> depth;         // n
  std::vector<int> offsets;        // m+1
  std::vector<Real> rhs;           // n
  std::vector<Real> damping = {};  // k+m, or empty

  [[nodiscard]] int n() const { return motion.rows; }
  [[nodiscard]] int k() const { return motion.cols; }
  [[nodiscard]] int m() const { return static_cast<int>(offsets.size()) - 1; }

  /// A, below it the roots of the damping.
  [[nodiscard]] HostMatrix<double> dense(double lambda = 0) const {
    bool const damped = lambda > 0 || !damping.empty();
    int const columns = k() + m();
    HostMatrix<double> A(n() + (damped ? columns : 0), columns);
    for (int i = 0; i < n(); ++i)
      for (int j = 0; j < k(); ++j) A(i, j) = static_cast<double>(motion(i, j));
    for (int s = 0; s < m(); ++s)
      for (int i = offsets[s]; i < offsets[s + 1]; ++i)
        A(i, k() + s) = static_cast<double>(depth[i]);
    for (int j = 0; damped && j < columns; ++j)
      A(n() + j, j) = std::sqrt(lambda + (damping.empty() ? 0.0 : static_cast<double>(damping[j])));
    return A;
  }
  [[nodiscard]] std::vector<double> padded_rhs(int rows) const {
    std::vector<double> b(rhs.begin(), rhs.end());
    b.resize(static_cast<std::size_t>(rows), 0.0);
    return b;
  }
};

/// Normal entries; segments cut at random places, so that some are empty and some have one row.
template <class Real>
[[nodiscard]] ArrowProblem<Real> random_arrow(Random& random, int n, int k, int m) {
  ArrowProblem<Real> problem;
  problem.motion = HostMatrix<Real>(n, k);
  for (Real& entry : problem.motion.data) entry = static_cast<Real>(random.normal());
  for (int i = 0; i < n; ++i) {
    problem.depth.push_back(static_cast<Real>(random.normal()));
    problem.rhs.push_back(static_cast<Real>(random.normal()));
  }
  problem.offsets.push_back(0);
  for (int s = 1; s < m; ++s) problem.offsets.push_back(random.index(n + 1));
  std::sort(problem.offsets.begin(), problem.offsets.end());
  if (m > 0) problem.offsets.push_back(n);
  return problem;
}

template <class Real>
struct ArrowResult {
  PseudoinverseInfo<Real> info;
  std::vector<Real> motion;
  std::vector<Real> depth;
  HostMatrix<Real> covariance;
  std::vector<Real> variances;

  /// y, then ξ.
  [[nodiscard]] std::vector<double> all() const {
    std::vector<double> x(motion.begin(), motion.end());
    x.insert(x.end(), depth.begin(), depth.end());
    return x;
  }
};

template <class Real, class Layout>
[[nodiscard]] GuardedView<Real, 1, Layout> guarded_from(std::vector<Real> const& values) {
  GuardedView<Real, 1, Layout> guarded({values.size()});
  guarded.for_each_index([&](std::array<std::size_t, 1> i) { guarded(i) = values[i[0]]; });
  guarded.to_device();
  return guarded;
}

template <class Real, class Layout>
[[nodiscard]] std::vector<Real> to_vector(GuardedView<Real, 1, Layout> const& guarded,
                                          std::size_t count) {
  std::vector<Real> values(count);
  guarded.for_each_index([&](std::array<std::size_t, 1> i) { values[i[0]] = guarded(i); });
  return values;
}

/// On the device: the Views of a problem, as the Jacobian takes them.
template <class Real, class Layout>
struct DeviceArrow {
  GuardedView<Real, 2, Layout> motion;
  GuardedView<Real, 1, Layout> depth;
  Kokkos::View<int*, Memory> offsets;
  GuardedView<Real, 1, Layout> rhs;
  GuardedView<Real, 1, Layout> damping;

  explicit DeviceArrow(ArrowProblem<Real> const& problem)
      : motion(guarded_from<Real, Layout>(problem.motion)),
        depth(guarded_from<Real, Layout>(problem.depth)),
        offsets("carroll_test::offsets", problem.offsets.size()),
        rhs(guarded_from<Real, Layout>(problem.rhs)),
        damping(guarded_from<Real, Layout>(
            problem.damping.empty()
                ? std::vector<Real>(static_cast<std::size_t>(problem.k() + problem.m()), Real(0))
                : problem.damping)) {
    carroll::test::deep_copy(offsets,
                             Kokkos::View<int const*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(
                                 problem.offsets.data(), problem.offsets.size()));
  }
  [[nodiscard]] auto jacobian() const {
    return carroll::ArrowJacobian{motion.view(), depth.view(), offsets, carroll::none,
                                  damping.view()};
  }
};

/// Step, covariance and variances by `apply_pseudoinverse`, which must leave all other memory
/// alone.
template <class Layout = Kokkos::LayoutLeft, class Real>
[[nodiscard]] ArrowResult<Real> run_step(ArrowProblem<Real> const& problem,
                                         PseudoinverseOptions const& options = {},
                                         Exec const& exec = Exec()) {
  auto const k = static_cast<std::size_t>(problem.k());
  auto const m = static_cast<std::size_t>(problem.m());
  DeviceArrow<Real, Layout> device(problem);
  GuardedView<Real, 1, Layout> y({k}), xi({m}), variances({m});
  GuardedView<Real, 2, Layout> covariance({k, k});
  ArrowResult<Real> result;
  result.info = apply_pseudoinverse(
      exec, device.jacobian(), device.rhs.view(),
      ArrowSolution{y.view(), xi.view(), covariance.view(), variances.view()}, options);
  for (auto* view : {&y, &xi, &variances}) {
    view->to_host();
    EXPECT_TRUE(view->guards_intact());
  }
  covariance.to_host();
  EXPECT_TRUE(covariance.guards_intact());
  result.motion = to_vector(y, k);
  result.depth = to_vector(xi, m);
  result.variances = to_vector(variances, m);
  result.covariance = to_host_matrix(covariance, problem.k(), problem.k());
  return result;
}

/// The step alone.
template <class Real>
[[nodiscard]] ArrowResult<Real> run_step_alone(ArrowProblem<Real> const& problem,
                                               PseudoinverseOptions const& options = {}) {
  auto const k = static_cast<std::size_t>(problem.k());
  auto const m = static_cast<std::size_t>(problem.m());
  DeviceArrow<Real, Kokkos::LayoutLeft> device(problem);
  GuardedView<Real, 1, Kokkos::LayoutLeft> y({k}), xi({m});
  ArrowResult<Real> result;
  result.info = apply_pseudoinverse(Exec(), device.jacobian(), device.rhs.view(),
                                    ArrowSolution{y.view(), xi.view()}, options);
  y.to_host();
  xi.to_host();
  result.motion = to_vector(y, k);
  result.depth = to_vector(xi, m);
  return result;
}

template <class Layout = Kokkos::LayoutRight, class Real>
[[nodiscard]] HostMatrix<Real> run_inverse(ArrowProblem<Real> const& problem,
                                           PseudoinverseOptions const& options = {},
                                           PseudoinverseInfo<Real>* info = nullptr) {
  DeviceArrow<Real, Kokkos::LayoutLeft> device(problem);
  int const rows = problem.k() + problem.m();
  GuardedView<Real, 2, Layout> inverse(
      {static_cast<std::size_t>(rows), static_cast<std::size_t>(problem.n())});
  auto const found = pseudoinverse(Exec(), device.jacobian(), inverse.view(), options);
  if (info) *info = found;
  inverse.to_host();
  EXPECT_TRUE(inverse.guards_intact());
  return to_host_matrix(inverse, rows, problem.n());
}

}  // namespace carroll::test
