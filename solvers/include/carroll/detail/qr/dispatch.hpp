// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <array>
#include <carroll/detail/device/warp.hpp>
#include <carroll/detail/field.hpp>
#include <carroll/detail/qr/slim/shape.hpp>
#include <carroll/detail/svd/dispatch.hpp>
#include <carroll/detail/team.hpp>
#include <carroll/qr/types.hpp>
#include <cstdint>

/// Which kernels factorise a matrix: the one place that decides. Launches, workspaces, tests and
/// benchmarks read this table; its first row that fits is taken. It knows a matrix's extents, the
/// backend and the options, never how many matrices there are: results must be the same bits in
/// every batch.
///
/// - `host_batch`: hosts; n <= 48, of complex numbers 64, m·n <= 4096; a matrix in a lane of the
///   vector registers.
/// - `host_block`: hosts; everything real; padded columns in memory.
/// - `warp`: devices with warps; m, n <= 32; a matrix in the registers of a warp.
/// - `slim`: devices with warps; real; m <= 512 with n <= 4, 256 with 8, 128 with 16; a row in a
///   lane of a warp.
/// - `tiled`: devices with warps; real, m <= 8192, without pivoting; 16 columns in registers of a
///   team.
/// - `tall`: devices with warps; real, n <= 16, 1024 < m <= 524288, without pivoting; blocks of
///   rows, a team each.
/// - `team`: all; everything; memory, or scratch.
///
/// Kernels are in the folders of these names.
namespace carroll::detail {

enum class QrFamily { host_batch, host_block, team, tiled, tall, warp, slim };

/// What kernels run on: `warps` are devices, too.
enum class QrBackend { any, host, device, warps };

enum class QrScalars { any, real, complex };

struct QrRow {
  QrFamily family;
  QrPath path;  ///< asks for it
  QrBackend where;
  std::int64_t least_rows, most_rows, most_cols;
  std::int64_t most_entries;
  bool pivots;  ///< with pivoting, too
  QrScalars scalars;
};

/// Rows of a block of long columns at most, which a team of 8 warps holds in registers, 8 a thread.
inline constexpr int most_block_rows = 1024;
/// The blocks' triangles, one below the other, are a matrix of the family `tiled`.
inline constexpr int most_tall_rows = most_block_rows * (most_tile_rows / tile_columns);

inline constexpr std::int64_t qr_unlimited = std::int64_t{1} << 62;

/// The table. A matrix that is alone has a register to itself in `host_batch`, of which it uses one
/// lane. Limits by the size of what a group of matrices works on, which is to stay in a cache; of
/// complex numbers, for which `team` is what else there is, one further off: 100 of 64×64 take a
/// sixth of its time there, and one alone a half (EPYC, 2026-11-28).
inline constexpr auto qr_table = std::to_array<QrRow>({
    {QrFamily::host_batch, QrPath::host_batch, QrBackend::host, 0, qr_unlimited, 48, 4096, true,
     QrScalars::real},
    {QrFamily::host_batch, QrPath::host_batch, QrBackend::host, 0, qr_unlimited, 64, 4096, true,
     QrScalars::complex},
    {QrFamily::host_block, QrPath::host_block, QrBackend::host, 0, qr_unlimited, qr_unlimited,
     qr_unlimited, true, QrScalars::real},
    {QrFamily::warp, QrPath::warp, QrBackend::warps, 0, 32, 32, qr_unlimited, true, QrScalars::any},
    {QrFamily::slim, QrPath::slim, QrBackend::warps, 0, QrSlimShapes::most_rows(4), 4, qr_unlimited,
     true, QrScalars::real},
    {QrFamily::slim, QrPath::slim, QrBackend::warps, 0, QrSlimShapes::most_rows(8), 8, qr_unlimited,
     true, QrScalars::real},
    {QrFamily::slim, QrPath::slim, QrBackend::warps, 0, QrSlimShapes::most_rows(16), 16,
     qr_unlimited, true, QrScalars::real},
    {QrFamily::tiled, QrPath::tiled, QrBackend::warps, 0, most_tile_rows, qr_unlimited,
     qr_unlimited, false, QrScalars::real},
    {QrFamily::tall, QrPath::tall, QrBackend::warps, most_block_rows + 1, most_tall_rows,
     tile_columns, qr_unlimited, false, QrScalars::real},
    {QrFamily::team, QrPath::team, QrBackend::any, 0, qr_unlimited, qr_unlimited, qr_unlimited,
     true, QrScalars::any},
});

template <class ExecSpace>
inline constexpr QrBackend qr_backend = has_warps<ExecSpace>    ? QrBackend::warps
                                        : lanes<ExecSpace> == 1 ? QrBackend::host
                                                                : QrBackend::device;

/// The family of m×n problems. Where what the options ask for does not fit it is `team`.
constexpr QrFamily qr_family(QrBackend backend, QrOptions const& options, std::int64_t m,
                             std::int64_t n, bool pivoted = false, bool complex = false) {
  for (QrRow const& row : qr_table) {
    bool const asked = options.path == QrPath::automatic || options.path == row.path;
    bool const there = row.where == QrBackend::any || row.where == backend;
    bool const fits = row.least_rows <= m && m <= row.most_rows && n <= row.most_cols &&
                      m <= row.most_entries / (n > 0 ? n : 1);
    bool const can =
        row.scalars == QrScalars::any || (row.scalars == QrScalars::complex) == complex;
    if (asked && there && fits && can && (row.pivots || !pivoted)) return row.family;
  }
  return QrFamily::team;
}

/// The family on that device: see svd_family_on.
template <class Value, class ExecSpace>
QrFamily qr_family_on(ExecSpace const& exec, QrOptions const& options, std::int64_t m,
                      std::int64_t n, bool pivoted) {
  QrFamily const family =
      qr_family(qr_backend<ExecSpace>, options, m, n, pivoted, is_complex<Value>);
  std::int64_t const stacked = (m + most_block_rows - 1) / most_block_rows * tile_columns;
  bool const by_tiles = family == QrFamily::tiled || family == QrFamily::tall;
  return by_tiles && !runs_chunks<RealOf<Value>>(exec, family == QrFamily::tall ? stacked : m)
             ? QrFamily::team
             : family;
}

/// What asks for a family.
constexpr QrPath qr_path(QrFamily family) {
  for (QrRow const& row : qr_table)
    if (row.family == family) return row.path;
  return QrPath::automatic;
}

}  // namespace carroll::detail
