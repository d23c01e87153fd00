// SPDX-License-Identifier: BSD-3-Clause
// Steps of many frames, and of many segments: how the work is cut up must not be seen.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "support/copy.hpp"
#include "support/pseudoinverse/arrow_drivers.hpp"
#include "support/svd/lapack_oracle.hpp"
#include "support/tolerance.hpp"

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

/// Of numbers below 1 their error, of others its share; more than any bar if there are not as many.
double worst_error(std::vector<double> const& found, std::vector<double> const& expected) {
  if (found.size() != expected.size()) return std::numeric_limits<double>::infinity();
  double worst = 0;
  for (std::size_t i = 0; i < found.size(); ++i)
    worst = std::max(worst, std::abs(found[i] - expected[i]) / (1 + std::abs(expected[i])));
  return worst;
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
    EXPECT_LE(worst_error(result.all(), step_by_sums(problem)), 8 * epsilon<float>) << m;
  }
}

/// Of float they may have other kernels than of double.
TEST(PseudoinverseMany, SixColumnsOfShortSegmentsAreThoseOfDouble) {
  Random random(23);
  for (int const m : {1, 129, 300, 1500, 5000}) {
    auto const problem = random_arrow<float>(random, 7000, 6, m);
    ArrowProblem<double> wide;
    wide.motion = HostMatrix<double>(problem.n(), 6);
    for (int i = 0; i < problem.n(); ++i)
      for (int j = 0; j < 6; ++j) wide.motion(i, j) = problem.motion(i, j);
    wide.depth.assign(problem.depth.begin(), problem.depth.end());
    wide.rhs.assign(problem.rhs.begin(), problem.rhs.end());
    wide.offsets = problem.offsets;
    auto const result = run_step(problem);
    auto const expected = run_step(wide);
    EXPECT_EQ(result.info.status, Status::success);
    EXPECT_EQ(result.info.rank, expected.info.rank);
    EXPECT_LE(worst_error(result.all(), expected.all()), 8 * epsilon<float>) << m;
  }
}

/// On a GPU a team takes several windows of a frame once there are enough frames.
template <class Real>
class PseudoinverseFrames : public ::testing::Test {};
using Reals = ::testing::Types<float, double>;
TYPED_TEST_SUITE(PseudoinverseFrames, Reals);

TYPED_TEST(PseudoinverseFrames, HaveTheBitsThatOneHasAlone) {
  Random random(22);
  struct Extents {
    int n, m, k, frames_of_gpu;
  };
  int const different = 3;
  // Six columns have segments of many rows, of some, and of one or none. The last one: a team's
  // share are a few frames of one window each.
  for (auto const [n, m, k, frames_of_gpu] :
       {Extents{2300, 40, 1, 6000}, Extents{2300, 40, 6, 6000}, Extents{2300, 80, 6, 3000},
        Extents{2300, 1500, 6, 500}, Extents{300, 8, 1, 1500}}) {
    int const frames = carroll::detail::lanes<Exec> != 1 ? frames_of_gpu : 60;
    std::vector<ArrowProblem<TypeParam>> problems;
    for (int f = 0; f < different; ++f)
      problems.push_back(random_arrow<TypeParam>(random, n, k, m));
    using Left = Kokkos::LayoutLeft;
    using Right = Kokkos::LayoutRight;
    Kokkos::View<TypeParam***, Left, Memory> motion("motion", frames, n, k);
    Kokkos::View<TypeParam**, Right, Memory> depth("depth", frames, n), d("d", frames, n);
    Kokkos::View<int**, Right, Memory> offsets("offsets", frames, m + 1);
    Kokkos::View<TypeParam**, Right, Memory> y("y", frames, k), xi("xi", frames, m);
    auto const fill = [&](auto const& view, auto const& value) {
      auto const host = Kokkos::create_mirror_view(view);
      for (int f = 0; f < frames; ++f) value(host, f, problems[f % different]);
      carroll::test::deep_copy(view, host);
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
    std::vector<ArrowResult<TypeParam>> alone;
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

/// A⁺ of a problem with one motion column, by sums in long double.
HostMatrix<double> inverse_by_sums(ArrowProblem<float> const& problem) {
  using Number = long double;
  std::vector<Number> e, size, beta;
  Number square = 0;
  for (int s = 0; s < problem.m(); ++s) {
    Number d = 0, b = 0;
    for (int p = problem.offsets[s]; p < problem.offsets[s + 1]; ++p) {
      Number const u = problem.depth[p];
      d += u * u;
      b += u * problem.motion(p, 0);
    }
    size.push_back(d);
    beta.push_back(d > 0 ? b / d : 0);
    for (int p = problem.offsets[s]; p < problem.offsets[s + 1]; ++p) {
      e.push_back(problem.motion(p, 0) - beta.back() * problem.depth[p]);
      square += e.back() * e.back();
    }
  }
  HostMatrix<double> inverse(1 + problem.m(), problem.n());
  for (int s = 0; s < problem.m(); ++s)
    for (int p = 0; p < problem.n(); ++p) {
      bool const own = problem.offsets[s] <= p && p < problem.offsets[s + 1];
      Number const eta = e[static_cast<std::size_t>(p)] / square;
      inverse(0, p) = static_cast<double>(eta);
      inverse(1 + s, p) =
          static_cast<double>((own ? problem.depth[p] / size[s] : 0) - beta[s] * eta);
    }
  return inverse;
}

/// Lines of A⁺ that begin anywhere, segments of all rows but a few, teams with many segments.
TEST(PseudoinverseMany, InversesOfOneMotionColumn) {
  Random random(23);
  struct Shape {
    int n, m;
  };
  for (auto const [n, m] : {Shape{1, 2},
                            {7, 5},
                            {64, 3},
                            {515, 40},
                            {1027, 129},
                            {2050, 260},
                            {3001, 1100},
                            {900, 2100},
                            {20'001, 9},
                            {70'000, 2}}) {
    auto problem = random_arrow<float>(random, n, 1, m);
    if (n > 20'000)
      for (int s = 1; s < m; ++s) problem.offsets[s] = s;
    auto const expected = inverse_by_sums(problem);
    auto const found = run_inverse<Kokkos::LayoutRight>(problem);
    double worst = 0, largest = 0;
    for (int i = 0; i <= m; ++i)
      for (int p = 0; p < n; ++p) {
        worst = std::max(worst, std::abs(static_cast<double>(found(i, p)) - expected(i, p)));
        largest = std::max(largest, std::abs(expected(i, p)));
      }
    EXPECT_LE(worst, 8 * epsilon<float> * largest) << n << " " << m;
    EXPECT_TRUE(same_bits(found, run_inverse<Kokkos::LayoutLeft>(problem))) << n << " " << m;
    EXPECT_TRUE(same_bits(found, run_inverse<Kokkos::LayoutStride>(problem))) << n << " " << m;
  }
}

TEST(PseudoinverseMany, InversesOfABatchHaveTheBitsThatOneHasAlone) {
  Random random(24);
  int const n = 1500, m = 37, frames = 9;
  Kokkos::View<float***, Kokkos::LayoutRight, Memory> motion("motion", frames, n, 1);
  Kokkos::View<float**, Kokkos::LayoutRight, Memory> depth("depth", frames, n);
  Kokkos::View<int**, Kokkos::LayoutRight, Memory> offsets("offsets", frames, m + 1);
  auto const host_motion = Kokkos::create_mirror_view(motion);
  auto const host_depth = Kokkos::create_mirror_view(depth);
  auto const host_offsets = Kokkos::create_mirror_view(offsets);
  std::vector<ArrowProblem<float>> problems;
  for (int f = 0; f < frames; ++f) {
    problems.push_back(random_arrow<float>(random, n, 1, m));
    for (int p = 0; p < n; ++p) {
      host_motion(f, p, 0) = problems[f].motion(p, 0);
      host_depth(f, p) = problems[f].depth[p];
    }
    for (int i = 0; i <= m; ++i) host_offsets(f, i) = problems[f].offsets[i];
  }
  carroll::test::deep_copy(motion, host_motion);
  carroll::test::deep_copy(depth, host_depth);
  carroll::test::deep_copy(offsets, host_offsets);
  auto workspace = pseudoinverse_workspace<float>(
      Exec(), {.frames = frames, .rows = n, .motions = 1, .depths = m, .dense = true});
  // By rows, by columns, and neither.
  for (auto const& [row, column] : {std::pair{n, 1}, {1, 1 + m}, {2 * n, 2}}) {
    Kokkos::LayoutStride const layout(frames, 2 * n * (1 + m), 1 + m, row, n, column);
    Kokkos::View<float*, Memory> const entries("inverse", frames * 2 * n * (1 + m));
    Kokkos::View<float***, Kokkos::LayoutStride, Memory> const inverse(entries.data(), layout);
    ArrowJacobian const A{motion, depth, offsets};
    // What a call that comes to nothing leaves in a workspace is not in the way of the next one.
    Kokkos::View<int**, Kokkos::LayoutRight, Memory> const unusable("unusable", frames, m + 1);
    for (auto const& info :
         pseudoinverse(Exec(), ArrowJacobian{motion, depth, unusable}, inverse, workspace))
      EXPECT_EQ(info.status, Status::breakdown);
    for (auto const& info : pseudoinverse(Exec(), A, inverse, workspace))
      EXPECT_EQ(info.status, Status::success);
    auto const copied = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), entries);
    Kokkos::View<float***, Kokkos::LayoutStride, Kokkos::HostSpace> const found(copied.data(),
                                                                                layout);
    for (int f = 0; f < frames; ++f) {
      auto const alone = run_inverse(problems[f]);
      int unlike = 0;
      for (int i = 0; i <= m; ++i)
        for (int p = 0; p < n; ++p) unlike += found(f, i, p) == alone(i, p) ? 0 : 1;
      EXPECT_EQ(unlike, 0) << f << ' ' << row;
    }
  }
}

/// Sums in which little cancels may take the place of rows, as far as that goes.
template <class Real>
void expect_step_of_columns_that_cancel_from(int row) {
  Random random(31);
  for (double const damping : {0.0, 0.25}) {
    auto problem = random_arrow<Real>(random, 5000, 1, 80);
    for (int i = row; i < problem.n(); ++i)
      problem.motion(i, 0) =
          static_cast<Real>(0.5 * problem.depth[i] + 1e-4 * problem.motion(i, 0));
    auto const A = problem.dense(damping);
    auto const expected = lapack_least_squares(A, problem.padded_rhs(A.rows), 1e-12);
    if (!expected) GTEST_SKIP() << "no LAPACKE";
    auto const found = run_step(problem, {.damping = damping});
    EXPECT_EQ(found.info.status, Status::success);
    auto const x = found.all();
    ASSERT_EQ(x.size(), expected->x.size());
    double worst = 0, largest = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      worst = std::max(worst, std::abs(x[i] - expected->x[i]));
      largest = std::max(largest, std::abs(expected->x[i]));
    }
    double const condition = row == 0 ? 1e4 : 10;
    EXPECT_LE(worst, largest * least_squares_tolerance<Real>(81, condition))
        << row << ' ' << damping;
  }
}
TEST(PseudoinverseMany, ColumnsThatCancelFromSomeRowOn) {
  for (int const row : {0, 300, 1000, 4000}) {
    expect_step_of_columns_that_cancel_from<float>(row);
    expect_step_of_columns_that_cancel_from<double>(row);
  }
}

}  // namespace
