// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <type_traits>

namespace carroll::test {

/// An instance of its own, not the default one. Hosts do not partition: OpenMP gets one of its own
/// with a single thread, so that it also differs from the default in its number of threads.
template <class Space>
Space new_instance_of() {
#ifdef KOKKOS_ENABLE_OPENMP
  if constexpr (std::is_same_v<Space, Kokkos::OpenMP>) return Space(1);
#endif
  return Kokkos::Experimental::partition_space(Space{}, 1).front();
}

}  // namespace carroll::test
