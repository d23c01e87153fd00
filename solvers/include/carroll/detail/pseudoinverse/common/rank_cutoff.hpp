// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/pseudoinverse/problem.hpp>

namespace carroll::detail {

/// What must be left of one of k motion columns that counts as independent, unless the caller says
/// otherwise.
template <class Real>
KOKKOS_INLINE_FUNCTION constexpr double default_cutoff(int k) {
  constexpr double eps = Kokkos::Experimental::epsilon_v<Real>;
  return 32.0 * (k + 1) * eps;
}

/// The same for a batch; see PseudoinverseInfo::cutoff.
template <class Real>
KOKKOS_INLINE_FUNCTION double rank_cutoff(ArrowBatch<Real> const& batch) {
  if (batch.options.cutoff > 0) return batch.options.cutoff;
  bool const gram = batch.options.method == PseudoinverseMethod::normal_equations;
  double const cutoff = default_cutoff<Real>(batch.k);
  double const squared = Kokkos::sqrt(default_cutoff<double>(batch.k));
  return gram && squared > cutoff ? squared : cutoff;
}

}  // namespace carroll::detail
