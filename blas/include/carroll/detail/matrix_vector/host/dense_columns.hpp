// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/matrix_vector/problem.hpp>
#include <carroll/detail/reduction/thread/host_chunk.hpp>
#include <carroll/detail/reduction/thread/side_by_side.hpp>
#include <carroll/detail/simd/pack.hpp>
#include <carroll/detail/simd/rounding.hpp>
#include <cstddef>
#include <cstdint>

namespace carroll::detail {

/// Sums of a chunk for real rows that lie side by side, by a thread of a host: a register of rows
/// at a time, whose sums of eight lanes, every classes-th, stay in registers. What the next
/// registers will read is fetched meanwhile, as no prefetcher follows so many columns.
template <class Real, int Bytes>
class HostDenseColumns {
  using Problem = MatrixVector<Real>;
  using P = Pack<Real, Bytes>;
  static constexpr int own = 8, classes = row_terms<Real> / own;

 public:
  HostDenseColumns(Problem const& problem, Real const* a) : problem_(problem), a_(a) {}

  void chunk_sum(int chunk, Real const* vector, int rows, Real* sums) const {
    int const terms = problem_.terms_of(chunk);
    std::int64_t const begin = std::int64_t{chunk} * chunk_terms;
    EntriesSideBySide<Real> const x(vector, problem_.x_stride, begin, terms);
    Real const* const a = a_ + begin * problem_.term_stride;
    int r = 0;
    for (; r + P::width <= rows; r += P::width)
      store(sums + r, terms > row_terms<Real> / 2 ? long_sum(a + r, x.data(), terms)
                      : terms > 8 ? short_sum<row_terms<Real> / 2>(a + r, x.data(), terms)
                                  : short_sum<8>(a + r, x.data(), terms));
    for (; r < rows; ++r) {
      EntriesSideBySide<Real> const row(a_ + r, problem_.term_stride, begin, terms);
      sums[r] = HostChunk<typename Problem::Op, Bytes>::sum(row.data(), x.data(), terms).of[0].sum;
    }
  }

 private:
  /// Of up to so many lanes with a term each, halved: the lanes Base, Base + Step, ….
  template <int Lanes, int Base = 0, int Step = 1>
  P short_sum(Real const* a, Real const* x, int terms) const {
    if constexpr (Step == Lanes) {
      if (Base >= terms) return P(Real(-0.0));
      return product(a, x, Base);
    } else {
      return short_sum<Lanes, Base, 2 * Step>(a, x, terms) +
             short_sum<Lanes, Base + Step, 2 * Step>(a, x, terms);
    }
  }

  P long_sum(Real const* a, Real const* x, int terms) const {
    P left[classes];
    int const whole = terms / row_terms<Real> * row_terms<Real>;
    for (int q = 0; q < classes; ++q) {
      P lanes[own];
      for (int t = 0; t < own; ++t) lanes[t] = P(Real(-0.0));
      for (int first = q; first < whole; first += row_terms<Real>)
        for (int t = 0; t < own; ++t) lanes[t] = lanes[t] + product(a, x, first + t * classes);
      for (int t = 0; t < own; ++t)
        if (int const j = whole + q + t * classes; j < terms)
          lanes[t] = lanes[t] + product(a, x, j);
      for (int half = own / 2; half > 0; half /= 2)
        for (int t = 0; t < half; ++t) lanes[t] = lanes[t] + lanes[t + half];
      left[q] = lanes[0];
    }
    for (int half = classes / 2; half > 0; half /= 2)
      for (int q = 0; q < half; ++q) left[q] = left[q] + left[q + half];
    return left[0];
  }

  P product(Real const* a, Real const* x, int j) const {
    Real const* const from = a + j * problem_.term_stride;
    __builtin_prefetch(from + ahead, 0, 2);
    return rounded_product(P::load(from), P(x[j]));
  }

  static constexpr int ahead = 256 / int(sizeof(Real));
  Problem const& problem_;
  Real const* a_;
};

}  // namespace carroll::detail
