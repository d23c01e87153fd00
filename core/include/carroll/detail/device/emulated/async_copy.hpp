// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>

/// See device/copies/async_copy.hpp: copies that are there at once.
namespace carroll::detail {

template <class T>
KOKKOS_INLINE_FUNCTION void copy_async(T* scratch, T const* memory, int bytes) {
  if (bytes == static_cast<int>(sizeof(T))) {
    *scratch = *memory;
    return;
  }
  auto const* const from = reinterpret_cast<unsigned char const*>(memory);
  auto* const to = reinterpret_cast<unsigned char*>(scratch);
  for (int i = 0; i < static_cast<int>(sizeof(T)); ++i)
    to[i] = i < bytes ? from[i] : static_cast<unsigned char>(0);
}
template <class T>
KOKKOS_INLINE_FUNCTION void copy_async_if(bool yes, T* scratch, T const* memory) {
  if (yes) *scratch = *memory;
}
KOKKOS_INLINE_FUNCTION void wait_for_copies() {}
KOKKOS_INLINE_FUNCTION void end_copy_group() {}
template <int but>
KOKKOS_INLINE_FUNCTION void wait_for_copy_groups() {}

template <class T>
KOKKOS_INLINE_FUNCTION void copy_row_async(T* scratch, void const* memory, int bytes) {
  copy_async(scratch, static_cast<T const*>(memory), bytes);
}
template <class T>
KOKKOS_INLINE_FUNCTION void copy_passing_row_async(T* scratch, void const* memory) {
  copy_async(scratch, static_cast<T const*>(memory), static_cast<int>(sizeof(T)));
}

}  // namespace carroll::detail
