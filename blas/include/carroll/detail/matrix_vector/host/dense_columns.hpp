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

/// Few terms of real rows that lie side by side, no more than a row of the tree has, by a thread of
/// a host: a register of rows at a time, whose products are halved in registers.
template <class Real, int Bytes>
class HostDenseColumns {
  using Problem = MatrixVector<Real>;
  using P = Pack<Real, Bytes>;

 public:
  HostDenseColumns(Problem const& problem, Real const* a) : problem_(problem), a_(a) {}

  void chunk_sum(int chunk, Real const* vector, int rows, Real* sums) const {
    int const terms = problem_.terms_of(chunk);
    std::int64_t const begin = std::int64_t{chunk} * chunk_terms;
    EntriesSideBySide<Real> const x(vector, problem_.x_stride, begin, terms);
    Real const* const a = a_ + begin * problem_.term_stride;
    int r = 0;
    for (; r + P::width <= rows; r += P::width)
      store(sums + r, terms <= 8 ? sum<8>(a + r, x.data(), terms)
                      : terms <= row_terms<Real> / 2
                          ? sum<row_terms<Real> / 2>(a + r, x.data(), terms)
                          : sum<row_terms<Real>>(a + r, x.data(), terms));
    for (; r < rows; ++r) {
      EntriesSideBySide<Real> const row(a_ + r, problem_.term_stride, begin, terms);
      sums[r] = HostChunk<typename Problem::Op, Bytes>::sum(row.data(), x.data(), terms).of[0].sum;
    }
  }

 private:
  /// Of up to so many lanes with a term each, halved: the lanes Base, Base + Step, ….
  template <int Lanes, int Base = 0, int Step = 1>
  P sum(Real const* a, Real const* x, int terms) const {
    if constexpr (Step == Lanes) {
      if (Base >= terms) return P(Real(-0.0));
      return rounded_product(P::load(a + Base * problem_.term_stride), P(x[Base]));
    } else {
      return sum<Lanes, Base, 2 * Step>(a, x, terms) +
             sum<Lanes, Base + Step, 2 * Step>(a, x, terms);
    }
  }

  Problem const& problem_;
  Real const* a_;
};

}  // namespace carroll::detail
