// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/collectives.hpp>
#include <carroll/detail/device/launch.hpp>
#include <carroll/detail/device/threads.hpp>
#include <carroll/detail/unroll.hpp>
#include <carroll/distributed/detail/determinant/panel/kernels.hpp>
#include <cstddef>

/// A panel's exchanges and factors on devices with warps, a warp for some rows at a time.
///
/// The exchanges of a panel of b rows, one after the other, move no more than 2b columns: its own,
/// and those that have been exchanged with them. Where the entries of these come from is found
/// once, so that every warp reads and writes them all together.
namespace carroll::distributed::detail {

/// The columns of a panel of Rows rows, all counted from its first one, whose entries come to stand
/// in its own columns (the first Rows numbers) and in the exchanged ones (Rows more; -1 where
/// another exchange puts them in their place). A thread for each traces it back: 2b² steps in all.
template <class ExecSpace, class T, int Rows>
struct RankSourcesKernel {
  static constexpr int threads = 2 * Rows < 128 ? 2 * Rows : 128;
  using Policy =
      Kokkos::TeamPolicy<ExecSpace, Kokkos::IndexType<int>, Kokkos::LaunchBounds<threads, 1>>;
  using Member = typename Policy::member_type;
  static constexpr carroll::detail::TeamLaunch teams() { return {2 * Rows / threads, threads}; }

  RankPanel<T> panel;
  int* sources;

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    if (panel.state->done) return;
    int const number = team.league_rank() * threads + team.team_rank();
    int const k = number % Rows;
    int at = k;
    if (number >= Rows) {
      at = panel.exchanged(k);
      bool is_told = at < Rows;
      for (int later = k + 1; later < Rows; ++later)
        is_told = is_told || panel.exchanged(later) == at;
      if (is_told) {
        sources[number] = -1;
        return;
      }
    }
    for (int s = Rows - 1; s >= 0; --s) {
      int const l = panel.exchanged(s);
      if (at == s)
        at = l;
      else if (at == l)
        at = s;
    }
    sources[number] = at;
  }
};

/// The exchanges of a whole panel, of Rows rows, on other rows, and their factors X = A21·U11⁻¹; or
/// the exchanges alone, of rows that have been condensed before. A lane has every 32nd column of
/// the panel, x_k goes from one to all; U is read once for `rows_each` rows. What becomes of a row
/// depends on no other. Rows² flops a row, 3·Rows entries read and written.
template <class ExecSpace, class T, int Rows>
class RankWarpFactorsKernel {
 public:
  static constexpr int warps = 4, rows_each = 4;
  using Policy =
      Kokkos::TeamPolicy<ExecSpace, Kokkos::IndexType<int>, Kokkos::LaunchBounds<32 * warps, 3>>;
  using Member = typename Policy::member_type;

  /// `A`: the rows by their places, from the panel's first column on. `factors`: of place 0 on,
  /// Rows apart; null for the exchanges alone. `bounds`: the problem whose row_bounds grow, if any.
  RankWarpFactorsKernel(RankPanel<T> const& panel, int const* sources, StridedMatrix<T> const& A,
                        LocalRange range, T* factors, RankProblem<T> const& bounds = {})
      : bounds_(bounds),
        panel_(panel),
        A_(A),
        sources_(sources),
        range_(range),
        factors_(factors) {}

  [[nodiscard]] carroll::detail::TeamLaunch teams() const {
    constexpr int rows = warps * rows_each;
    return {(range_.count() + rows - 1) / rows, 32 * warps};
  }

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    if (panel_.state->done) return;
    DeviceWarp const warp = carroll::detail::warp_of_threads(team);
    int const number = team.league_rank() * warps + team.team_rank() / 32;
    int const begin = range_.begin + number * rows_each;
    if (begin >= range_.end) return;
    T x[rows_each][per_lane];
    exchange(warp, begin, x);
    if (factors_ == nullptr) {
      CARROLL_UNROLL
      for (int r = 0; r < rows_each; ++r)
        if (begin + r < range_.end) CARROLL_UNROLL
      for (int c = 0; c < per_lane; ++c) A_(begin + r, 32 * c + warp.lane) = x[r][c];
      return;
    }
    substitute(warp, x);
    CARROLL_UNROLL
    for (int r = 0; r < rows_each; ++r)
      if (begin + r < range_.end) store(warp, begin + r, x[r]);
  }

 private:
  using DeviceWarp = carroll::detail::DeviceWarp;
  static_assert(Rows % 32 == 0);
  static constexpr int per_lane = Rows / 32;

  /// x: what comes into the panel's columns.
  KOKKOS_FORCEINLINE_FUNCTION void exchange(DeviceWarp const& warp, int begin,
                                            T (&x)[rows_each][per_lane]) const {
    int source[per_lane], far_source[per_lane], far[per_lane];
    CARROLL_UNROLL
    for (int c = 0; c < per_lane; ++c) {
      int const k = 32 * c + warp.lane;
      source[c] = sources_[k];
      far_source[c] = sources_[Rows + k];
      far[c] = panel_.exchanged(k);
    }
    CARROLL_UNROLL
    for (int r = 0; r < rows_each; ++r) {
      int const i = begin + r;
      bool const is_row = i < range_.end;
      T y[per_lane];
      CARROLL_UNROLL
      for (int c = 0; c < per_lane; ++c) {
        x[r][c] = is_row ? A_(i, source[c]) : T(0);
        y[c] = is_row && far_source[c] >= 0 ? A_(i, far_source[c]) : T(0);
      }
      warp.sync();  // all have read the row
      CARROLL_UNROLL
      for (int c = 0; c < per_lane; ++c)
        if (is_row && far_source[c] >= 0) A_(i, far[c]) = y[c];
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION void substitute(DeviceWarp const& warp,
                                              T (&x)[rows_each][per_lane]) const {
    constexpr int together = 4;  // rows of U that are on their way
    CARROLL_UNROLL
    for (int c = 0; c < per_lane; ++c) CARROLL_NO_UNROLL
    for (int first = 0; first < 32; first += together) CARROLL_UNROLL
    for (int s = 0; s < together; ++s) {
      int const k = first + s;
      T const* const u =
          panel_.rows + static_cast<std::ptrdiff_t>(32 * c + k) * panel_.pitch + warp.lane;
      T factor[rows_each];
      CARROLL_UNROLL
      for (int r = 0; r < rows_each; ++r) factor[r] = from(warp, x[r][c], k);
      CARROLL_UNROLL
      for (int d = c; d < per_lane; ++d) {
        T const entry = u[32 * d];
        CARROLL_UNROLL
        for (int r = 0; r < rows_each; ++r)
          if (d > c || warp.lane > k) x[r][d] -= factor[r] * entry;
      }
    }
  }

  /// A row's factors; the sum of their sizes bounds what the product will add to its entries.
  KOKKOS_FORCEINLINE_FUNCTION void store(DeviceWarp const& warp, int i,
                                         T const (&x)[per_lane]) const {
    T* const into = factors_ + static_cast<std::ptrdiff_t>(i) * Rows;
    RealOf<T> sum = 0;
    CARROLL_UNROLL
    for (int c = 0; c < per_lane; ++c) {
      into[32 * c + warp.lane] = x[c];
      sum += product_bound(x[c]);
    }
    if (bounds_.row_bounds == nullptr) return;
    sum = carroll::detail::lanes_sum_up(warp, sum);
    if (warp.lane == 0) bounds_.row_bounds[i + bounds_.shift_of(i)] += sum;
  }

  KOKKOS_FORCEINLINE_FUNCTION static T from(DeviceWarp const& warp, T const& x, int lane) {
    if constexpr (carroll::detail::is_complex<T>)
      return T(warp.from(x.real(), lane), warp.from(x.imag(), lane));
    else
      return warp.from(x, lane);
  }

  RankProblem<T> bounds_;
  RankPanel<T> panel_;
  StridedMatrix<T> A_;
  int const* sources_;
  LocalRange range_;
  T* factors_;
};

}  // namespace carroll::distributed::detail
