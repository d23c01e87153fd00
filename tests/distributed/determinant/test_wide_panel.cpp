// A panel condensed by a launch per row, next to the plain solver's team: the same exchanges, the
// same U up to rounding.
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/detail/determinant/portable/panels.hpp>
#include <carroll/distributed/detail/determinant/panel/wide_panel.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

#include "support/copy.hpp"
#include "support/random.hpp"

namespace {

namespace detail = carroll::distributed::detail;
using Exec = Kokkos::DefaultExecutionSpace;

template <class T>
struct Panel {
  static constexpr int rows = carroll::detail::panel_rows<T>;
  Kokkos::View<carroll::detail::DeterminantState<T>, Exec> state{"state"};
  Kokkos::View<int*, Exec> exchanges{"exchanges", rows};
  Kokkos::View<T*, Exec> entries;
  detail::RankPanel<T> panel;

  Panel(int n, int first, int count) {
    int const pitch = carroll::detail::padded_row<T>(n - first);
    entries = Kokkos::View<T*, Exec>("entries", std::size_t(rows) * std::size_t(pitch));
    carroll::test::deep_copy(state, carroll::detail::DeterminantState<T>());
    panel = {state.data(), exchanges.data(), entries.data(), first, count, pitch};
  }
};

template <class T>
struct Memory {
  detail::WidePanelMemory<Exec, T, Panel<T>::rows> memory;
  Kokkos::View<std::byte*, Exec> bytes;

  explicit Memory(int n) {
    carroll::detail::Arena measure;
    memory.lay_out(measure, n);
    bytes = Kokkos::View<std::byte*, Exec>("memory", measure.bytes());
    carroll::detail::Arena arena(bytes.data());
    memory.lay_out(arena, n);
  }
};

template <class View>
auto on_host(View const& view) {
  return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
}

template <class T>
class WidePanel : public ::testing::Test {};
using Types = ::testing::Types<float, double, Kokkos::complex<double>>;
TYPED_TEST_SUITE(WidePanel, Types);

TYPED_TEST(WidePanel, IsThePanelOfOneTeam) {
  using T = TypeParam;
  using Real = carroll::detail::RealOf<T>;
  constexpr int rows = Panel<T>::rows;
  for (int n : {1, 5, rows, rows + 3, 511, 512, 1100}) {
    int const count = std::min(n, rows);
    int const first = n > 600 ? rows : 0;
    SCOPED_TRACE("order " + std::to_string(n) + ", from " + std::to_string(first));
    Kokkos::View<T**, Kokkos::LayoutRight, Exec> const A("A", n, n);
    auto const host = Kokkos::create_mirror_view(A);
    carroll::test::Random random(9);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) host(i, j) = T(static_cast<Real>(random.normal()));
    carroll::test::deep_copy(A, host);
    Kokkos::View<Real*, Exec> const tops("tops", n);
    carroll::test::deep_copy(tops, Real(1));
    Kokkos::View<int*, Exec> const exponents("exponents", 2 * n);

    detail::RankProblem<T> problem(carroll::distributed::cyclic_layout(n, rows, 1), 0, rows,
                                   {A.data(), n, 1}, true);
    problem.lines = {exponents.data(), exponents.data() + n, tops.data()};
    Panel<T> const wide(n, first, count), plain(n, first, count);
    Memory<T> const memory(n);
    detail::enqueue_wide_panel(Exec(), problem, wide.panel, memory.memory, first);

    auto batch = problem.batch(first);
    batch.states = plain.state.data();
    using Kernel = carroll::detail::DeterminantPanelKernel<Exec, T>;
    carroll::detail::launch_fitting_teams(
        "plain", Exec(),
        Kernel{batch, {plain.entries.data(), nullptr, plain.exchanges.data()}, first, count},
        {1, 4});
    Exec().fence();

    auto const is = on_host(wide.entries), was = on_host(plain.entries);
    auto const exchanges = on_host(wide.exchanges), expected = on_host(plain.exchanges);
    auto const state = on_host(wide.state), plain_state = on_host(plain.state);
    EXPECT_EQ(state().done, 0);
    Real const tolerance = Real(1000) * std::numeric_limits<Real>::epsilon();
    EXPECT_EQ(state().info.value.exponent(), plain_state().info.value.exponent());
    EXPECT_NEAR(carroll::detail::largest_part(state().info.value.mantissa() -
                                              plain_state().info.value.mantissa()),
                0, 100 * tolerance);
    int const m = n - first, pitch = wide.panel.pitch;
    for (int k = 0; k < count; ++k) {
      ASSERT_EQ(exchanges(k), expected(k)) << k;
      // With warps nobody asks for U of the matrix' last panel.
      for (int j = k; j < m && (m > count || !carroll::detail::has_warps<Exec>); ++j)
        ASSERT_LE(carroll::detail::largest_part(is(k * pitch + j) - was(k * pitch + j)),
                  tolerance * (j == k ? Real(100) : Real(1)))
            << k << ' ' << j;
    }
  }
}

TYPED_TEST(WidePanel, TellsARowOfZeros) {
  using T = TypeParam;
  int const n = 20;
  Kokkos::View<T**, Kokkos::LayoutRight, Exec> const A("A", n, n);
  Kokkos::View<carroll::detail::RealOf<T>*, Exec> const tops("tops", n);
  Kokkos::View<int*, Exec> const exponents("exponents", 2 * n);
  constexpr int rows = Panel<T>::rows;
  detail::RankProblem<T> problem(carroll::distributed::cyclic_layout(n, rows, 1), 0, rows,
                                 {A.data(), n, 1}, true);
  problem.lines = {exponents.data(), exponents.data() + n, tops.data()};
  Panel<T> const wide(n, 0, n);
  Memory<T> const memory(n);
  detail::enqueue_wide_panel(Exec(), problem, wide.panel, memory.memory, 0);
  Exec().fence();
  EXPECT_EQ(on_host(wide.state)().info.status, carroll::Status::singular);
}

}  // namespace
