// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/svd/householder.hpp>
#include <carroll/detail/svd/order.hpp>
#include <carroll/detail/svd/prepare.hpp>
#include <carroll/detail/svd/problem.hpp>
#include <carroll/detail/svd/tile_qr.hpp>
#include <carroll/detail/team.hpp>

/// What lies between the factorisations of the tile path: powers of two, orders, transposes.
namespace carroll::detail {

/// Scales of A's columns and their order by norm, the longest first; a team per matrix. A is read
/// twice.
template <class ExecSpace, class Real>
class TileStartKernel {
 public:
  using Policy = Kokkos::TeamPolicy<ExecSpace>;
  using Member = typename Policy::member_type;

  explicit TileStartKernel(SvdBatch<Real> const& batch) : batch_(batch), prepare_(batch) {}

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    SvdProblem<Real> problem;
    SvdState state;
    bool const finite = prepare_.scan(team, batch_.index(team.league_rank()), problem, state);
    if (finite) {
      int const n = problem.cols;
      int* const sorted = problem.inner_exponents();
      order_by_norm(team, n, problem.norms(), problem.exponents(), [&](int k, int j) {
        problem.permutation()[k] = j;
        sorted[k] = problem.exponents()[j];
      });
      Kokkos::parallel_for(Kokkos::TeamVectorRange(team, n), [&](int k) {
        problem.exponents()[k] = sorted[k];
        problem.slot_counts()[k] = 0;
      });
    }
    prepare_.tell(team, problem, state, finite);
  }

 private:
  SvdBatch<Real> batch_;
  PrepareKernel<ExecSpace, Real> prepare_;
};

/// Rows of R as columns: each gets a power of two of its own. A warp per row.
///
/// outer: exponents and norms of the first R's rows, which the second QR is to sort and load.
/// inner: the working columns X = R₂ᵀ, written whole.
///
/// n²/2 entries are read along rows, one 32-byte sector each.
template <class ExecSpace, class Real, TileFactor which>
class TileRowsKernel {
 public:
  using Policy = Kokkos::TeamPolicy<ExecSpace>;
  using Member = typename Policy::member_type;
  static constexpr int rows_per_team = 4;

  TileRowsKernel(SvdBatch<Real> const& batch, int cols)
      : batch_(batch), teams_((cols + rows_per_team - 1) / rows_per_team) {}

  int teams_per_matrix() const { return teams_; }

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    SvdProblem<Real> const problem = batch_(batch_.index(team.league_rank() / teams_));
    int const n = problem.state->columns;
    int const from = team.league_rank() % teams_ * rows_per_team;
    bool const outer = which == TileFactor::outer;
    Columns<Real> const F = outer ? problem.factor() : problem.inner_factor();
    int const* const exponents = outer ? problem.exponents() : problem.inner_exponents();
    Columns<Real> const X = problem.working();
    thread_for(team, Kokkos::max(0, Kokkos::min(n - from, int{rows_per_team})), [&](int k) {
      int const i = from + k;
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
  int teams_;
};

/// The order of the first R's rows by norm; a team per matrix. A small matrix whose columns are
/// nearly dependent is left to the team kernels, which factorise it in double words.
template <class ExecSpace, class Real>
class TileOrderKernel {
 public:
  using Policy = Kokkos::TeamPolicy<ExecSpace>;
  using Member = typename Policy::member_type;

  explicit TileOrderKernel(SvdBatch<Real> const& batch) : batch_(batch), prepare_(batch) {}

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    SvdProblem<Real> const problem = batch_(batch_.index(team.league_rank()));
    int const n = problem.state->columns;
    if (n == 0) return;
    order_by_norm(team, n, problem.norms(), problem.working_exponents(), [&](int k, int j) {
      problem.inner_permutation()[k] = j;
      problem.inner_places()[j] = k;
      problem.inner_exponents()[k] = problem.working_exponents()[j];
    });
    bool const poor =
        has_double_words(problem.rows, n) && !prepare_.well_separated(team, problem, n);
    team.team_barrier();
    Kokkos::single(Kokkos::PerTeam(team), [&] {
      problem.state->inner_rank = n;
      if (poor) {
        problem.state->left_over = 1;
        problem.state->columns = 0;  // nothing more to do for later kernels
      }
    });
  }

 private:
  SvdBatch<Real> batch_;
  PrepareKernel<ExecSpace, Real> prepare_;
};

}  // namespace carroll::detail
