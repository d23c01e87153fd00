// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/device/compiler.hpp>
#include <carroll/detail/power_of_two.hpp>
#include <type_traits>

/// Vector registers of a host. A distribution compiles for the oldest processor of its
/// architecture; on x86-64, with g++, the kernels that are written on these types are therefore
/// compiled for three generations of registers, and the processor at hand decides. Within one
/// machine and build it always decides alike, so that results stay the same bits.
namespace carroll::detail {

/// `Bytes / sizeof(Real)` numbers side by side.
template <class Real, int Bytes>
struct HostVector {
  static constexpr int width = Bytes / int(sizeof(Real));
  using Int = std::conditional_t<sizeof(Real) == 4, std::int32_t, std::int64_t>;
  typedef Real Type __attribute__((vector_size(Bytes)));
  typedef Int Ints __attribute__((vector_size(Bytes)));
  /// The same in memory, aligned as single numbers are.
  typedef Real Loose __attribute__((vector_size(Bytes), aligned(sizeof(Real)), may_alias));

  static Type& at(Real* p) { return *reinterpret_cast<Type*>(p); }
  static Type const& at(Real const* p) { return *reinterpret_cast<Type const*>(p); }
  static Loose& loose(Real* p) { return *reinterpret_cast<Loose*>(p); }
  static Loose const& loose(Real const* p) { return *reinterpret_cast<Loose const*>(p); }
};

// clang's `flatten` stops at the calls of calls: its kernels are for the processor that it is told.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define CARROLL_HOST_VECTOR_CHOICE
#endif

// nvcc 13.0 crashes on vectors of 16 numbers.
#ifndef CARROLL_DEVICE_COMPILER
#define CARROLL_HOST_VECTORS_OF_64_BYTES
#endif

#if defined(__AVX512F__) && defined(CARROLL_HOST_VECTORS_OF_64_BYTES)
inline constexpr int compiled_vector_bytes = 64;
#elif defined(__AVX2__) && defined(__FMA__)
inline constexpr int compiled_vector_bytes = 32;
#else
inline constexpr int compiled_vector_bytes = 16;
#endif

#ifdef CARROLL_HOST_VECTOR_CHOICE
// All that the body calls is compiled into these: a function of its own would be compiled for the
// oldest processor.
template <class Body>
__attribute__((flatten, target("avx2,fma"))) void run_with_avx2(Body const& body) {
  body.template run<32>();
}
#ifdef CARROLL_HOST_VECTORS_OF_64_BYTES
template <class Body>
__attribute__((flatten, target("avx512f,avx512vl,avx512dq,avx512bw,avx2,fma"))) void
run_with_avx512(Body const& body) {
  body.template run<64>();
}
#endif
#endif

/// body.run<Bytes>() for the widest registers of this processor.
template <class Body>
void with_host_vectors(Body const& body) {
#ifdef CARROLL_HOST_VECTOR_CHOICE
#ifdef CARROLL_HOST_VECTORS_OF_64_BYTES
  if constexpr (compiled_vector_bytes < 64)
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw"))
      return run_with_avx512(body);
#endif
  if constexpr (compiled_vector_bytes < 32)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return run_with_avx2(body);
#endif
  body.template run<compiled_vector_bytes>();
}

}  // namespace carroll::detail
