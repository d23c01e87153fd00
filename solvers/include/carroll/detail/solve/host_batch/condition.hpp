// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/solve/batch.hpp>
#include <carroll/detail/solve/host_batch/eliminate.hpp>
#include <carroll/detail/solve/host_batch/sizes.hpp>
#include <carroll/detail/solve/host_batch/work.hpp>

namespace carroll::detail::simd {

/// Σ|y_i|.
template <class Number>
RealPackOf<Number> sum_of_sizes(Number const* y, int n) {
  RealPackOf<Number> sum(0);
  for (int i = 0; i < n; ++i) sum += modulus(y[i]);
  return sum;
}

/// A lower bound of ‖A⁻¹‖₁ that is seldom below a third of it: the method of W. W. Hager (SIAM J.
/// Sci. Stat. Comput. 5(2), 1984) with what N. J. Higham added (ACM Trans. Math. Softw. 14(4),
/// 1988), as LAPACK's xLACN2 goes: from the vector of 1/n uphill along subgradients to columns of
/// the inverse, and a look at another vector, which is solved for along with the first. Signs of
/// complex numbers are their phases. A lane that has arrived stays as it is while others go on.
/// About 2n² flops for each of some five solutions.
template <class Number>
RealPackOf<Number> estimate_inverse_norm(SolveWork<Number> const& at) {
  using Pack = RealPackOf<Number>;
  using Real = typename Pack::Number;
  using Ints = typename Pack::Ints;
  int const n = at.n;
  Number *const x = at.side(0), *const other = at.side(1), *const signs = at.side(2);
  for (int i = 0; i < n; ++i) {
    x[i] = real_number<Number>(Pack(Real(1) / static_cast<Real>(n)));
    Real const size = Real(1) + static_cast<Real>(i) / static_cast<Real>(n > 1 ? n - 1 : 1);
    other[i] = real_number<Number>(Pack(i % 2 == 0 ? size : -size));
    signs[i] = real_number<Number>(Pack(0));
  }
  Number* const both[2] = {x, other};
  solve<2>(at, both);
  Pack estimate = sum_of_sizes(x, n);
  Pack const beside = sum_of_sizes(other, n) * Pack(Real(2) / static_cast<Real>(3 * n));
  auto active = ~typename Pack::Mask(0);
  Ints where = Ints(0);
  for (int step = 0; step < most_condition_steps; ++step) {
    auto turned = typename Pack::Mask(0);
    for (int i = 0; i < n; ++i) {
      Number const sign = sign_against(x[i]);
      turned = turned | differ(sign, signs[i]);
      x[i] = signs[i] = sign;
    }
    active = active & turned;
    if (!any(active)) break;
    solve_transposed(at, x);
    Pack best = size_of_pivot(x[0]);
    Ints steepest = Ints(0);
    for (int i = 1; i < n; ++i) {
      Pack const size = size_of_pivot(x[i]);
      auto const larger = size > best;
      best = select(larger, size, best);
      steepest = select(larger, Ints(i), steepest);
    }
    if constexpr (is_complex_pack<Number>) best = modulus(entry_at(x, steepest));
    if (step > 0) active = active & (best > real_of(entry_at(x, where)));
    where = steepest;
    for (int i = 0; i < n; ++i)
      x[i] = real_number<Number>(select(where == Ints(i), Pack(1), Pack(0)));
    Number* const one[1] = {x};
    solve<1>(at, one);
    Pack const found = sum_of_sizes(x, n);
    active = active & (found > estimate);
    estimate = select(active, found, estimate);
    if (!any(active)) break;
  }
  return max(beside, estimate);
}

}  // namespace carroll::detail::simd
