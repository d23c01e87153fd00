// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/power_of_two.hpp>
#include <carroll/detail/unroll.hpp>
#include <cstdint>
#include <type_traits>

/// What Kokkos does not offer of a warp's lanes: values handed from register to register, and
/// first guesses at reciprocals and square roots. The one place that is written for CUDA.
namespace carroll::detail {

/// Do the kernels of an execution space run in warps of 32 lanes?
#ifdef KOKKOS_ENABLE_CUDA
template <class ExecSpace>
inline constexpr bool has_warps = std::is_same_v<ExecSpace, Kokkos::Cuda>;
#else
template <class ExecSpace>
inline constexpr bool has_warps = false;
#endif

/// The calling lane's warp. All 32 lanes call each of these functions together.
struct DeviceWarp {
  int lane;

  /// x of another lane.
  template <class T>
  KOKKOS_FUNCTION T from(T x, [[maybe_unused]] int source) const {
    KOKKOS_IF_ON_DEVICE((x = __shfl_sync(0xffffffffU, x, source);))
    return x;
  }
  /// Bit k of the result: what lane k says.
  KOKKOS_FUNCTION std::uint32_t ballot(bool yes) const {
    KOKKOS_IF_ON_DEVICE((return __ballot_sync(0xffffffffU, yes);))
    KOKKOS_IF_ON_HOST((return yes;))
  }
  /// The largest of all lanes' x.
  KOKKOS_FUNCTION int max(int x) const {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    return __reduce_max_sync(0xffffffffU, x);
#else
    for (int step = 1; step < 32; step *= 2) x = Kokkos::max(x, from(x, lane ^ step));
    return x;
#endif
  }
  /// What a lane has written to memory before, the others may read after.
  KOKKOS_FUNCTION void sync() const {
    KOKKOS_IF_ON_DEVICE((__syncwarp();))
  }
};

/// What teams of one launch tell one another through memory. A count that others wait for: what the
/// team wrote before a barrier and the increase, they may read after a load that sees it and a
/// barrier.
KOKKOS_INLINE_FUNCTION void release_increase([[maybe_unused]] int* count) {
  KOKKOS_IF_ON_DEVICE((asm volatile("red.release.gpu.global.add.s32 [%0], 1;" ::"l"(count)
                                    : "memory");))
}
KOKKOS_INLINE_FUNCTION int acquire([[maybe_unused]] int const* count) {
  KOKKOS_IF_ON_DEVICE((int x; asm volatile("ld.acquire.gpu.global.s32 %0, [%1];"
                                           : "=r"(x)
                                           : "l"(count)
                                           : "memory");
                       return x;))
  KOKKOS_IF_ON_HOST((return *count;))
}
/// A word that is whole or not there, without a promise about any other.
KOKKOS_INLINE_FUNCTION void store_word(std::uint64_t* to, std::uint64_t word) {
  KOKKOS_IF_ON_DEVICE((asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(to), "l"(word)
                                    : "memory");))
  KOKKOS_IF_ON_HOST((*to = word;))
}
KOKKOS_INLINE_FUNCTION std::uint64_t load_word(std::uint64_t const* from) {
  KOKKOS_IF_ON_DEVICE((std::uint64_t x; asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];"
                                                     : "=l"(x)
                                                     : "l"(from)
                                                     : "memory");
                       return x;))
  KOKKOS_IF_ON_HOST((return *from;))
}

/// The upper half of a double.
KOKKOS_INLINE_FUNCTION double upper_half(double x) {
  constexpr std::uint64_t upper = 0xffffffff00000000U;
  return Kokkos::bit_cast<double>(Kokkos::bit_cast<std::uint64_t>(x) & upper);
}

/// The same value, of which the compiler no longer knows where it came from: what is computed from
/// it has to be computed anew, instead of being held in registers that are wanted for data.
template <class T>
KOKKOS_INLINE_FUNCTION T opaque_register(T x) {
  if constexpr (sizeof(T) == 8) {
    KOKKOS_IF_ON_DEVICE((asm volatile("" : "+l"(x));))
  } else {
    KOKKOS_IF_ON_DEVICE((asm volatile("" : "+r"(x));))
  }
  return x;
}

/// About 1/x, with 19 good bits at least, for normal x.
KOKKOS_INLINE_FUNCTION double rough_reciprocal(double x) {
  KOKKOS_IF_ON_DEVICE((double y; asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x)); return y;))
  KOKKOS_IF_ON_HOST((return upper_half(1 / x);))
}
KOKKOS_INLINE_FUNCTION float rough_reciprocal(float x) {
  KOKKOS_IF_ON_DEVICE((float y; asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x)); return y;))
  KOKKOS_IF_ON_HOST((return 1 / x;))
}

/// About 1/√x, with 19 good bits at least, for normal x > 0; infinite for 0.
KOKKOS_INLINE_FUNCTION double rough_rsqrt(double x) {
  KOKKOS_IF_ON_DEVICE((double y; asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x)); return y;))
  KOKKOS_IF_ON_HOST((return upper_half(1 / Kokkos::sqrt(x));))
}
KOKKOS_INLINE_FUNCTION float rough_rsqrt(float x) {
  KOKKOS_IF_ON_DEVICE((float y; asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x)); return y;))
  KOKKOS_IF_ON_HOST((return 1 / Kokkos::sqrt(x);))
}

/// 1/√x from such a guess: the third-order step y·(1 + e/2 + 3e²/8), e = 1 - x·y², leaves rounding
/// errors only.
template <class Real>
KOKKOS_INLINE_FUNCTION Real refined_rsqrt(Real x, Real y) {
  Real const e = Kokkos::fma(-x * y, y, Real(1));
  return Kokkos::fma(y * e, Kokkos::fma(e, Real(0.375), Real(0.5)), y);
}

/// √x for normal x > 0, right but for the last bit now and then, sooner than the library's
/// function, which must handle every x.
KOKKOS_INLINE_FUNCTION double fast_sqrt(double x) {
  double const y = refined_rsqrt(x, rough_rsqrt(x));
  double const root = x * y;
  return Kokkos::fma(Kokkos::fma(-root, root, x), 0.5 * y, root);
}

/// 1/x from such a guess, by the third-order step y·(1 + e + e²), e = 1 - x·y.
KOKKOS_INLINE_FUNCTION double refined_reciprocal(double x, double y) {
  double const e = Kokkos::fma(-x, y, 1.0);
  return Kokkos::fma(y * e, 1.0 + e, y);
}

/// y where x >= 0, -y where x < 0 (or is -0).
template <class Real>
KOKKOS_INLINE_FUNCTION Real with_sign_of(Real x, Real y) {
  constexpr BitsOf<Real> sign = BitsOf<Real>{1} << (8 * sizeof(Real) - 1);
  return Kokkos::bit_cast<Real>(Kokkos::bit_cast<BitsOf<Real>>(y) ^
                                (Kokkos::bit_cast<BitsOf<Real>>(x) & sign));
}

/// The upper 32 bits of |x|: exponent and the first bits of the mantissa. Ordered as |x| is, NaN
/// above infinity above all numbers; compared and handed round at a fraction of the cost.
KOKKOS_INLINE_FUNCTION int magnitude(double x) {
  return static_cast<int>((Kokkos::bit_cast<std::uint64_t>(x) >> 32) & 0x7fffffffU);
}
KOKKOS_INLINE_FUNCTION int magnitude(float x) {
  return static_cast<int>(Kokkos::bit_cast<std::uint32_t>(x) & 0x7fffffffU);
}

/// The smallest number of the given magnitude.
template <class Real>
KOKKOS_INLINE_FUNCTION Real of_magnitude(int magnitude) {
  if constexpr (sizeof(Real) == sizeof(double))
    return Kokkos::bit_cast<double>(static_cast<std::uint64_t>(magnitude) << 32);
  else
    return Kokkos::bit_cast<float>(magnitude);
}

/// Biased exponent of a double of the given magnitude; 0 for zero and subnormal numbers.
KOKKOS_INLINE_FUNCTION constexpr int exponent_field(int magnitude) {
  return magnitude >> 20;
}

}  // namespace carroll::detail
