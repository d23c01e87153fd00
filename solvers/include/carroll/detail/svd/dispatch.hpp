// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/warp.hpp>
#include <carroll/detail/svd/fused/shape.hpp>
#include <carroll/detail/svd/warp/classes.hpp>
#include <carroll/detail/team.hpp>
#include <carroll/svd/types.hpp>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

/// Which path a matrix takes. It depends on the matrix' size, its precision and the device, never
/// on how many matrices there are: results must be the same bits in every batch.
///
/// - `registers`: on CUDA up to 32×32 (WarpClasses), on hosts up to 32 columns (SimdKernel);
/// - `tiles`: on CUDA otherwise, up to `most_tile_rows` rows; up to `most_fused_rows` rows in one
///   kernel (FusedClasses), beyond in a sequence of them; on hosts of more than 32 columns
///   (HostBlocksKernel);
/// - `team`: all else.
///
/// Single precision takes `registers` on devices with full-rate double arithmetic only: it is
/// worked on in double. The limits inside `tiles` are in tiled/launch.hpp.
namespace carroll::detail {

/// Rows beyond which the teams that share a tile's columns, and wait for one another, would be more
/// than a small device's multiprocessors: 4 in single, 8 in double precision.
inline constexpr int most_tile_rows = 8192;

/// May a rows×cols problem, rows >= cols, be worked on by SimdKernel? Where it may it always is,
/// whatever the batch, so that its bits do not depend on that.
template <class ExecSpace>
constexpr bool simd_path_fits(std::int64_t rows, std::int64_t cols) {
  return lanes<ExecSpace> == 1 && cols >= 1 && cols <= 32 && rows <= 1024;
}

/// May the options be carried out in registers?
constexpr bool has_registers(SvdOptions const& options) {
  return options.method == SvdMethod::preconditioned &&
         (options.path == SvdPath::automatic || options.path == SvdPath::registers);
}

/// Or in tiles?
constexpr bool has_tiles(SvdOptions const& options) {
  return options.method == SvdMethod::preconditioned &&
         (options.path == SvdPath::automatic || options.path == SvdPath::tiles);
}

/// rows >= cols.
///
/// Most paths find V from U; where the caller's tolerance leaves U further from orthonormal than
/// rounding does, V has to come from the rotations themselves, as on a host's `registers` and on
/// `team`.
template <class ExecSpace, class Real>
constexpr SvdPath choose_path(SvdOptions const& options, std::int64_t rows, std::int64_t cols) {
  if (options.method != SvdMethod::preconditioned || cols == 0) return SvdPath::team;
  if (has_registers(options) && simd_path_fits<ExecSpace>(rows, cols)) return SvdPath::registers;
  bool const tight = options.tolerance <= 8 * std::numeric_limits<Real>::epsilon();
  if (!tight) return SvdPath::team;
  if (lanes<ExecSpace> == 1)
    return has_tiles(options) && cols > 32 ? SvdPath::tiles : SvdPath::team;
  if (!has_warps<ExecSpace>) return SvdPath::team;
  if (has_registers(options) && warp_path_fits<ExecSpace, Real>(rows, cols))
    return SvdPath::registers;
  return has_tiles(options) && rows <= most_tile_rows ? SvdPath::tiles : SvdPath::team;
}

/// Members of a batch by path, on devices with warps: a bin for each class of `registers`, one for
/// each of the classes of `tiles` that are fused into one kernel, one for the rest of `tiles`, one
/// for `team`. The members of bin k are list[first[k]] to list[first[k + 1]].
struct PathBins {
  static constexpr int fused = WarpClasses::count;
  static constexpr int tiles = fused + fused_classes;
  static constexpr int team = tiles + 1;
  static constexpr int count = team + 1;

  Kokkos::Array<int, count + 1> first{};

  [[nodiscard]] int size(int k) const { return first[k + 1] - first[k]; }

  template <class ExecSpace, class Real>
  static constexpr int bin_of(SvdOptions const& options, std::int64_t rows, std::int64_t cols) {
    SvdPath const path = choose_path<ExecSpace, Real>(options, rows, cols);
    return path == SvdPath::registers ? WarpClasses::class_of(rows, cols)
           : path == SvdPath::tiles   ? fused + FusedClasses<Real>::class_of(rows, cols)
                                      : team;
  }

  /// All members in one bin.
  static PathBins only(int bin, int members) {
    PathBins bins;
    for (int k = bin + 1; k <= count; ++k) bins.first[k] = members;
    return bins;
  }

  /// Sorts members, given the bin of each.
  static std::pair<PathBins, std::vector<int>> sort(std::span<int const> bin_of_member) {
    PathBins bins;
    for (int const bin : bin_of_member) ++bins.first[bin + 1];
    for (int k = 0; k < count; ++k) bins.first[k + 1] += bins.first[k];
    auto next = bins.first;
    std::vector<int> list(bin_of_member.size());
    for (std::size_t b = 0; b < bin_of_member.size(); ++b)
      list[static_cast<std::size_t>(next[bin_of_member[b]]++)] = static_cast<int>(b);
    return {bins, list};
  }
};

/// Extents that bound every member of a call, and which members take which path.
struct SvdBounds {
  int members;
  int rows;           ///< of the longer side
  int cols;           ///< of the shorter side
  int tile_rows = 0;  ///< the same of the members on the tile path
  int tile_cols = 0;
  PathBins bins = {};
  int const* binned = nullptr;  ///< members in the order of the bins; null: in their own
};

}  // namespace carroll::detail
