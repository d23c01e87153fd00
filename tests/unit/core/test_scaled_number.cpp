// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <carroll/scaled_number.hpp>
#include <cmath>
#include <cstdint>
#include <limits>

namespace {

using carroll::ScaledNumber;
using carroll::to_string;
using Exec = Kokkos::DefaultExecutionSpace;

template <class Real>
class ScaledNumberOf : public ::testing::Test {};
using Reals = ::testing::Types<float, double>;
TYPED_TEST_SUITE(ScaledNumberOf, Reals);

TYPED_TEST(ScaledNumberOf, MantissaIsInOneToTwoAndNothingIsLost) {
  using Real = TypeParam;
  using Limits = std::numeric_limits<Real>;
  for (Real x : {Real(1), Real(-1), Real(0.75), Real(-3), Limits::max(), -Limits::max(),
                 Limits::min(), Limits::denorm_min(), 3 * Limits::denorm_min()}) {
    ScaledNumber<Real> const s(x);
    EXPECT_GE(std::abs(s.mantissa()), 1);
    EXPECT_LT(std::abs(s.mantissa()), 2);
    EXPECT_EQ(std::signbit(s.mantissa()), std::signbit(x));
    EXPECT_EQ(s.to(), x);
    EXPECT_EQ(s.sign(), x > 0 ? 1 : -1);
  }
  EXPECT_EQ(ScaledNumber<Real>(Real(6), -1), ScaledNumber<Real>(Real(3)));
}

TYPED_TEST(ScaledNumberOf, ZeroIsExactAndHasNoSign) {
  using Real = TypeParam;
  for (auto const& zero : {ScaledNumber<Real>(), ScaledNumber<Real>(Real(-0.0), 77),
                           ScaledNumber<Real>(Real(3)) * ScaledNumber<Real>(Real(0))}) {
    EXPECT_TRUE(zero.is_zero());
    EXPECT_TRUE(zero.is_finite());
    EXPECT_EQ(zero.exponent(), 0);
    EXPECT_FALSE(std::signbit(zero.mantissa()));
    EXPECT_FALSE(std::signbit((-zero).to()));
    EXPECT_EQ(zero.sign(), 0);
    EXPECT_EQ(zero.log_abs(), -std::numeric_limits<double>::infinity());
    EXPECT_EQ(to_string(zero), "0");
  }
}

TYPED_TEST(ScaledNumberOf, NonFiniteNumbersStayWhatTheyAre) {
  using Real = TypeParam;
  Real const inf = std::numeric_limits<Real>::infinity();
  ScaledNumber<Real> const infinite(inf), one(Real(1)), nan = ScaledNumber<Real>::nan();
  EXPECT_EQ(infinite.exponent(), 0);
  EXPECT_FALSE(infinite.is_finite());
  EXPECT_EQ((-infinite).to(), -inf);
  EXPECT_EQ((one / ScaledNumber<Real>()).to(), inf);
  EXPECT_TRUE((one / infinite).is_zero());
  EXPECT_TRUE((infinite * ScaledNumber<Real>()).is_nan());
  EXPECT_TRUE((infinite / infinite).is_nan());
  EXPECT_TRUE(nan.is_nan());
  EXPECT_TRUE(std::isnan(nan.to()));
  EXPECT_TRUE(std::isnan(nan.sign()));
  EXPECT_TRUE(std::isnan(nan.log_abs()));
  EXPECT_FALSE(nan == nan);
  EXPECT_FALSE(nan < one || one < nan);
  EXPECT_EQ(infinite.log_abs(), std::numeric_limits<double>::infinity());
  EXPECT_EQ(to_string(nan), "nan");
  EXPECT_EQ(to_string(-infinite), "-inf");
}

TYPED_TEST(ScaledNumberOf, ProductsDoNotOverOrUnderflow) {
  using Real = TypeParam;
  ScaledNumber<Real> product(Real(1));
  ScaledNumber<Real> const huge(std::numeric_limits<Real>::max());
  ScaledNumber<Real> const tiny(std::numeric_limits<Real>::denorm_min());
  for (int k = 0; k < 1000; ++k) product *= huge;
  EXPECT_GT(product.exponent(), 100000);
  EXPECT_EQ(product.to(), std::numeric_limits<Real>::infinity());
  for (int k = 0; k < 1000; ++k) product /= huge;
  EXPECT_NEAR(static_cast<double>(product.to()), 1, 2000 * std::numeric_limits<Real>::epsilon());
  for (int k = 0; k < 1000; ++k) product *= tiny;
  EXPECT_EQ(product.to(), 0);
  EXPECT_LT(product.exponent(), -100000);
}

TYPED_TEST(ScaledNumberOf, ComparesLikeTheNumbersThatItStandsFor) {
  using Real = TypeParam;
  Real const ordered[] = {-std::numeric_limits<Real>::infinity(),
                          -8,
                          -3,
                          -2,
                          Real(-0.5),
                          0,
                          Real(0.25),
                          1,
                          Real(1.5),
                          2,
                          100,
                          std::numeric_limits<Real>::infinity()};
  for (Real x : ordered)
    for (Real y : ordered) {
      ScaledNumber<Real> const a(x), b(y);
      EXPECT_EQ(a < b, x < y) << x << ' ' << y;
      EXPECT_EQ(a <= b, x <= y) << x << ' ' << y;
      EXPECT_EQ(a > b, x > y) << x << ' ' << y;
      EXPECT_EQ(a >= b, x >= y) << x << ' ' << y;
      EXPECT_EQ(a == b, x == y) << x << ' ' << y;
      EXPECT_EQ(a != b, x != y) << x << ' ' << y;
    }
  EXPECT_LT(ScaledNumber<Real>(1, 5000), ScaledNumber<Real>(1, 5001));
  EXPECT_LT(ScaledNumber<Real>(-1, 5001), ScaledNumber<Real>(-1, 5000));
}

TEST(ScaledNumber, RoundsOnceIntoTheSubnormalNumbers) {
  double const least = std::numeric_limits<double>::denorm_min();
  EXPECT_EQ(ScaledNumber<double>(1.0, -1074).to(), least);
  EXPECT_EQ(ScaledNumber<double>(1.0, -1075).to(), 0);  // halfway: to even
  EXPECT_EQ(ScaledNumber<double>(std::nextafter(1.0, 2.0), -1075).to(), least);
  EXPECT_EQ(ScaledNumber<double>(1.5, -1074).to(), 2 * least);
  EXPECT_EQ(ScaledNumber<double>(std::nextafter(1.5, 1.0), -1074).to(), least);
  EXPECT_EQ(ScaledNumber<double>(-1.0, -1076).to(), 0);
  EXPECT_TRUE(std::signbit(ScaledNumber<double>(-1.0, -1076).to()));
  for (int e = -1080; e <= 1025; ++e)
    for (double m : {1.0, 1.1, 1.25, 1.99999999999999978}) {
      EXPECT_EQ(ScaledNumber<double>(m, e).to(), std::ldexp(m, e)) << m << ' ' << e;
      auto const f = static_cast<float>(m);
      EXPECT_EQ(ScaledNumber<float>(f, e).to(), std::ldexp(f, e)) << m << ' ' << e;
      EXPECT_EQ(ScaledNumber<float>(f, e).to<double>(), std::ldexp(double(f), e));
      EXPECT_EQ(ScaledNumber<double>(m, e).to<float>(), static_cast<float>(std::ldexp(m, e)));
    }
  EXPECT_EQ(ScaledNumber<double>(-1.0, std::int64_t{1} << 40).to(),
            -std::numeric_limits<double>::infinity());
  EXPECT_EQ(ScaledNumber<double>(1.0, -(std::int64_t{1} << 40)).to(), 0);
}

TEST(ScaledNumber, PowersAndLogarithms) {
  ScaledNumber<double> const three(3.0);
  EXPECT_EQ(three.pow(0).to(), 1);
  EXPECT_EQ(three.pow(5).to(), 243);
  EXPECT_EQ(ScaledNumber<double>(-2.0).pow(-3).to(), -0.125);
  EXPECT_EQ(ScaledNumber<double>(2.0).pow(1000000), ScaledNumber<double>(1.0, 1000000));
  EXPECT_NEAR(three.pow(100000).log_abs() / (100000 * std::log(3.0)), 1, 1e-15);
  // Just below 1 the logarithm keeps all digits.
  double const below = std::nextafter(1.0, 0.0);
  EXPECT_DOUBLE_EQ(ScaledNumber<double>(below).log_abs(), std::log(below));
}

TEST(ScaledNumber, DecimalDigitsAreRightFarBeyondDouble) {
  auto const two_to = [](std::int64_t e) { return ScaledNumber<double>(1.0, e); };
  EXPECT_EQ(to_string(ScaledNumber<double>(-8.0)), "-8e+0");
  EXPECT_EQ(to_string(ScaledNumber<double>(0.1)), "1.0000000000000001e-1");
  EXPECT_EQ(to_string(ScaledNumber<float>(0.1F)), "1.00000001e-1");
  EXPECT_EQ(to_string(ScaledNumber<double>(9.9999999), 5), "1e+1");
  EXPECT_EQ(to_string(ScaledNumber<double>(std::numeric_limits<double>::max())),
            "1.7976931348623157e+308");
  EXPECT_EQ(to_string(ScaledNumber<double>(std::numeric_limits<double>::denorm_min()), 3),
            "4.94e-324");
  // Exact values: integer arithmetic of any length.
  EXPECT_EQ(to_string(two_to(4096)), "1.0443888814131525e+1233");
  EXPECT_EQ(to_string(two_to(-4096)), "9.5749774609521854e-1234");
  EXPECT_EQ(to_string(two_to(1000003)), "7.9205249834367186e+301030");
  EXPECT_EQ(to_string(ScaledNumber<double>(-1.7, 4100), 5), "-2.8407e+1234");
}

TEST(ScaledNumber, ComplexNumbersKeepTheirPhase) {
  using Complex = Kokkos::complex<double>;
  ScaledNumber<Complex> const x(Complex(-3, 4));
  EXPECT_EQ(x.mantissa(), Complex(-0.75, 1));
  EXPECT_EQ(x.exponent(), 2);
  EXPECT_EQ(x.abs().to(), 5);
  EXPECT_EQ(x.sign(), Complex(-0.6, 0.8));
  EXPECT_DOUBLE_EQ(x.log_abs(), std::log(5.0));
  // The modulus is what is in [1, 2), not the larger part.
  ScaledNumber<Complex> const y(Complex(1.9, 1.9));
  EXPECT_EQ(y.exponent(), 1);
  EXPECT_EQ(y.to(), Complex(1.9, 1.9));
  auto const power = x.pow(1000);
  EXPECT_NEAR(power.log_abs(), 1000 * std::log(5.0), 1e-10);
  EXPECT_EQ((power / power).to(), Complex(1, 0));
  EXPECT_EQ((-y).to(), Complex(-1.9, -1.9));
  EXPECT_TRUE(ScaledNumber<Complex>(Complex(0, 0)).is_zero());
  EXPECT_FALSE(ScaledNumber<Complex>(Complex(0, std::nan(""))).is_finite());
  EXPECT_EQ(to_string(x), "(-3e+0, 4e+0)");
}

// nvcc takes no lambda from the body of a test, which is private.
void multiply_in_a_kernel(Kokkos::View<ScaledNumber<double>, Exec> const& result) {
  Kokkos::parallel_for(
      "carroll_test::scaled_number", Kokkos::RangePolicy<Exec>(0, 1), KOKKOS_LAMBDA(int) {
        ScaledNumber<double> product(1.0);
        for (int k = 0; k < 5000; ++k) product *= ScaledNumber<double>(-1e300);
        result() = product / ScaledNumber<double>(2.0).pow(4);
      });
}

TEST(ScaledNumber, WorksInKernels) {
  Kokkos::View<ScaledNumber<double>, Exec> const result("carroll_test::product");
  multiply_in_a_kernel(result);
  ScaledNumber<double> host;
  Kokkos::deep_copy(host, result);
  EXPECT_EQ(host.sign(), 1);
  EXPECT_NEAR(host.log_abs() / (5000 * std::log(1e300) - 4 * std::log(2.0)), 1, 1e-15);
}

}  // namespace
