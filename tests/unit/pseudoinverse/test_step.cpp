// SPDX-License-Identifier: BSD-3-Clause
// Shapes, layouts, permutations, weights, damping and batches of the pseudoinverse of an arrow
// Jacobian.
#include <gtest/gtest.h>

#include <carroll/fused_pseudoinverse.hpp>
#include <cmath>

#include "support/pseudoinverse/arrow_drivers.hpp"
#include "support/svd/lapack_oracle.hpp"
#include "support/tolerance.hpp"

namespace {

using namespace carroll::test;
using carroll::PseudoinverseMethod;
using carroll::PseudoinverseOptions;
using carroll::RobustWeight;
using carroll::Status;

double distance(std::vector<double> const& a, std::vector<double> const& b) {
  double sum = 0, size = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    sum += (a[i] - b[i]) * (a[i] - b[i]);
    size += b[i] * b[i];
  }
  return std::sqrt(sum / (size > 0 ? size : 1));
}

template <class Real>
class PseudoinverseTyped : public ::testing::Test {};
using Reals = ::testing::Types<float, double>;
TYPED_TEST_SUITE(PseudoinverseTyped, Reals);

TYPED_TEST(PseudoinverseTyped, StepOfManyShapesAgreesWithLapack) {
  Random random(3);
  for (auto const method : {PseudoinverseMethod::automatic, PseudoinverseMethod::structured_qr,
                            PseudoinverseMethod::normal_equations})
    for (int const k : {1, 2, 3, 6, 9})
      for (int const n : {31, 257, 1025, 2500})
        for (int const m : {1, 5, 40}) {
          if (n < 2 * (k + m)) continue;
          auto problem = random_arrow<TypeParam>(random, n, k, m);
          problem.damping.assign(static_cast<std::size_t>(k + m), TypeParam(0));
          for (auto& lambda : problem.damping) lambda = static_cast<TypeParam>(random.uniform());
          PseudoinverseOptions const options{.method = method, .damping = 0.25};
          auto const A = problem.dense(options.damping);
          auto const expected = lapack_least_squares(A, problem.padded_rhs(A.rows), 1e-12);
          if (!expected) GTEST_SKIP() << "no LAPACKE";
          auto const result = run_step(problem, options);
          EXPECT_EQ(result.info.status, Status::success);
          EXPECT_EQ(result.info.rank, k + m);
          EXPECT_LE(distance(result.all(), expected->x),
                    least_squares_tolerance<TypeParam>(k + m, 100))
              << n << " " << k << " " << m;
        }
}

TYPED_TEST(PseudoinverseTyped, SameBitsForEveryLayout) {
  Random random(4);
  struct Extents {
    int k, m;
  };
  for (auto const [k, m] : {Extents{1, 17}, Extents{4, 17}, Extents{6, 17}, Extents{6, 150}}) {
    auto const problem = random_arrow<TypeParam>(random, 3000, k, m);
    auto const left = run_step<Kokkos::LayoutLeft>(problem);
    auto const right = run_step<Kokkos::LayoutRight>(problem);
    auto const strided = run_step<Kokkos::LayoutStride>(problem);
    for (auto const& other : {right, strided}) {
      EXPECT_TRUE(same_bits(left.motion, other.motion));
      EXPECT_TRUE(same_bits(left.depth, other.depth));
      EXPECT_TRUE(same_bits(left.covariance, other.covariance));
      EXPECT_TRUE(same_bits(left.variances, other.variances));
    }
    auto const by_rows = run_inverse<Kokkos::LayoutRight>(problem);
    EXPECT_TRUE(same_bits(by_rows, run_inverse<Kokkos::LayoutLeft>(problem)));
    EXPECT_TRUE(same_bits(by_rows, run_inverse<Kokkos::LayoutStride>(problem)));
  }
}

/// (AᵀA)⁺ is A⁺(A⁺)ᵀ, dependent columns or not.
TYPED_TEST(PseudoinverseTyped, VariancesAreThoseOfTheInverse) {
  Random random(6);
  for (int const k : {1, 3})
    for (bool const dependent : {false, true}) {
      auto problem = random_arrow<TypeParam>(random, 400, k, 9);
      for (int i = 0; dependent && i < problem.n(); ++i)
        problem.motion(i, k - 1) = problem.depth[i];
      auto const result = run_step(problem);
      auto const X = run_inverse(problem);
      auto const entry = [&](int i, int j) {
        double sum = 0;
        for (int p = 0; p < problem.n(); ++p)
          sum += static_cast<double>(X(i, p)) * static_cast<double>(X(j, p));
        return sum;
      };
      double const bar = 1000 * epsilon<TypeParam>;
      for (int i = 0; i < k; ++i)
        for (int j = 0; j < k; ++j) EXPECT_NEAR(result.covariance(i, j), entry(i, j), bar);
      for (int i = 0; i < problem.m(); ++i)
        EXPECT_NEAR(result.variances[i], entry(k + i, k + i), bar) << i;
    }
}

TEST(Pseudoinverse, WeightsAreAccurateWhereTheyVanish) {
  double const c = 1.7;
  for (int k = 1; k <= 52; ++k) {
    double const r = c * (1 - std::ldexp(1.0, -k));
    auto const exact = static_cast<double>((static_cast<long double>(c) - r) / c *
                                           ((static_cast<long double>(c) + r) / c));
    EXPECT_NEAR(carroll::detail::root_of_weight(RobustWeight::tukey, c, -r) / exact, 1, 1e-15) << k;
  }
  EXPECT_EQ(carroll::detail::root_of_weight(RobustWeight::tukey, c, c), 0);
}

TEST(Pseudoinverse, RobustWeightsAreRowsTimesTheirRoots) {
  Random random(8);
  for (int const k : {1, 3})
    for (auto const weight : {RobustWeight::huber, RobustWeight::tukey}) {
      double const scale = 0.7;
      auto const problem = random_arrow<double>(random, 900, k, 12);
      auto weighted = problem;
      for (int i = 0; i < problem.n(); ++i) {
        double const t = std::abs(problem.rhs[i]) / scale;
        double const root = weight == RobustWeight::huber ? (t > 1 ? std::sqrt(1 / t) : 1)
                                                          : (t < 1 ? 1 - t * t : 0);
        for (int j = 0; j < k; ++j) weighted.motion(i, j) *= root;
        weighted.depth[i] *= root;
        weighted.rhs[i] *= root;
      }
      auto const result = run_step(problem, {.weight = weight, .weight_scale = scale});
      EXPECT_LE(distance(result.all(), run_step(weighted).all()),
                least_squares_tolerance<double>(k + 12, 10));
    }
}

/// The rows of a problem by a functor.
template <class Real, int K>
struct FunctorRows {
  Kokkos::View<Real**, Kokkos::LayoutLeft, Memory, Kokkos::MemoryTraits<Kokkos::Unmanaged>> motion;
  Kokkos::View<Real*, Kokkos::LayoutLeft, Memory, Kokkos::MemoryTraits<Kokkos::Unmanaged>> depth,
      rhs;

  KOKKOS_FUNCTION carroll::ArrowRow<Real, K> operator()(int, int i) const {
    carroll::ArrowRow<Real, K> row;
    for (int j = 0; j < K; ++j) row.motion[j] = motion(i, j);
    row.depth = depth(i);
    row.residual = rhs(i);
    return row;
  }
};

template <class Real, int K>
void expect_fused_step(ArrowProblem<Real> const& problem, PseudoinverseOptions const& options) {
  auto const expected = run_step(problem, options);
  DeviceArrow<Real, Kokkos::LayoutLeft> device(problem);
  auto const k = static_cast<std::size_t>(K), m = static_cast<std::size_t>(problem.m());
  GuardedView<Real, 1, Kokkos::LayoutLeft> y({k}), xi({m}), variances({m});
  GuardedView<Real, 2, Kokkos::LayoutLeft> covariance({k, k});
  auto workspace = carroll::pseudoinverse_workspace<Real>(
      Exec(), {.rows = problem.n(), .motions = K, .depths = problem.m()}, options);
  FunctorRows<Real, K> const rows{device.motion.view(), device.depth.view(), device.rhs.view()};
  auto const info = carroll::apply_pseudoinverse(
      Exec(), carroll::FusedArrowJacobian{rows, device.offsets, device.damping.view()},
      carroll::ArrowSolution{y.view(), xi.view(), covariance.view(), variances.view()}, workspace);
  EXPECT_EQ(info.status, expected.info.status);
  EXPECT_EQ(info.rank, expected.info.rank);
  for (auto* view : {&y, &xi, &variances}) {
    view->to_host();
    EXPECT_TRUE(view->guards_intact());
  }
  ArrowResult<Real> result{info, to_vector(y, k), to_vector(xi, m), {}, to_vector(variances, m)};
  if (K > 1) {
    EXPECT_TRUE(same_bits(result.motion, expected.motion));
    EXPECT_TRUE(same_bits(result.depth, expected.depth));
    EXPECT_TRUE(same_bits(result.variances, expected.variances));
  }
  double const bar = least_squares_tolerance<Real>(K + problem.m(), 100);
  EXPECT_LE(distance(result.all(), expected.all()), bar);
  EXPECT_LE(distance({result.variances.begin(), result.variances.end()},
                     {expected.variances.begin(), expected.variances.end()}),
            bar);
}

TYPED_TEST(PseudoinverseTyped, FunctorsGiveTheStepOfRowsInMemory) {
  Random random(15);
  for (auto const method : {PseudoinverseMethod::automatic, PseudoinverseMethod::structured_qr,
                            PseudoinverseMethod::normal_equations})
    for (int const n : {0, 40, 5000}) {
      auto const one = random_arrow<TypeParam>(random, n, 1, 9);
      auto const four = random_arrow<TypeParam>(random, n, 4, 9);
      expect_fused_step<TypeParam, 1>(one, {.method = method});
      expect_fused_step<TypeParam, 4>(four, {.method = method, .damping = 0.25});
      PseudoinverseOptions const robust{
          .method = method, .weight = RobustWeight::huber, .weight_scale = 0.5};
      expect_fused_step<TypeParam, 1>(one, robust);
      expect_fused_step<TypeParam, 4>(four, robust);
    }
}

/// A⁺ of rows that stand side by side and of the same ones with gaps between them.
template <class Layout, class Real>
[[nodiscard]] std::vector<Real> inverse_of_rows_in(ArrowProblem<Real> const& problem) {
  DeviceArrow<Real, Layout> const device(problem);
  Kokkos::View<Real**, Kokkos::LayoutLeft, Memory> const inverse(
      "carroll_test::inverse", problem.k() + problem.m(), problem.n());
  (void)carroll::pseudoinverse(Exec(), device.jacobian(), inverse);
  auto const found = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), inverse);
  return {found.data(), found.data() + found.size()};
}

TYPED_TEST(PseudoinverseTyped, SignsOfZerosDoNotTellHowRowsAreRead) {
  Random random(17);
  auto problem = random_arrow<TypeParam>(random, 40, 1, 3);
  for (int i = 0; i < 40; i += 3) {
    problem.motion(i, 0) = i % 2 == 0 ? TypeParam(0) : -TypeParam(0);
    problem.depth[static_cast<std::size_t>(i)] = i % 4 == 0 ? TypeParam(0) : -TypeParam(0);
  }
  EXPECT_TRUE(same_bits(inverse_of_rows_in<Kokkos::LayoutLeft>(problem),
                        inverse_of_rows_in<Kokkos::LayoutStride>(problem)));
}

}  // namespace
