// SPDX-License-Identifier: BSD-3-Clause
#include <carroll/detail/device/emulated/space.hpp>
// Before all kernels.
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/detail/determinant/portable/panels.hpp>
#include <carroll/distributed/detail/determinant/panel/wide_panel.hpp>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "support/emulated_types.hpp"
#include "support/random.hpp"

/// A determinant's panels and factors by warps, on the host, where threads take turns, next to the
/// kernels without warps.
namespace {

using namespace carroll::distributed::detail;
using carroll::detail::EmulatedSpace;
using Host = Kokkos::DefaultHostExecutionSpace;

template <class Scalar, int Rows>
struct Case {
  using T = Scalar;
  static constexpr int rows = Rows;
};

template <class T>
std::vector<T> random_entries(int count, std::uint64_t seed) {
  std::vector<T> entries(static_cast<std::size_t>(count));
  carroll::test::Random random(seed);
  for (T& x : entries) {
    x = T(static_cast<RealOf<T>>(random.symmetric()));
    if constexpr (carroll::detail::is_complex<T>)
      x.imag(static_cast<RealOf<T>>(random.symmetric()));
  }
  return entries;
}

template <class T>
struct Panel {
  DeterminantState<T> state;
  std::vector<int> exchanges;
  std::vector<T> entries;
  RankPanel<T> panel;

  Panel(int n, int first, int count) : exchanges(static_cast<std::size_t>(count)) {
    int const pitch = carroll::detail::padded_row<T>(n - first);
    entries.resize(static_cast<std::size_t>(count) * static_cast<std::size_t>(pitch));
    panel = {&state, exchanges.data(), entries.data(), first, count, pitch};
  }
};

template <class Case>
class EmulatedWidePanel : public ::testing::Test {};
using Cases = carroll::test::EmulatedTypes<
    ::testing::Types<Case<float, 64>, Case<Kokkos::complex<double>, 64>>,
    ::testing::Types<Case<double, 96>>>;
TYPED_TEST_SUITE(EmulatedWidePanel, Cases);

TYPED_TEST(EmulatedWidePanel, IsThePanelOfOneTeam) {
  using T = typename TypeParam::T;
  using Real = RealOf<T>;
  constexpr int rows = TypeParam::rows;
  for (int n : {1, 40, rows + 1, rows + 140}) {
    int const first = n == rows + 140 ? 40 : 0, count = std::min(n, rows);
    SCOPED_TRACE("order " + std::to_string(n));
    auto A = random_entries<T>(n * n, 9);
    std::vector<Real> tops(static_cast<std::size_t>(n), Real(1));
    std::vector<int> exponents(2 * static_cast<std::size_t>(n));
    RankProblem<T> problem(carroll::distributed::cyclic_layout(n, rows, 1), 0, rows,
                           {A.data(), n, 1}, true);
    problem.lines = {exponents.data(), exponents.data() + n, tops.data()};
    Panel<T> wide(n, first, count), plain(n, first, count);

    using Memory = WidePanelMemory<EmulatedSpace, T, rows>;
    static_assert(Memory::by_warps);
    std::size_t const teams = static_cast<std::size_t>(Memory::teams_for(n));
    std::vector<WideCandidate<T>> candidates(2 * teams);
    std::vector<T> entries(2 * teams * 32), front(64), factors(rows * 32);
    std::vector<int> sources(64);
    enqueue_wide_panel(EmulatedSpace(), problem, wide.panel,
                       Memory{candidates.data(), entries.data(), front.data(), factors.data(),
                              sources.data(), int(teams)},
                       first);

    auto batch = problem.batch(first);
    batch.states = &plain.state;
    carroll::detail::launch_fitting_teams(
        "plain", Host(),
        carroll::detail::DeterminantPanelKernel<Host, T>{
            batch, {plain.entries.data(), nullptr, plain.exchanges.data()}, first, count},
        {1, 1});
    Host().fence();

    EXPECT_EQ(wide.state.done, 0);
    ASSERT_EQ(wide.exchanges, plain.exchanges);
    Real const tolerance = Real(2000) * std::numeric_limits<Real>::epsilon();
    EXPECT_EQ(wide.state.info.value.exponent(), plain.state.info.value.exponent());
    EXPECT_NEAR(carroll::detail::largest_part(wide.state.info.value.mantissa() -
                                              plain.state.info.value.mantissa()),
                0, 100 * tolerance);
    // Of the matrix' last panel nobody asks for U.
    int const m = n - first, pitch = wide.panel.pitch;
    for (int k = 0; k < count && m > count; ++k)
      for (int j = k + 1; j < m; ++j) {
        auto const at = static_cast<std::size_t>(k * pitch + j);
        ASSERT_LE(carroll::detail::largest_part(wide.entries[at] - plain.entries[at]), tolerance)
            << k << ' ' << j;
      }
  }
}

template <class Case>
class EmulatedWarpFactors : public ::testing::Test {};
using FactorCases = carroll::test::EmulatedTypes<
    ::testing::Types<Case<float, 64>, Case<Kokkos::complex<double>, 128>>,
    ::testing::Types<Case<Kokkos::complex<float>, 32>, Case<double, 256>>>;
TYPED_TEST_SUITE(EmulatedWarpFactors, FactorCases);

TYPED_TEST(EmulatedWarpFactors, AreThoseOfAThreadARow) {
  using T = typename TypeParam::T;
  using Real = RealOf<T>;
  constexpr int rows = TypeParam::rows;
  int const n = 3 * rows + 5, first = rows;
  Panel<T> U(n, first, rows);
  // Small enough for factors not to grow.
  auto const entries = random_entries<T>(static_cast<int>(U.entries.size()), 4);
  std::transform(entries.begin(), entries.end(), U.entries.begin(),
                 [](T x) { return x / T(Real(rows)); });
  carroll::test::Random random(5);
  for (int k = 0; k < rows; ++k)  // some of them in the panel, some twice
    U.exchanges[static_cast<std::size_t>(k)] =
        k +
        static_cast<int>((random.symmetric() + 1) / 2 * (k % 3 ? n - first - k - 1 : rows - k - 1));

  auto A = random_entries<T>(n * n, 6);
  auto B = A;
  auto const layout = carroll::distributed::cyclic_layout(n, rows, 1);
  RankProblem<T> by_warps(layout, 0, rows, {A.data(), n, 1}, false);
  RankProblem<T> plain(layout, 0, rows, {B.data(), n, 1}, false);
  std::vector<Real> bounds(static_cast<std::size_t>(n), Real(1)), plain_bounds = bounds;
  by_warps.row_bounds = bounds.data();
  plain.row_bounds = plain_bounds.data();
  std::vector<T> factors(static_cast<std::size_t>(n * rows)), plain_factors = factors;
  LocalRange const range{2 * rows, n - 2};

  std::vector<int> sources(2 * rows);
  using Sources = RankSourcesKernel<EmulatedSpace, T, rows>;
  carroll::detail::launch_teams("sources", EmulatedSpace(), Sources{U.panel, sources.data()},
                                Sources::teams());
  StridedMatrix<T> const from_panel{&by_warps.rows(0, first), by_warps.rows.row_stride,
                                    by_warps.rows.col_stride};
  RankWarpFactorsKernel<EmulatedSpace, T, rows> const kernel(U.panel, sources.data(), from_panel,
                                                             range, factors.data(), by_warps);
  carroll::detail::launch_teams("factors", EmulatedSpace(), kernel, kernel.teams());
  using Plain = RankFactorsKernel<Host, T, rows>;
  Plain const plain_kernel(plain, U.panel, range, plain_factors.data());
  Kokkos::parallel_for("plain", typename Plain::Policy(Host(), 0, plain_kernel.items()),
                       plain_kernel);
  Host().fence();

  Real const tolerance = Real(1000) * std::numeric_limits<Real>::epsilon();
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j)
      if (j < first || j >= first + rows) {
        ASSERT_EQ(by_warps.rows(i, j), plain.rows(i, j)) << i;
      }
    for (int k = 0; k < rows; ++k) {
      auto const at = static_cast<std::size_t>(i * rows + k);
      ASSERT_LE(carroll::detail::largest_part(factors[at] - plain_factors[at]), tolerance) << i;
    }
    auto const row = static_cast<std::size_t>(i);
    ASSERT_NEAR(bounds[row], plain_bounds[row], tolerance * plain_bounds[row]);
  }
}

}  // namespace
