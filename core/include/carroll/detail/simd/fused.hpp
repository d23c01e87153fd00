// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/device/compiler.hpp>
#include <carroll/detail/simd/vectors.hpp>

#ifndef CARROLL_DEVICE_COMPILER
#if defined(CARROLL_HOST_VECTOR_CHOICE) || (defined(__AVX2__) && defined(__FMA__))
#include <immintrin.h>
#define CARROLL_HOST_FUSED_PRODUCTS
#endif
#endif

/// Products and sums of a host's vectors in one instruction, rounded once, where the processor has
/// it: with registers of 32 bytes and more. They are asked for by name, as compilers may be told
/// not to fuse, which halves the speed where both use the same units, or choose differently in two
/// copies of a loop.
namespace carroll::detail {

template <class Real, int Bytes>
struct HostFused {
  using Vector = typename HostVector<Real, Bytes>::Type;
  static void add(Vector& x, Vector const& a, Vector const& b) { x += a * b; }
  static void subtract(Vector& x, Vector const& a, Vector const& b) { x -= a * b; }
};

#ifdef CARROLL_HOST_FUSED_PRODUCTS
template <>
struct HostFused<float, 32> {
  using Vector = HostVector<float, 32>::Type;
  __attribute__((target("avx,fma"))) static void add(Vector& x, Vector const& a, Vector const& b) {
    x = _mm256_fmadd_ps(a, b, x);
  }
  __attribute__((target("avx,fma"))) static void subtract(Vector& x, Vector const& a,
                                                          Vector const& b) {
    x = _mm256_fnmadd_ps(a, b, x);
  }
};
template <>
struct HostFused<double, 32> {
  using Vector = HostVector<double, 32>::Type;
  __attribute__((target("avx,fma"))) static void add(Vector& x, Vector const& a, Vector const& b) {
    x = _mm256_fmadd_pd(a, b, x);
  }
  __attribute__((target("avx,fma"))) static void subtract(Vector& x, Vector const& a,
                                                          Vector const& b) {
    x = _mm256_fnmadd_pd(a, b, x);
  }
};
template <>
struct HostFused<float, 64> {
  using Vector = HostVector<float, 64>::Type;
  __attribute__((target("avx512f"))) static void add(Vector& x, Vector const& a, Vector const& b) {
    x = _mm512_fmadd_ps(a, b, x);
  }
  __attribute__((target("avx512f"))) static void subtract(Vector& x, Vector const& a,
                                                          Vector const& b) {
    x = _mm512_fnmadd_ps(a, b, x);
  }
};
template <>
struct HostFused<double, 64> {
  using Vector = HostVector<double, 64>::Type;
  __attribute__((target("avx512f"))) static void add(Vector& x, Vector const& a, Vector const& b) {
    x = _mm512_fmadd_pd(a, b, x);
  }
  __attribute__((target("avx512f"))) static void subtract(Vector& x, Vector const& a,
                                                          Vector const& b) {
    x = _mm512_fnmadd_pd(a, b, x);
  }
};
#endif

}  // namespace carroll::detail
