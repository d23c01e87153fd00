// SPDX-License-Identifier: BSD-3-Clause
#include <carroll/detail/device/emulated/space.hpp>
// Before all kernels.
#include <gtest/gtest.h>

#include <algorithm>
#include <carroll/distributed/detail/tall_qr/team/registers.hpp>
#include <carroll/distributed/tall_layout.hpp>
#include <cmath>
#include <limits>
#include <vector>

#include "support/emulated_types.hpp"
#include "support/random.hpp"

/// The QR of blocks in the registers of warps, on the host, where threads take turns.
namespace {

using namespace carroll::distributed::detail;
using carroll::detail::EmulatedSpace;

template <class Real>
class EmulatedTallQr : public ::testing::Test {};
using Reals = carroll::test::EmulatedTypes<::testing::Types<double>, ::testing::Types<float>>;
TYPED_TEST_SUITE(EmulatedTallQr, Reals);

/// Two blocks, the second cut off, by QR and Q·R: A comes back, and R is upper triangular.
template <class Real>
void check(int n, int rest, int exponent, bool by_rows) {
  auto const block = static_cast<int>(carroll::distributed::tall_block_rows<Real>(n));
  SCOPED_TRACE(std::to_string(n) + " columns, block " + std::to_string(block));
  int const rows = block + rest;
  auto const size = static_cast<std::size_t>(rows) * static_cast<std::size_t>(n);
  carroll::test::Random random(static_cast<std::uint64_t>(n));
  std::vector<Real> a(size), q(size);
  for (Real& x : a) x = static_cast<Real>(std::ldexp(random.normal(), exponent));
  std::ptrdiff_t const row_stride = by_rows ? n : 1, col_stride = by_rows ? 1 : rows;
  if (n > 2)
    for (int i = 0; i < rows; ++i) a[static_cast<std::size_t>(i * row_stride + 2 * col_stride)] = 0;

  TallProblem<Real> p{};
  p.cols = n;
  p.block = block;
  p.rows = rows;
  p.last = p.blocks = 2;
  p.triangles.cols = n;
  p.triangles.pitch = Triangles<Real>::pitch_of(n);
  std::vector<Real> triangles(2 * static_cast<std::size_t>(p.triangles.size()));
  std::vector<int> exponents(2 * (static_cast<std::size_t>(n) + 1));
  std::vector<Real> factors(2 * static_cast<std::size_t>(n));
  TallOutcome outcome;
  p.triangles.data = triangles.data();
  p.triangles.exponent_data = exponents.data();
  p.factors = factors.data();
  p.outcome = &outcome;
  p.a = {a.data(), row_stride, col_stride};
  p.q = {q.data(), row_stride, col_stride};
  EmulatedSpace const exec;
  bool const fits = team::with_register_block<Real>(block, n, [&]<int R, int C>() {
    team::RegisterQrKernel<EmulatedSpace, Real, R, C> const qr(p);
    carroll::detail::launch_teams("qr", exec, qr, qr.teams());
    for (int b = 0; b < 2; ++b)
      for (int j = 0; j < n; ++j)
        for (int i = j + 1; i < p.triangles.pitch; ++i) EXPECT_EQ(p.triangles(b)(i, j), Real(0));
    team::RegisterExpandKernel<EmulatedSpace, Real, R, C> const expand(p);
    carroll::detail::launch_teams("expand", exec, expand, expand.teams());
  });
  ASSERT_TRUE(fits);
  double worst = 0, largest = 0;
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < n; ++j) {
      int const e = p.triangles.exponents(i / block)[j];
      double const scaled = e == no_exponent ? 0 : std::ldexp(double(p.q(i, j)), e);
      worst = std::max(worst, std::abs(scaled - double(p.a(i, j))));
      largest = std::max(largest, std::abs(double(p.a(i, j))));
    }
  EXPECT_LT(worst, 100 * std::numeric_limits<Real>::epsilon() * largest);
  EXPECT_EQ(p.triangles.non_finite(0), 0);
}

TYPED_TEST(EmulatedTallQr, BringsBlocksBack) {
  using Real = TypeParam;
  int const far = std::numeric_limits<Real>::max_exponent - 10;
  check<Real>(64, 17, far, true);
  check<Real>(32, 5, -far + 20, false);
  check<Real>(12, 1, 0, false);
}

}  // namespace
