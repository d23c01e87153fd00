// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/rounding.hpp>
#include <carroll/detail/field.hpp>
#include <carroll/detail/power_of_two.hpp>
#include <carroll/detail/reduction/sums.hpp>
#include <carroll/reduction/types.hpp>
#include <cstdint>
#include <type_traits>

/// What the reductions add, in the words of the canonical tree.
///
///   chunk    1024 consecutive terms, counted from the first of the vector; the last has fewer
///   row      the terms of a chunk that are 256 bytes (512 of complex double) apart from the next
///   lane     the first, second, … of every row: a chunk is added row by row, lane by lane
///   halves   then the upper half of the lanes is added to the lower one, until one is left
///   pairs    sums of chunks 2k and 2k + 1 are added, then of those sums, …; one without a
///            neighbour goes on as it is
///
/// Nothing in it depends on who adds: a lane is one of a vector register's or of a warp's, a chunk
/// is one thread's, warp's or rank's. Terms that are not there are -0.
namespace carroll::detail {

enum class Reduction : int { sum, asum, dot, norm2, max_abs };

inline constexpr int chunk_terms = 1024;
template <class T>
inline constexpr int row_terms = sizeof(T) == 4 ? 64 : 32;

/// The larger of absolute values, in place of a sum. Compared as whole numbers, among which NaN is
/// larger than infinity.
template <class Number>
struct Largest {
  Number largest = Number(0.0F);

  KOKKOS_FORCEINLINE_FUNCTION void add(Number const& x) { largest = larger_size(largest, x); }
  KOKKOS_FORCEINLINE_FUNCTION void join(Largest const& other) { add(other.largest); }
  KOKKOS_FORCEINLINE_FUNCTION Number rounded() const { return largest; }
  template <class F>
  KOKKOS_FORCEINLINE_FUNCTION auto each(F const& f) const {
    return Largest<decltype(f(largest))>{f(largest)};
  }
};

/// What a chunk of squares comes to: sum·4^exponent.
template <class Sum>
struct ScaledSquares {
  Sum sum;
  int exponent = 0;

  KOKKOS_FUNCTION bool is_zero() const { return sum.rounded() == 0; }
  KOKKOS_FUNCTION void join(ScaledSquares other) {
    if (other.exponent != exponent) {
      if (other.is_zero()) return;
      if (is_zero()) {
        *this = other;
        return;
      }
      auto const size = [](ScaledSquares const& x) {
        return exponent_of(x.sum.rounded()) + 2 * x.exponent;
      };
      int const common = Kokkos::max(size(*this), size(other)) >> 1;
      shift_to(common);
      other.shift_to(common);
    }
    sum.join(other.sum);
  }
  KOKKOS_FUNCTION void shift_to(int common) {
    int const by = 2 * (exponent - common);
    sum = sum.each([by](auto x) { return scale(x, by); });
    exponent = common;
  }
  template <class F>
  KOKKOS_FORCEINLINE_FUNCTION ScaledSquares each(F const& f) const {
    return {sum.each(f), f(exponent)};
  }
};

/// Some sums side by side.
template <class Sum, int N>
struct SumsOf {
  Sum of[N];

  KOKKOS_FORCEINLINE_FUNCTION void join(SumsOf const& other) {
    for (int k = 0; k < N; ++k) of[k].join(other.of[k]);
  }
  template <class F>
  KOKKOS_FORCEINLINE_FUNCTION SumsOf each(F const& f) const {
    SumsOf result;
    for (int k = 0; k < N; ++k) result.of[k] = of[k].each(f);
    return result;
  }
};

/// One of the reductions, of vectors over T, by sums of the given kind.
template <Reduction R, class ScalarType, template <class> class SumOf>
struct Operation {
  using T = ScalarType;
  using Real = RealOf<T>;
  static constexpr Reduction reduction = R;
  static constexpr bool two_vectors = R == Reduction::dot;
  static constexpr bool squares = R == Reduction::norm2;
  static constexpr int parts = is_complex<T> ? 2 : 1;
  /// Real numbers in a row, a part of a complex one each.
  static constexpr int row = row_terms<T> * parts;
  /// Sums that the halving leaves: of real and imaginary parts, where they are not one.
  static constexpr int kept = R == Reduction::sum || two_vectors ? parts : 1;
  /// Products of like parts and, of complex numbers, of unlike ones.
  static constexpr int streams = two_vectors ? parts : 1;

  /// Of one lane, or of as many as a Number has.
  template <class Number>
  struct Lane {
    SumOf<Number> of[streams];

    KOKKOS_FORCEINLINE_FUNCTION void add(Number const& x) {
      if constexpr (R == Reduction::sum || R == Reduction::max_abs)
        of[0].add(x);
      else if constexpr (R == Reduction::asum)
        of[0].add(absolute(x));
      else
        of[0].add_product(x, x);
    }
    /// `swapped`: y with the parts of complex numbers exchanged.
    KOKKOS_FORCEINLINE_FUNCTION void add(Number const& x, Number const& y, Number const& swapped) {
      of[0].add_product(x, y);
      if constexpr (streams == 2) of[1].add_product(x, swapped);
    }
    KOKKOS_FORCEINLINE_FUNCTION void join(Lane const& other) {
      for (int k = 0; k < streams; ++k) of[k].join(other.of[k]);
    }
    template <class F>
    KOKKOS_FORCEINLINE_FUNCTION auto each(F const& f) const {
      Lane<decltype(f(Number()))> result;
      for (int k = 0; k < streams; ++k) result.of[k] = of[k].each(f);
      return result;
    }
  };

  /// Of a chunk or of many: the kept lanes.
  using Partial =
      std::conditional_t<squares, ScaledSquares<SumOf<Real>>, SumsOf<SumOf<Real>, kept * streams>>;

  KOKKOS_FORCEINLINE_FUNCTION static Partial partial(Lane<Real> const (&lanes)[kept]) {
    Partial result;
    if constexpr (squares)
      result.sum = lanes[0].of[0];
    else
      for (int k = 0; k < kept; ++k)
        for (int s = 0; s < streams; ++s) result.of[s * kept + k] = lanes[k].of[s];
    return result;
  }

  /// Squares are scaled where their sum may have left the range, or may do so: the sums of 2^30
  /// chunks have room above, and what underflows is less than half an ulp of what does not.
  KOKKOS_INLINE_FUNCTION static bool needs_scaling(Partial const& p) {
    if constexpr (squares) {
      constexpr bool single = sizeof(Real) == 4;
      Real const sum = p.sum.rounded();
      return !(sum >= power_of_two<Real>(single ? -60 : -900) &&
               sum <= power_of_two<Real>(single ? 90 : 980));
    }
    return false;
  }

  /// Absolute values are real.
  using Value = std::conditional_t<R == Reduction::sum || two_vectors, T, Real>;

  /// What a call writes of a member.
  template <class Batch>
  KOKKOS_FORCEINLINE_FUNCTION static void store(Batch const& batch, std::int64_t member,
                                                Partial const& sum) {
    if (batch.sums)
      static_cast<Partial*>(batch.sums)[member] = sum;
    else
      batch.infos[member * batch.info_stride] = info(sum, batch.conjugate);
  }

  KOKKOS_INLINE_FUNCTION static ReductionInfo<Value> info(Partial p, bool conjugate) {
    if constexpr (squares) {
      Real const sum = Kokkos::abs(p.sum.rounded());
      auto info = checked<Value>(scale(Kokkos::sqrt(sum), p.exponent));
      if (info.status != Status::success && sum - sum == Real(0)) info.status = Status::overflow;
      return info;
    } else if constexpr (two_vectors && parts == 2) {
      // Σ re·re and Σ im·im, Σ re·im and Σ im·re.
      p.of[conjugate ? 3 : 1].negate();
      p.of[0].join(p.of[1]);
      p.of[2].join(p.of[3]);
      return checked<Value>(Value(p.of[0].rounded(), p.of[2].rounded()));
    } else if constexpr (parts == 2 && kept == 2) {
      return checked<Value>(Value(p.of[0].rounded(), p.of[1].rounded()));
    } else {
      return checked<Value>(p.of[0].rounded());
    }
  }

 private:
  /// NaN is one NaN and 0 is +0, on all devices.
  template <class V>
  KOKKOS_INLINE_FUNCTION static ReductionInfo<V> checked(V const& value) {
    bool finite = true;
    auto const check = [&](Real x) {
      finite = finite && x - x == Real(0);
      return x == x ? x + Real(0) : Kokkos::Experimental::quiet_NaN_v<Real>;
    };
    ReductionInfo<V> info;
    if constexpr (is_complex<V>)
      info.value = V(check(value.real()), check(value.imag()));
    else
      info.value = check(value);
    info.status = finite ? Status::success : Status::non_finite;
    return info;
  }
};

}  // namespace carroll::detail
