// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/emulated/threads.hpp>
#include <cstdint>

/// See device/memory.hpp. Where threads take turns, who looks for what another one has to write
/// lets the others have theirs first.
namespace carroll::detail {

KOKKOS_INLINE_FUNCTION void let_others_write() {
  KOKKOS_IF_ON_HOST((if (auto* const threads = EmulatedThreads::running()) threads->pass();))
}
KOKKOS_INLINE_FUNCTION std::uint64_t load_relaxed(std::uint64_t const* from) {
  let_others_write();
  return Kokkos::atomic_load(from);
}
KOKKOS_INLINE_FUNCTION void store_relaxed(std::uint64_t* to, std::uint64_t word) {
  Kokkos::atomic_store(to, word);
}
template <class T>
KOKKOS_INLINE_FUNCTION T load_acquire(T const* from) {
  let_others_write();
  T const x = Kokkos::atomic_load(from);
  Kokkos::memory_fence();
  return x;
}
KOKKOS_INLINE_FUNCTION void store_release(std::uint64_t* to, std::uint64_t word) {
  Kokkos::memory_fence();
  Kokkos::atomic_store(to, word);
}
KOKKOS_INLINE_FUNCTION void add_release(int* count, int more) {
  Kokkos::memory_fence();
  Kokkos::atomic_add(count, more);
}
template <class T>
KOKKOS_INLINE_FUNCTION T fetch_add_acq_rel(T* count, T more) {
  Kokkos::memory_fence();
  T const x = Kokkos::atomic_fetch_add(count, more);
  Kokkos::memory_fence();
  return x;
}

template <class T>
KOKKOS_INLINE_FUNCTION T load_read_only(T const* from) {
  return *from;
}
template <class Word>
KOKKOS_INLINE_FUNCTION void store_streaming(void* to, Word const& word) {
  *static_cast<Word*>(to) = word;
}
KOKKOS_INLINE_FUNCTION void prefetch(void const* /*from*/, std::uint32_t /*size*/) {}
KOKKOS_INLINE_FUNCTION void prefetch_line(void const* /*place*/) {}

}  // namespace carroll::detail
