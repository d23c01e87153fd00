// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/device/compiler.hpp>

/// Which vector registers a host's kernels use. A distribution compiles for the oldest processor of
/// its architecture; on x86-64, with g++, kernels that go through `with_host_vectors` are therefore
/// compiled for three generations of registers, and the processor at hand decides. Within one
/// machine and build it always decides alike, so that results stay the same bits.
namespace carroll::detail {

// clang's `flatten` stops at the calls of calls: its kernels are for the processor that it is told.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define CARROLL_HOST_VECTOR_CHOICE
#endif

// nvcc 13.0 crashes on vectors of 16 numbers.
#ifndef CARROLL_DEVICE_COMPILER
#define CARROLL_HOST_VECTORS_OF_64_BYTES
#endif

#if defined(__AVX512F__) && defined(__AVX512VL__) && defined(__AVX512DQ__) && \
    defined(__AVX512BW__) && defined(CARROLL_HOST_VECTORS_OF_64_BYTES)
#define CARROLL_COMPILED_VECTOR_BYTES 64
#elif defined(__AVX2__) && defined(__FMA__)
#define CARROLL_COMPILED_VECTOR_BYTES 32
#else
#define CARROLL_COMPILED_VECTOR_BYTES 16
#endif

/// Of the processor that the compiler is told to compile for.
inline constexpr int compiled_vector_bytes = CARROLL_COMPILED_VECTOR_BYTES;

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
