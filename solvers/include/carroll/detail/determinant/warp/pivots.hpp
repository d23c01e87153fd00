// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/determinant/problem.hpp>
#include <carroll/detail/device/math.hpp>
#include <carroll/detail/device/warp.hpp>
#include <cstdint>
#include <type_traits>

/// What the kernels that hold matrices in registers share: scaling of rows by their magnitudes (see
/// device/warp.hpp), division by a pivot, and the product of pivots. All without branches but for
/// what is rare.
namespace carroll::detail {

/// Bits of a magnitude below the exponent field.
template <class Real>
inline constexpr int magnitude_bits = mantissa_bits<Real> - 8 * (int(sizeof(Real)) - 4);

/// As many entries as a thread moves at once.
template <class T>
struct alignas(16) RegisterChunk {
  static constexpr int size = 16 / int(sizeof(T));
  T entry[size];
};

/// A row whose largest entry has the magnitude `top`: the power of two that brings it into
/// [1/2, 1), or, where that is none or the row is subnormal, as close as a factor can.
template <class Real>
class RowScale {
 public:
  KOKKOS_FUNCTION explicit RowScale(int top)
      : field_(Kokkos::max(2 * exponent_bias<Real> - 1 - (top >> magnitude_bits<Real>), 1)) {}

  KOKKOS_FUNCTION Real factor() const { return of_magnitude<Real>(field_ << magnitude_bits<Real>); }
  /// Log₂ of what the factor takes out of the row.
  KOKKOS_FUNCTION int exponent() const { return exponent_bias<Real> - field_; }

  /// Is the largest entry brought into [1/2, 1)? Not if it is zero, NaN or infinite.
  KOKKOS_FUNCTION static bool is_exact(int top) {
    int const field = top >> magnitude_bits<Real>;
    return field >= 1 && field <= 2 * exponent_bias<Real> - 2;
  }
  KOKKOS_FUNCTION static bool is_finite(int top) {
    return top >> magnitude_bits<Real> <= 2 * exponent_bias<Real>;
  }
  /// Is no scaling wanted? So close to 1 it would change nothing but exponents; zero, NaN and
  /// infinite rows cannot be helped.
  KOKKOS_FUNCTION static bool is_moderate(int top) {
    constexpr int reach = exponent_bias<Real> / 8;
    int const field = top >> magnitude_bits<Real>;
    return (field >= exponent_bias<Real> - reach && field <= exponent_bias<Real> + reach) ||
           top == 0 || !is_finite(top);
  }
  /// The scaled row's largest entry.
  KOKKOS_FUNCTION static Real scaled(int top) {
    constexpr int mantissa = (1 << magnitude_bits<Real>)-1;
    constexpr int half = (exponent_bias<Real> - 1) << magnitude_bits<Real>;
    return of_magnitude<Real>((top & mantissa) | half);
  }

 private:
  int field_;  ///< the factor's biased exponent
};

/// Pivots below this have their row multiplied by `pivot_lift` first, so that they and their
/// reciprocals are normal numbers.
template <class Real>
inline constexpr int least_pivot = (exponent_bias<Real> / 8) << magnitude_bits<Real>;
template <class Real>
inline constexpr int pivot_lift = exponent_bias<Real> / 2;

/// x/pivot for numbers far from the ends of the range, rounded correctly but for the last bit now
/// and then; 1 for the pivot itself, 0 where it is 0.
template <class Real>
class PivotDivision {
 public:
  KOKKOS_FUNCTION explicit PivotDivision(Real pivot) : pivot_(pivot) {
    Real const rough = rough_reciprocal(pivot);
    if constexpr (sizeof(Real) == sizeof(double))
      reciprocal_ = refined_reciprocal(pivot, rough);
    else
      reciprocal_ = rough;
    if (pivot == Real(0)) reciprocal_ = 0;
  }
  KOKKOS_FUNCTION Real operator()(Real x) const {
    Real const quotient = x * reciprocal_;
    return Kokkos::fma(Kokkos::fma(-quotient, pivot_, x), reciprocal_, quotient);
  }

 private:
  Real pivot_, reciprocal_;
};

/// The product of up to 64 pivots, none of them subnormal, and the largest growth of their rows.
template <class Real>
struct PivotProduct {
  Real mantissa = 1;  ///< a product of numbers in [1, 2), signs included
  int exponent = 0;
  Real growth = 1;
  bool zero = false;

  KOKKOS_FUNCTION void take(Real pivot, Real row_top) {
    using Bits = BitsOf<Real>;
    constexpr Bits keep =
        ~(((Bits{1} << (8 * sizeof(Real) - 1 - mantissa_bits<Real>)) - 1) << mantissa_bits<Real>);
    mantissa *= Kokkos::bit_cast<Real>((Kokkos::bit_cast<Bits>(pivot) & keep) |
                                       Kokkos::bit_cast<Bits>(Real(1)));
    exponent += (magnitude(pivot) >> magnitude_bits<Real>)-exponent_bias<Real>;
    growth = Kokkos::fmax(growth, PivotDivision<Real>(row_top)(Kokkos::abs(pivot)));
    zero = zero || pivot == Real(0);
  }

  /// With all pivots in: the determinant, if row scaling and lifts took out 2^scaled.
  KOKKOS_FUNCTION DeterminantInfo<Real> info(int scaled, bool negative, bool finite) const {
    DeterminantState<Real> state;
    state.info.growth = growth;
    if (!finite)
      state.finish(Status::non_finite);
    else if (zero)
      state.finish(Status::singular);
    else
      state.info.value = ScaledNumber<Real>(negative ? -mantissa : mantissa, exponent + scaled);
    return state.info;
  }
};

/// The smallest magnitude of the entries that are not zero, for the question whether a row might
/// be wide.
template <class Real>
struct LeastMagnitude {
  std::uint32_t less_one = 0xffffffffU;

  KOKKOS_FUNCTION void add(Real x) {
    auto bits = static_cast<std::uint32_t>(magnitude(x));
    if constexpr (sizeof(Real) == sizeof(double))  // nor is a small subnormal number zero
      bits += Kokkos::min(static_cast<std::uint32_t>(Kokkos::bit_cast<std::uint64_t>(x)), 1U);
    less_one = Kokkos::min(less_one, bits - 1);
  }
  /// Is it more than widest_row below `top`? Also true for subnormal numbers and close to that.
  KOKKOS_FUNCTION bool far_below(int top) const {
    if (less_one == 0xffffffffU) return false;
    int const field = static_cast<int>(less_one >> magnitude_bits<Real>);
    return field == 0 || (top >> magnitude_bits<Real>)-field > widest_row<Real>;
  }
};

/// The same question for the least magnitude of all entries, zero among them: false where it is not
/// so for sure.
template <class Real>
KOKKOS_INLINE_FUNCTION bool is_far_below(int least, int top) {
  int const field = least >> magnitude_bits<Real>;
  return field == 0 || (top >> magnitude_bits<Real>)-field > widest_row<Real>;
}

/// The largest and the least magnitude of some entries. NaN counts as the largest or not at all.
template <class Real>
class Magnitudes {
 public:
  KOKKOS_FUNCTION void raise(Real x) {
    if constexpr (sizeof(Real) == sizeof(float))
      high_ = Kokkos::fmax(high_, Kokkos::abs(x));
    else
      high_ = Kokkos::max(high_, magnitude(x));
  }
  KOKKOS_FUNCTION void lower(Real x) {
    if constexpr (sizeof(Real) == sizeof(float))
      low_ = Kokkos::fmin(low_, Kokkos::abs(x));
    else
      low_ = Kokkos::min(low_, magnitude(x));
  }
  KOKKOS_FUNCTION int highest() const {
    if constexpr (sizeof(Real) == sizeof(float))
      return magnitude(high_);
    else
      return high_;
  }
  KOKKOS_FUNCTION int lowest() const {
    if constexpr (sizeof(Real) == sizeof(float))
      return magnitude(low_);
    else
      return low_;
  }

 private:
  using Ordered = std::conditional_t<sizeof(Real) == sizeof(float), float, int>;
  Ordered high_ = 0;
  Ordered low_ = Kokkos::Experimental::finite_max_v<Ordered>;
};

/// The same question, exactly, for a whole row.
template <class Real>
KOKKOS_INLINE_FUNCTION bool is_wide(Real high, Real low) {
  return high > 0 && exponent_of(high) - exponent_of(low) > widest_row<Real>;
}

}  // namespace carroll::detail
