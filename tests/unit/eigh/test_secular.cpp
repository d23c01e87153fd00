// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/detail/eigh/divided/secular.hpp>
#include <cmath>
#include <vector>

#include "support/random.hpp"
#include "support/tolerance.hpp"

/// Roots of the secular equation (detail/eigh/divided/secular.hpp) against bisection in extended
/// precision, and the z for which they are exact.
namespace {

using namespace carroll::test;

template <class Real>
struct Secular {
  std::vector<Real> pole, z;
  Real rho;

  [[nodiscard]] int poles() const { return static_cast<int>(pole.size()); }
  /// f at a distance from a pole.
  [[nodiscard]] long double at(int origin, long double tau) const {
    long double sum = 1 / (long double)rho;
    for (int i = 0; i < poles(); ++i)
      sum += (long double)z[i] * z[i] / ((long double)pole[i] - pole[origin] - tau);
    return sum;
  }
  /// Root j's distance from pole `origin`.
  [[nodiscard]] long double exact(int j, int origin) const {
    long double low = (long double)pole[j] - pole[origin];
    long double high =
        j + 1 < poles() ? (long double)pole[j + 1] - pole[origin] : 2 * (long double)rho;
    for (int k = 0; k < 400; ++k) {
      // Near the origin by orders of magnitude.
      long double const a = std::abs(low), b = std::abs(high);
      bool const far = std::max(a, b) > 4 * std::min(a, b) && low * high >= 0;
      long double const least = 1e-60L;
      long double const size = std::sqrt(std::max(a, least) * std::max(b, least));
      long double const middle = far ? (low + high > 0 ? size : -size) : (low + high) / 2;
      if (!(middle > low && middle < high)) break;
      (at(origin, middle) < 0 ? low : high) = middle;
    }
    return (low + high) / 2;
  }
};

/// What deflation leaves: gaps and weights are above the tolerance, z is of length 1.
template <class Real>
Secular<Real> secular(int poles, int kind, Random& random) {
  Secular<Real> equation{std::vector<Real>(poles), std::vector<Real>(poles), Real(0.5)};
  double const tolerance = 8 * epsilon<Real>;
  if (kind % 4 == 1) equation.rho = static_cast<Real>(100 * tolerance);
  if (kind % 4 == 2) equation.rho = 2;
  double at = -1, squares = 0;
  std::vector<double> z(poles);
  for (int i = 0; i < poles; ++i) {
    equation.pole[i] = static_cast<Real>(at);
    double const gap = 2.0 / poles * random.uniform();
    at += std::max(4 * tolerance, kind >= 4 && random.chance(0.5) ? 8 * tolerance : gap);
    z[i] = random.normal();
    if (kind >= 8 && random.chance(0.5)) z[i] *= std::pow(2.0, -20 * random.uniform());
    squares += z[i] * z[i];
  }
  for (int i = 0; i < poles; ++i) {
    double const size = std::max(std::abs(z[i]) / std::sqrt(squares), tolerance / equation.rho);
    equation.z[i] = static_cast<Real>(z[i] < 0 ? -size : size);
  }
  return equation;
}

template <class Real>
std::vector<Real> computed(Secular<Real> const& equation) {
  using Policy = Kokkos::TeamPolicy<Kokkos::DefaultHostExecutionSpace>;
  carroll::detail::SecularEquation<Real, false> const solver{equation.poles(), equation.pole.data(),
                                                             equation.z.data(), equation.rho};
  std::vector<Real> roots(equation.poles());
  Kokkos::parallel_for("roots", Policy(1, 1), [&](Policy::member_type const& team) {
    for (int j = 0; j < equation.poles(); ++j) roots[j] = solver.root(team, j);
  });
  return roots;
}

template <class Real>
class EighSecular : public ::testing::Test {};
using SecularScalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(EighSecular, SecularScalars);

TYPED_TEST(EighSecular, RootsAndWeights) {
  Random random(11);
  for (int const poles : {1, 2, 3, 4, 7, 20, 60})
    for (int kind = 0; kind < 12; ++kind)
      for (int repeat = 0; repeat < 4; ++repeat) {
        auto const equation = secular<TypeParam>(poles, kind, random);
        std::vector<long double> roots;  // from pole 0, of what is computed
        long double const unit = poles * (long double)epsilon<TypeParam>;
        std::vector<TypeParam> const tau = computed(equation);
        std::vector<int> origin;
        for (int j = 0; j < poles; ++j) {
          origin.push_back(tau[j] < 0 ? j + 1 : j);
          ASSERT_LT(origin[j], poles);
          ASSERT_NE(tau[j], 0);
          if (j + 1 < poles) {
            ASSERT_LE(std::abs(tau[j]), (equation.pole[j + 1] - equation.pole[j]) / 2);
          }
          long double const error = std::abs(tau[j] - equation.exact(j, origin[j]));
          EXPECT_LE(error, 2 * unit) << poles << ' ' << kind << ' ' << j;
        }
        for (int i = 0; i < poles; ++i) {
          long double product = 1 / (long double)equation.rho;
          for (int j = 0; j < poles; ++j) {
            product *= ((long double)equation.pole[origin[j]] - equation.pole[i]) + tau[j];
            if (j != i) product /= (long double)equation.pole[j] - equation.pole[i];
          }
          ASSERT_GT(product, 0) << poles << ' ' << kind << ' ' << i;
          EXPECT_NEAR(std::sqrt(product), std::abs(equation.z[i]), 4 * unit)
              << poles << ' ' << kind << ' ' << i;
        }
      }
}

}  // namespace
