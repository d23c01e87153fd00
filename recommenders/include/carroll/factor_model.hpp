// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

namespace carroll {

/// A rating as an inner product: r̂(u, i) = mean + user_bias(u) + item_bias(i) + U(u, :)·V(i, :).
/// Either bias may be an empty View, which stands for zeros; so may both factors, with k = 0.
/// Copies share the memory.
template <class Real, class MemorySpace>
struct FactorModel {
  using value_type = Real;
  using memory_space = MemorySpace;
  using Factors = Kokkos::View<Real**, Kokkos::LayoutRight, MemorySpace>;
  using Biases = Kokkos::View<Real*, Kokkos::LayoutRight, MemorySpace>;

  Factors U;         ///< users × k
  Factors V;         ///< items × k
  Biases user_bias;  ///< users, or empty
  Biases item_bias;  ///< items, or empty
  Real mean = 0;

  [[nodiscard]] std::int64_t users() const { return static_cast<std::int64_t>(U.extent(0)); }
  [[nodiscard]] std::int64_t items() const { return static_cast<std::int64_t>(V.extent(0)); }
  [[nodiscard]] std::int64_t factors() const { return static_cast<std::int64_t>(U.extent(1)); }
};

}  // namespace carroll
