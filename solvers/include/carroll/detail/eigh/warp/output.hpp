// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/eigh/common/output.hpp>
#include <carroll/detail/eigh/warp/shape.hpp>
#include <carroll/detail/field.hpp>
#include <carroll/detail/power_of_two.hpp>

namespace carroll::detail {

/// W, V and the info of a matrix, from eigenvalues and vectors in any order, which scratch has.
/// What write_eigenpairs() is to teams: a lane has an eigenvalue and its vector.
template <class Shape, class T>
class EighWarpOutput {
  using Real = RealOf<T>;
  static constexpr int order = Shape::order;

 public:
  template <bool Vectors>
  struct Scratch {
    T matrix[Vectors ? order * Shape::stride : 1];  ///< row by row
    Real keys[order];
    /// Of vectors: where they go, and how they are turned, by their first largest entry.
    int places[order], firsts[order];
    UnitTurn<T> turns[order];
  };

  KOKKOS_FUNCTION EighWarpOutput(LaneGroup<Shape> const& group, EighProblem<T> const& problem)
      : group_(group), problem_(problem) {}

  /// W and V := NaN. Not finite is what else there is to refuse.
  KOKKOS_FUNCTION void refuse() const {
    Real const nan = Kokkos::Experimental::quiet_NaN_v<Real>;
    int const t = group_.row, n = problem_.n;
    if (t < n) {
      problem_.w(t) = nan;
      if (problem_.vectors())
        for (int k = 0; k < n; ++k) problem_.v(t, k) = quiet_nan<T>();
    }
    if (t == 0) *problem_.info = {.status = Status::non_finite};
  }

  /// By all lanes of a warp; what is not `wanted` is not written. `keys`: the eigenvalues, to be
  /// multiplied by 2^exponent.
  template <bool Vectors>
  KOKKOS_FUNCTION void write(Scratch<Vectors>& scratch, Real const* keys, bool wanted, int exponent,
                             EighSteps const& state) const {
    int const t = group_.row, n = wanted ? problem_.n : 0;
    Real const own = t < n ? keys[t] : Real(0);
    if (t < order) scratch.keys[t] = own;
    group_.warp.sync();
    int place = 0;
    for (int k = 0; k < n; ++k) {
      Real const other = scratch.keys[k];
      place += other < own || (other == own && k < t) ? 1 : 0;
    }
    Real const value = scale(own, exponent) + Real(0);
    if (t < n) problem_.w(place) = value;
    Real const least = group_.max(Kokkos::abs(own)) * rank_limit<Real>(n);
    int const rank = group_.count(t < n && Kokkos::abs(own) > least);
    int const negative = group_.count(t < n && -own > least);
    bool const overflow = group_.count(t < n && Kokkos::isinf(value)) > 0;
    if (wanted && t == 0)
      *problem_.info = {.status = !state.done ? Status::not_converged
                                  : overflow  ? Status::overflow
                                              : Status::success,
                        .sweeps = state.steps,
                        .rank = rank,
                        .negative = negative};
    if constexpr (Vectors) write_vectors(scratch, n, place);
  }

 private:
  KOKKOS_FUNCTION void write_vectors(Scratch<true>& scratch, int n, int place) const {
    int const t = group_.row;
    bool const across = problem_.v.col_stride < problem_.v.row_stride;
    if (t < n) {
      T entry = scratch.matrix[t];
      Real largest = ordering_size(entry);
      int first = 0;
      for (int i = 1; i < n; ++i) {
        T const x = scratch.matrix[i * Shape::stride + t];
        bool const is_larger = ordering_size(x) > largest;
        entry = is_larger ? x : entry;
        largest = is_larger ? ordering_size(x) : largest;
        first = is_larger ? i : first;
      }
      scratch.places[t] = place;
      scratch.firsts[t] = first;
      scratch.turns[t] = UnitTurn<T>(entry, largest);
    }
    group_.warp.sync();
    if (t >= n) return;
    // Lanes write neighbours in memory.
    for (int k = 0; k < n; ++k) {
      int const i = across ? k : t, j = across ? t : k;
      T const x = scratch.turns[j](scratch.matrix[i * Shape::stride + j], i == scratch.firsts[j]);
      problem_.v(i, scratch.places[j]) = x;
    }
  }

  LaneGroup<Shape> const& group_;
  EighProblem<T> const& problem_;
};

}  // namespace carroll::detail
