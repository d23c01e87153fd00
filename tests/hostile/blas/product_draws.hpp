// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <array>
#include <carroll/detail/field.hpp>
#include <carroll/matrix_op.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <sstream>
#include <string>
#include <string_view>

#include "hostile/blas/laid_array.hpp"
#include "hostile/members.hpp"
#include "support/random.hpp"

namespace carroll::test {

enum class EntryKind {
  uniform,
  integers,    ///< small ones: all sums are exact
  wide,        ///< exponents of the middle half of the range: products are in it
  full_range,  ///< of all of it
  special,     ///< rarely NaN or infinite
  zeros,       ///< of both signs, and hardly anything else
};
inline constexpr std::array<std::string_view, 6> entry_kinds = {"uniform",    "integers", "wide",
                                                                "full_range", "special",  "zeros"};

[[nodiscard]] constexpr std::string_view name_of(EntryKind kind) {
  return entry_kinds[static_cast<std::size_t>(kind)];
}

/// Entries, scalars and extents of one problem.
template <class T>
class ProductDraws {
  using Real = detail::RealOf<T>;
  using Limits = std::numeric_limits<Real>;

 public:
  explicit ProductDraws(Random& random)
      : random_(random), kind_(EntryKind(random.index(int(entry_kinds.size())))) {}

  [[nodiscard]] EntryKind kind() const { return kind_; }
  [[nodiscard]] bool is_exact() const { return kind_ == EntryKind::integers; }
  /// Of products' sums: integers remain small enough for them.
  void set_terms(int terms) { size_ = terms > 10'000 ? 1 : 8; }
  /// Of products in any order: no entry is so small or large that a scalar times it is out of
  /// range.
  void keep_in_range() {
    if (kind_ == EntryKind::full_range) kind_ = EntryKind::wide;
  }

  void fill(LaidArray<T>& array) {
    rarity_ = 2.0 / (8.0 + array.extent(1) + array.extent(2));
    array.for_each([&](int b, int i, int j) { array(b, i, j) = entry(); });
    array.to_device();
  }
  /// With NaN, of both signs, where it must not be read.
  void fill_unread(LaidArray<T>& array) {
    auto const nan = static_cast<Real>(random_.sign()) * Limits::quiet_NaN();
    array.for_each([&](int b, int i, int j) { array(b, i, j) = T(nan); });
    array.to_device();
  }

  T scalar() {
    switch (random_.index(6)) {
      case 0: return T(0);
      case 1: return T(1);
      case 2: return T(-1);
      case 3: return whole(3);
      case 4: return random_.chance(0.05) ? T(Real(-0.0)) : T(Real(0.5));
      default: return is_exact() ? whole(3) : of_parts([&] { return Real(random_.symmetric()); });
    }
  }

 private:
  template <class F>
  static T of_parts(F const& f) {
    if constexpr (detail::is_complex<T>) {
      Real const re = f();
      return {re, f()};
    } else {
      return f();
    }
  }
  T whole(int most) {
    return of_parts([&] { return static_cast<Real>(random_.index(2 * most + 1) - most); });
  }
  T entry() {
    return of_parts([&] { return number(); });
  }
  Real power(int low, int high) {
    Real const x =
        std::ldexp(static_cast<Real>(1 + random_.uniform()), low + random_.index(high - low));
    return random_.index(2) == 0 ? x : -x;
  }
  Real number() {
    constexpr int most = Limits::max_exponent - 1, least = Limits::min_exponent - Limits::digits;
    switch (kind_) {
      case EntryKind::integers: return static_cast<Real>(random_.index(2 * size_ + 1) - size_);
      case EntryKind::wide: return power(-most / 4, most / 4);
      case EntryKind::full_range: return power(least, most);
      case EntryKind::zeros:
        return random_.chance(0.02) ? Real(random_.symmetric()) : Real(random_.sign() * 0.0);
      case EntryKind::special: {
        constexpr Real rare[] = {Limits::quiet_NaN(), -Limits::quiet_NaN(), Limits::infinity(),
                                 -Limits::infinity()};
        return random_.chance(rarity_) ? rare[random_.index(4)] : Real(random_.symmetric());
      }
      default: return static_cast<Real>(random_.symmetric());
    }
  }

  Random& random_;
  EntryKind kind_;
  int size_ = 8;
  double rarity_ = 0;
};

/// By its logarithm, and those next to where something ends.
inline int hostile_extent(Random& random, int most) {
  if (random.chance(0.04)) return random.index(2);
  if (random.chance(0.25)) {
    constexpr int ends[] = {8, 16, 32, 64, 128, 256, 384, 1024, 2048};
    int const near = random.chance(0.7) ? ends[2 + random.index(3)] : ends[random.index(9)];
    return std::min(near + random.index(3) - 1, most);
  }
  return std::max(static_cast<int>(std::exp(random.uniform() * std::log(most + 1.0))), 1);
}

/// With a product of up to `most`: the others are drawn in the order of `dimensions`.
template <std::size_t N>
std::array<int, N> hostile_extents(Random& random, std::int64_t most) {
  std::array<std::size_t, N> order{};
  for (std::size_t d = 0; d < N; ++d) order[d] = d;
  for (std::size_t d = N; d-- > 1;) std::swap(order[d], order[size(random.index(int(d) + 1))]);
  std::array<int, N> extents{};
  std::int64_t left = random.chance(0.7) ? most / 40 : most;
  for (std::size_t const d : order) {
    extents[d] = hostile_extent(random, static_cast<int>(std::max<std::int64_t>(left, 1)));
    left /= std::max(extents[d], 1);
  }
  return extents;
}

inline int hostile_batch(Random& random, std::int64_t work) {
  auto const most = std::clamp<std::int64_t>(200'000 / (work + 1), 1, on_device ? 60 : 12);
  return random.chance(0.3) ? 1 : 1 + random.index(static_cast<int>(most));
}

inline MatrixOp any_op(Random& random) {
  return MatrixOp(random.index(3));
}
[[nodiscard]] constexpr std::string_view name_of(MatrixOp op) {
  return op == MatrixOp::identity ? "N" : op == MatrixOp::transpose ? "T" : "C";
}

template <class T>
std::string number_text(T const& x) {
  std::ostringstream text;
  text.precision(std::numeric_limits<detail::RealOf<T>>::max_digits10);
  text << x;
  return text.str();
}

template <class T>
constexpr std::string_view scalar_name = sizeof(detail::RealOf<T>) == 4
                                             ? (detail::is_complex<T> ? "complex_single" : "single")
                                             : (detail::is_complex<T> ? "complex_double"
                                                                      : "double");

}  // namespace carroll::test
