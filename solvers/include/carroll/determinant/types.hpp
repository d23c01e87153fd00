// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Macros.hpp>
#include <carroll/scaled_number.hpp>
#include <carroll/status.hpp>
#include <cstdint>
#include <string_view>

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

/// The kernels that carry a method out, family by family: where, for which orders and by which code
/// stands in detail/determinant/dispatch.hpp. One that is asked for and cannot take a matrix's
/// order, its scalars, the method or the device is misuse. Families round differently.
enum class DeterminantPath {
  automatic,          ///< by order, scalars and device, and where bits are the same, the batch
  closed_form,        ///< a thread per matrix: orders up to 3
  thread_per_matrix,  ///< the matrix in a thread's registers, on devices with warps
  thread_stream,      ///< the same for order 8, the next matrices on their way meanwhile
  lanes_per_matrix,   ///< the matrix in the registers of some lanes, on devices with warps
  one_team,           ///< by row panels, a team per matrix, on devices with warps, as all below
  one_team_tiles,     ///< the same by tensor cores: double precision, orders 65 to 128
  per_panel,          ///< by row panels, a launch for each
  leader,             ///< by row panels: a leader team condenses the last ones, others update
  pipeline,           ///< by row panels: teams share them, updates go by tickets
  outer_blocks,       ///< outer blocks of row panels, and a matrix product for each
  host_closed_form,   ///< a lane per matrix, on hosts: orders up to 3
  host_batch,         ///< a lane per matrix, on hosts: orders up to 32
  host_scratch,       ///< a thread per matrix, on hosts: orders up to 256
  host_panels,        ///< all threads on one matrix, on hosts
  scratch,            ///< a team per matrix, which fits its scratch, on any device
  panels,             ///< one matrix, panels and a matrix product, on any device
  in_place,           ///< a team per matrix in global memory: condensation, salem_said, dodgson
  launches,  ///< two launches a pivot: condensation_in_place to condensation_read_only_column
};

/// The enumerator's name.
[[nodiscard]] constexpr std::string_view to_string(DeterminantPath path) noexcept {
  switch (path) {
    case DeterminantPath::automatic: return "automatic";
    case DeterminantPath::closed_form: return "closed_form";
    case DeterminantPath::thread_per_matrix: return "thread_per_matrix";
    case DeterminantPath::thread_stream: return "thread_stream";
    case DeterminantPath::lanes_per_matrix: return "lanes_per_matrix";
    case DeterminantPath::one_team: return "one_team";
    case DeterminantPath::one_team_tiles: return "one_team_tiles";
    case DeterminantPath::per_panel: return "per_panel";
    case DeterminantPath::leader: return "leader";
    case DeterminantPath::pipeline: return "pipeline";
    case DeterminantPath::outer_blocks: return "outer_blocks";
    case DeterminantPath::host_closed_form: return "host_closed_form";
    case DeterminantPath::host_batch: return "host_batch";
    case DeterminantPath::host_scratch: return "host_scratch";
    case DeterminantPath::host_panels: return "host_panels";
    case DeterminantPath::scratch: return "scratch";
    case DeterminantPath::panels: return "panels";
    case DeterminantPath::in_place: return "in_place";
    case DeterminantPath::launches: return "launches";
  }
  return "unknown";
}

struct DeterminantOptions {
  DeterminantMethod method = DeterminantMethod::blocked;
  DeterminantPath path = DeterminantPath::automatic;
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
