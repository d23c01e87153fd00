// SPDX-License-Identifier: BSD-3-Clause
// Errors of pictures against sums in long double.
#include <gtest/gtest.h>

#include <carroll/picture_error.hpp>
#include <cmath>
#include <limits>
#include <utility>

#include "misuse/complaint.hpp"

namespace {

using Exec = Kokkos::DefaultHostExecutionSpace;
using carroll::Status;

template <class Real>
class PictureErrorTest : public testing::Test {};
using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(PictureErrorTest, Reals);

TYPED_TEST(PictureErrorTest, IsTheMeanOfSquaredDifferences) {
  for (auto const& [rows, columns] : {std::pair{1, 1}, {3, 5}, {64, 1}, {33, 70}}) {
    Kokkos::View<TypeParam**, Kokkos::LayoutRight, Kokkos::HostSpace> const a("a", rows, columns);
    Kokkos::View<double**, Kokkos::LayoutLeft, Kokkos::HostSpace> const b("b", rows, columns);
    long double sum = 0;
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < columns; ++j) {
        a(i, j) = static_cast<TypeParam>(7 * i % 11 + .25 * j);
        b(i, j) = 3 * j % 7 - .5 * i;
        long double const d = static_cast<long double>(a(i, j)) - b(i, j);
        sum += d * d;
      }
    auto const error = carroll::picture_error(Exec(), a, b);
    EXPECT_EQ(error.status, Status::success);
    EXPECT_EQ(error.count, rows * columns);
    EXPECT_NEAR(error.mse, static_cast<double>(sum / (rows * columns)), 1e-12 * error.mse);
  }
}

TEST(PictureError, DecibelAndBack) {
  EXPECT_DOUBLE_EQ(carroll::psnr(255.0 * 255.0 / 1000, 255), 30);
  EXPECT_DOUBLE_EQ(carroll::psnr(carroll::mse_of_psnr(41.5, 65535), 65535), 41.5);
  EXPECT_EQ(carroll::psnr(0, 255), std::numeric_limits<double>::infinity());
}

TEST(PictureError, EmptyNonFiniteAndMisuse) {
  Kokkos::View<float**, Kokkos::HostSpace> const empty("empty", 0, 4), a("a", 2, 3), b("b", 3, 2);
  auto const none = carroll::picture_error(Exec(), empty, empty);
  EXPECT_EQ(none.count, 0);
  EXPECT_EQ(none.mse, 0);
  a(1, 1) = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(carroll::picture_error(Exec(), a, a).status, Status::non_finite);
  EXPECT_EQ(carroll::test::complaint([&] { (void)carroll::picture_error(Exec(), a, b); }),
            "carroll::picture_error: original is 3×2, must be 2×3");
}

}  // namespace
