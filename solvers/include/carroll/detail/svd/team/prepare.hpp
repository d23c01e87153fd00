// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/svd/batch.hpp>
#include <carroll/detail/svd/common/householder.hpp>
#include <carroll/detail/svd/common/round_robin.hpp>
#include <carroll/detail/team.hpp>

namespace carroll::detail {

/// Loads each matrix, scales its columns, finds NaN and Inf, and preconditions; a team per matrix.
///
///   A·P = Q·R,  Rᵀ·P₂ = Q₂·R₂   so that   A = Q·P₂·R₂ᵀ·(P·Q₂)ᵀ
///
/// Both factorisations pivot: then neither the rows nor the columns of R₂, each scaled to norm 1,
/// are nearly dependent in practice, which is what makes Jacobi on R₂ᵀ quick and of high relative
/// accuracy and its rotations recoverable (Drmač and Veselić 2008). For the plain methods the
/// scaled columns of A are all there is to do.
///
/// Cost: 3mn² + n³ flops, pivoting included; A is read once, m·n + n² entries are written.
template <class ExecSpace, class Real, SummedRows summed>
class PrepareKernel {
 public:
  using Member = TeamMember<ExecSpace>;

  explicit PrepareKernel(SvdBatch<Real> const& batch) : batch_(batch) {}

  KOKKOS_FUNCTION void operator()(Member const& team) const { run(team, team.league_rank()); }

  /// Member b of the batch.
  KOKKOS_FUNCTION void run(Member const& team, int b) const {
    SvdProblem<Real> problem;
    SvdState state;
    bool const finite = scan(team, b, problem, state);
    if (finite && problem.preconditioned) {
      state.columns = factorise(team, problem);
      Columns<Real> const G = problem.inner_factor();
      transpose_triangle(team, problem.factor(), state.columns, problem.exponents(), G,
                         state.columns, problem.inner_exponents(), problem.norms());
      state.inner_rank = pivoted_qr<SummedRows::few>(
          team, G, state.columns, problem.inner_exponents(), problem.norms(), problem.inner_tau(),
          problem.inner_permutation());
    } else if (finite) {
      start_plain(team, problem);
    }
    tell(team, problem, state, finite);
  }

  /// Decides which way round to work, loads the scaled columns with their norms and exponents, and
  /// says whether all entries are finite.
  KOKKOS_FUNCTION bool scan(Member const& team, int b, SvdProblem<Real>& problem,
                            SvdState& state) const {
    Kokkos::single(Kokkos::PerTeam(team), [&] { batch_.states[b] = {}; });
    team.team_barrier();
    problem = batch_(b);
    bool const finite = load(team, problem, problem.factor(), problem.norms());
    state.columns = finite ? problem.cols : 0;
    if (finite && problem.preconditioned && should_transpose(team, problem)) {
      Kokkos::single(Kokkos::PerTeam(team), [&] { batch_.states[b].turned = 1; });
      team.team_barrier();
      state.turned = 1;
      problem = batch_(b);
      load(team, problem, problem.factor(), problem.norms());
    }
    return finite;
  }

  /// The state for later kernels, and a fresh info.
  KOKKOS_FUNCTION void tell(Member const& team, SvdProblem<Real> const& problem,
                            SvdState const& state, bool finite) const {
    Kokkos::single(Kokkos::PerTeam(team), [&] {
      *problem.state = state;
      *problem.info = {};
      if (!finite) problem.info->status = Status::non_finite;
    });
  }

  /// Is no diagonal entry of R smaller than 1/(8·n) of its column? The error in singular values is
  /// then some n·eps (A = B·D, cond(B) = 1000, n = 2 to 40: below 0.8·eps times the largest ratio).
  KOKKOS_FUNCTION bool well_separated(Member const& team, SvdProblem<Real> const& problem,
                                      int rank) const {
    Columns<Real> const F = problem.factor();
    Real const least = Real(1) / (8 * problem.cols);
    int poor = problem.cols - rank;
    for (int k = 0; k < rank; ++k) {
      Real const norm = column_norm<SummedRows::few>(team, F.col(k), k + 1);
      if (Kokkos::abs(F(k, k)) < least * norm) ++poor;
    }
    return poor == 0;
  }

 private:
  /// Is a square A scaled by rows rather than by columns? A QR factorisation is kind to columns of
  /// different size, so such a matrix is worked on as its transpose. Exponents of the largest
  /// entries tell; 2^8 is a difference that is no accident. n² entries are read once more.
  KOKKOS_FUNCTION bool should_transpose(Member const& team, SvdProblem<Real> const& problem) const {
    int const n = problem.cols;
    if (problem.rows != n) return false;
    constexpr int no_exponent = -(1 << 30);
    int* const row_exponents = problem.permutation();
    int* const col_exponents = problem.inner_permutation();
    thread_for(team, n, [&](int i) {
      Real const largest =
          lane_max<Real>(team, n, [&](int j) { return Kokkos::abs(problem.a(i, j)); });
      once_per_thread(team, [&] {
        row_exponents[i] = largest > Real(0) ? exponent_of(largest) : no_exponent;
        col_exponents[i] = problem.norms()[i] > Real(0) ? problem.exponents()[i] : no_exponent;
      });
    });
    team.team_barrier();
    auto const spread = [&](int const* exponents) {
      int top = no_exponent;
      Kokkos::parallel_reduce(
          Kokkos::ThreadVectorRange(team, n),
          [&](int k, int& partial) { partial = Kokkos::max(partial, exponents[k]); },
          Kokkos::Max<int>(top));
      int bottom = top;
      Kokkos::parallel_reduce(
          Kokkos::ThreadVectorRange(team, n),
          [&](int k, int& partial) {
            if (exponents[k] != no_exponent) partial = Kokkos::min(partial, exponents[k]);
          },
          Kokkos::Min<int>(bottom));
      return top > no_exponent ? top - bottom : 0;  // 0 for a zero or an empty matrix
    };
    bool const turn = spread(row_exponents) > spread(col_exponents) + 8;
    team.team_barrier();  // all have looked before the places are used again
    return turn;
  }

  /// A·P = Q·R. Rounding in the factorisation is small beside each column; a singular value suffers
  /// from it by as much as the part of a column that is left when its turn comes is smaller than
  /// the column. Where that is too much for a small problem, double words do it again: of R's
  /// entries, rounding to single words afterwards disturbs each by its own last digit only, which
  /// is harmless. So every singular value of a small matrix is accurate to a modest multiple of
  /// n·eps, also where cond(B) of A = B·D makes the plain bound a large one.
  KOKKOS_FUNCTION int factorise(Member const& team, SvdProblem<Real> const& problem) const {
    int const n = problem.cols;
    Columns<Real> const F = problem.factor();
    int const rank = pivoted_qr<summed>(team, F, n, problem.exponents(), problem.norms(),
                                        problem.tau(), problem.permutation());
    if (!has_double_words(problem.rows, n) || well_separated(team, problem, rank)) return rank;
    team.team_barrier();  // all have looked at R
    Columns<DoubleWord<Real>> const D = problem.double_word_factor();
    load(team, problem, D, problem.double_word_norms());
    int const full_rank =
        pivoted_qr<SummedRows::few>(team, D, n, problem.exponents(), problem.double_word_norms(),
                                    problem.double_word_tau(), problem.permutation());
    thread_for(team, n, [&](int j) {
      lane_for(team, problem.rows, [&](int i) { F(i, j) = D(i, j).high; });
      once_per_thread(team, [&] { problem.tau()[j] = problem.double_word_tau()[j].high; });
    });
    team.team_barrier();
    return full_rank;
  }

  /// F(:, j) := A(:, j)·2^-exponent, largest entry in [1/2, 1); false if an entry is not finite.
  /// The largest entry is needed for the scaling, so the check costs nothing.
  template <class T>
  KOKKOS_FUNCTION bool load(Member const& team, SvdProblem<Real> const& problem,
                            Columns<T> const& F, T* norms) const {
    int const m = problem.rows;
    int const n = problem.cols;
    constexpr Real infinity = Kokkos::Experimental::infinity_v<Real>;
    thread_for(team, n, [&](int j) {
      auto const a = problem.a.col(j);
      Real const largest = lane_max<Real>(team, m, [&](int i) {
        Real const x = Kokkos::abs(a(i));
        return x < infinity ? x : infinity;  // NaN too
      });
      int const e = largest > Real(0) && largest < infinity ? exponent_of(largest) : 0;
      lane_for(team, m, [&](int i) { F(i, j) = scale(a(i), -e); });
      T const norm = largest < infinity ? column_norm<summed>(team, F.col(j), m) : T(infinity);
      once_per_thread(team, [&] {
        norms[j] = norm;
        problem.exponents()[j] = e;
      });
    });
    team.team_barrier();
    Real const worst = lane_max<Real>(team, n, [&](int j) { return leading(norms[j]); });
    return worst < infinity;
  }

  /// The plain methods accumulate their rotations from the identity and tally by pair slot.
  KOKKOS_FUNCTION void start_plain(Member const& team, SvdProblem<Real> const& problem) const {
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, RoundRobin{problem.cols}.pairs()),
                         [&](int k) {
                           problem.slot_cosines()[k] = 0;
                           problem.slot_rotations()[k] = 0;
                         });
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, problem.cols), [&](int j) {
      Real const norm = problem.norms()[j];
      problem.top_exponents()[j] = norm > Real(0) ? problem.exponents()[j] + exponent_of(norm) : 0;
    });
    if (problem.vectors()) set_identity(team, problem.rotations(), problem.cols);
  }

  SvdBatch<Real> batch_;
};

}  // namespace carroll::detail
