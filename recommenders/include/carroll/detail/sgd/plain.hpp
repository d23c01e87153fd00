// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/sgd/problem.hpp>
#include <cstdint>

namespace carroll::detail {

/// A block's ratings, one after the other, by one thread of a device that has no backend for warps:
/// the arithmetic of the others, number by number.
template <class ExecSpace, class Real, bool Measure>
struct SgdPlainKernel {
  using Policy = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>;
  static constexpr int lanes = SgdProblem<Real>::lanes;

  SgdProblem<Real> p;
  int step;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    std::int64_t const block = Measure ? i : p.block(static_cast<int>(i), step);
    double measured[2] = {0, 0};
    for (std::int64_t t = p.begins[block]; t < p.begins[block + 1]; ++t)
      visit(p.ratings[t], measured);
    if (!Measure) return;
    p.measures[2 * block] = measured[0];
    p.measures[2 * block + 1] = measured[1];
  }

 private:
  KOKKOS_FUNCTION void visit(SgdRating<Real> const& rating, double* measured) const {
    std::int64_t const width = p.width();
    Real* const u = p.u + rating.user * width;
    Real* const v = p.v + rating.item * width;
    Real sums[lanes] = {};
    for (std::int64_t f = 0; f < width; ++f) add_to(sums[p.layout.lane_at(f)], u[f], v[f]);
    Real const error = (rating.value - p.base(rating)) - joined(sums);
    if (Measure) {
      for (Real& sum : sums) sum = Real(0);
      for (std::int64_t f = 0; f < width; ++f) {
        add_to(sums[p.layout.lane_at(f)], u[f], u[f]);
        add_to(sums[p.layout.lane_at(f)], v[f], v[f]);
      }
      p.measure(rating, error, joined(sums), measured);
      return;
    }
    Real const along = rounded_product(p.step, error);
    for (std::int64_t f = 0; f < width; ++f) {
      Real const x = u[f], y = v[f];
      u[f] = Kokkos::fma(along, y, rounded_product(p.keep, x));
      v[f] = Kokkos::fma(along, x, rounded_product(p.keep, y));
    }
    if (p.with_biases) p.move_biases(rating, error);
  }
  KOKKOS_FUNCTION static void add_to(Real& sum, Real x, Real y) { sum = Kokkos::fma(x, y, sum); }
  KOKKOS_FUNCTION static Real joined(Real (&sums)[lanes]) {
    for (int half = lanes / 2; half > 0; half /= 2)
      for (int l = 0; l < half; ++l) sums[l] += sums[l + half];
    return sums[0];
  }
};

}  // namespace carroll::detail
