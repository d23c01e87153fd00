// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <carroll/detail/matrix_vector/problem.hpp>
#include <carroll/detail/simd/pack.hpp>
#include <carroll/detail/simd/rounding.hpp>
#include <carroll/detail/simd/sums.hpp>
#include <cstddef>

namespace carroll::detail {

/// Real rows of no more terms than a row of the tree has, side by side, by a thread of a host, in
/// vector registers of so many bytes: a product for each lane, halved over registers, then in one.
template <class Real, int Bytes>
class HostShortRows {
  using Problem = MatrixVector<Real>;
  using P = Pack<Real, Bytes>;
  static constexpr int packs = row_terms<Real> / P::width;

 public:
  HostShortRows(Problem const& problem, int member, int first_row)
      : problem_(problem),
        a_(problem.row(member, first_row)),
        whole_(problem.terms / P::width),
        rest_(problem.terms % P::width) {
    Real const* const x = problem.vector(member);
    std::fill_n(x_, row_terms<Real>, Real(0));
    for (int j = 0; j < problem.terms; ++j) x_[j] = x[j * problem.x_stride];
    std::fill_n(last_, P::width, Real(-0.0));
  }

  void sum(int rows, typename Problem::Sum* sums) {
    if (whole_ == 1 && rest_ == 0) {
      P const x = P::load(x_);
      for (int r = 0; r < rows; ++r)
        sums[r].of[0].sum = sum_of(rounded_product(P::load(a_ + r * problem_.row_stride), x));
    } else {
      for (int r = 0; r < rows; ++r) sums[r].of[0].sum = row_sum(a_ + r * problem_.row_stride);
    }
  }

 private:
  Real row_sum(Real const* a) {
    P lanes[packs];
    int present = whole_;
    for (int p = 0; p < whole_; ++p)
      lanes[p] = rounded_product(P::load(a + p * P::width), P::load(x_ + p * P::width));
    if (rest_ != 0) {
      int const begin = present * P::width;
      for (int l = 0; l < rest_; ++l) last_[l] = a[begin + l];
      lanes[present++] = rounded_product(P::load(last_), P::load(x_ + begin));
    }
    for (int half = packs / 2; half > 0; half /= 2) {
      for (int p = 0; p + half < present; ++p) lanes[p] = lanes[p] + lanes[p + half];
      present = std::min(present, half);
    }
    return sum_of(lanes[0]);
  }

  Problem const& problem_;
  Real const* a_;
  int whole_, rest_;  ///< registers of a row, and terms of the last one
  alignas(64) Real x_[row_terms<Real>];
  alignas(64) Real last_[P::width];
};

}  // namespace carroll::detail
