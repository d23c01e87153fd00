// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/device/compiler.hpp>
#include <carroll/detail/simd/choice.hpp>
#include <carroll/detail/simd/vectors.hpp>
#include <cmath>
#include <cstdint>

/// What any compiler can, and what the others of simd/instructions.hpp are written with.

#ifdef __SSE2__
#include <immintrin.h>
#endif

// Where the compiler is told to compile for such a processor, or a kernel for it may be chosen.
#if CARROLL_COMPILED_VECTOR_BYTES >= 32
#define CARROLL_WITH_AVX2 [[gnu::always_inline]]
#elif defined(CARROLL_HOST_VECTOR_CHOICE) && !defined(CARROLL_DEVICE_COMPILER)
#define CARROLL_WITH_AVX2 __attribute__((target("avx2,fma")))
#endif
#if CARROLL_COMPILED_VECTOR_BYTES >= 64
#define CARROLL_WITH_AVX512 [[gnu::always_inline]]
#elif defined(CARROLL_HOST_VECTOR_CHOICE) && defined(CARROLL_HOST_VECTORS_OF_64_BYTES)
#define CARROLL_WITH_AVX512 __attribute__((target("avx512f,avx512vl,avx512dq,avx512bw,avx2,fma")))
#endif

namespace carroll::detail {

/// What any compiler can.
struct PlainInstructions {
  /// Whether `add_exactly` is one instruction.
#if defined(__FMA__) || defined(__aarch64__)
  static constexpr bool fuses = true;
#else
  static constexpr bool fuses = false;
#endif
  /// x ± a·b, rounded once with registers of 32 bytes and more.
  template <class Vector>
  static void add(Vector& x, Vector const& a, Vector const& b) {
    x += a * b;
  }
  template <class Vector>
  static void subtract(Vector& x, Vector const& a, Vector const& b) {
    x -= a * b;
  }
  /// x + a·b, rounded once, at whatever price.
  template <class Vector>
  static void add_exactly(Vector& x, Vector const& a, Vector const& b) {
    for (int l = 0; l < int(sizeof(Vector) / sizeof(x[0])); ++l) x[l] = std::fma(a[l], b[l], x[l]);
  }
  /// x := √x; the compiler may not use the instruction by itself, as a root may set errno.
  template <class Vector>
  static void root(Vector& x) {
    for (int l = 0; l < int(sizeof(Vector) / sizeof(x[0])); ++l) x[l] = std::sqrt(x[l]);
  }
  /// A bit for each lane that has all bits set; the others have none.
  template <class Ints>
  static unsigned lanes(Ints const& mask) {
    unsigned bits = 0;
    for (int l = 0; l < int(sizeof(Ints) / sizeof(mask[0])); ++l)
      bits |= mask[l] != 0 ? 1u << l : 0u;
    return bits;
  }
  /// mask := a < b, a <= b or a == b, all bits of a lane or none. Before it knows for which
  /// processor a function is, g++ takes comparisons and choices of long vectors apart for good.
  template <class Ints, class Vector>
  static void less(Ints& mask, Vector const& a, Vector const& b) {
    mask = Ints(a < b);
  }
  template <class Ints, class Vector>
  static void less_equal(Ints& mask, Vector const& a, Vector const& b) {
    mask = Ints(a <= b);
  }
  template <class Ints>
  static void equal(Ints& mask, Ints const& a, Ints const& b) {
    mask = a == b;
  }
  /// x := a where the mask is set, else b.
  template <class Ints, class Vector>
  static void choose(Vector& x, Ints const& mask, Vector const& a, Vector const& b) {
    x = mask ? a : b;
  }
  template <class Ints>
  static void both(Ints& x, Ints const& a, Ints const& b) {
    x = a & b;
  }
  template <class Ints>
  static void either(Ints& x, Ints const& a, Ints const& b) {
    x = a | b;
  }
  /// Compilers convert vectors of float by halves or one by one.
  template <class Vector>
  static void widen(Vector& x, float const* source) {
    for (int l = 0; l < int(sizeof(Vector) / sizeof(x[0])); ++l) x[l] = source[l];
  }
  /// A store that goes past the caches, where the processor has it, to a place that is aligned.
  template <class Vector>
  static void stream(void* target, Vector const& x) {
    *static_cast<Vector*>(target) = x;
  }
  /// Whether there are `widen`, `load` and `store` of some lanes only.
  static constexpr bool masks = false;
};

template <int Bytes>
struct HostInstructions : PlainInstructions {};

}  // namespace carroll::detail
