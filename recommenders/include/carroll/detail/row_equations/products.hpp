// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/row_equations/problem.hpp>
#include <cstdint>

namespace carroll::detail {

/// A row's equations without their matrix: A·v by a pass over the ratings, 4·d flops for each.
///
/// `Own`, which inherits this, knows how its team's threads share the work: entries(f) calls f(i)
/// for all unknowns and ends with a barrier, gather(v, factor) makes the threads' sums of
/// factor(c, y·v)·y over the ratings, and total(i) adds entry i of these in ascending order.
template <class Own, class Real, class Member>
class RowProducts {
 public:
  /// v := the row's factors, and its bias.
  KOKKOS_FUNCTION void load(Real* v) const {
    own().entries([&](int i) {
      v[i] = i < problem_.factors ? problem_.x[row_ * problem_.x_pitch + i] : problem_.x_bias[row_];
    });
  }
  /// out := b - A·v, or b where v is null.
  KOKKOS_FUNCTION void residual(Real const* v, Real* out) const {
    own().gather(v, [](auto const& c, Real score) { return c.h - c.g * score; });
    own().entries([&](int i) { out[i] = own().total(i) - rest(v, i) + problem_.rhs(row_, i); });
  }
  /// out := A·v
  KOKKOS_FUNCTION void multiply(Real const* v, Real* out) const {
    own().gather(v, [](auto const& c, Real score) { return c.g * score; });
    own().entries([&](int i) { out[i] = own().total(i) + rest(v, i); });
  }

 protected:
  KOKKOS_FUNCTION RowProducts(RowEquations<Real> const& problem, Member const& team,
                              std::int32_t row, Real* partial)
      : problem_(problem),
        team_(team),
        row_(row),
        d_(problem.unknowns()),
        partial_(partial),
        regularization_(problem.row_regularization(row)) {}

  RowEquations<Real> const& problem_;
  Member const& team_;
  std::int32_t row_;
  int d_;
  Real* partial_;  ///< the threads' or warps' sums

 private:
  KOKKOS_FUNCTION Own const& own() const { return static_cast<Own const&>(*this); }
  /// Entry i of (s·C + λ·I)·v.
  KOKKOS_FUNCTION Real rest(Real const* v, int i) const {
    return v ? problem_.common_product(v, i, regularization_) : Real(0);
  }

  Real regularization_;
};

}  // namespace carroll::detail
