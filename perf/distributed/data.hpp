// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/allocate.hpp>
#include <cstdint>

#include "gemm/problem.hpp"
#include "harness/context.hpp"

namespace carroll::perf {

template <class T>
struct FillShared {
  T* data;
  std::uint64_t first, operand;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    data[i] = gemm_entry<T>(first + static_cast<std::uint64_t>(i), operand);
  }
};

/// Entries first, first + 1, … of what ranks share, in [-1, 1).
template <class T>
Kokkos::View<T*, Exec> shared_entries(Exec const& exec, std::int64_t first, std::int64_t count,
                                      std::uint64_t operand) {
  auto const view = detail::allocate<Kokkos::View<T*, Exec>>(exec, "carroll::perf::entries", count);
  Kokkos::parallel_for("carroll::perf::fill",
                       Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, count),
                       FillShared<T>{view.data(), static_cast<std::uint64_t>(first), operand});
  return view;
}

}  // namespace carroll::perf
