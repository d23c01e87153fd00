// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <carroll/status.hpp>
#include <cstdint>

namespace carroll {

/// The kernels of `solve` and `inverse`. What does not fit the matrix or the device gives way to
/// `team`. The table that chooses is in detail/solve/dispatch.hpp.
enum class SolvePath {
  automatic,   ///< the first that fits, by size and device
  team,        ///< a team per matrix; any size, any device
  host_batch,  ///< hosts: a matrix in a lane of the vector registers
  warp,        ///< devices with warps: a matrix, or some, in the registers of one
  tiled,       ///< the same: panels in registers, the rest by tiles; n <= 2048
};

constexpr char const* to_string(SolvePath path) {
  switch (path) {
    case SolvePath::automatic: return "automatic";
    case SolvePath::team: return "team";
    case SolvePath::host_batch: return "host_batch";
    case SolvePath::warp: return "warp";
    case SolvePath::tiled: return "tiled";
  }
  return "unknown";
}
/// All of them.
inline constexpr std::array solve_paths{SolvePath::automatic, SolvePath::team,
                                        SolvePath::host_batch, SolvePath::warp, SolvePath::tiled};

struct SolveOptions {
  SolvePath path = SolvePath::automatic;
  /// Whether `solve` tells SolveInfo::rcond, of which no other result depends: estimated by some
  /// ten triangular solves, or, path `tiled`, found by 4n³/3 flops beside the solutions. `inverse`
  /// always has it, at no price.
  bool condition = true;
};

/// What happened to one matrix.
template <class Real>
struct SolveInfo {
  /// non_finite: A or B holds NaN or infinity; X is NaN.
  /// singular: a pivot is 0; X is NaN, rcond is 0. Where B is not finite either, one of both.
  /// breakdown: numbers of the elimination left the range; X is NaN, rcond unknown (NaN).
  /// overflow: an entry of X is beyond the range, and ±Inf; the others are right.
  Status status = Status::success;
  /// rcond < eps: X solves a system next to the given one, but may have no right digit (what
  /// LAPACK's gesvx says by INFO = n + 1).
  bool ill_conditioned = false;
  /// 1/(‖A‖₁·‖A⁻¹‖₁) of A as it is eliminated: the matrix itself, unless its rows or columns are
  /// of very different size and are scaled by powers of two first. By `inverse`, and on path
  /// `tiled`, from the inverse; by `solve` otherwise estimated, seldom more than three times too
  /// large; -1 where it is not wanted, of order 0 always 1.
  Real rcond = -1;
  /// Largest entry, of complex numbers by their largest part, that elimination has made over the
  /// largest of A: backward errors are at most about n·growth·eps. Partial pivoting leaves it small
  /// but for matrices made to show otherwise.
  Real growth = 0;
};

/// Shape of a uniform batch of `batch` systems of n equations with `columns` right-hand sides each.
struct SolveExtents {
  std::int64_t batch = 1;
  std::int64_t n = 0;
  std::int64_t columns = 1;
  bool inverse = false;  ///< right-hand sides are those of the identity; set by `inverse_workspace`
};

}  // namespace carroll
