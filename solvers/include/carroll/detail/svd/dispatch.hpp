// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <array>
#include <carroll/detail/device/properties.hpp>
#include <carroll/detail/device/vendor/libraries.hpp>
#include <carroll/detail/device/warp.hpp>
#include <carroll/detail/qr/slim/shape.hpp>
#include <carroll/detail/svd/fused/shape.hpp>
#include <carroll/detail/svd/layout.hpp>
#include <carroll/detail/svd/warp/group.hpp>
#include <carroll/detail/team.hpp>
#include <carroll/svd/types.hpp>
#include <cstdint>
#include <limits>

/// Which kernels decompose a matrix: the one place that decides. Launches, workspaces, tests and
/// benchmarks read this table; its first row that fits is taken. It knows a matrix's size and
/// precision, the backend and the options, never how many matrices there are: results must be the
/// same bits in every batch. Rows are those of the longer side, m >= n.
///
/// | family     | where | range                  | a matrix is held by           | kernel in     |
/// | ---------- | ----- | ---------------------- | ----------------------------- | ------------- |
/// | study      | all   | cyclic, round_robin    | global memory, or scratch     | study/        |
/// | host_batch | hosts | m <= 1024, n <= 32     | a lane of vector registers    | host_batch/   |
/// | host_block | hosts | n > 32                 | caches, 16 columns at a time  | host_block/   |
/// | warp       | warps | m <= 32, see below     | lanes of a warp               | warp/         |
/// | slim       | warps | 32 < m <= 512, n <= 4; | rows in lanes of a warp; its  | slim/, warp/  |
/// |            |       | 256, 8; 128, 16; see   | triangle as by `warp`         |               |
/// |            |       | below                  |                               |               |
/// | eigenbasis | double| m <= 8192,             | as gram, and global memory    | eigenbasis/,  |
/// |            | tensor| 96 < n <= 1024; n > 64 | for eigenvectors; seldom      | then as gram, |
/// |            | cores | asked for by name      | sweeps                        | fused/rest    |
/// | spectral   | warps | m <= 8192, n >= 1024;  | the same, and as a library    | spectral/,    |
/// |            | and a | n > 64 asked for by    | of the device's vendor does;  | then as gram  |
/// |            | libra-| name                   | seldom sweeps                 |               |
/// |            | ry    |                        |                               |               |
/// | fused      | warps | m <= 128               | registers of a team           | fused/        |
/// | tiled      | warps | m <= 8192,             | registers, 16 columns a team; | tiled/        |
/// |            |       | n <= 160 (double: 128) | in the sweeps one team        |               |
/// | gram       | warps | m <= 8192, n > 64      | the same; in the sweeps pairs | tiled/, gram/ |
/// |            |       |                        | of 32 columns                 |               |
/// | team       | all   | everything             | memory, scratch where it fits | team/         |
///
/// - `warp` and `slim` are for single precision where a device has full-rate double arithmetic
///   alone, in which it is worked on there.
/// - All but `host_batch` and `team` find V from U. Where the caller's tolerance leaves U further
///   from orthonormal than rounding does, V has to come from the rotations themselves.
/// - What a family cannot finish (columns that vanish, sweeps that did not converge) is left to the
///   team kernels, in one launch behind it: team/fallback.hpp.
namespace carroll::detail {

enum class SvdFamily {
  study,
  host_batch,
  host_block,
  warp,
  slim,
  fused,
  tiled,
  gram,
  eigenbasis,
  spectral,
  team
};

/// What kernels run on: hosts; devices whose warps have kernels of their own; such with tensor
/// cores for double precision besides, with a DenseLibrary and fast arithmetic in double precision,
/// or with both; all else.
enum class SvdBackend { any, host, warps, tensors, library, both, other };

/// Tolerances on cosines that V can be found from U with.
enum class SvdTolerance { tight, any };

struct SvdRow {
  SvdFamily family;
  SvdPath path;   ///< asks for it
  SvdPath group;  ///< or this, for the first of several that fits
  SvdBackend where;
  int least_rows, most_rows;
  int least_cols, most_cols;
  SvdTolerance tolerance;
};

/// Rows beyond which the teams that share a tile's columns, and wait for one another, would be more
/// than a small device's multiprocessors: 4 in single, 8 in double precision.
inline constexpr int most_tile_rows = 8192;

/// Up to so many columns a warp holds a pair of blocks and a team a matrix; beyond, a team holds a
/// pair of blocks. In double precision ten tiles of 160 rows would want more registers than there
/// are.
template <class Real>
inline constexpr int most_tiled_cols = sizeof(Real) == 4 ? 160 : 128;

/// With a single pair of blocks a sweep would be one set, and GramMember::done would miss its end.
inline constexpr int least_gram_cols = gram_pair_columns + 1;

/// Columns from which on `spectral` is taken unasked: where a library that takes one matrix after
/// the other is no slower, per matrix, than `gram` with one (measured on an H200).
inline constexpr int least_spectral_cols = 1024;

/// Columns from which on, and up to which, `eigenbasis` is taken before it, unasked. From 100 on it
/// is faster than `tiled` and than the widest class of `fused`, up to 1024, the largest class of
/// `divided`, than `spectral`, in batches and alone (measured on an H200, 2026-11-28).
inline constexpr int least_eigenbasis_cols = 97, most_eigenbasis_cols = 1024;

/// The table, but for `study`, which the method asks for.
template <class Real>
constexpr auto svd_table() {
  constexpr int any = std::numeric_limits<int>::max();
  constexpr int warp_rows = has_warp_kernels<Real> ? WarpClasses::most_rows : 0;
  constexpr auto slim_rows = [](int cols) {
    return has_warp_kernels<Real> ? static_cast<int>(QrSlimShapes::most_rows(cols)) : 0;
  };
  constexpr int longer = WarpClasses::most_rows + 1;
  using F = SvdFamily;
  using P = SvdPath;
  using B = SvdBackend;
  using T = SvdTolerance;
  // family, path that asks for it, group; backend, rows from and up to, columns from and up to,
  // tolerance
  return std::to_array<SvdRow>({
      {F::host_batch, P::host_batch, P::registers, B::host, 0, 1024, 1, 32, T::any},
      {F::host_block, P::host_block, P::tiles, B::host, 0, any, 33, any, T::tight},
      {F::warp, P::warp, P::registers, B::warps, 0, warp_rows, 1, any, T::tight},
      {F::slim, P::slim, P::registers, B::warps, longer, slim_rows(4), 1, 4, T::tight},
      {F::slim, P::slim, P::registers, B::warps, longer, slim_rows(8), 1, 8, T::tight},
      {F::slim, P::slim, P::registers, B::warps, longer, slim_rows(16), 1, 16, T::tight},
      {F::eigenbasis, P::eigenbasis, P::tiles, B::tensors, 0, most_tile_rows, least_eigenbasis_cols,
       most_eigenbasis_cols, T::tight},
      {F::spectral, P::spectral, P::tiles, B::library, 0, most_tile_rows, least_spectral_cols, any,
       T::tight},
      {F::fused, P::fused, P::tiles, B::warps, 0, most_fused_rows, 1, any, T::tight},
      {F::tiled, P::tiled, P::tiles, B::warps, 0, most_tile_rows, 1, most_tiled_cols<Real>,
       T::tight},
      {F::gram, P::gram, P::tiles, B::warps, 0, most_tile_rows, least_gram_cols, any, T::tight},
      {F::eigenbasis, P::eigenbasis, P::eigenbasis, B::tensors, 0, most_tile_rows, least_gram_cols,
       any, T::tight},
      {F::spectral, P::spectral, P::spectral, B::library, 0, most_tile_rows, least_gram_cols, any,
       T::tight},
      {F::team, P::team, P::team, B::any, 0, any, 0, any, T::any},
  });
}

template <class ExecSpace>
inline constexpr SvdBackend svd_backend = [] {
  if (has_warps<ExecSpace>) {
    if (!has_dense_library<ExecSpace> || !has_fast_double)
      return has_double_tensor_cores ? SvdBackend::tensors : SvdBackend::warps;
    return has_double_tensor_cores ? SvdBackend::both : SvdBackend::library;
  }
  return lanes<ExecSpace> == 1 ? SvdBackend::host : SvdBackend::other;
}();

/// Has a backend what a row is for?
constexpr bool has_backend(SvdBackend backend, SvdBackend wanted) {
  bool const tensors = backend == SvdBackend::tensors || backend == SvdBackend::both;
  bool const library = backend == SvdBackend::library || backend == SvdBackend::both;
  return wanted == SvdBackend::any || wanted == backend ||
         (wanted == SvdBackend::warps && (tensors || library)) ||
         (wanted == SvdBackend::tensors && tensors) || (wanted == SvdBackend::library && library);
}

/// The family of a rows×cols problem, rows >= cols. Where what the options ask for does not fit it
/// is `team`.
template <class Real>
constexpr SvdFamily svd_family(SvdBackend backend, SvdOptions const& options, std::int64_t rows,
                               std::int64_t cols) {
  if (options.method != SvdMethod::preconditioned) return SvdFamily::study;
  bool const is_tight = options.tolerance <= 8 * std::numeric_limits<Real>::epsilon();
  for (SvdRow const& row : svd_table<Real>()) {
    bool const asked =
        options.path == SvdPath::automatic || options.path == row.path || options.path == row.group;
    bool const fits = row.least_rows <= rows && rows <= row.most_rows && row.least_cols <= cols &&
                      cols <= row.most_cols;
    if (asked && has_backend(backend, row.where) && fits &&
        (is_tight || row.tolerance == SvdTolerance::any))
      return row.family;
  }
  return SvdFamily::team;
}
template <class ExecSpace, class Real>
constexpr SvdFamily svd_family(SvdOptions const& options, std::int64_t rows, std::int64_t cols) {
  return svd_family<Real>(svd_backend<ExecSpace>, options, rows, cols);
}

/// Has a device a multiprocessor for each of the teams that share 16 columns of so many rows? They
/// wait for one another, so that all of them must run at a time.
template <class Real, class ExecSpace>
bool runs_chunks(ExecSpace const& exec, std::int64_t rows) {
  return panel_chunks<Real>(rows) <= processors(exec);
}
/// The family on that device: where the smallest have no room for what a row of the table wants, it
/// is `team`, too.
template <class Real, class ExecSpace>
SvdFamily svd_family_on(ExecSpace const& exec, SvdOptions const& options, std::int64_t rows,
                        std::int64_t cols) {
  SvdFamily const family = svd_family<ExecSpace, Real>(options, rows, cols);
  bool const by_tiles = family == SvdFamily::tiled || family == SvdFamily::gram ||
                        family == SvdFamily::eigenbasis || family == SvdFamily::spectral;
  return by_tiles && !runs_chunks<Real>(exec, rows) ? SvdFamily::team : family;
}

/// What asks for a family; `automatic` for `study`.
constexpr SvdPath svd_path(SvdFamily family) {
  for (SvdRow const& row : svd_table<double>())
    if (row.family == family) return row.path;
  return SvdPath::automatic;
}

}  // namespace carroll::detail
