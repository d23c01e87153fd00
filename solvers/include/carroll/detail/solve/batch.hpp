// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/field.hpp>
#include <carroll/detail/strided.hpp>
#include <carroll/solve/types.hpp>
#include <cstddef>
#include <cstdint>

/// What a kernel sees of the systems of a call.
namespace carroll::detail {

/// One system: its views and its slice of the workspace.
template <class Value>
struct SolveProblem {
  int n, columns;
  StridedMatrix<Value const> a;
  StridedMatrix<Value const> b;  ///< of inverses nothing
  StridedMatrix<Value> x;
  SolveInfo<RealOf<Value>>* info;
  RealOf<Value>* reals;
  bool inverse;

  KOKKOS_FUNCTION bool inverts() const { return inverse; }
};

/// The caller's matrices.
template <class Value>
struct SolveViews {
  StridedBatch<Value const> a, b;  ///< of inverses no b
  StridedBatch<Value> x;
};

/// All systems of one call: hands out the k-th.
template <class Value>
struct SolveBatch : SolveViews<Value> {
  using SolveViews<Value>::a, SolveViews<Value>::b, SolveViews<Value>::x;
  bool condition;  ///< find or estimate it
  bool inverse;    ///< A⁻¹ is wanted
  RealOf<Value>* reals;
  std::int64_t distance;  ///< between members' slices of the workspace
  SolveInfo<RealOf<Value>>* infos;
  std::ptrdiff_t info_stride;

  KOKKOS_FUNCTION SolveProblem<Value> operator()(int k) const {
    return {static_cast<int>(x.extents[1]),
            static_cast<int>(x.extents[2]),
            member(a, k),
            member(b, k),
            member(x, k),
            infos + k * info_stride,
            reals + k * distance,
            inverse};
  }

 private:
  template <class T>
  KOKKOS_FUNCTION static StridedMatrix<T> member(StridedBatch<T> const& all, int k) {
    return {all.data ? all.data + k * all.strides[0] : nullptr, all.strides[1], all.strides[2]};
  }
};

/// Rows, or columns, whose largest entries are this many binary places apart are scaled.
inline constexpr int uneven_places = 5;
/// Matrices whose largest entry is within so many binary places of 1 are left as they are.
inline constexpr int near_one_places = 16;

/// Steps that the estimate of a condition takes at most, as LAPACK's do; two are usual.
inline constexpr int most_condition_steps = 4;

/// What went wrong with a right-hand side, or a matrix.
enum SolveFlags {
  side_not_finite = 1,
  side_broken = 2,
  side_overflow = 4,
  matrix_not_finite = 8,
  pivot_is_zero = 16
};

/// What is known of a system in the end.
template <class Real>
struct SolveVerdict {
  bool finite = true;     ///< A and B are
  bool singular = false;  ///< a pivot is 0
  bool broken = false;    ///< numbers of the elimination left the range
  bool overflow = false;  ///< an entry of X did
  Real growth = 1;
  Real rcond = 1;  ///< negative: not wanted

  /// Is there no X?
  KOKKOS_FUNCTION bool refuses() const { return !finite || singular || broken; }

  KOKKOS_FUNCTION SolveInfo<Real> info() const {
    Real const nan = Kokkos::Experimental::quiet_NaN_v<Real>;
    if (!finite) return {Status::non_finite, false, nan, nan};
    if (singular) return {Status::singular, true, Real(0), growth};
    if (broken) return {Status::breakdown, false, nan, growth};
    bool const ill = rcond >= Real(0) && rcond < Kokkos::Experimental::epsilon_v<Real>;
    return {overflow ? Status::overflow : Status::success, ill, rcond, growth};
  }
};

/// From ‖A‖₁ and ‖A⁻¹‖₁, which may be infinite or NaN: no digit is right then.
template <class Real>
KOKKOS_INLINE_FUNCTION Real reciprocal_condition(Real norm, Real inverse_norm) {
  Real const rcond = Real(1) / inverse_norm / norm;
  return rcond > Real(0) ? Kokkos::min(rcond, Real(1)) : Real(0);
}

}  // namespace carroll::detail
