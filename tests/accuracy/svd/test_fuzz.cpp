// SPDX-License-Identifier: BSD-3-Clause
// Ten thousand small matrices with entries that hurt, in one batch (fewer under sanitizers): the
// bad ones are flagged, the good ones are accurate and bit for bit what they are alone.
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "accuracy/svd/checks.hpp"
#include "support/random.hpp"

namespace {

using namespace carroll::test;
using carroll::Status;

#ifdef CARROLL_TEST_SANITIZER
constexpr int count = 2500;  // which take longer than 10 000 without it
#else
constexpr int count = 10000;
#endif

/// One of: 0, ±1, ±denormal, ±huge, random, ±NaN. A matrix draws its entries from a random subset
/// of these, so that pure and mixed matrices of each kind occur; one in twelve gets a NaN or an
/// Inf.
template <class Real>
HostMatrix<Real> random_matrix(Random& random) {
  using Limits = std::numeric_limits<Real>;
  HostMatrix<Real> A(random.index(41), random.index(41));
  int const kinds = 1 + random.index(31);  // a nonempty set of five kinds, one bit each
  for (Real& entry : A.data) {
    int kind = random.index(5);
    while ((kinds >> kind & 1) == 0) kind = random.index(5);
    double const sign = random.sign();
    switch (kind) {
      case 0: entry = 0; break;
      case 1: entry = static_cast<Real>(sign); break;
      case 2: entry = static_cast<Real>(sign * (1 + random.index(5))) * Limits::denorm_min(); break;
      case 3: entry = static_cast<Real>(sign * (0.5 + random.uniform() / 2)) * Limits::max(); break;
      default: entry = static_cast<Real>(random.symmetric()); break;
    }
  }
  if (!A.data.empty() && random.chance(1.0 / 12)) {
    Real const bad = random.chance(0.7) ? Limits::quiet_NaN() : Limits::infinity();
    int const times = 1 + random.index(3);
    for (int k = 0; k < times; ++k)
      A.data[static_cast<std::size_t>(random.index(static_cast<int>(A.data.size())))] =
          random.sign() < 0 ? -bad : bad;
  }
  return A;
}

template <class Real>
class SvdFuzz : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    Random random(20261121);
    matrices_.clear();
    for (int k = 0; k < count; ++k) matrices_.push_back(random_matrix<Real>(random));
    results_ = run_svd_ragged(matrices_);
  }
  static void TearDownTestSuite() {
    matrices_.clear();
    results_.clear();
  }

  static inline std::vector<HostMatrix<Real>> matrices_;
  static inline std::vector<HostSvd<Real>> results_;
};
using Reals = ::testing::Types<float, double>;
TYPED_TEST_SUITE(SvdFuzz, Reals);

TYPED_TEST(SvdFuzz, BadOnesAreFlaggedAndOnlyThey) {
  int bad = 0;
  int wrong = 0;
  for (int k = 0; k < count; ++k) {
    auto const& A = this->matrices_[static_cast<std::size_t>(k)];
    auto const& result = this->results_[static_cast<std::size_t>(k)];
    bool const is_bad = !all_finite(A.data);
    bad += is_bad ? 1 : 0;
    bool right = is_bad == (result.info.status == Status::non_finite);
    if (is_bad)
      right = right && all_nan(result.U.data) && all_nan(result.S) && all_nan(result.V.data);
    else
      right = right && result.info.status != Status::not_converged;
    if (!right && ++wrong <= 10)
      ADD_FAILURE() << "matrix " << k << ", " << extents_name(A) << ": "
                    << carroll::to_string(result.info.status);
  }
  EXPECT_EQ(wrong, 0);
  EXPECT_GT(bad, count / 20);  // the generator does what it says
  EXPECT_LT(bad, count / 5);
}

TYPED_TEST(SvdFuzz, GoodOnesAreAccurate) {
  // Where σ₁ is beyond the range, the vectors are judged with the values of the matrix 2⁻²⁰ times
  // as large, and those values with the infinite ones.
  std::vector<HostMatrix<TypeParam>> smaller;
  for (int k = 0; k < count; ++k)
    if (this->results_[static_cast<std::size_t>(k)].info.status == Status::overflow)
      smaller.push_back(scaled_by_power_of_two(this->matrices_[static_cast<std::size_t>(k)], -20));
  auto const of_smaller = run_svd_ragged(smaller, only_values);
  EXPECT_FALSE(smaller.empty());

  std::size_t overflows = 0;
  int wrong = 0;
  for (int k = 0; k < count; ++k) {
    auto const& A = this->matrices_[static_cast<std::size_t>(k)];
    auto const& result = this->results_[static_cast<std::size_t>(k)];
    if (!all_finite(A.data)) continue;
    SvdRatios ratios;
    if (result.info.status == Status::overflow) {
      auto const& S = of_smaller[overflows].S;
      ratios = svd_ratios(smaller[overflows], result.U, S, result.V);
      ratios.descending = is_descending(result.S);
      for (std::size_t i = 0; i < S.size(); ++i)
        EXPECT_EQ(std::isfinite(result.S[i]), std::isfinite(std::ldexp(S[i], 20)))
            << "matrix " << k << ", value " << i;
      EXPECT_FALSE(std::isfinite(result.S.front())) << "matrix " << k;
      ++overflows;
    } else {
      EXPECT_TRUE(all_finite(result.S)) << "matrix " << k;
      ratios = svd_ratios(A, result.U, result.S, result.V);
    }
    Summary::instance().add(std::string("fuzz, ") + precision_name<TypeParam>,
                            std::to_string(k) + ": " + extents_name(A), ratios);
    if (!(ratios.worst() <= ratio_bar) && ++wrong <= 10)
      ADD_FAILURE() << "matrix " << k << ", " << extents_name(A) << ": " << to_string(ratios)
                    << ", " << carroll::to_string(result.info.status);
  }
  EXPECT_EQ(wrong, 0);
}

/// With one thread every matrix is run alone. Where a launch costs more, a sample is: the next test
/// covers all of them, and the digests of tests/contract tie the numbers of threads together.
TYPED_TEST(SvdFuzz, SameBitsAlone) {
  int const step = Kokkos::DefaultExecutionSpace{}.concurrency() == 1 ? 1 : 19;
  int different = 0;
  for (int k = 0; k < count; k += step) {
    auto const& A = this->matrices_[static_cast<std::size_t>(k)];
    auto const alone = run_svd(A);
    if (!same_result(alone, this->results_[static_cast<std::size_t>(k)]) && ++different <= 10)
      ADD_FAILURE() << "matrix " << k << ", " << extents_name(A);
  }
  EXPECT_EQ(different, 0);
}

/// Other positions and other neighbours: shuffled, and cut in two batches.
TYPED_TEST(SvdFuzz, SameBitsInAnyOrder) {
  Random random(7);
  std::vector<int> order(count);
  for (int k = 0; k < count; ++k) order[static_cast<std::size_t>(k)] = k;
  random.shuffle(order);
  int different = 0;
  for (auto [begin, end] : {std::pair{0, 137}, {137, count}}) {
    std::vector<HostMatrix<TypeParam>> part;
    for (int k = begin; k < end; ++k)
      part.push_back(this->matrices_[static_cast<std::size_t>(order[static_cast<std::size_t>(k)])]);
    auto const results = run_svd_ragged(part);
    for (int k = begin; k < end; ++k) {
      auto const original = static_cast<std::size_t>(order[static_cast<std::size_t>(k)]);
      if (!same_result(results[static_cast<std::size_t>(k - begin)], this->results_[original]) &&
          ++different <= 10)
        ADD_FAILURE() << "matrix " << original << ", " << extents_name(this->matrices_[original]);
    }
  }
  EXPECT_EQ(different, 0);
}

}  // namespace
