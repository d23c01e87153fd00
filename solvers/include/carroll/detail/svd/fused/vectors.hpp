// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/svd/fused/qr.hpp>
#include <carroll/detail/svd/fused/team.hpp>
#include <carroll/detail/svd/problem.hpp>

namespace carroll::detail {

/// A matrix's place in the workspace: columns of Shape::rows entries.
template <class Real, class Shape>
struct FusedMemory {
  static_assert(Shape::rows <= most_fused_rows);

  Real* reflectors;  ///< of A's factorisation
  Real* triangle;    ///< R; later what J is made orthonormal with
  Real* work;        ///< where the work matrix is not in scratch

  KOKKOS_FORCEINLINE_FUNCTION explicit FusedMemory(SvdProblem<Real> const& problem) {
    int const size = problem.cols * Shape::rows;
    work = problem.reals;
    reflectors = work + (FusedWork<Real, Shape>::fits ? 0 : size);
    triangle = reflectors + size;
  }
};

/// U and V from orthogonal working columns W·Σ:
///
///   V = P·W,  U = Q·[J 0; 0 I],  J·Σ = R·W
///
/// J·Σ has errors of order eps·σ₁ in every entry, which the residual U·Σ·Vᵀ - A does not feel but
/// the directions of short columns do. So J's columns are freed from those that are longer, all at
/// once where they are nearly orthogonal; else it is the Q of a QR factorisation, longest first,
/// with the signs of its diagonal. So U is orthonormal and the residual small without a condition
/// on A.
///
/// Cost: 2n³ flops for J·Σ, 2n³ for J, as a rule, 4·rows·n per column of U.
template <class Team, class Real>
class FusedVectors {
 public:
  using Shape = typename Team::Shape;
  using Column = typename Team::Column;
  static constexpr int K = Team::K;

  KOKKOS_FORCEINLINE_FUNCTION FusedVectors(Team const& team, SvdProblem<Real> const& problem,
                                           FusedMemory<Real, Shape> const& memory)
      : team_(team), problem_(problem), memory_(memory), n_(problem.cols) {}

  KOKKOS_FORCEINLINE_FUNCTION void write_right() const {
    write_right(team_.p);
    write_right(team_.q);
  }

  /// Overwrites the working columns.
  KOKKOS_FORCEINLINE_FUNCTION void write_left() const {
    team_.barrier();  // all have written V
    Column p, q;
    project(p, q);
    team_.barrier();  // all have read R
    if (!orthonormalise(p, q)) factorise_once_more(p, q);
    apply_reflectors(team_, memory_.reflectors, n_, n_, p, q);
    write_left(team_.p, p);
    write_left(team_.q, q);
    // What completes U to a square matrix.
    CARROLL_NO_UNROLL
    for (int from = n_; from < problem_.left_cols; from += team_.warps * Shape::cols) {
      set_unit(from + team_.p, p);
      set_unit(from + team_.q, q);
      apply_reflectors(team_, memory_.reflectors, n_, n_, p, q);
      write_left(from + team_.p, p);
      write_left(from + team_.q, q);
    }
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION void write_right(int k) const {
    if (k >= problem_.right_cols) return;
    int const j = team_.scratch.order()[k];
    Real const inverse = 1 / team_.scratch.squares()[j];
    Column w;
    load_column<Shape>(team_.work.col(j), team_.group.part, w);
    CARROLL_UNROLL
    for (int t = 0; t < K; ++t) {
      int const i = team_.row(t);
      if (i < n_) problem_.right(team_.scratch.permutation()[i], k) = w[t] * inverse;
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION void set_unit(int k, Column& x) const {
    CARROLL_UNROLL
    for (int t = 0; t < K; ++t) x[t] = team_.row(t) == k ? 1 : 0;
  }

  KOKKOS_FORCEINLINE_FUNCTION void write_left(int k, Column const& x) const {
    if (k >= problem_.left_cols) return;
    CARROLL_UNROLL
    for (int t = 0; t < K; ++t)
      if (team_.row(t) < problem_.rows) problem_.left(team_.row(t), k) = x[t];
  }

  /// The columns k of J·Σ, each near norm 1.
  KOKKOS_FORCEINLINE_FUNCTION void project(Column& p, Column& q) const {
    auto const& scratch = team_.scratch;
    int const p_working = team_.p < n_ ? scratch.order()[team_.p] : 0;
    int const q_working = team_.q < n_ ? scratch.order()[team_.q] : 0;
    if (team_.p < n_) weigh(p_working);
    if (team_.q < n_) weigh(q_working);
    team_.group.warp.sync();
    CARROLL_UNROLL
    for (int t = 0; t < K; ++t) p[t] = q[t] = 0;
    Real const* const p_weights = team_.work.col(p_working);
    Real const* const q_weights = team_.work.col(q_working);
    walk_columns<false>(team_, memory_.triangle, n_, [&](int k, Real const* column) {
      Real const p_weight = p_weights[k], q_weight = q_weights[k];
      walk_column<Shape, K>(column, team_.group.part, [&](int t, Real r) {
        p[t] = Kokkos::fma(p_weight, r, p[t]);
        q[t] = Kokkos::fma(q_weight, r, q[t]);
      });
    });
    if (team_.p >= n_) set_zero(p);
    if (team_.q >= n_) set_zero(q);
  }

  /// Frees each column from the longer ones before it, J·(I - U) where JᵀJ = I + U + Uᵀ, which
  /// leaves the squares of what was to be freed; again where these count. False where that does not
  /// do, which leaves columns for `factorise_once_more`. 2n³ flops.
  KOKKOS_FORCEINLINE_FUNCTION bool orthonormalise(Column& p, Column& q) const {
    constexpr Real far = Real(0x1p-3);
    constexpr Real near = sizeof(Real) == 4 ? Real(0x1p-15) : Real(0x1p-30);
    constexpr int most_passes = 4;
    bool more = true;
    for (int pass = 0; more && pass < most_passes; ++pass) {
      normalise(p);
      normalise(q);
      show(team_.p, p);
      show(team_.q, q);
      team_.barrier();
      int largest = 0;
      walk_shown([&](int i, Real const* column) {
        if (i >= team_.first + Shape::cols) return;
        Real p_dots[4] = {}, q_dots[4] = {};
        walk_column<Shape, K>(column, team_.group.part, [&](int t, Real v) {
          p_dots[t % 4] = Kokkos::fma(v, p[t], p_dots[t % 4]);
          q_dots[t % 4] = Kokkos::fma(v, q[t], q_dots[t % 4]);
        });
        Real const p_sum = team_.group.sum_parts(joined(p_dots));
        Real const q_sum = team_.group.sum_parts(joined(q_dots));
        Real const p_dot = i < team_.p ? p_sum : Real(0), q_dot = i < team_.q ? q_sum : Real(0);
        largest = Kokkos::max(largest, Kokkos::max(magnitude(p_dot), magnitude(q_dot)));
        walk_column<Shape, K>(once_more<Shape>(column), team_.group.part, [&](int t, Real v) {
          p[t] = Kokkos::fma(-p_dot, v, p[t]);
          q[t] = Kokkos::fma(-q_dot, v, q[t]);
        });
      });
      if (pass == 0 && team_.any(largest > magnitude(far))) {
        fetch(team_.p, p);
        fetch(team_.q, q);
        team_.barrier();  // all have theirs
        return false;
      }
      more = team_.any(largest > magnitude(near));
    }
    normalise(p);
    normalise(q);
    return !more;
  }

  /// J as the orthogonal factor of what `project` has left.
  KOKKOS_FORCEINLINE_FUNCTION void factorise_once_more(Column& p, Column& q) const {
    factorise(team_, n_, p, q, memory_.triangle, [&](int k, int j, Real r) {
      if (j == k) team_.scratch.signs()[k] = r < Real(0) ? -1 : 1;
    });
    team_.barrier();  // the last sign is there
    set_signs(team_.p, p);
    set_signs(team_.q, q);
    // Reflectors beyond a column leave it as it is.
    int const last = team_.first + Shape::cols - 1;
    apply_reflectors(team_, memory_.triangle, n_, last, p, q);
  }

  KOKKOS_FORCEINLINE_FUNCTION void normalise(Column& x) const {
    Real const square = team_.group.sum_parts(lane_dot(x, x));
    Real const inverse = square > Real(0) ? refined_rsqrt(square, rough_rsqrt(square)) : Real(0);
    CARROLL_UNROLL
    for (int t = 0; t < K; ++t) x[t] *= inverse;
  }

  /// Columns that all warps read lie in the work matrix where it is in scratch, else in R's place.
  static constexpr bool in_scratch = FusedWork<Real, Shape>::fits;
  KOKKOS_FORCEINLINE_FUNCTION Real* shown(int k) const {
    return in_scratch ? team_.work.col(k) : memory_.triangle + k * Shape::rows;
  }
  KOKKOS_FORCEINLINE_FUNCTION void show(int k, Column const& x) const {
    if (k < n_) store_column<Shape>(shown(k), team_.group.part, x);
  }
  KOKKOS_FORCEINLINE_FUNCTION void fetch(int k, Column& x) const {
    if (k < n_) load_column<Shape>(shown(k), team_.group.part, x);
  }
  template <class F>
  KOKKOS_FORCEINLINE_FUNCTION void walk_shown(F const& f) const {
    if constexpr (in_scratch) {
      CARROLL_NO_UNROLL
      for (int k = 0; k < n_; ++k) f(k, shown(k));
      team_.barrier();  // all have read
    } else {
      walk_columns<false>(team_, memory_.triangle, n_, f);
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION static void set_zero(Column& x) {
    CARROLL_UNROLL
    for (int t = 0; t < K; ++t) x[t] = 0;
  }

  /// Working column j becomes what R's columns are multiplied by, powers of two included.
  KOKKOS_FORCEINLINE_FUNCTION void weigh(int j) const {
    auto const& scratch = team_.scratch;
    Column w;
    load_column<Shape>(team_.work.col(j), team_.group.part, w);
    int const down = exponent_of(scratch.squares()[j]);
    Real const factor = power_of_two<Real>(-down);
    int const exponent = scratch.working_exponents()[j] + down;
    CARROLL_UNROLL
    for (int t = 0; t < K; ++t) {
      int const k = team_.row(t);
      constexpr int most = sizeof(Real) == 4 ? 50 : 400;  // beyond, all is noise
      int const apart = k < n_ ? scratch.exponents()[k] - exponent : 0;
      w[t] = k < n_ ? Team::scale_down(w[t] * factor, Kokkos::min(apart, int{most})) : Real(0);
    }
    store_column<Shape>(team_.work.col(j), team_.group.part, w);
  }

  KOKKOS_FORCEINLINE_FUNCTION void set_signs(int k, Column& x) const {
    CARROLL_UNROLL
    for (int t = 0; t < K; ++t)
      x[t] = k < n_ && team_.row(t) == k ? team_.scratch.signs()[k] : Real(0);
  }

  Team const& team_;
  SvdProblem<Real> const& problem_;
  FusedMemory<Real, Shape> memory_;
  int n_;
};

}  // namespace carroll::detail
