// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Macros.hpp>
#include <array>
#include <carroll/none.hpp>
#include <carroll/status.hpp>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace carroll {

/// The algorithm behind `svd`.
enum class SvdMethod {
  /// Two pivoted QR factorisations, then one-sided Jacobi on the triangular factor (Drmač and
  /// Veselić, SIAM J. Matrix Anal. Appl. 29(4), 2008). Fast and of high relative accuracy.
  preconditioned,
  /// One-sided Jacobi on A, column pairs in row-cyclic order, one after the other. A column that
  /// sinks below an ulp of what it has been, as dependent columns do, counts as zero.
  cyclic,
  /// One-sided Jacobi on A, n/2 disjoint column pairs at a time in round-robin order, a launch per
  /// set of pairs: the parallel algorithm of Orlandini and Pagliuca's Jetson TK1 study (2020). Sunk
  /// columns as in `cyclic`.
  round_robin,
};

/// Where `SvdMethod::round_robin` keeps what a pair works on.
enum class Placement {
  global,       ///< columns in global memory, scalars in registers
  semi_shared,  ///< columns in global memory, scalars in team scratch
  shared,       ///< both columns and the scalars in team scratch
};

/// The kernels that carry out SvdMethod::preconditioned. What does not fit the matrix or the device
/// gives way to `team`. The table that chooses is in detail/svd/dispatch.hpp.
enum class SvdPath {
  automatic,   ///< the first that fits, by size, precision and device
  team,        ///< a team per matrix; any size, any device
  registers,   ///< the first of `warp`, `slim` and `host_batch` that fits
  tiles,       ///< the first of `eigenbasis`, `spectral`, `fused`, `tiled`, `gram` and
               ///< `host_block` that fits
  warp,        ///< devices with warps: the matrix in a warp's registers, up to 32 rows
  slim,        ///< rows in a warp's lanes, up to 512 of 4 columns, 256 of 8 or 128 of 16
  fused,       ///< in a team's registers, up to 128 rows
  tiled,       ///< 16 columns in a team's registers, up to 8192 rows and 128 or 160 columns
  gram,        ///< the same, swept by Gram matrices of 64 columns, from 65 columns on
  eigenbasis,  ///< the same, begun with eigenvectors; devices with tensor cores for double
  spectral,    ///< the same, by the device's vendor's library
  host_batch,  ///< hosts: a matrix in a lane of the vector registers, up to 32 columns
  host_block,  ///< blocks of columns in cache, from 33 columns on
};

constexpr char const* to_string(SvdPath path) {
  switch (path) {
    case SvdPath::automatic: return "automatic";
    case SvdPath::team: return "team";
    case SvdPath::registers: return "registers";
    case SvdPath::tiles: return "tiles";
    case SvdPath::warp: return "warp";
    case SvdPath::slim: return "slim";
    case SvdPath::fused: return "fused";
    case SvdPath::tiled: return "tiled";
    case SvdPath::gram: return "gram";
    case SvdPath::eigenbasis: return "eigenbasis";
    case SvdPath::spectral: return "spectral";
    case SvdPath::host_batch: return "host_batch";
    case SvdPath::host_block: return "host_block";
  }
  return "unknown";
}
/// All of them.
inline constexpr std::array svd_paths{SvdPath::automatic,  SvdPath::team,     SvdPath::registers,
                                      SvdPath::tiles,      SvdPath::warp,     SvdPath::slim,
                                      SvdPath::fused,      SvdPath::tiled,    SvdPath::gram,
                                      SvdPath::eigenbasis, SvdPath::spectral, SvdPath::host_batch,
                                      SvdPath::host_block};

/// Which singular vectors of one side are wanted: none, min(m, n) of them, or a square matrix.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"  // g++ takes SvdVectors::none for carroll::none's shadow
enum class SvdVectors { none, thin, full };
#pragma GCC diagnostic pop

struct SvdOptions {
  SvdMethod method = SvdMethod::preconditioned;
  Placement placement = Placement::shared;
  SvdPath path = SvdPath::automatic;
  /// Columns count as orthogonal when |aᵢ·aⱼ| <= tolerance·‖aᵢ‖‖aⱼ‖. What is below
  /// eps·max(2, √length/2), about as small as rounding allows, counts as that. Must be in [0, 1).
  double tolerance = 0;
  /// A sweep visits every pair of columns once. Reaching the limit is Status::not_converged: U, S
  /// and V are then where the sweeps stood, columns that are not orthogonal among them.
  int max_sweeps = 30;
};

/// What happened to one matrix. Sweeps and rotations are those that led to the result; where the
/// preconditioned method had to start again to accumulate its rotations, the first go is not
/// counted.
template <class Real>
struct SvdInfo {
  /// not_converged comes before overflow, since then the finite values are not right either; S(0)
  /// is +Inf in both cases if σ₁ is beyond the range.
  Status status = Status::success;
  /// Sweeps over all column pairs, the last, checking one included; with SvdPath::eigenbasis and
  /// SvdPath::spectral 0 where none was needed.
  int sweeps = 0;
  std::int64_t rotations = 0;  ///< column pairs that were rotated
  Real max_cosine = 0;         ///< largest |cosine| met in the last sweep, or bound of those left
  int rank = 0;                ///< singular values above max(m, n)·eps·σ₁
};

/// Shape of a uniform batch of `batch` matrices, and the vectors wanted of each.
struct SvdExtents {
  std::int64_t batch = 1;
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  SvdVectors u = SvdVectors::thin;
  SvdVectors v = SvdVectors::thin;
};

/// One matrix of a ragged batch: its extents, and where its A, U, S and V begin in rank-1 Views
/// that hold all members, each matrix column by column without gaps.
struct SvdMember {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::int64_t a = 0;
  std::int64_t u = 0;
  std::int64_t s = 0;
  std::int64_t v = 0;
};

namespace detail {

/// Columns of a singular-vector matrix with `length` rows, of a problem with `least` = min(m, n).
KOKKOS_INLINE_FUNCTION constexpr std::int64_t vector_columns(SvdVectors wanted, std::int64_t length,
                                                             std::int64_t least) {
  return wanted == SvdVectors::none ? 0 : wanted == SvdVectors::thin ? least : length;
}

}  // namespace detail

/// The members of a ragged batch packed one behind the other, from their (rows, cols).
[[nodiscard]] inline std::vector<SvdMember> svd_members(
    std::span<std::pair<std::int64_t, std::int64_t> const> extents, SvdVectors u = SvdVectors::thin,
    SvdVectors v = SvdVectors::thin) {
  std::vector<SvdMember> members;
  members.reserve(extents.size());
  SvdMember next;
  for (auto const& [rows, cols] : extents) {
    next.rows = rows;
    next.cols = cols;
    members.push_back(next);
    std::int64_t const least = rows < cols ? rows : cols;
    next.a += rows * cols;
    next.u += rows * detail::vector_columns(u, rows, least);
    next.s += least;
    next.v += cols * detail::vector_columns(v, cols, least);
  }
  return members;
}

}  // namespace carroll
