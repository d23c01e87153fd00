// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/svd/batch.hpp>
#include <carroll/detail/svd/common/householder.hpp>
#include <carroll/detail/svd/common/order.hpp>
#include <carroll/detail/svd/team/prepare.hpp>
#include <carroll/detail/svd/tiled/qr.hpp>
#include <carroll/detail/svd/tiled/shared_columns.hpp>
#include <carroll/detail/team.hpp>

/// What lies between the factorisations of the tile path: powers of two, orders, transposes.
namespace carroll::detail {

/// Norm and power of two of every column of A and, for a square A, of every row: a warp each, read
/// twice. What the teams of long columns exchange their sums through is cleared by the way.
///
/// Columns: norms() and working_exponents(); rows: sigma() and order(), which are free as yet.
template <class ExecSpace, class Real>
class TileScanKernel : public SharedColumns<4> {
 public:
  TileScanKernel(SvdBatch<Real> const& batch, int cols) : SharedColumns(cols), batch_(batch) {}

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    SvdProblem<Real> const problem = batch_(batch_.index(place_of(team)));
    int const share = team.league_rank() % teams_;
    int const m = problem.rows, n = problem.cols;
    // As the call before has left it, or nobody: A as it is given has to be known again.
    bool const turned = m == n && problem.state->turned;
    StridedMatrix<Real const> const A = turned ? problem.a.transposed() : problem.a;
    int const from = first_of(team);
    thread_for(team, Kokkos::max(0, Kokkos::min(n - from, int{columns_per_team})), [&](int k) {
      int const j = from + k;
      measure(team, A.col(j), m, problem.norms()[j], problem.working_exponents()[j]);
      if (m == n) measure(team, A.transposed().col(j), m, problem.sigma()[j], problem.order()[j]);
    });
    std::uint64_t* const words = problem.exchange_words();
    std::int64_t const count = whole_tiles(m) / tile_columns * exchange_words_per_tile<Real>(m);
    std::int64_t const each = (count + teams_ - 1) / teams_;
    std::int64_t const begin = Kokkos::min(count, share * each);
    Kokkos::parallel_for(
        Kokkos::TeamVectorRange(team, static_cast<int>(Kokkos::min(count - begin, each))),
        [&](int w) { words[begin + w] = 0; });
  }

 private:
  /// x = x'·2^exponent with the largest entry of x' in [1/2, 1), and ‖x'‖; infinite if an entry is
  /// not finite.
  KOKKOS_FUNCTION static void measure(TeamMember<ExecSpace> const& team,
                                      StridedVector<Real const> const& x, int count, Real& norm,
                                      int& exponent) {
    constexpr Real infinity = Kokkos::Experimental::infinity_v<Real>;
    Real const largest = lane_max<Real>(team, count, [&](int i) {
      Real const size = Kokkos::abs(x(i));
      return size < infinity ? size : infinity;  // NaN too
    });
    bool const finite = largest < infinity;
    int const e = largest > Real(0) && finite ? exponent_of(largest) : 0;
    auto const scaled = [&](int i) { return scale(x(i), -e); };
    Real const squares =
        finite ? lane_sum<Real>(team, count, [&](int i) { return scaled(i) * scaled(i); }) : 0;
    once_per_thread(team, [&] {
      norm = finite ? Kokkos::sqrt(squares) : infinity;
      exponent = e;
    });
  }

  SvdBatch<Real> batch_;
};

/// From these: is A finite, and is it worked on as its transpose? A fresh state and info; a team
/// per matrix.
template <class ExecSpace, class Real>
struct TileStartKernel {
  SvdBatch<Real> batch;

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    int const b = batch.index(team.league_rank());
    SvdProblem<Real> const problem = batch(b);
    int const n = problem.cols;
    Real* const norms = problem.norms();
    int* const exponents = problem.working_exponents();
    Real const worst = lane_max<Real>(team, n, [&](int j) { return norms[j]; });
    bool const finite = worst < Kokkos::Experimental::infinity_v<Real>;
    // A QR factorisation is kind to columns of different size: a square A that is scaled by rows
    // rather than by columns is worked on as its transpose. 2^8 is a difference that is no
    // accident.
    bool const turns =
        finite && problem.rows == n &&
        spread(team, n, problem.sigma(), problem.order()) > spread(team, n, norms, exponents) + 8;
    team.team_barrier();  // all have looked
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, n), [&](int k) {
      if (turns) {
        norms[k] = problem.sigma()[k];
        exponents[k] = problem.order()[k];
      }
      problem.slot_counts()[k] = 0;
    });
    Kokkos::single(Kokkos::PerTeam(team), [&] {
      SvdState state;
      state.turned = turns;
      state.columns = finite ? n : 0;
      batch.states[b] = state;
      *problem.info = {};
      if (!finite) problem.info->status = Status::non_finite;
    });
  }

 private:
  /// Largest exponent minus smallest, of columns that are not zero.
  KOKKOS_FUNCTION static int spread(TeamMember<ExecSpace> const& team, int n, Real const* norms,
                                    int const* exponents) {
    constexpr int none = -(1 << 30);
    int top = none;
    Kokkos::parallel_reduce(
        Kokkos::ThreadVectorRange(team, n),
        [&](int k, int& partial) {
          if (norms[k] > Real(0)) partial = Kokkos::max(partial, exponents[k]);
        },
        Kokkos::Max<int>(top));
    int bottom = top;
    Kokkos::parallel_reduce(
        Kokkos::ThreadVectorRange(team, n),
        [&](int k, int& partial) {
          if (norms[k] > Real(0)) partial = Kokkos::min(partial, exponents[k]);
        },
        Kokkos::Min<int>(bottom));
    return top > none ? Kokkos::max(0, top - bottom) : 0;  // 0 for a zero or an empty matrix
  }
};

/// Columns by norm, the longest first: those of A, rows of the first R, or working columns after
/// the sweeps. n²/32 comparisons per team; a team per 32 columns.
enum class TileRanks { columns, rows, values };

template <class ExecSpace, class Real, TileRanks which>
class TileRankKernel : public SharedColumns<32> {
 public:
  static constexpr int threads = 8;

  TileRankKernel(SvdBatch<Real> const& batch, int cols)
      : SharedColumns(cols), batch_(batch), prepare_(batch) {}

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    SvdProblem<Real> const problem = batch_(batch_.index(place_of(team)));
    int const n = problem.state->columns;
    int const begin = first_of(team);
    if (begin >= n || (which != TileRanks::values && problem.state->rotated)) return;
    int const* const exponents = problem.working_exponents();
    rank_by_norm(team, begin, Kokkos::min(n, begin + columns_per_team), n,
                 which == TileRanks::values ? problem.sigma() : problem.norms(), exponents,
                 [&](int k, int j) {
                   if constexpr (which == TileRanks::columns) {
                     problem.permutation()[k] = j;
                     problem.exponents()[k] = exponents[j];
                   } else if constexpr (which == TileRanks::rows) {
                     problem.inner_permutation()[k] = j;
                     problem.inner_places()[j] = k;
                     problem.inner_exponents()[k] = exponents[j];
                   } else {
                     problem.order()[k] = j;
                   }
                 });
    if constexpr (which == TileRanks::rows) leave_poor(team, problem, n);
  }

 private:
  /// A small matrix whose columns are nearly dependent is left to the team kernels, which factorise
  /// it in double words. It has one team here.
  KOKKOS_FUNCTION void leave_poor(TeamMember<ExecSpace> const& team,
                                  SvdProblem<Real> const& problem, int n) const {
    static_assert(columns_per_team >= 32);
    if (!has_double_words(problem.rows, n)) return;
    bool const poor = !prepare_.well_separated(team, problem, n);
    team.team_barrier();
    if (!poor) return;
    Kokkos::single(Kokkos::PerTeam(team), [&] {
      batch_.fallback.add(batch_.index(place_of(team)));
      problem.state->columns = 0;  // nothing more to do for later kernels
    });
  }

  SvdBatch<Real> batch_;
  PrepareKernel<ExecSpace, Real, SummedRows::few> prepare_;
};

/// Rows of R as columns: each gets a power of two of its own. A warp per row.
///
/// outer: exponents and norms of the first R's rows, which the second QR is to sort and load.
/// inner: the working columns X = R₂ᵀ, written whole.
/// Members that have been begun with A or the first R want neither, but where longer columns have
/// been factorised their triangle becomes the working columns.
///
/// n²/2 entries are read along rows, one 32-byte sector each.
template <class ExecSpace, class Real, TileFactor which>
class TileRowsKernel : public SharedColumns<4> {
 public:
  TileRowsKernel(SvdBatch<Real> const& batch, int cols) : SharedColumns(cols), batch_(batch) {}

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    SvdProblem<Real> const problem = batch_(batch_.index(place_of(team)));
    bool const outer = which == TileFactor::outer, again = outer && problem.state->refactored;
    if (problem.state->rotated && !again) return;
    int const n = problem.state->columns;
    int const from = first_of(team);
    Columns<Real> const F = outer ? problem.factor() : problem.inner_factor();
    int const* const exponents = outer ? problem.exponents() : problem.inner_exponents();
    Columns<Real> const X = problem.working();
    thread_for(team, Kokkos::max(0, Kokkos::min(n - from, int{columns_per_team})), [&](int k) {
      int const i = from + k;
      if (again) {
        lane_for(team, n, [&](int j) { X(j, i) = j <= i ? F(j, i) : Real(0); });
        return;
      }
      constexpr int none_yet = -(1 << 30);
      int top = none_yet;
      Kokkos::parallel_reduce(
          Kokkos::ThreadVectorRange(team, n - i),
          [&](int j, int& partial) {
            Real const x = F(i, i + j);
            if (x != Real(0)) partial = Kokkos::max(partial, exponent_of(x) + exponents[i + j]);
          },
          Kokkos::Max<int>(top));
      bool const zero = top == none_yet;
      auto const entry = [&](int j) {
        return zero || j < i ? Real(0) : scale(F(i, j), exponents[j] - top);
      };
      if (outer) {
        Real const squares =
            lane_sum<Real>(team, n - i, [&](int j) { return entry(i + j) * entry(i + j); });
        once_per_thread(team, [&] { problem.norms()[i] = Kokkos::sqrt(squares); });
      } else {
        lane_for(team, n, [&](int j) { X(j, i) = entry(j); });
      }
      once_per_thread(team, [&] { problem.working_exponents()[i] = zero ? 0 : top; });
    });
  }

 private:
  SvdBatch<Real> batch_;
};

}  // namespace carroll::detail
