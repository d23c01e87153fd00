// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/compiler.hpp>
#if defined(CARROLL_CUDA_PASS) && __CUDA_ARCH__ >= 800
#include <carroll/detail/device/cuda/async_copy.hpp>
#else
#include <carroll/detail/device/emulated/async_copy.hpp>
#endif

/// Copies from memory to scratch that a device makes on its own, past the registers:
///
///   copy_async(scratch, memory, bytes)      a value of 4, 8 or 16 bytes, of which so many exist;
///                                           the others become zeros
///   copy_async_if(yes, scratch, memory)     such a value, or nothing: without a branch
///   copy_row_async                          the same for 16 bytes of memory that is read through,
///                                           256 bytes of which are fetched at a time
///   copy_passing_row_async                  of that, what is read once: it leaves the cache first
///   wait_for_copies()                       for all copies of the calling lane; other lanes may
///                                           read them after a barrier
///   end_copy_group()                        copies since the last call form a group
///   wait_for_copy_groups<but>()             for the lane's groups but the last `but` ones
///
/// Copies of a whole warp are in device/bulk_copies.hpp.
namespace carroll::detail {

template <class T>
KOKKOS_FORCEINLINE_FUNCTION void copy_async(T* scratch, T const* memory) {
  copy_async(scratch, memory, static_cast<int>(sizeof(T)));
}

}  // namespace carroll::detail
