// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <concepts>
#include <cstdint>
#include <type_traits>

/// Numbers that are stored in 16 bits and computed with in single precision:
///
///   float16    IEEE binary16, as CUDA's __half and NumPy's float16: 11 binary digits, up to 65504
///   bfloat16   the upper half of a float, as CUDA's __nv_bfloat16: 8 digits, a float's range
///
/// Kokkos has types like these on devices; on hosts its half_t and bhalf_t are other names of
/// float. These are 16 bits everywhere. They are trivially copyable and nothing but their bits, so
/// that memory which CUDA or NumPy has filled may be read as theirs.
///
/// To float they convert by themselves, which is exact. From float and double they are made by
/// request, rounded once, to the nearest, ties to even: beyond the range to an infinity, subnormal
/// numbers included. NaN stays NaN, with its sign and the upper digits of its payload.
namespace carroll {

namespace detail {

/// Kokkos::bit_cast, in constant expressions, too, for which compilers have a function of the
/// same name as std::bit_cast's, on devices as well.
KOKKOS_INLINE_FUNCTION constexpr std::uint32_t single_bits(float x) {
  return __builtin_bit_cast(std::uint32_t, x);
}
KOKKOS_INLINE_FUNCTION constexpr float single_of(std::uint32_t bits) {
  return __builtin_bit_cast(float, bits);
}

/// The float nearest to x of those whose last bit is 1, or x itself where it is a float: what is
/// rounded to fewer digits from there is rounded as from x.
KOKKOS_INLINE_FUNCTION constexpr float round_to_odd(double x) {
  auto const nearest = static_cast<float>(x);
  std::uint32_t const bits = single_bits(nearest);
  if (static_cast<double>(nearest) == x || x != x || (bits & 1U) != 0) return nearest;
  bool const is_larger = static_cast<double>(nearest) > x;
  return single_of(is_larger == (x > 0) ? bits - 1 : bits + 1);
}

/// Fields of a 16-bit number: a sign, so many bits of exponent, and digits.
template <int ExponentBits>
struct NarrowFields {
  static constexpr int digits = 15 - ExponentBits;
  static constexpr int dropped = 23 - digits;  ///< digits that a float has more
  /// The difference between the exponents' biases, where a float has it.
  static constexpr std::uint32_t rebias = std::uint32_t{128U - (1U << (ExponentBits - 1))} << 23;
  static constexpr std::uint32_t infinity = 0x7fffU >> digits << digits;

  KOKKOS_INLINE_FUNCTION static constexpr float widen(std::uint16_t narrow) {
    std::uint32_t const sign = std::uint32_t{narrow & 0x8000U} << 16;
    std::uint32_t const size = narrow & 0x7fffU;
    std::uint32_t wide = (size << dropped) + rebias;
    if (size >= infinity) {
      wide += rebias;
    } else if (rebias != 0 && size >> digits == 0) {
      // A subnormal number: the digits behind a leading 1, which is taken away again. Nothing that
      // is subnormal in single is met, so that it does not matter if the processor flushes these.
      constexpr std::uint32_t one = rebias + (1U << 23);
      float const least = single_of(one);
      wide = single_bits(single_of(one + (size << dropped)) - least);
    }
    return single_of(sign | wide);
  }

  KOKKOS_INLINE_FUNCTION static constexpr std::uint16_t round(float x) {
    auto const bits = single_bits(x);
    std::uint32_t const sign = bits >> 16 & 0x8000U;
    std::uint32_t size = bits & 0x7fffffffU;
    constexpr std::uint32_t least_normal = rebias + (1U << 23);
    constexpr std::uint32_t past_largest = (infinity << dropped) + rebias;
    if (size > 0x7f800000U) {  // NaN: quiet, so that no digit has to be 1
      size = infinity | 1U << (digits - 1) | (size >> dropped & (infinity ^ 0x7fffU));
    } else if (size >= past_largest) {
      size = infinity;
    } else {
      if (rebias != 0 && size < least_normal) {
        // Subnormal: by the addition of a number whose last digit is the last of what is stored.
        constexpr std::uint32_t unit = rebias + (static_cast<std::uint32_t>(1 + dropped) << 23);
        size = single_bits(single_of(size) + single_of(unit)) - unit;
      } else {
        size -= rebias;
        size = (size + (1U << (dropped - 1)) - 1 + (size >> dropped & 1U)) >> dropped;
      }
    }
    return static_cast<std::uint16_t>(sign | size);
  }
};

/// A number that is stored so.
template <int ExponentBits>
struct NarrowFloat {
  std::uint16_t bits;

  NarrowFloat() = default;
  KOKKOS_INLINE_FUNCTION constexpr explicit NarrowFloat(float x)
      : bits(NarrowFields<ExponentBits>::round(x)) {}
  KOKKOS_INLINE_FUNCTION constexpr explicit NarrowFloat(double x) : NarrowFloat(round_to_odd(x)) {}
  KOKKOS_INLINE_FUNCTION constexpr operator float() const {
    return NarrowFields<ExponentBits>::widen(bits);
  }
  /// The number of these bits.
  KOKKOS_INLINE_FUNCTION static constexpr NarrowFloat from_bits(std::uint16_t stored) {
    NarrowFloat x{};
    x.bits = stored;
    return x;
  }
};

}  // namespace detail

/// IEEE binary16.
using float16 = detail::NarrowFloat<5>;
/// The upper 16 bits of a float.
using bfloat16 = detail::NarrowFloat<8>;

/// A number in 16 bits: Carroll's types, and Kokkos' where they are no other names of float.
template <class T>
concept NarrowScalar = sizeof(T) == 2 && (std::same_as<T, float16> || std::same_as<T, bfloat16> ||
                                          std::same_as<T, Kokkos::Experimental::half_t> ||
                                          std::same_as<T, Kokkos::Experimental::bhalf_t>);

/// A View of such numbers, of any kind: what sends a call to the solvers for these.
template <class T>
concept NarrowView = Kokkos::is_view_v<T> && NarrowScalar<typename T::non_const_value_type>;

namespace detail {

enum class NarrowFormat { float16, bfloat16 };

template <NarrowScalar T>
inline constexpr NarrowFormat narrow_format =
    std::same_as<T, float16> || std::same_as<T, Kokkos::Experimental::half_t>
        ? NarrowFormat::float16
        : NarrowFormat::bfloat16;

}  // namespace detail
}  // namespace carroll
