// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/ratings/rows.hpp>
#include <cstdint>

namespace carroll::detail {

/// values(e) := r − the mean of its user; by user or by item. A thread per row.
template <class Real, class MemorySpace>
struct CentreByUser {
  RatingRows<Real, MemorySpace> rows;
  Kokkos::View<double const*, MemorySpace> means;  ///< of users
  bool by_user;
  Kokkos::View<Real*, Kokkos::LayoutRight, MemorySpace> values;

  KOKKOS_FUNCTION void operator()(std::int64_t r) const {
    for (std::int64_t e = rows.offsets(r); e < rows.offsets(r + 1); ++e) {
      double const mean = means(by_user ? r : std::int64_t{rows.columns(e)});
      values(e) = static_cast<Real>(static_cast<double>(rows.values(e)) - mean);
    }
  }
};

/// U(u, l) *= σ_l, and the users' biases. A thread per user.
template <class Real, class MemorySpace, class Factors, class Biases>
struct FinishSvdModel {
  Factors U;
  Kokkos::View<Real const*, MemorySpace> S;
  Kokkos::View<double const*, MemorySpace> means;
  Biases user_bias;
  double mean;

  KOKKOS_FUNCTION void operator()(std::int64_t u) const {
    for (std::size_t l = 0; l < U.extent(1); ++l) U(u, l) *= S(l);
    user_bias(u) = static_cast<Real>(means(u) - mean);
  }
};

}  // namespace carroll::detail
