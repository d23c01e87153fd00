// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Macros.hpp>
#include <carroll/scaled_number.hpp>
#include <carroll/status.hpp>
#include <cstdint>

namespace carroll {

/// The algorithm behind `determinant`.
enum class DeterminantMethod {
  /// Condensation by several rows at a time, the trailing matrix updated by a matrix product. Up to
  /// 3×3 closed forms.
  blocked,
  /// Condensation by one row at a time: the largest entry of the row is moved to its end, the row
  /// divided by it, the rest reduced by a rank-1 update. Gaussian elimination of the reversed
  /// transpose with partial pivoting.
  condensation,
  /// Condensation to 2×2 minors with the first non-zero entry of a row (Salem and Said, 2007).
  /// Without pivoting by size: rounding errors can grow without bound, up to a value of which
  /// nothing is right, or 0. Nothing is divided by minors, so that it never breaks down.
  salem_said,
  /// Condensation to connected minors (Dodgson, Proc. R. Soc. Lond. 15, 1866). Divides by minors of
  /// the interior: Status::breakdown where one is zero, or what cancellation has left of less than
  /// half of its digits. For matrices whose minors are all far from zero.
  dodgson,
  /// The study of condensation on a GPU that Carroll grew from (Miti, 2014), to draw its figures
  /// again: `condensation` with two launches per pivot, for its row and for all that is left.
  condensation_in_place,
  /// The same, the rest written to a second array, which takes the place of the first: the study's
  /// form for devices. n² more entries of workspace.
  condensation_ping_pong,
  /// The same, the first array read through a device's read-only cache: the study's textures.
  condensation_read_only,
  /// The same, of which only a copy of the pivot's column is read through that cache.
  condensation_read_only_column,
};

struct DeterminantOptions {
  DeterminantMethod method = DeterminantMethod::blocked;
};

/// The determinant of one matrix of scalars T, and how it was found.
template <class T>
struct DeterminantInfo {
  /// success; singular: a pivot was exactly 0, and so is value, which proves det A = 0 only up to
  /// 3×3 and by `blocked` (certified_determinant.hpp and integer_determinant.hpp prove it);
  /// non_finite: A has NaN or infinities, value is NaN; breakdown (DeterminantMethod::dodgson, no
  /// other): value is NaN.
  Status status = Status::success;
  ScaledNumber<T> value = ScaledNumber<T>(T(1));
  /// Of elimination (blocked, condensation): the largest pivot relative to the largest entry that
  /// its row had in A, on GPUs in double precision to 20 bits. About n·growth·eps·cond(A) bounds
  /// the relative error. 1 for closed forms, 0 where the method has no pivots chosen by size,
  /// infinite beyond its type's range.
  detail::RealOf<T> growth = 1;
};

/// Shape of a uniform batch of `batch` matrices of order n.
struct DeterminantExtents {
  std::int64_t batch = 1;
  std::int64_t n = 0;
  /// The matrices are not to be overwritten: the workspace has room for copies where they are
  /// needed; for `blocked` of one matrix at a time on hosts, of all beyond order 32 on GPUs.
  bool keep = false;
};

}  // namespace carroll
