// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <array>
#include <bit>
#include <carroll/narrow.hpp>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "support/guarded_view.hpp"
#include "support/random.hpp"

namespace carroll::test {

/// What 16-bit matrices are drawn of.
enum class NarrowKind { normal, any_bits, subnormal, zeros, infinite, not_a_number };
inline constexpr std::array narrow_kinds{NarrowKind::normal,    NarrowKind::any_bits,
                                         NarrowKind::subnormal, NarrowKind::zeros,
                                         NarrowKind::infinite,  NarrowKind::not_a_number};

/// `count` numbers of a kind; of the last two one number of all is that.
template <class T>
[[nodiscard]] std::vector<T> draw_narrow(Random& random, std::size_t count, NarrowKind kind) {
  // Of a subnormal number no bit of the exponent is set.
  constexpr int mantissa = std::is_same_v<T, float16> ? 0x3ff : 0x7f;
  std::vector<T> drawn;
  while (drawn.size() < count) {
    auto const bits = static_cast<std::uint16_t>(random.index(0x10000));
    if (kind == NarrowKind::any_bits || kind == NarrowKind::subnormal) {
      auto const x = T::from_bits(kind == NarrowKind::any_bits
                                      ? bits
                                      : static_cast<std::uint16_t>(bits & (0x8000 | mantissa)));
      if (std::isfinite(static_cast<float>(x))) drawn.push_back(x);
    } else {
      drawn.push_back(T(kind == NarrowKind::zeros && random.chance(0.7) ? 0.0 : random.normal()));
    }
  }
  using Limits = std::numeric_limits<float>;
  bool const bad = kind == NarrowKind::infinite || kind == NarrowKind::not_a_number;
  if (bad && count > 0)
    drawn[static_cast<std::size_t>(random.index(static_cast<int>(count)))] =
        T(kind == NarrowKind::infinite ? Limits::infinity() : Limits::quiet_NaN());
  return drawn;
}

/// The same numbers, in 16 bits and as floats, which is how they are compared.
template <class T, int Rank, class Layout>
struct NarrowPair {
  GuardedView<T, Rank, Layout> narrow;
  GuardedView<float, Rank, Layout> wide;

  explicit NarrowPair(typename GuardedView<T, Rank, Layout>::Index const& extents)
      : narrow(extents), wide(extents) {}

  /// By a function of the index.
  template <class Number>
  void set(Number const& number) {
    narrow.for_each_index([&](auto index) {
      narrow(index) = number(index);
      wide(index) = static_cast<float>(narrow(index));
    });
    narrow.to_device();
    wide.to_device();
  }
};

/// A batch of members of the kinds in turn.
template <class T, class Layout>
[[nodiscard]] NarrowPair<T, 3, Layout> draw_narrow_batch(Random& random, std::size_t members,
                                                         std::size_t rows, std::size_t cols) {
  NarrowPair<T, 3, Layout> pair({members, rows, cols});
  std::vector<std::vector<T>> drawn;
  for (std::size_t b = 0; b < members; ++b)
    drawn.push_back(draw_narrow<T>(random, rows * cols, narrow_kinds[b % narrow_kinds.size()]));
  pair.set([&](auto at) { return drawn[at[0]][at[1] * cols + at[2]]; });
  return pair;
}

inline bool same_number(float a, float b) {
  return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b);
}

/// So that an entry that nobody writes is another than that of an output beside it.
template <class... Views>
void fill_otherwise(Views&... views) {
  auto const fill = [](auto& view) {
    view.for_each_index([&](auto index) { view(index) = 1; });
    view.to_device();
  };
  (fill(views), ...);
}

/// How many entries are not those expected: floats bit by bit, or their roundings.
template <class Got, int Rank, class Layout>
[[nodiscard]] int different_entries(GuardedView<Got, Rank, Layout>& got,
                                    GuardedView<float, Rank, Layout>& expected) {
  got.to_host();
  expected.to_host();
  int different = got.guards_intact() ? 0 : 1;
  got.for_each_index([&](auto index) {
    if constexpr (std::is_same_v<Got, float>)
      different += !same_number(got(index), expected(index));
    else
      different += got(index).bits != Got(expected(index)).bits;
  });
  return different;
}

/// Adds to a complaint.
template <class Got, int Rank, class Layout>
void note_difference(std::string& complaint, char const* name, GuardedView<Got, Rank, Layout>& got,
                     GuardedView<float, Rank, Layout>& expected) {
  if (int const different = different_entries(got, expected); different > 0)
    complaint += std::string(" ") + name + ": " + std::to_string(different) + " entries";
}

}  // namespace carroll::test
