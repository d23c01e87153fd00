// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/compiler.hpp>
#include <cstdint>

#ifdef CARROLL_CUDA_PASS
/// See device/memory.hpp.
namespace carroll::detail {

KOKKOS_FORCEINLINE_FUNCTION std::uint64_t load_relaxed(std::uint64_t const* from) {
  std::uint64_t x;
  asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(x) : "l"(from) : "memory");
  return x;
}
KOKKOS_FORCEINLINE_FUNCTION void store_relaxed(std::uint64_t* to, std::uint64_t word) {
  asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(to), "l"(word) : "memory");
}
KOKKOS_FORCEINLINE_FUNCTION int load_acquire(int const* from) {
  int x;
  asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(x) : "l"(from) : "memory");
  return x;
}
KOKKOS_FORCEINLINE_FUNCTION std::uint64_t load_acquire(std::uint64_t const* from) {
  std::uint64_t x;
  asm volatile("ld.acquire.gpu.global.u64 %0, [%1];" : "=l"(x) : "l"(from) : "memory");
  return x;
}
KOKKOS_FORCEINLINE_FUNCTION void store_release(std::uint64_t* to, std::uint64_t word) {
  asm volatile("st.release.gpu.global.u64 [%0], %1;" ::"l"(to), "l"(word) : "memory");
}
KOKKOS_FORCEINLINE_FUNCTION void add_release(int* count, int more) {
  asm volatile("red.release.gpu.global.add.s32 [%0], %1;" ::"l"(count), "r"(more) : "memory");
}
KOKKOS_FORCEINLINE_FUNCTION int fetch_add_acq_rel(int* count, int more) {
  int x;
  asm volatile("atom.acq_rel.gpu.global.add.s32 %0, [%1], %2;"
               : "=r"(x)
               : "l"(count), "r"(more)
               : "memory");
  return x;
}
KOKKOS_FORCEINLINE_FUNCTION std::uint64_t fetch_add_acq_rel(std::uint64_t* count,
                                                            std::uint64_t more) {
  std::uint64_t x;
  asm volatile("atom.acq_rel.gpu.global.add.u64 %0, [%1], %2;"
               : "=l"(x)
               : "l"(count), "l"(more)
               : "memory");
  return x;
}

template <class T>
KOKKOS_FORCEINLINE_FUNCTION T load_read_only(T const* from) {
  if constexpr (requires { typename T::value_type; }) {  // complex
    auto const* const parts = reinterpret_cast<typename T::value_type const*>(from);
    return {__ldg(parts), __ldg(parts + 1)};
  } else {
    return __ldg(from);
  }
}
template <class Word>
KOKKOS_FORCEINLINE_FUNCTION void store_streaming(void* to, Word const& word) {
  static_assert(sizeof(Word) == 16);
  __stcs(static_cast<float4*>(to), reinterpret_cast<float4 const&>(word));
}
KOKKOS_FORCEINLINE_FUNCTION void prefetch([[maybe_unused]] void const* from,
                                          [[maybe_unused]] std::uint32_t size) {
#if __CUDA_ARCH__ >= 900
  asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(from), "r"(size) : "memory");
#endif
}
KOKKOS_FORCEINLINE_FUNCTION void prefetch_line(void const* place) {
  asm volatile("prefetch.global.L1 [%0];" ::"l"(place));
}

}  // namespace carroll::detail
#endif
