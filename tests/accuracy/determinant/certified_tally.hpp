// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <carroll/determinant.hpp>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "support/determinant/certified_drivers.hpp"
#include "support/determinant/drivers.hpp"
#include "support/random.hpp"
#include "support/tolerance.hpp"

/// Certified determinants of matrices of one kind beside FLINT's, and a table of what came of each
/// kind.
namespace carroll::test {

#ifdef CARROLL_TEST_SANITIZER
inline constexpr int share = 20;  // one in so many cases
#else
inline constexpr int share = 1;
#endif

#define CARROLL_NEEDS_FLINT() \
  if (!have_flint()) GTEST_SKIP() << "built without FLINT (Debian: libflint-dev)"

/// What has been seen of one kind of matrix.
struct Tally {
  int cases = 0, certified = 0, singular = 0;
  double widest = 0;
  int compared = 0;          ///< where plain elimination's error is more than a rounding
  double log_of_ratios = 0;  ///< of the interval's width to that error
};

class CertifiedDeterminants : public ::testing::Test {
 protected:
  static void TearDownTestSuite() {
    std::printf("%-34s %6s %9s %8s %9s %s\n", "kind", "cases", "certified", "proved 0", "widest",
                "width / error of LU");
    int cases = 0;
    for (auto const& [kind, tally] : tallies_) {
      std::printf("%-34s %6d %9d %8d %9.1e ", kind.c_str(), tally.cases, tally.certified,
                  tally.singular, tally.widest);
      if (tally.compared > 0) std::printf("%.2g", std::exp(tally.log_of_ratios / tally.compared));
      std::printf("\n");
      cases += tally.cases;
    }
    std::printf("%d cases\n", cases);
  }

  /// Checks matrices of one order.
  template <class Real>
  static Tally& check(std::string const& kind, std::vector<HostMatrix<Real>> const& members) {
    Tally& tally = tallies_[kind + (sizeof(Real) == 4 ? ", single" : "")];
    auto const infos = run_certified(members);
    for (std::size_t b = 0; b < members.size(); ++b) {
      SCOPED_TRACE(kind + ", n = " + std::to_string(members[b].rows) + ", member " +
                   std::to_string(b));
      check_one(members[b], infos[b], tally);
    }
    return tally;
  }

  static inline std::map<std::string, Tally> tallies_;

 private:
  template <class Real>
  static void check_one(HostMatrix<Real> const& A, CertifiedDeterminantInfo<Real> const& info,
                        Tally& tally) {
    HostMatrix<double> wide(A.rows, A.cols);
    for (std::size_t k = 0; k < A.data.size(); ++k) wide.data[k] = static_cast<double>(A.data[k]);
    auto const plain =
        carroll::determinant_of(Exec(), guarded_from<Real, Kokkos::LayoutRight>(A).view());
    auto const to = flint_distances(
        wide, {binary(info.lower), binary(info.upper), binary(info.value), binary(plain.value)});
    ASSERT_EQ(to.size(), 4U);
    EXPECT_GE(to[0], 0) << "the determinant lies below the interval";
    EXPECT_LE(to[1], 0) << "the determinant lies above the interval";
    EXPECT_LE(info.lower, info.value);
    EXPECT_LE(info.value, info.upper);
    ++tally.cases;
    bool const zero = info.lower.is_zero() && info.upper.is_zero();
    EXPECT_EQ(info.status == Status::singular, zero);
    EXPECT_EQ(info.status == Status::success, info.lower.sign() * info.upper.sign() > 0);
    EXPECT_TRUE(info.status == Status::success || info.status == Status::singular ||
                info.status == Status::not_certified);
    tally.singular += zero ? 1 : 0;
    if (info.status != Status::success) return;
    ++tally.certified;
    double const width = to[0] - to[1];
    tally.widest = std::max(tally.widest, width);
    double const error = std::abs(to[3]);
    if (error > 2 * epsilon<Real>) {
      ++tally.compared;
      tally.log_of_ratios += std::log(std::max(width, epsilon<Real>) / error);
    }
  }
};

/// `count` matrices made by make(n, seed), of orders from `least` to `most`, ten to a batch.
template <class Make>
auto batches(int count, int least, int most, Make const& make) {
  using Matrix = decltype(make(1, std::uint64_t{0}));
  std::vector<std::vector<Matrix>> result;
  Random random(static_cast<std::uint64_t>(1000 * most + count));
  for (int k = 0; k < std::max(count / share, 10); k += 10) {
    int const n = least + random.index(most - least + 1);
    std::vector<Matrix> members;
    for (int b = 0; b < 10; ++b) members.push_back(make(n, static_cast<std::uint64_t>(k + b)));
    result.push_back(std::move(members));
  }
  return result;
}

}  // namespace carroll::test
