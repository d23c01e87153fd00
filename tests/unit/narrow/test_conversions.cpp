// SPDX-License-Identifier: BSD-3-Clause
// float16 and bfloat16: every one of their numbers, and every place where rounding changes, against
// a rounding that is written with whole numbers in double precision; the kernels that convert
// matrices, on all 65536 of each.
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <bit>
#include <carroll/detail/narrow/matrices.hpp>
#include <carroll/narrow.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "support/guarded_view.hpp"
#include "support/random.hpp"

namespace {

using namespace carroll::test;
using carroll::bfloat16;
using carroll::float16;

template <class T>
struct Numbers;
template <>
struct Numbers<float16> {
  static constexpr int digits = 11, least_exponent = -14;  // of normal numbers
  static constexpr double largest = 65504;
  static constexpr std::uint16_t infinity = 0x7c00;
};
template <>
struct Numbers<bfloat16> {
  static constexpr int digits = 8, least_exponent = -126;
  static constexpr double largest = 0x1.fep127;
  static constexpr std::uint16_t infinity = 0x7f80;
};

/// The number of these bits, from the definition.
template <class T>
double number_of(std::uint16_t bits) {
  using N = Numbers<T>;
  int const mantissa_bits = N::digits - 1;
  int const exponent = (bits & 0x7fff) >> mantissa_bits;
  int const mantissa = bits & ((1 << mantissa_bits) - 1);
  int const last = N::least_exponent - mantissa_bits;
  double const size = exponent == 0
                          ? std::ldexp(mantissa, last)
                          : std::ldexp(mantissa + (1 << mantissa_bits), last + exponent - 1);
  return bits >> 15 != 0 ? -size : size;
}

/// The nearest number with the type's digits, of two equally near the even one.
template <class T>
double nearest(double x) {
  using N = Numbers<T>;
  if (x == 0 || std::isinf(x)) return x;
  int const exponent = std::max(std::ilogb(x), N::least_exponent) - (N::digits - 1);
  double const rounded = std::ldexp(std::nearbyint(std::ldexp(x, -exponent)), exponent);
  return std::abs(rounded) > N::largest ? std::copysign(HUGE_VAL, x) : rounded;
}

template <class T>
class NarrowConversions : public ::testing::Test {
 protected:
  /// From float and, where it is one of x's neighbours, from double.
  void expect_rounded(double x) {
    double const expected = nearest<T>(x);
    T const stored(x);
    ASSERT_EQ(static_cast<float>(stored), expected) << x;
    ASSERT_EQ(stored.bits >> 15 != 0, std::signbit(x)) << x;
    auto const single = static_cast<float>(x);
    if (static_cast<double>(single) == x) {
      ASSERT_EQ(T(single).bits, stored.bits) << x;
    }
  }
};
using NarrowTypes = ::testing::Types<float16, bfloat16>;
TYPED_TEST_SUITE(NarrowConversions, NarrowTypes);

TYPED_TEST(NarrowConversions, AreNothingButTheirBits) {
  static_assert(sizeof(TypeParam) == 2 && alignof(TypeParam) == 2);
  static_assert(std::is_trivial_v<TypeParam> && std::is_standard_layout_v<TypeParam>);
  static_assert(std::is_convertible_v<TypeParam, float>);
  static_assert(!std::is_convertible_v<float, TypeParam>, "rounding is asked for");
  static_assert(static_cast<float>(TypeParam(1.5F)) == 1.5F, "in constant expressions, too");
  EXPECT_EQ(TypeParam(1.0F).bits,
            (std::is_same_v<TypeParam, float16> ? 0x3c00 : 0x3f80));  // as CUDA and NumPy have it
  EXPECT_EQ(TypeParam(-2.0F).bits, (std::is_same_v<TypeParam, float16> ? 0xc000 : 0xc000));
}

TYPED_TEST(NarrowConversions, EveryNumberWidensAndComesBack) {
  for (std::uint32_t k = 0; k < 0x10000; ++k) {
    auto const bits = static_cast<std::uint16_t>(k);
    auto const x = TypeParam::from_bits(bits);
    auto const wide = static_cast<float>(x);
    ASSERT_EQ(std::signbit(wide), bits >> 15 != 0) << k;
    int const size = bits & 0x7fff, infinity = Numbers<TypeParam>::infinity;
    if (size > infinity) {
      ASSERT_TRUE(std::isnan(wide)) << k;
      // Quiet, and else as it was.
      int const quiet = 1 << (Numbers<TypeParam>::digits - 2);
      ASSERT_EQ(TypeParam(wide).bits, bits | quiet) << k;
    } else {
      double const expected =
          size == infinity ? std::copysign(HUGE_VAL, wide) : number_of<TypeParam>(bits);
      ASSERT_EQ(wide, expected) << k;
      ASSERT_EQ(TypeParam(wide).bits, bits) << k;
      ASSERT_EQ(TypeParam(static_cast<double>(wide)).bits, bits) << k;
    }
  }
}

/// Halfway between neighbours, and next to that, in single and in double precision.
TYPED_TEST(NarrowConversions, RoundsToNearestAndTiesToEven) {
  for (std::uint32_t k = 0; k + 1 <= Numbers<TypeParam>::infinity; ++k) {
    double const low = number_of<TypeParam>(static_cast<std::uint16_t>(k));
    double const high = number_of<TypeParam>(static_cast<std::uint16_t>(k + 1));  // or 2^16, 2^128
    double const half = low + (high - low) / 2;
    auto const single = static_cast<float>(half);
    ASSERT_EQ(static_cast<double>(single), half) << k;
    for (double const sign : {1.0, -1.0}) {
      this->expect_rounded(sign * half);
      for (double const to : {0.0, HUGE_VAL}) {
        this->expect_rounded(sign * std::nextafter(half, to));
        this->expect_rounded(sign * std::nextafter(low, to));
        this->expect_rounded(sign *
                             static_cast<double>(std::nextafter(single, static_cast<float>(to))));
      }
    }
  }
}

TYPED_TEST(NarrowConversions, BeyondTheRangeAndBelowIt) {
  for (double const x :
       {1e300, -1e300, HUGE_VAL, -HUGE_VAL, 65520.0, 65519.999, 0x1.ffp127, 0x1.fefffffffp127,
        1e-300, -1e-300, 0.0, -0.0, 0x1p-25, 0x1.000001p-25, 0x1p-134, 0x1.000001p-134})
    this->expect_rounded(x);
  for (float const x : {std::numeric_limits<float>::max(), std::numeric_limits<float>::min(),
                        std::numeric_limits<float>::denorm_min()})
    this->expect_rounded(static_cast<double>(x));
}

TYPED_TEST(NarrowConversions, AnyNumber) {
  Random random(28);
  for (int k = 0; k < 100000; ++k) {
    // All exponents of single precision, and some beyond.
    double const x = (random.uniform() + 1) * (random.chance(0.5) ? 1 : -1);
    double const moved = std::ldexp(x, random.index(300) - 160);
    this->expect_rounded(moved);
    this->expect_rounded(static_cast<double>(static_cast<float>(moved)));
  }
}

TYPED_TEST(NarrowConversions, NaNStaysNaN) {
  for (std::uint32_t const payload : {1U, 0x1fffU, 0x2000U, 0x3fffffU, 0x400000U, 0x7fffffU})
    for (std::uint32_t const sign : {0U, 0x80000000U}) {
      auto const x = std::bit_cast<float>(0x7f800000U | payload | sign);
      TypeParam const stored(x);
      EXPECT_TRUE(std::isnan(static_cast<float>(stored))) << payload;
      EXPECT_EQ(stored.bits >> 15 != 0, sign != 0) << payload;
    }
  EXPECT_TRUE(std::isnan(static_cast<float>(TypeParam(std::nan("")))));
}

/// Kernels on the device, all numbers at once, in every layout; guards are between the entries.
template <class T, class Layout>
void expect_kernels_convert() {
  using namespace carroll::detail;
  constexpr std::size_t members = 3, rows = 256, cols = 86;  // 66048 entries
  GuardedView<T, 3, Layout> stored({members, rows, cols}), back({members, rows, cols});
  auto const bits = [](auto at) {
    return static_cast<std::uint16_t>((at[0] * rows + at[1]) * cols + at[2]);
  };
  stored.for_each_index([&](auto at) { stored(at) = T::from_bits(bits(at)); });
  stored.to_device();
  Kokkos::View<float*, Memory> const room("carroll_test::room", members * rows * cols);
  NarrowInput from;
  NarrowOutput to;
  Binder bind("test");
  bind_narrow(bind, from, "stored", stored.view(), {members, rows, cols});
  bind_narrow(bind, to, "back", back.view(), {members, rows, cols});
  place(from, room.data());
  place(to, room.data());
  Exec const exec;
  enqueue_widening(exec, from);
  enqueue_rounding(exec, to);
  exec.fence();
  auto const floats = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), room);
  back.to_host();
  EXPECT_TRUE(back.guards_intact());
  int wrong = 0;
  stored.for_each_index([&](auto at) {
    auto const x = T::from_bits(bits(at));
    auto const& s = from.wide.strides;
    auto const place_of = static_cast<std::size_t>(s[0]) * at[0] +
                          static_cast<std::size_t>(s[1]) * at[1] +
                          static_cast<std::size_t>(s[2]) * at[2];
    wrong += std::bit_cast<std::uint32_t>(floats(place_of)) !=
             std::bit_cast<std::uint32_t>(static_cast<float>(x));
    wrong += back(at).bits != T(static_cast<float>(x)).bits;
  });
  EXPECT_EQ(wrong, 0);
}

TYPED_TEST(NarrowConversions, KernelsDoTheSame) {
  expect_kernels_convert<TypeParam, Kokkos::LayoutLeft>();
  expect_kernels_convert<TypeParam, Kokkos::LayoutRight>();
  expect_kernels_convert<TypeParam, Kokkos::LayoutStride>();
}

TEST(NarrowPieces, CoverWhatMembersOwnOnce) {
  using carroll::detail::narrow_piece_entries;
  using carroll::detail::narrow_pieces;
  EXPECT_TRUE(narrow_pieces({}).empty());
  EXPECT_TRUE(narrow_pieces({{5, 0}, {3, 0}}).empty());
  Random random(3);
  for (int times = 0; times < 50; ++times) {
    std::vector<carroll::detail::NarrowPiece> owned;
    std::vector<int> expected(40000, 0), covered(40000, 0);
    for (int k = random.index(12); k >= 0; --k) {
      int const count = random.index(random.chance(0.3) ? 10000 : 40);
      int const first = random.index(30000);
      owned.push_back({first, count});
      std::fill_n(expected.begin() + first, count, 1);
    }
    for (auto const& piece : narrow_pieces(owned)) {
      EXPECT_LE(piece.count, narrow_piece_entries);
      EXPECT_GT(piece.count, 0);
      for (std::int64_t k = 0; k < piece.count; ++k)
        ++covered.at(static_cast<std::size_t>(piece.first + k));
    }
    EXPECT_EQ(expected, covered);
  }
}

}  // namespace
