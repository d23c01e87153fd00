// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string_view>
#include <vector>

#include "support/random.hpp"

namespace carroll::test {

/// Vectors that sums find hard, or that have a special case to themselves.
enum class VectorKind {
  uniform,
  integers,     ///< small ones
  wide,         ///< exponents of all of the range
  graded,       ///< exponents of a part of it
  sorted,       ///< the same, by size
  cancelling,   ///< pairs of opposite terms, permuted, and a tiny one
  subnormal,    ///< and some next to that
  huge,         ///< next to overflow, of both signs
  one_huge,     ///< and many tiny ones
  alternating,  ///< the same number with both signs
  equal,        ///< one number
  zeros,        ///< of both signs, and hardly anything else
  special,      ///< NaN, infinities of both signs, zeros
  infinite,     ///< infinities of one sign
  ties,         ///< sums, and norms, in the middle between two numbers, or next to it
  residuals,    ///< products, and what they round to, with the other sign
};
inline constexpr std::array<std::string_view, 16> vector_kinds = {
    "uniform",   "integers", "wide",     "graded",      "sorted", "cancelling",
    "subnormal", "huge",     "one_huge", "alternating", "equal",  "zeros",
    "special",   "infinite", "ties",     "residuals"};

[[nodiscard]] constexpr std::string_view name_of(VectorKind kind) {
  return vector_kinds[static_cast<std::size_t>(kind)];
}

/// Two vectors of one kind, the parts of complex entries one behind the other.
template <class Real>
struct TwoVectors {
  std::vector<Real> x, y;
};

template <class Real>
class VectorsOf {
  using Limits = std::numeric_limits<Real>;

 public:
  VectorsOf(Random& random, VectorKind kind, int length, int parts)
      : random_(random), kind_(kind), length_(length), parts_(parts) {
    int const least = Limits::min_exponent - Limits::digits, most = Limits::max_exponent - 1;
    low_ = least + random.index(most - least);
    high_ = std::min(most, low_ + 1 + random.index(random.chance(0.5) ? 40 : most - least));
    one_ = power(low_ + random.index(high_ - low_));
  }

  [[nodiscard]] TwoVectors<Real> draw() {
    TwoVectors<Real> v;
    auto const reals = static_cast<std::size_t>(length_) * static_cast<std::size_t>(parts_);
    for (std::vector<Real>* of : {&v.x, &v.y}) {
      of->resize(reals);
      for (Real& x : *of) x = number();
    }
    if (kind_ == VectorKind::cancelling) cancel(v);
    if (kind_ == VectorKind::ties) tie(v);
    if (kind_ == VectorKind::residuals) leave_residuals(v);
    if (kind_ == VectorKind::sorted)
      std::sort(v.x.begin(), v.x.end(), [&](Real a, Real b) { return std::abs(a) < std::abs(b); });
    if (kind_ == VectorKind::alternating)
      for (std::size_t i = 0; i < reals; ++i) v.x[i] = i % 2 == 0 ? one_ : -one_;
    if (kind_ == VectorKind::one_huge && reals > 0) v.x[index(reals)] = Limits::max() / 2;
    return v;
  }

 private:
  std::size_t index(std::size_t count) {
    return static_cast<std::size_t>(random_.index(static_cast<int>(count)));
  }
  Real power(int e) { return std::ldexp(static_cast<Real>(1 + random_.uniform()), e); }
  Real signed_power(int low, int high) {
    Real const x = power(low + random_.index(std::max(high - low, 1)));
    return random_.index(2) == 0 ? x : -x;
  }
  Real number() {
    int const least = Limits::min_exponent - Limits::digits, most = Limits::max_exponent - 1;
    switch (kind_) {
      case VectorKind::uniform: return static_cast<Real>(random_.symmetric());
      case VectorKind::integers: return static_cast<Real>(random_.index(17) - 8);
      case VectorKind::wide: return signed_power(least, most);
      case VectorKind::subnormal: return signed_power(least, Limits::min_exponent + 4);
      case VectorKind::huge: return signed_power(most - 4, most);
      case VectorKind::one_huge: return signed_power(least, least + 80);
      case VectorKind::zeros:
        return random_.chance(0.01) ? signed_power(least, most) : Real(random_.sign() * 0.0);
      case VectorKind::equal:
      case VectorKind::alternating: return one_;
      case VectorKind::special: {
        constexpr Real rare[] = {Limits::quiet_NaN(), Limits::infinity(), -Limits::infinity(), 0,
                                 Limits::max()};
        return random_.chance(3.0 / (10 + length_)) ? rare[random_.index(5)]
                                                    : signed_power(least, most);
      }
      case VectorKind::infinite:
        return random_.chance(3.0 / (10 + length_)) ? Limits::infinity() : signed_power(-9, 9);
      default: return signed_power(low_, high_);
    }
  }
  /// The second half of x becomes the opposite of the first, entries change places, and one of them
  /// is tiny.
  void cancel(TwoVectors<Real>& v) {
    auto const n = static_cast<std::size_t>(length_), parts = static_cast<std::size_t>(parts_);
    for (std::size_t i = 0; i < n / 2 * parts; ++i) {
      v.x[n / 2 * parts + i] = -v.x[i];
      v.y[n / 2 * parts + i] = v.y[i];
    }
    permute(v);
    if (n > 0 && random_.chance(0.7))
      v.x[index(n * parts)] += signed_power(Limits::min_exponent, low_ + 2);
  }

  void permute(TwoVectors<Real>& v) {
    auto const n = static_cast<std::size_t>(length_), parts = static_cast<std::size_t>(parts_);
    for (std::size_t i = n; i-- > 1;) {
      std::size_t const j = index(i + 1);
      for (std::size_t p = 0; p < parts; ++p) {
        std::swap(v.x[i * parts + p], v.x[j * parts + p]);
        std::swap(v.y[i * parts + p], v.y[j * parts + p]);
      }
    }
  }

  /// A number and half a unit of it, or two squares whose root has a bit too many, and maybe
  /// something tiny; else zeros.
  void tie(TwoVectors<Real>& v) {
    std::fill(v.x.begin(), v.x.end(), Real(0));
    std::fill(v.y.begin(), v.y.end(), Real(1));
    constexpr int digits = Limits::digits;
    int const low = Limits::min_exponent, e = low + random_.index(Limits::max_exponent - 2 - low);
    Real const tiny = signed_power(std::max(low - digits, e - 400), e - digits - 1);
    Real terms[3] = {power(e), std::ldexp(Real(random_.sign()), e - digits), tiny};
    if (random_.chance(0.5)) {  // 3², 4² and 5², times an odd number
      auto const least = static_cast<Real>(std::floor(std::ldexp(0.2, digits) + 1));
      Real const odd =
          2 * std::floor((least + static_cast<Real>(random_.uniform()) * least / 2) / 2) + 1;
      terms[0] = std::ldexp(3 * odd, e - digits);
      terms[1] = std::ldexp(4 * odd, e - digits);
    }
    auto const parts = static_cast<std::size_t>(parts_);
    std::size_t const count = random_.chance(0.7) ? 3 : 2;
    for (std::size_t k = 0; k < count && k < v.x.size() / parts; ++k) v.x[k * parts] = terms[k];
    permute(v);
  }

  /// Exponents of products are often where they, or their last bits, leave the range.
  void leave_residuals(TwoVectors<Real>& v) {
    auto const n = static_cast<std::size_t>(length_), parts = static_cast<std::size_t>(parts_);
    std::fill(v.x.begin(), v.x.end(), Real(0));
    std::fill(v.y.begin(), v.y.end(), Real(0));
    int const low = Limits::min_exponent - Limits::digits;
    int const product = random_.chance(0.5) ? low + random_.index(3 * Limits::digits)
                                            : low / 2 + random_.index(-low);
    for (std::size_t i = 0; i < n / 2; ++i) {
      int const e = product / 2 + random_.index(40) - 20;
      Real const a = signed_power(e, e + 1), b = signed_power(product - e, product - e + 2);
      v.x[i * parts] = a;
      v.y[i * parts] = b;
      v.x[(n / 2 + i) * parts] = -(a * b);
      v.y[(n / 2 + i) * parts] = 1;
    }
    permute(v);
  }

  Random& random_;
  VectorKind kind_;
  int length_, parts_;
  int low_ = 0, high_ = 1;
  Real one_ = 1;
};

}  // namespace carroll::test
