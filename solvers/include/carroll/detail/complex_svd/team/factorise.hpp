// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/complex_svd/batch.hpp>
#include <carroll/detail/complex_svd/polar.hpp>
#include <carroll/detail/svd/common/column_sum.hpp>
#include <carroll/detail/svd/common/householder.hpp>
#include <carroll/detail/team.hpp>

/// Householder QR with column pivoting of scaled complex columns, by one team, and its use.
namespace carroll::detail {

/// v as a reflector has it behind its first entry, 1, which is not stored.
template <class Real>
struct ComplexReflector {
  SplitColumns<Real> F;
  int k;
  KOKKOS_FUNCTION Kokkos::complex<Real> operator()(int i) const {
    return i == k ? Kokkos::complex<Real>(1, 0) : F(i, k);
  }
};

/// vᴴ·y from row k on, y(i) complex; every lane gets it.
template <SummedRows summed, class Real, class Member, class Column>
KOKKOS_INLINE_FUNCTION Kokkos::complex<Real> reflector_product(Member const& team,
                                                               ComplexReflector<Real> const& v,
                                                               Column const& y) {
  auto const sums = column_sums<summed, Real, 2>(team, v.F.rows - v.k, [&](int i) {
    auto const x = v(v.k + i), z = y(v.k + i);
    return Sums<Real, 2>{
        {x.real() * z.real() + x.imag() * z.imag(), x.real() * z.imag() - x.imag() * z.real()}};
  });
  return {sums[0], sums[1]};
}

/// F·P = Q·R for F whose column j, 0 <= j < n, stands for F(:, j)·2^exponents[j], as the real
/// `pivoted_qr` does it: norms are summed afresh, the first column of zero norm ends it. Returns
/// the number of reflectors.
///
/// Reflectors are I - tau·v·vᴴ with tau real: what is reflected goes to -e^{iφ}·‖x‖, φ the phase of
/// its first entry, so that R's diagonal is complex and each reflector its own inverse. One thread
/// per column, three barriers a step; 12mn² - 4n³ flops.
template <SummedRows summed, class Real, class Member>
KOKKOS_INLINE_FUNCTION int pivoted_complex_qr(Member const& team, SplitColumns<Real> const& F,
                                              int n, int* exponents, Real* norms, Real* tau,
                                              int* permutation) {
  using Value = Kokkos::complex<Real>;
  int const m = F.rows, steps = m < n ? m : n;
  Kokkos::parallel_for(Kokkos::TeamVectorRange(team, n), [&](int j) { permutation[j] = j; });
  team.team_barrier();
  for (int k = 0; k < steps; ++k) {
    int const pivot = largest_column(team, norms, exponents, k, n);
    Real const norm = norms[pivot];
    Polar<Real> const alpha = polar_form(F(k, pivot));
    team.team_barrier();  // all have read the pivot before it moves
    if (norm == Real(0)) return k;
    Value const beta = alpha.phase * -norm;
    Value const factor = conjugate(alpha.phase) / (alpha.size + norm);  // 1/(alpha - beta)
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, m), [&](int i) {
      Value const x = F(i, pivot);
      F.set(i, pivot, F(i, k));
      F.set(i, k, i < k ? x : i == k ? beta : x * factor);
    });
    Kokkos::single(Kokkos::PerTeam(team), [&] {
      tau[k] = (alpha.size + norm) / norm;
      norms[pivot] = norms[k];
      Kokkos::kokkos_swap(exponents[k], exponents[pivot]);
      Kokkos::kokkos_swap(permutation[k], permutation[pivot]);
    });
    team.team_barrier();

    ComplexReflector<Real> const v{F, k};
    thread_for(team, n - k - 1, [&](int behind) {
      SplitColumn<Real> const y{F, k + 1 + behind};
      Value const w = reflector_product<summed>(team, v, y) * tau[k];
      Real const squares = column_sum<summed, Real>(team, m - k, [&](int i) {
        Value const x = y(k + i) - w * v(k + i);
        y.set(k + i, x);
        return i == 0 ? Real(0) : x.real() * x.real() + x.imag() * x.imag();
      });
      int const left = m - k - 1;
      auto const part = [&](int i) {
        Value const x = y(k + 1 + (i < left ? i : i - left));
        return i < left ? x.real() : x.imag();
      };
      Real const remaining = norm_from_squares<summed>(team, 2 * left, part, squares);
      once_per_thread(team, [&] { norms[k + 1 + behind] = remaining; });
    });
    team.team_barrier();
  }
  return steps;
}

/// y := H₀·H₁⋯H_{count-1}·y with those reflectors; one thread, no barrier.
template <SummedRows summed, class Real, class Member, class Column>
KOKKOS_INLINE_FUNCTION void apply_complex_reflectors(Member const& team,
                                                     SplitColumns<Real> const& F, Real const* tau,
                                                     int count, Column const& y) {
  for (int k = count - 1; k >= 0; --k) {
    ComplexReflector<Real> const v{F, k};
    auto const w = reflector_product<summed>(team, v, y) * tau[k];
    lane_for(team, F.rows - k, [&](int i) { y.set(k + i, y(k + i) - w * v(k + i)); });
  }
}

/// T := Rᴴ for the `rank` rows of the upper trapezoidal R in F, whose columns are scaled by
/// `exponents`. Column i of T, row i of R, gets its own exponent and, if asked for, its norm. Rows
/// of R from `rank` on count as zero; T has `columns` columns. Ends with a barrier.
template <class Real, class Member>
KOKKOS_INLINE_FUNCTION void conjugate_triangle(Member const& team, SplitColumns<Real> const& F,
                                               int rank, int const* exponents,
                                               SplitColumns<Real> const& T, int columns,
                                               int* t_exponents, Real* t_norms) {
  constexpr int zero = -(1 << 30);
  thread_for(team, columns, [&](int i) {
    int top = zero;
    if (i < rank)
      Kokkos::parallel_reduce(
          Kokkos::ThreadVectorRange(team, i, T.rows),
          [&](int j, int& partial) {
            Real const x = largest_part(F(i, j));
            if (x > Real(0)) partial = Kokkos::max(partial, exponent_of(x) + exponents[j]);
          },
          Kokkos::Max<int>(top));
    bool const is_zero = top <= zero;
    lane_for(team, T.rows, [&](int j) {
      bool const left_out = is_zero || j < i;
      T.set(
          j, i,
          left_out ? Kokkos::complex<Real>() : scale_parts(conjugate(F(i, j)), exponents[j] - top));
    });
    Real const norm =
        t_norms && !is_zero ? column_norm<SummedRows::few>(team, T.col(i), 2 * T.rows) : Real(0);
    once_per_thread(team, [&] {
      t_exponents[i] = is_zero ? 0 : top;
      if (t_norms) t_norms[i] = norm;
    });
  });
  team.team_barrier();
}

}  // namespace carroll::detail
