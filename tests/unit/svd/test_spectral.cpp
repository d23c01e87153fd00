// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <carroll/detail/svd/spectral/start.hpp>
#include <carroll/detail/svd/workspace_sizes.hpp>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "support/host_matrix.hpp"
#include "support/svd/matrix_types.hpp"
#include "unit/scripted_library.hpp"

/// What goes before the sweeps of large matrices, on the host, with a library of the test's.
namespace {

using namespace carroll::test;
using carroll::SvdInfo;
using carroll::SvdMethod;
using carroll::SvdVectors;
using carroll::detail::Columns;
using carroll::detail::SpectralStart;
using carroll::detail::SvdBatch;
using carroll::detail::SvdFamily;
using carroll::detail::SvdProblem;
using carroll::detail::SvdState;
using Exec = Kokkos::DefaultHostExecutionSpace;

/// A member as the factorisations leave it, and as it is begun.
template <class Real>
struct Begun {
  HostMatrix<Real> X, J;
  std::vector<int> exponents;
  SvdState state;
};

/// Working columns, the j-th times 2^exponents[j].
template <class Real>
struct Factor {
  HostMatrix<Real> X;
  std::vector<int> exponents;
  int columns;  ///< that are not negligible

  explicit Factor(HostMatrix<Real> const& matrix)
      : X(matrix), exponents(static_cast<std::size_t>(matrix.cols), 0), columns(matrix.cols) {}
};

template <class Real>
class Batch {
 public:
  explicit Batch(std::vector<Factor<Real>> const& factors) : factors_(factors) {
    int const n = factors.front().X.cols, count = static_cast<int>(factors.size());
    auto const sizes = carroll::detail::svd_workspace_sizes<Real>(SvdFamily::spectral, n, n, true);
    auto const room = [&](std::int64_t each) { return static_cast<std::size_t>(count * each); };
    reals_.assign(room(sizes.reals), std::numeric_limits<Real>::quiet_NaN());
    ints_.assign(room(sizes.ints), 0);
    states_.resize(room(1));
    infos_.resize(room(1));
    batch_.a = {nullptr, {count, n, n}, {n * n, 1, n}};
    batch_.u = {nullptr, {count, n, n}, {n * n, 1, n}};
    batch_.s = {nullptr, {count, n, 1}, {n, 1, 1}};
    batch_.v = {nullptr, {count, n, n}, {n * n, 1, n}};
    batch_.u_wanted = batch_.v_wanted = SvdVectors::thin;
    batch_.method = SvdMethod::preconditioned;
    batch_.reals = reals_.data();
    batch_.ints = ints_.data();
    batch_.distance = sizes;
    batch_.states = states_.data();
    batch_.infos = infos_.data();
    batch_.info_stride = 1;
    for (int b = 0; b < count; ++b) {
      auto const& factor = factors[static_cast<std::size_t>(b)];
      states_[static_cast<std::size_t>(b)].columns = factor.columns;
      SvdProblem<Real> const problem = batch_(b);
      std::copy_n(factor.X.data.begin(), n * factor.columns, problem.working().data);
      std::copy(factor.exponents.begin(), factor.exponents.end(), problem.working_exponents());
    }
  }

  bool run() {
    std::vector<int> const orders(factors_.size(), factors_.front().X.cols);
    SpectralStart<ScriptedLibrary> const start(Exec{}, orders);
    return start.run(Exec{}, batch_, Real(0));
  }
  Begun<Real> result(int b) const {
    SvdProblem<Real> const problem = batch_(b);
    int const n = problem.cols;
    Begun<Real> begun{HostMatrix<Real>(n, n), HostMatrix<Real>(n, n), {}, *problem.state};
    std::copy_n(problem.working().data, n * n, begun.X.data.begin());
    std::copy_n(problem.rotations().data, n * n, begun.J.data.begin());
    begun.exponents.assign(problem.working_exponents(), problem.working_exponents() + n);
    return begun;
  }

 private:
  std::vector<Factor<Real>> factors_;
  std::vector<Real> reals_;
  std::vector<int> ints_;
  std::vector<SvdState> states_;
  std::vector<SvdInfo<Real>> infos_;
  SvdBatch<Real> batch_{};
};

template <class Real>
double dot(HostMatrix<Real> const& A, int i, HostMatrix<Real> const& B, int j) {
  double sum = 0;
  for (int k = 0; k < A.rows; ++k)
    sum += static_cast<double>(A(k, i)) * static_cast<double>(B(k, j));
  return sum;
}

/// Of columns, in units of roundoff.
template <class Real>
double largest_cosine(HostMatrix<Real> const& X) {
  double most = 0;
  for (int j = 0; j < X.cols; ++j)
    for (int i = 0; i < j; ++i)
      most =
          std::max(most, std::abs(dot(X, i, X, j)) / std::sqrt(dot(X, i, X, i) * dot(X, j, X, j)));
  return most / static_cast<double>(std::numeric_limits<Real>::epsilon());
}
/// ‖JᵀJ - I‖ by its largest entry, and of the columns of X·J - Y those relative to Y's, in
/// roundoff.
template <class Real>
double deviation(HostMatrix<Real> const& J) {
  double most = 0;
  for (int j = 0; j < J.cols; ++j)
    for (int i = 0; i <= j; ++i)
      most = std::max(most, std::abs(dot(J, i, J, j) - (i == j ? 1 : 0)));
  return most / static_cast<double>(std::numeric_limits<Real>::epsilon());
}
template <class Real>
double residual(Factor<Real> const& factor, Begun<Real> const& begun) {
  int const n = factor.X.cols;
  double most = 0;
  for (int j = 0; j < n; ++j) {
    double error = 0, size = 0;
    for (int i = 0; i < n; ++i) {
      double sum = 0;
      for (int k = 0; k < n; ++k)
        sum += std::ldexp(static_cast<double>(factor.X(i, k)),
                          factor.exponents[static_cast<std::size_t>(k)]) *
               static_cast<double>(begun.J(k, j));
      double const y = std::ldexp(static_cast<double>(begun.X(i, j)),
                                  begun.exponents[static_cast<std::size_t>(j)]);
      error = std::max(error, std::abs(sum - y));
      size = std::max(size, std::abs(y));
    }
    most = std::max(most, error / size);
  }
  return most / static_cast<double>(std::numeric_limits<Real>::epsilon());
}

template <class Real>
Factor<Real> random_factor(int n, std::uint64_t seed) {
  return Factor<Real>(make_matrix<Real>(MatrixType::random, n, n, seed));
}
template <class Real>
std::string begun_well(Factor<Real> const& factor, Begun<Real> const& begun) {
  double const n = factor.X.cols;
  std::string wrong;
  if (!begun.state.rotated || !begun.state.converged) wrong += "not begun; ";
  if (!(largest_cosine(begun.X) <= std::max(2.0, std::sqrt(n)))) wrong += "not orthogonal; ";
  if (!(deviation(begun.J) <= 2 * std::sqrt(n))) wrong += "J is not orthonormal; ";
  if (!(residual(factor, begun) <= 40 * n)) wrong += "X·J differs; ";
  return wrong;
}

template <class Real>
class SvdSpectral : public ::testing::Test {
 protected:
  void SetUp() override { script = {}; }
};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(SvdSpectral, Scalars);

TYPED_TEST(SvdSpectral, LeavesNothingToTheSweeps) {
  for (int const n : {65, 66, 97}) {
    std::vector<Factor<TypeParam>> const factors{random_factor<TypeParam>(n, 3),
                                                 random_factor<TypeParam>(n, 4)};
    Batch<TypeParam> batch(factors);
    EXPECT_TRUE(batch.run()) << n;
    for (int b = 0; b < 2; ++b)
      EXPECT_EQ(begun_well(factors[static_cast<std::size_t>(b)], batch.result(b)), "") << n;
  }
  EXPECT_EQ(script.calls, 6);
}

TYPED_TEST(SvdSpectral, RefinesRoughEigenvectors) {
  for (double const error : {1e-9, 1e-6, 1e-4}) {
    script.error = error;
    std::vector<Factor<TypeParam>> const factors{random_factor<TypeParam>(70, 8)};
    Batch<TypeParam> batch(factors);
    EXPECT_TRUE(batch.run()) << error;
    EXPECT_EQ(begun_well(factors[0], batch.result(0)), "") << error;
  }
}

/// Columns of which some are alike in length, all orthogonal: angles have nothing to go by.
TYPED_TEST(SvdSpectral, EqualSingularValues) {
  script.error = 1e-7;
  HostMatrix<TypeParam> identity(66, 66);
  for (int i = 0; i < 66; ++i) identity(i, i) = i % 3 == 0 ? TypeParam(0.5) : TypeParam(0.75);
  std::vector<Factor<TypeParam>> const factors{Factor<TypeParam>(identity)};
  Batch<TypeParam> batch(factors);
  bool const converged = batch.run();
  auto const begun = batch.result(0);
  EXPECT_EQ(converged, begun.state.converged != 0);
  if (converged) {
    EXPECT_EQ(begun_well(factors[0], begun), "");
  }
  ASSERT_TRUE(begun.state.rotated);
  EXPECT_LE(deviation(begun.J), 20);
  EXPECT_LE(residual(factors[0], begun), 4000);
}

TYPED_TEST(SvdSpectral, ExponentsOfColumns) {
  auto factor = random_factor<TypeParam>(65, 12);
  for (int j = 0; j < 65; ++j) factor.exponents[static_cast<std::size_t>(j)] = 900 - j % 11;
  Batch<TypeParam> batch({factor});
  ASSERT_TRUE(batch.run());
  auto begun = batch.result(0);
  for (int& e : factor.exponents) e -= 900;
  for (int& e : begun.exponents) e -= 900;
  EXPECT_EQ(begun_well(factor, begun), "");
}

/// The same bits beside others, and one that cannot be begun leaves them alone.
TYPED_TEST(SvdSpectral, MembersAreAlone) {
  auto const factor = random_factor<TypeParam>(65, 20);
  auto spread = random_factor<TypeParam>(65, 21), few = random_factor<TypeParam>(65, 22);
  spread.exponents[7] = -21;
  few.columns = 60;
  Batch<TypeParam> alone({factor}), batch({spread, factor, few});
  EXPECT_TRUE(alone.run());
  script.calls = 0;
  EXPECT_FALSE(batch.run());
  EXPECT_EQ(script.calls, 1);
  auto const one = alone.result(0), among = batch.result(1);
  EXPECT_TRUE(same_bits(one.X.data, among.X.data));
  EXPECT_TRUE(same_bits(one.J.data, among.J.data));
  EXPECT_EQ(one.exponents, among.exponents);
  for (int const b : {0, 2}) {
    auto const left = batch.result(b).state;
    EXPECT_TRUE(!left.rotated && !left.converged) << b;
  }
  EXPECT_TRUE(same_bits(batch.result(0).X.data, spread.X.data));
}

/// Whatever the scale of the others: its exponent is 0.
TYPED_TEST(SvdSpectral, ColumnsOfZerosAreNotBegun) {
  for (int const scale : {0, 900}) {
    auto factor = random_factor<TypeParam>(65, 25);
    for (int& exponent : factor.exponents) exponent = scale;
    for (int i = 0; i < 65; ++i) factor.X(i, 9) = 0;
    factor.exponents[9] = 0;
    Batch<TypeParam> batch({factor});
    EXPECT_FALSE(batch.run()) << scale;
    EXPECT_EQ(script.calls, 0) << scale;
    EXPECT_FALSE(batch.result(0).state.rotated) << scale;
  }
}

TYPED_TEST(SvdSpectral, BadEigenvectorsAreNotTaken) {
  auto const factor = random_factor<TypeParam>(65, 30);
  auto const expect_untouched = [&](char const* what) {
    Batch<TypeParam> batch({factor});
    EXPECT_FALSE(batch.run()) << what;
    EXPECT_EQ(script.calls, 1) << what;
    auto const left = batch.result(0);
    EXPECT_TRUE(!left.state.rotated && !left.state.converged) << what;
    EXPECT_TRUE(same_bits(left.X.data, factor.X.data)) << what;
  };
  script.complaint = 3;
  expect_untouched("a complaint");
  script = {};
  script.dependent = true;
  expect_untouched("dependent vectors");
}

/// Angles that are no longer small: V is a basis all the same, and the sweeps go on from there.
TYPED_TEST(SvdSpectral, FarFromOrthogonalIsLeftToTheSweeps) {
  script.error = 0.2;
  std::vector<Factor<TypeParam>> const factors{random_factor<TypeParam>(65, 40)};
  Batch<TypeParam> batch(factors);
  EXPECT_FALSE(batch.run());
  auto const begun = batch.result(0);
  EXPECT_TRUE(begun.state.rotated && !begun.state.converged);
  EXPECT_LE(deviation(begun.J), 20);
  EXPECT_LE(residual(factors[0], begun), 4000);
}

}  // namespace
