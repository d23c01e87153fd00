// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/narrow/matrices.hpp>

/// What the solvers for 16-bit matrices have beside those for floats: conversions.
#define CARROLL_NARROW_INSTANCE(TEMPLATE)                                         \
  TEMPLATE void carroll::detail::enqueue_widening<Kokkos::DefaultExecutionSpace>( \
      Kokkos::DefaultExecutionSpace const&, carroll::detail::NarrowInput const&); \
  TEMPLATE void carroll::detail::enqueue_rounding<Kokkos::DefaultExecutionSpace>( \
      Kokkos::DefaultExecutionSpace const&, carroll::detail::NarrowOutput const&)

CARROLL_NARROW_INSTANCE(extern template);
