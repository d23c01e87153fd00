// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/device/collectives.hpp>
#include <carroll/detail/svd/batch.hpp>
#include <carroll/detail/svd/common/rotation.hpp>
#include <carroll/detail/svd/fused/jacobi.hpp>
#include <carroll/detail/svd/fused/outcome.hpp>
#include <carroll/detail/svd/fused/qr.hpp>
#include <carroll/detail/svd/fused/team.hpp>
#include <carroll/detail/svd/fused/vectors.hpp>

namespace carroll::detail {

/// The decomposition of one matrix by one team, in one go:
///
///   A·P = Q·R,  Rᵀ = W·Σ·Jᵀ   so that   A = (Q·J)·Σ·(P·W)ᵀ
///
/// with columns sorted by norm before they are factorised. They are factorised and, later, turned
/// into vectors where they lie, in registers; sweeps exchange them through the work matrix. A
/// second factorisation, of Rᵀ, would spare less of a sweep than it takes: of A = B·D, D diagonal,
/// rows of R divided by D have no larger a condition than R without D, as D falls. Members
/// that this does not suit (nearly dependent columns of a small matrix, a zero singular value, no
/// convergence) are left over.
template <class Member, class Warp, class Real, class Shape>
class FusedSolver {
 public:
  using Team = FusedTeam<Member, Warp, Real, Shape>;
  using Column = typename Team::Column;
  static constexpr int K = Team::K;

  KOKKOS_FORCEINLINE_FUNCTION FusedSolver(Member const& member, void* memory,
                                          SvdBatch<Real> const& batch, Real tolerance,
                                          int max_sweeps)
      : team_(member, memory), batch_(batch), tolerance_(tolerance), max_sweeps_(max_sweeps) {}

  /// Member b of the batch.
  KOKKOS_FORCEINLINE_FUNCTION void run(int b) {
    if (team_.is_first()) batch_.states[b] = {};
    team_.barrier();
    SvdProblem<Real> problem = batch_(b);
    Column p, q;
    if (!scan(b, problem, p, q)) return fill_with_nan(team_, problem);
    int const n = problem.cols;
    FusedMemory<Real, Shape> const memory(problem);
    if (!FusedWork<Real, Shape>::fits) team_.work.data = memory.work;
    team_.place_columns(n, p, q);
    bool const keeps = problem.left_cols > 0;
    if (keeps) {
      set_zero(memory.triangle, team_.p, n);
      set_zero(memory.triangle, team_.q, n);
    }
    factorise(team_, n, p, q, keeps ? memory.reflectors : nullptr, [&](int k, int j, Real r) {
      team_.work(j, k) = r;
      if (keeps) memory.triangle[j * Shape::rows + k] = r;
    });
    team_.barrier();
    if (has_double_words(problem.rows, n) && team_.any(!well_separated(n))) return leave(b);
    if (!start_sweeps(n, p, q)) return leave(b);
    WarpTally const tally =
        FusedSweeps<Team, Real>(team_, n, PairRule<Real>::of(tolerance_, n).tolerance)(max_sweeps_);
    int const nonzero = order_values(n);
    if (!tally.converged || nonzero < n) return leave(b);
    write_values(team_, problem, tally);
    FusedVectors<Team, Real> const vectors(team_, problem, memory);
    if (problem.right_cols > 0) vectors.write_right();
    if (problem.left_cols > 0) vectors.write_left();
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION void leave(int b) const {
    if (team_.is_first()) batch_.fallback.add(b);
  }

  /// Loads the scaled columns with their exponents, after deciding which way round to work; says
  /// whether all entries are finite. See PrepareKernel.
  KOKKOS_FORCEINLINE_FUNCTION bool scan(int b, SvdProblem<Real>& problem, Column& p,
                                        Column& q) const {
    int const n = problem.cols;
    int* const by_rows = team_.scratch.starts();
    int* const by_columns = team_.scratch.working_exponents();
    bool const square = problem.rows == n;
    if (square) read(problem.a.transposed(), n, n, by_rows, p, q);
    if (team_.any(!read(problem.a, problem.rows, n, by_columns, p, q))) return false;
    if (square &&
        team_.range_of(by_rows, n).spread() > team_.range_of(by_columns, n).spread() + 8) {
      team_.barrier();  // all have looked
      if (team_.is_first()) batch_.states[b].turned = 1;
      team_.barrier();
      problem = batch_(b);
      read(problem.a, n, n, by_columns, p, q);
      team_.barrier();
    }
    scale_column(team_.p < n ? by_columns[team_.p] : 0, p);
    scale_column(team_.q < n ? by_columns[team_.q] : 0, q);
    return true;
  }

  /// The lane's columns of a matrix, and the exponents of all; are its own finite?
  KOKKOS_FORCEINLINE_FUNCTION bool read(StridedMatrix<Real const> const& a, int rows, int cols,
                                        int* exponents, Column& p, Column& q) const {
    constexpr Real infinity = Kokkos::Experimental::infinity_v<Real>;
    auto const read_one = [&](int j, Column& x) {
      Real largest = 0;
      CARROLL_UNROLL
      for (int t = 0; t < K; ++t) {
        int const i = team_.row(t);
        x[t] = i < rows && j < cols ? a(i, j) : Real(0);
        Real const size = Kokkos::abs(x[t]);
        largest = Kokkos::max(largest, size < infinity ? size : infinity);  // NaN too
      }
      largest = team_.max_parts(largest);
      bool const usable = largest > Real(0) && largest < infinity;
      if (j < cols && team_.writes())
        exponents[j] = usable ? exponent_of(largest) : int{Team::no_exponent};
      return largest < infinity;
    };
    bool const p_finite = read_one(team_.p, p), q_finite = read_one(team_.q, q);
    return p_finite && q_finite;
  }

  /// x·2^-exponent, rounded once at most.
  KOKKOS_FORCEINLINE_FUNCTION static void scale_column(int exponent, Column& x) {
    if (exponent == Team::no_exponent) return;
    constexpr int most = exponent_bias<Real> - 1;
    int const last = Kokkos::clamp(-exponent, -int{most}, int{most});
    Real const first_factor = power_of_two<Real>(-exponent - last);
    Real const last_factor = power_of_two<Real>(last);
    CARROLL_UNROLL
    for (int t = 0; t < K; ++t) x[t] = x[t] * first_factor * last_factor;
  }

  /// See PrepareKernel::well_separated; a warp per column of R, which lies transposed in the work
  /// matrix.
  KOKKOS_FORCEINLINE_FUNCTION bool well_separated(int n) const {
    bool well = true;
    for (int j = team_.warp; j < n; j += team_.warps) {
      int const i = team_.group.warp.lane;
      Real const r = i <= j ? team_.work(j, i) : Real(0);
      Real const square = lanes_sum_up(team_.group.warp, r * r);
      well = well && Kokkos::abs(team_.work(j, j)) >= Kokkos::sqrt(square) / (8 * n);
    }
    return well;
  }

  KOKKOS_FORCEINLINE_FUNCTION void set_zero(Real* columns, int j, int n) const {
    Column const zero = {};
    if (j < n) store_column<Shape>(columns + j * Shape::rows, team_.group.part, zero);
  }

  /// Row j of x has the exponent exponents[j]: the largest of all entries.
  KOKKOS_FORCEINLINE_FUNCTION int top_of(int n, int const* exponents, Column const& x) const {
    int top = Team::no_exponent;
    CARROLL_UNROLL
    for (int t = 0; t < K; ++t) {
      int const j = team_.row(t);
      bool const counts = j < n && x[t] != Real(0);
      int const exponent = exponents[Kokkos::min(j, n - 1)] + binade(x[t]);
      top = counts ? Kokkos::max(top, exponent) : top;
    }
    return team_.max_parts(top);
  }
  KOKKOS_FORCEINLINE_FUNCTION void rescale(int n, int const* exponents, int top, Column& x) const {
    CARROLL_UNROLL
    for (int t = 0; t < K; ++t) {
      int const j = team_.row(t);
      x[t] = j < n ? Team::scale_down(x[t], exponents[Kokkos::min(j, n - 1)] - top) : Real(0);
    }
  }
  /// exponent_of, but for subnormal numbers, which count as the smallest normal one.
  KOKKOS_FORCEINLINE_FUNCTION static int binade(Real x) {
    constexpr auto field = (BitsOf<Real>{1} << (8 * sizeof(Real) - 1 - mantissa_bits<Real>)) - 1;
    auto const biased = (Kokkos::bit_cast<BitsOf<Real>>(x) >> mantissa_bits<Real>)&field;
    return static_cast<int>(biased) - exponent_bias<Real> + 1;
  }

  /// X = Rᵀ into the work matrix. In single precision each column has its own exponent, in double
  /// all have the same; false if that does not do.
  KOKKOS_FORCEINLINE_FUNCTION bool start_sweeps(int n, Column& p, Column& q) const {
    auto& scratch = team_.scratch;
    team_.load_triangle(n, p, q);
    int p_top = top_of(n, scratch.exponents(), p), q_top = top_of(n, scratch.exponents(), q);
    int p_start = 0, q_start = 0;
    if constexpr (sizeof(Real) == sizeof(double)) {
      if (team_.writes()) {
        if (team_.p < n) scratch.starts()[team_.p] = p_top;
        if (team_.q < n) scratch.starts()[team_.q] = q_top;
      }
      team_.barrier();
      auto const range = team_.range_of(scratch.starts(), n);
      team_.barrier();  // all have looked
      constexpr int most = 440;
      if (range.spread() > 2 * most) return false;
      int const common = range.spread() > most ? (range.top + range.bottom) / 2 : range.top;
      p_start = p_top - common;
      q_start = q_top - common;
      p_top = q_top = common;
    }
    rescale(n, scratch.exponents(), p_top, p);
    rescale(n, scratch.exponents(), q_top, q);
    team_.barrier();  // all have loaded
    team_.store(team_.p, n, p);
    team_.store(team_.q, n, q);
    if (team_.writes()) {
      if (team_.p < n) {
        scratch.working_exponents()[team_.p] = p_top == Team::no_exponent ? 0 : p_top;
        scratch.starts()[team_.p] = Kokkos::max(p_start, -1000);
        scratch.excesses()[team_.p] = 0;
      }
      if (team_.q < n) {
        scratch.working_exponents()[team_.q] = q_top == Team::no_exponent ? 0 : q_top;
        scratch.starts()[team_.q] = Kokkos::max(q_start, -1000);
        scratch.excesses()[team_.q] = 0;
      }
    }
    team_.barrier();
    return true;
  }

  /// Norms of the working columns and their order; how many are not zero?
  KOKKOS_FORCEINLINE_FUNCTION int order_values(int n) const {
    auto& scratch = team_.scratch;
    Column p, q;
    team_.load(team_.p, n, p);
    team_.load(team_.q, n, q);
    auto const measure_one = [&](int j, Column const& x) {
      Real const square = team_.group.sum_parts(lane_dot(x, x));
      if (j >= n || !team_.writes()) return;
      bool const zero = square < FusedSweeps<Team, Real>::negligible(scratch.starts()[j]);
      scratch.squares()[j] = zero ? Real(0) : Kokkos::sqrt(square);
      scratch.keys()[j] = Team::sort_key(scratch.squares()[j], scratch.working_exponents()[j]);
    };
    measure_one(team_.p, p);
    measure_one(team_.q, q);
    team_.barrier();
    int const p_place = team_.place_of(team_.p, n), q_place = team_.place_of(team_.q, n);
    if (team_.writes()) {
      if (team_.p < n) scratch.order()[p_place] = team_.p;
      if (team_.q < n) scratch.order()[q_place] = team_.q;
    }
    int const nonzero = team_.count(n, [&](int j) { return scratch.keys()[j] != 0; });
    team_.barrier();
    return nonzero;
  }

  Team team_;
  SvdBatch<Real> batch_;
  Real tolerance_;
  int max_sweeps_;
};

}  // namespace carroll::detail
