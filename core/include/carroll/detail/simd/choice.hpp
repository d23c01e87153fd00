// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/device/compiler.hpp>
#include <cstdio>
#include <cstdlib>

/// Which vector registers a host's kernels use. A distribution compiles for the oldest processor of
/// its architecture; on x86-64, with g++, kernels that go through `with_host_vectors` are therefore
/// compiled for three generations of registers, and the processor at hand decides. Within one
/// machine and build it always decides alike, so that results stay the same bits. The sizes of
/// workspaces depend on it: what is linked together is compiled by one compiler.
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
inline int widest_vector_bytes() {
#ifdef CARROLL_HOST_VECTORS_OF_64_BYTES
  if (compiled_vector_bytes < 64 && __builtin_cpu_supports("avx512f") &&
      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512bw"))
    return 64;
#endif
  if (compiled_vector_bytes < 32 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    return 32;
  return compiled_vector_bytes;
}
#endif

/// Of this processor's widest registers that kernels are compiled for. With
/// CARROLL_ONLY_VECTOR_BYTES (Carroll_VECTOR_BYTES, for tests that stay on one machine) they are
/// compiled for these alone, as they would be among others, and end on a processor without them.
inline int host_vector_bytes() {
#if defined(CARROLL_HOST_VECTOR_CHOICE) && defined(CARROLL_ONLY_VECTOR_BYTES)
  static_assert(CARROLL_ONLY_VECTOR_BYTES >= compiled_vector_bytes);
  static bool const has_them = widest_vector_bytes() >= CARROLL_ONLY_VECTOR_BYTES;
  if (!has_them) {
    std::fputs("carroll: built for registers that this processor does not have\n", stderr);
    std::abort();
  }
  return CARROLL_ONLY_VECTOR_BYTES;
#elif defined(CARROLL_HOST_VECTOR_CHOICE)
  static int const bytes = widest_vector_bytes();  // short functions ask, too
  return bytes;
#else
  return compiled_vector_bytes;
#endif
}

/// body.run<Bytes>() for these. What it calls is compiled for the oldest processor; `by_itself`
/// makes a function of the parts that count.
template <class Body>
void choose_host_vectors(Body const& body) {
#if defined(CARROLL_HOST_VECTOR_CHOICE) && defined(CARROLL_ONLY_VECTOR_BYTES)
  host_vector_bytes();  // asks the processor, once
  body.template run<CARROLL_ONLY_VECTOR_BYTES>();
#else
#ifdef CARROLL_HOST_VECTOR_CHOICE
  int const bytes = host_vector_bytes();
#ifdef CARROLL_HOST_VECTORS_OF_64_BYTES
  if constexpr (compiled_vector_bytes < 64)
    if (bytes == 64) return body.template run<64>();
#endif
  if constexpr (compiled_vector_bytes < 32)
    if (bytes == 32) return body.template run<32>();
#endif
  body.template run<compiled_vector_bytes>();
#endif
}

/// kernel.run<Bytes>(team) as such a body.
template <class Kernel, class Member>
struct RunOfTeam {
  Kernel const& kernel;
  Member const& team;
  template <int Bytes>
  void run() const {
    kernel.template run<Bytes>(team);
  }
};

#ifdef CARROLL_HOST_VECTOR_CHOICE
// All that is called is compiled into these: a function of its own would be compiled for the oldest
// processor. Fused is only what asks for it by name, as with Carroll_NATIVE.
#define CARROLL_AS_ONE_FUNCTION flatten, noinline, noclone, optimize("fp-contract=off")
template <class F>
__attribute__((CARROLL_AS_ONE_FUNCTION, target("avx2,fma"))) void call_with_avx2(F const& f) {
  f();
}
template <class F>
__attribute__((CARROLL_AS_ONE_FUNCTION, target("avx512f,avx512vl,avx512dq,avx512bw,avx2,fma"))) void
call_with_avx512(F const& f) {
  f();
}
#undef CARROLL_AS_ONE_FUNCTION
#endif

template <class F>
#ifdef __GNUC__
__attribute__((noinline))
#endif
void call(F const& f) {
  f();
}

/// f() as a function of its own, with all that it calls, for registers of so many bytes.
template <int Bytes, class F>
void by_itself(F const& f) {
#ifdef CARROLL_HOST_VECTOR_CHOICE
  if constexpr (Bytes > compiled_vector_bytes) {
    if constexpr (Bytes == 64)
      call_with_avx512(f);
    else
      call_with_avx2(f);
    return;
  }
#endif
  call(f);
}

template <class Body>
struct ByItself {
  Body const& body;
  template <int Bytes>
  void run() const {
    by_itself<Bytes>([this] { body.template run<Bytes>(); });
  }
};

/// body.run<Bytes>() for the widest registers of this processor, all of it by itself.
template <class Body>
void with_host_vectors(Body const& body) {
  choose_host_vectors(ByItself<Body>{body});
}

}  // namespace carroll::detail
