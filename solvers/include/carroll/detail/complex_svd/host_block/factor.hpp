// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/complex_svd/columns.hpp>
#include <carroll/detail/complex_svd/host_block/lines.hpp>
#include <carroll/detail/complex_svd/polar.hpp>
#include <carroll/detail/simd/choice.hpp>
#include <carroll/detail/svd/common/householder.hpp>
#include <carroll/detail/svd/host_block/tiles.hpp>
#include <utility>

namespace carroll::detail::complex_blocks {

/// The parts of a column behind a row, as `norm_from_squares` takes entries.
template <class Real>
struct PartsBehind {
  Real const* y;  ///< the row's real part; imaginary ones are `pitch` behind
  int count, pitch;
  KOKKOS_FUNCTION Real operator()(int i) const {
    return i < count ? y[1 + i] : y[pitch + 1 + i - count];
  }
};

/// A factorisation with column pivoting, by one team: what `pivoted_complex_qr` makes, in vector
/// registers. Column j stands for F(:, j)·2^exponents[j].
template <class V>
struct PivotedQr {
  using Real = typename V::Number;

  SplitColumns<Real> F;
  int n;  ///< columns, no more than rows
  int* exponents;
  Real *norms, *tau;
  int* permutation;

  /// False, on all threads, if nothing is left of some column: its reflector is not to be had.
  template <class Member>
  bool run(Member const& team) const {
    blocks::share_out(team, n, [&](int j) { permutation[j] = j; });
    team.team_barrier();
    for (int k = 0; k < n; ++k) {
      int const pivot = largest_column(team, norms, exponents, k, n);
      Real const norm = norms[pivot];
      team.team_barrier();  // all have read the norms before they move
      if (norm == Real(0)) return false;
      if (team.team_rank() == 0) make_reflector(k, pivot, norm);
      team.team_barrier();
      blocks::share_out(team, n - k - 1, [&](int behind) { update(team, k, k + 1 + behind); });
      team.team_barrier();
    }
    return true;
  }

  /// y := H₀·H₁⋯H_{n-1}·y, a column as F's; one thread.
  void apply(Real* y) const {
    by_itself<V::bytes>([&] {
      for (int k = n - 1; k >= 0; --k) reflect<V>(F.col(k) + k, y + k, F.rows - k, F.rows, tau[k]);
    });
  }

 private:
  void make_reflector(int k, int pivot, Real norm) const {
    using Value = Kokkos::complex<Real>;
    Polar<Real> const alpha = polar_form(F(k, pivot));
    Value const factor = conjugate(alpha.phase) / (alpha.size + norm);
    for (int i = 0; i < F.rows; ++i) {
      Value const z = F(i, pivot);
      F.set(i, pivot, F(i, k));
      F.set(i, k, i < k ? z : z * factor);
    }
    F.set(k, k, alpha.phase * -norm);
    tau[k] = (alpha.size + norm) / norm;
    norms[pivot] = norms[k];
    std::swap(exponents[k], exponents[pivot]);
    std::swap(permutation[k], permutation[pivot]);
  }

  template <class Member>
  void update(Member const& team, int k, int j) const {
    int const m = F.rows, left = m - k - 1;
    Real* const y = F.col(j) + k;
    Real squares = 0;
    by_itself<V::bytes>([&] { squares = reflect<V>(F.col(k) + k, y, m - k, m, tau[k]); });
    norms[j] =
        norm_from_squares<SummedRows::many>(team, 2 * left, PartsBehind<Real>{y, left, m}, squares);
  }
};

}  // namespace carroll::detail::complex_blocks
