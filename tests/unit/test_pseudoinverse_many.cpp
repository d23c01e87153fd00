// SPDX-License-Identifier: BSD-3-Clause
// Steps of many frames, and of many segments: how the work is cut up must not be seen.
#include <algorithm>
#include <cmath>

#include "arrow_drivers.hpp"
#include "tolerance.hpp"

namespace {

using namespace carroll;
using namespace carroll::test;

/// y and ξ of a problem with one motion column, by sums in long double.
std::vector<double> step_by_sums(ArrowProblem<float> const& problem) {
  using Number = long double;
  std::vector<Number> beta, gamma;
  Number square = 0, product = 0;
  for (int s = 0; s < problem.m(); ++s) {
    Number d = 0, b = 0, g = 0;
    for (int p = problem.offsets[s]; p < problem.offsets[s + 1]; ++p) {
      Number const u = problem.depth[p];
      d += u * u;
      b += u * problem.motion(p, 0);
      g += u * problem.rhs[p];
    }
    beta.push_back(d > 0 ? b / d : 0);
    gamma.push_back(d > 0 ? g / d : 0);
    for (int p = problem.offsets[s]; p < problem.offsets[s + 1]; ++p) {
      Number const e = problem.motion(p, 0) - beta.back() * problem.depth[p];
      square += e * e;
      product += e * problem.rhs[p];
    }
  }
  Number const y = product / square;
  std::vector<double> x{static_cast<double>(y)};
  for (int s = 0; s < problem.m(); ++s) x.push_back(static_cast<double>(gamma[s] - beta[s] * y));
  return x;
}

TEST(PseudoinverseMany, SegmentsThatAreShortOrEmptyAreAllFound) {
  Random random(21);
  for (int const m : {1, 8, 129, 1500, 40'000}) {
    auto const problem = random_arrow<float>(random, 7000, 1, m);
    auto const result = run_step(problem);
    EXPECT_EQ(result.info.status, Status::success);
    int taken = 0;
    for (int s = 0; s < m; ++s) taken += problem.offsets[s] < problem.offsets[s + 1] ? 1 : 0;
    EXPECT_EQ(result.info.rank, 1 + taken);
    auto const expected = step_by_sums(problem);
    auto const found = result.all();
    ASSERT_EQ(found.size(), expected.size());
    double worst = 0;
    for (std::size_t i = 0; i < found.size(); ++i)
      worst = std::max(worst, std::abs(found[i] - expected[i]) / (1 + std::abs(expected[i])));
    EXPECT_LE(worst, 8 * epsilon<float>) << m;
  }
}

/// On a GPU a team takes several windows of a frame once there are enough frames.
TEST(PseudoinverseMany, FramesHaveTheBitsThatOneHasAlone) {
  Random random(22);
  int const n = 2300, m = 40, different = 3;
  int const frames = carroll::detail::lanes<Exec> != 1 ? 6000 : 60;
  for (int const k : {1, 6}) {
    std::vector<ArrowProblem<float>> problems;
    for (int f = 0; f < different; ++f) problems.push_back(random_arrow<float>(random, n, k, m));
    using Left = Kokkos::LayoutLeft;
    using Right = Kokkos::LayoutRight;
    Kokkos::View<float***, Left, Memory> motion("motion", frames, n, k);
    Kokkos::View<float**, Right, Memory> depth("depth", frames, n), d("d", frames, n);
    Kokkos::View<int**, Right, Memory> offsets("offsets", frames, m + 1);
    Kokkos::View<float**, Right, Memory> y("y", frames, k), xi("xi", frames, m);
    auto const fill = [&](auto const& view, auto const& value) {
      auto const host = Kokkos::create_mirror_view(view);
      for (int f = 0; f < frames; ++f) value(host, f, problems[f % different]);
      Kokkos::deep_copy(view, host);
    };
    fill(motion, [&](auto const& host, int f, auto const& problem) {
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < k; ++j) host(f, i, j) = problem.motion(i, j);
    });
    fill(depth, [&](auto const& host, int f, auto const& problem) {
      for (int i = 0; i < n; ++i) host(f, i) = problem.depth[i];
    });
    fill(d, [&](auto const& host, int f, auto const& problem) {
      for (int i = 0; i < n; ++i) host(f, i) = problem.rhs[i];
    });
    fill(offsets, [&](auto const& host, int f, auto const& problem) {
      for (int i = 0; i <= m; ++i) host(f, i) = problem.offsets[i];
    });
    auto const infos =
        apply_pseudoinverse(Exec(), ArrowJacobian{motion, depth, offsets}, d, ArrowSolution{y, xi});
    auto const host_y = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), y);
    auto const host_xi = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), xi);
    std::vector<ArrowResult<float>> alone;
    for (auto const& problem : problems) alone.push_back(run_step(problem));
    int unlike = 0;
    for (int f = 0; f < frames; ++f) {
      auto const& wanted = alone[f % different];
      bool same = infos[f].status == Status::success && infos[f].rank == wanted.info.rank;
      for (int j = 0; j < k; ++j) same = same && host_y(f, j) == wanted.motion[j];
      for (int i = 0; i < m; ++i) same = same && host_xi(f, i) == wanted.depth[i];
      unlike += same ? 0 : 1;
    }
    EXPECT_EQ(unlike, 0) << k;
  }
}

}  // namespace
