// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/detail/eigh/batch.hpp>
#include <carroll/detail/svd/common/rotation.hpp>
#include <carroll/detail/svd/eigenbasis/eigenvectors.hpp>
#include <carroll/detail/svd/spectral/columns.hpp>
#include <cstddef>
#include <cstdint>

/// Where the family `eigenbasis` has what a start works on, and what one kernel tells the next.
namespace carroll::detail {

/// Of a member. All is written by every call, so that nothing is left of the call before.
struct BasisState {
  SpectralEntry entry;
  int vectors;            ///< V is wanted
  SpectralMeasure found;  ///< of V and of Y = X·V
  double turned_cosine;   ///< the largest once Y has been turned
};

/// So many doubles, in whole lines of 128 bytes.
constexpr std::int64_t basis_square(std::int64_t n) {
  return (n * n + 15) / 16 * 16;
}

/// Where an n×n member's matrices are, the first at `begin`; A of eigenvectors is XᵀX.
///
///   G  V  X  W  and what the eigenvectors' kernels work in, where Y, E and T are afterwards
constexpr EighSlot basis_slot(std::int64_t n, std::int64_t begin) {
  std::int64_t const square = basis_square(n);
  return {{.n = n, .a = begin, .w = begin + 3 * square, .v = begin + square},
          begin + 3 * square + (n + 15) / 16 * 16};
}
/// The room that they take.
constexpr std::int64_t basis_doubles(std::int64_t n) {
  return basis_slot(n, 0).reals + std::max(eigenvector_doubles(n), 3 * basis_square(n));
}

/// A member's n×n matrices, column by column, and what is to be done with it.
///
/// | place | first          | then                                     |
/// | ----- | -------------- | ---------------------------------------- |
/// | g     | XᵀX, VᵀV, YᵀY  | V·(I + T)                                |
/// | v     | V              |                                          |
/// | x     | X              | Y·(I + T)                                |
/// | y     | Y = X·V        | the products of the turned Y's columns   |
/// | e     | V, corrected   | E, the angles                            |
/// | t     |                | T = E + E²/2                             |
template <class Real>
struct BasisMember {
  int n;
  double *g, *v, *x, *y, *e, *t;
  BasisState* state;
  Real wish;  ///< SvdOptions::tolerance

  KOKKOS_FUNCTION Columns<double> columns(double* data) const { return {data, n}; }

  /// Has XᵀX been formed?
  KOKKOS_FUNCTION bool is_ready() const { return state->entry.ready != 0; }
  /// Is V nearly a basis? Then one Newton step V·(3I - VᵀV)/2 makes it one.
  KOKKOS_FUNCTION bool has_basis() const {
    double const most = Kokkos::max(1e-10, orthonormal());
    return is_ready() && state->found.deviation <= most;
  }
  KOKKOS_FUNCTION bool is_corrected() const {
    return has_basis() && !(state->found.deviation <= orthonormal());
  }
  /// Are all pairs of Y's columns rotated at once? T keeps V orthonormal but for the fourth power
  /// of the angles. Larger angles are left to the sweeps.
  KOKKOS_FUNCTION bool is_turned() const {
    constexpr double most = sizeof(Real) == 4 ? 0.01 : 1e-4;
    return has_basis() && state->found.cosine > tolerance() && state->found.angles <= most;
  }
  /// Are products of two angles felt? If not, T is E.
  KOKKOS_FUNCTION bool is_squared() const { return is_turned() && state->found.angles > 3e-9; }
  /// Of the columns that the sweeps begin with.
  KOKKOS_FUNCTION double cosine() const {
    return is_turned() ? state->turned_cosine : state->found.cosine;
  }
  KOKKOS_FUNCTION double tolerance() const {
    return static_cast<double>(PairRule<Real>::of(wish, n).tolerance);
  }

 private:
  KOKKOS_FUNCTION double orthonormal() const {
    return Kokkos::sqrt(static_cast<double>(n)) *
           static_cast<double>(Kokkos::Experimental::epsilon_v<Real>);
  }
};

/// Those of a chunk.
template <class Real>
struct BasisMembers {
  EighSlot const* slots;
  double* doubles;
  BasisState* states;
  Real wish;

  KOKKOS_FUNCTION BasisMember<Real> operator()(int k) const {
    EighSlot const slot = slots[k];
    std::ptrdiff_t const square = slot.member.v - slot.member.a;
    double* const g = doubles + slot.member.a;
    double* const y = doubles + slot.reals;
    return {.n = static_cast<int>(slot.member.n),
            .g = g,
            .v = g + square,
            .x = g + 2 * square,
            .y = y,
            .e = y + square,
            .t = y + 2 * square,
            .state = states + k,
            .wish = wish};
  }
};

}  // namespace carroll::detail
