// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/pseudoinverse/problem.hpp>

namespace carroll::detail {

/// What must be left of a motion column that counts as independent; see PseudoinverseInfo::cutoff.
template <class Real>
KOKKOS_INLINE_FUNCTION double rank_cutoff(ArrowBatch<Real> const& batch) {
  if (batch.options.cutoff > 0) return batch.options.cutoff;
  constexpr double eps = Kokkos::Experimental::epsilon_v<Real>;
  constexpr double double_eps = Kokkos::Experimental::epsilon_v<double>;
  bool const gram = batch.options.method == PseudoinverseMethod::normal_equations;
  double const cutoff = 32.0 * (batch.k + 1) * eps;
  double const squared = Kokkos::sqrt(32.0 * (batch.k + 1) * double_eps);
  return gram && squared > cutoff ? squared : cutoff;
}

}  // namespace carroll::detail
