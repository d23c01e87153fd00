// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Macros.hpp>
#include <carroll/concepts.hpp>
#include <carroll/scaled_number.hpp>
#include <carroll/status.hpp>
#include <cstdint>

namespace carroll {

/// What has been proved of the determinant of one matrix of Reals: lower <= det A <= upper.
template <class Real>
struct CertifiedDeterminantInfo {
  /// success: the interval leaves out 0, so that the sign is proved; singular: the determinant is
  /// proved to be 0, and so are all three numbers; not_certified: the interval contains 0, but is
  /// still right; non_finite: A has NaN or infinities, and the numbers are NaN.
  Status status = Status::success;
  ScaledNumber<Real> lower = ScaledNumber<Real>(Real(1));
  ScaledNumber<Real> upper = ScaledNumber<Real>(Real(1));
  /// Between the two: the determinant found by elimination, corrected by what the proof has told of
  /// its error. Up to 3×3 the number next to it.
  ScaledNumber<Real> value = ScaledNumber<Real>(Real(1));
};

/// Shape of a uniform batch of `batch` matrices of order n.
struct CertifiedDeterminantExtents {
  std::int64_t batch = 1;
  std::int64_t n = 0;
};

}  // namespace carroll
