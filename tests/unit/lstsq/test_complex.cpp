// SPDX-License-Identifier: BSD-3-Clause
// Complex least squares and pseudoinverses: known ones, every type against the oracle of the real
// problem of twice the size, and what is promised of bits, scales and statuses.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <carroll/lstsq.hpp>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "decompositions/lstsq_instances.hpp"
#include "support/lstsq/checks.hpp"
#include "support/lstsq/drivers.hpp"
#include "support/svd/matrix_types.hpp"
#include "unit/lstsq/problems.hpp"

namespace {

using namespace carroll::test;
using carroll::Status;

template <class Real>
class ComplexLstsq : public ::testing::Test {};
TYPED_TEST_SUITE(ComplexLstsq, LstsqScalars);

template <class Real>
using ComplexHost = HostMatrix<Kokkos::complex<Real>>;

template <class Real>
ComplexHost<Real> of_parts(HostMatrix<Real> const& re, HostMatrix<Real> const& im) {
  ComplexHost<Real> A(re.rows, re.cols);
  for (std::size_t k = 0; k < A.data.size(); ++k)
    A.data[k] = Kokkos::complex<Real>(re.data[k], im.data[k]);
  return A;
}
template <class Real>
ComplexHost<Real> drawn_complex(Random& random, int m, int n) {
  auto const re = drawn<Real>(random, m, n);
  return of_parts(re, drawn<Real>(random, m, n));
}

template <class Real>
void expect_parts_near(ComplexHost<Real> const& X, std::vector<double> const& parts) {
  auto const found = parts_of(X.data);
  for (std::size_t k = 0; k < found.size(); ++k)
    EXPECT_NEAR(found[k], parts[k], 30 * epsilon<Real>) << k;
}

TYPED_TEST(ComplexLstsq, KnownSolutions) {
  using M = HostMatrix<TypeParam>;
  // (1, i)·x = 2: the shortest is x = (1, -i).
  auto const wide =
      of_parts<TypeParam>(matrix<TypeParam>(1, 2, {1, 0}), matrix<TypeParam>(1, 2, {0, 1}));
  auto const two = of_parts<TypeParam>(matrix<TypeParam>(1, 1, {2}), M(1, 1));
  auto const solved = run_lstsq(wide, two);
  expect_parts_near(solved.X, {1, 0, 0, -1});
  EXPECT_EQ(solved.info.rank, 1);
  EXPECT_NEAR(solved.info.sigma_max, std::sqrt(2.), 1e-6);
  // [1 i; -i 1] has rank 1 and is twice a projector.
  auto const deficient = of_parts<TypeParam>(matrix<TypeParam>(2, 2, {1, 0, 0, 1}),
                                             matrix<TypeParam>(2, 2, {0, 1, -1, 0}));
  auto const inverse = run_pinv(deficient);
  expect_parts_near(inverse.X, {.25, 0, 0, -.25, 0, .25, .25, 0});
  EXPECT_EQ(inverse.info.rank, 1);
}

TYPED_TEST(ComplexLstsq, EmptyZeroAndOneByOne) {
  for (auto const& [m, n] : {std::pair(0, 0), {0, 3}, {3, 0}, {0, 40}, {4, 3}, {2, 40}}) {
    ComplexHost<TypeParam> const A(m, n);
    ComplexHost<TypeParam> B(m, 2);
    std::fill(B.data.begin(), B.data.end(), Kokkos::complex<TypeParam>(1, 1));
    EXPECT_TRUE(same_bits(run_lstsq(A, B).X, ComplexHost<TypeParam>(n, 2))) << m << ' ' << n;
    auto const inverse = run_pinv(A);
    EXPECT_TRUE(same_bits(inverse.X, ComplexHost<TypeParam>(n, m)));
    EXPECT_EQ(inverse.info.rank, 0);
    EXPECT_EQ(inverse.info.status, Status::success);
  }
  ComplexHost<TypeParam> one(1, 1);
  one(0, 0).imag(-4);
  expect_parts_near(run_pinv(one).X, {0, .25});
}

TYPED_TEST(ComplexLstsq, EveryTypeAndShape) {
  std::vector<std::pair<int, int>> const shapes{{1, 1}, {1, 6}, {6, 1},   {2, 2},  {3, 7},
                                                {7, 3}, {8, 8}, {17, 16}, {33, 5}, {10, 35}};
  Random random(41);
  for (MatrixType const type : all_matrix_types())
    for (auto const& [m, n] : shapes) {
      auto const re = make_matrix<TypeParam>(type, m, n, 5);
      LstsqProblem<Kokkos::complex<TypeParam>> const problem{
          of_parts(re, make_matrix<TypeParam>(type, m, n, random.chance(0.5) ? 5 : 6)),
          drawn_complex<TypeParam>(random, m, 3)};
      auto const where = std::to_string(m) + "×" + std::to_string(n) + ' ' + to_string(type);
      EXPECT_EQ(what_is_wrong(problem, false, {}, run_lstsq(problem.A, problem.B)), "") << where;
      if (m * n > 100) continue;  // the oracle has twice as many right-hand sides as rows
      EXPECT_EQ(what_is_wrong(problem, true, {}, run_pinv(problem.A)), "") << "pinv " << where;
    }
}

/// Beside others, of any layout, with a workspace, and a column as the only one.
TYPED_TEST(ComplexLstsq, SameBitsInAnyCompany) {
  Random random(42);
  for (auto const& [m, n, p] : {std::array{3, 3, 1}, {8, 5, 2}, {5, 9, 40}, {40, 35, 4}})
    for (bool const inverse : {false, true}) {
      std::vector<LstsqProblem<Kokkos::complex<TypeParam>>> problems;
      for (int b = 0; b < (n > 20 ? 3 : 19); ++b)
        problems.push_back(
            {drawn_complex<TypeParam>(random, m, n), drawn_complex<TypeParam>(random, m, p)});
      for (ViewLayout const layout : {ViewLayout::left, ViewLayout::right, ViewLayout::stride}) {
        LstsqCall call;
        call.layout = layout;
        call.workspace = layout == ViewLayout::right;
        call.vectors = p == 1 && layout != ViewLayout::left;
        auto const together = run_lstsq_batch(problems, inverse, call);
        for (std::size_t b = 0; b < problems.size(); ++b) {
          auto const& [A, B] = problems[b];
          EXPECT_TRUE(same_result(together[b], inverse ? run_pinv(A) : run_lstsq(A, B)))
              << m << ' ' << n << ' ' << b;
          EXPECT_TRUE(together[b].guarded);
        }
      }
      if (inverse) continue;
      auto const& [A, B] = problems.front();
      ComplexHost<TypeParam> last(m, 1), expected(n, 1);
      std::copy_n(B.column(p - 1), m, last.data.begin());
      std::copy_n(run_lstsq(A, B).X.column(p - 1), n, expected.data.begin());
      EXPECT_TRUE(same_bits(run_lstsq(A, last).X, expected)) << m << ' ' << n;
    }
}

TYPED_TEST(ComplexLstsq, PowersOfTwoGoThrough) {
  Random random(43);
  for (int const n : {6, 40}) {
    auto const A = drawn_complex<TypeParam>(random, 12, n);
    auto const B = drawn_complex<TypeParam>(random, 12, 3);
    auto const expected = run_lstsq(A, B);
    auto const inverse = run_pinv(A);
    for (int const shift : {-60, 3, 60}) {
      auto const of_a = run_lstsq(scaled_by_power_of_two(A, shift), B);
      EXPECT_TRUE(same_bits(of_a.X, scaled_by_power_of_two(expected.X, -shift)));
      auto const of_b = run_lstsq(A, scaled_by_power_of_two(B, shift));
      EXPECT_TRUE(same_bits(of_b.X, scaled_by_power_of_two(expected.X, shift)));
      EXPECT_TRUE(same_bits(run_pinv(scaled_by_power_of_two(A, shift)).X,
                            scaled_by_power_of_two(inverse.X, -shift)));
    }
  }
  // To the ends of the range and, for B as small, back.
  using Limits = std::numeric_limits<TypeParam>;
  auto const A = drawn_complex<TypeParam>(random, 5, 3), B = drawn_complex<TypeParam>(random, 5, 2);
  auto const plain = run_lstsq(A, B);
  for (int const shift : {Limits::max_exponent - 6, Limits::min_exponent + 30})
    EXPECT_TRUE(same_bits(
        run_lstsq(scaled_by_power_of_two(A, shift), scaled_by_power_of_two(B, shift)).X, plain.X));
  auto const over = run_lstsq(scaled_by_power_of_two(A, Limits::min_exponent + 30),
                              scaled_by_power_of_two(B, Limits::max_exponent - 6));
  EXPECT_EQ(over.info.status, Status::overflow);
  auto const parts = parts_of(over.X.data);
  EXPECT_TRUE(std::all_of(parts.begin(), parts.end(), [](auto x) { return std::isinf(x); }));
}

TYPED_TEST(ComplexLstsq, NonFiniteIsRefusedAndDisturbsNobody) {
  Random random(44);
  using Limits = std::numeric_limits<TypeParam>;
  for (int const n : {5, 35}) {
    std::vector<LstsqProblem<Kokkos::complex<TypeParam>>> problems;
    for (int b = 0; b < 9; ++b)
      problems.push_back(
          {drawn_complex<TypeParam>(random, 6, n), drawn_complex<TypeParam>(random, 6, 33)});
    auto const before = run_lstsq_batch(problems, false);
    problems[2].A(4, 1).imag(Limits::quiet_NaN());
    problems[5].B(5, 32).imag(-Limits::infinity());
    auto const after = run_lstsq_batch(problems, false);
    auto const inverse = run_lstsq_batch(problems, true);
    for (std::size_t b = 0; b < problems.size(); ++b) {
      EXPECT_EQ(inverse[b].info.status, b == 2 ? Status::non_finite : Status::success);
      EXPECT_EQ(all_nan(parts_of(inverse[b].X.data)), b == 2);
      if (b != 2 && b != 5) {
        EXPECT_TRUE(same_result(after[b], before[b]));
        continue;
      }
      EXPECT_EQ(after[b].info.status, Status::non_finite);
      EXPECT_TRUE(all_nan(parts_of(after[b].X.data))) << b;
    }
  }
}

TYPED_TEST(ComplexLstsq, RankIsByRcondAndNotConvergedIsTold) {
  ComplexHost<TypeParam> A(4, 3);
  A(0, 0).imag(1);
  A(1, 1) = TypeParam(1e-1);
  A(2, 2).imag(TypeParam(-1e-3));
  for (auto const& [rcond, rank] : {std::pair(-1., 3), {3e-3, 2}, {.3, 1}}) {
    LstsqCall call;
    call.options.rcond = rcond;
    EXPECT_EQ(run_pinv(A, call).info.rank, rank) << rcond;
  }
  Random random(45);
  LstsqCall call;
  call.options.max_sweeps = 1;
  auto const result = run_pinv(drawn_complex<TypeParam>(random, 20, 20), call);
  EXPECT_EQ(result.info.status, Status::not_converged);
  EXPECT_TRUE(all_finite(parts_of(result.X.data)));
}

}  // namespace
