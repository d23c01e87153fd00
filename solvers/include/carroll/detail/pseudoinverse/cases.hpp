// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/device/warp.hpp>
#include <carroll/detail/pseudoinverse/common/rank_cutoff.hpp>
#include <carroll/detail/team.hpp>
#include <carroll/pseudoinverse/types.hpp>
#include <cstdint>

/// What the choice of kernels depends on; see dispatch.hpp.
namespace carroll::detail {

/// Where the kernels of an execution space run: on a GPU whose warps have 32 lanes, on another
/// device, on a host.
enum class ArrowBackend { warps, device, host };

template <class ExecSpace>
inline constexpr ArrowBackend arrow_backend = has_warps<ExecSpace>    ? ArrowBackend::warps
                                              : lanes<ExecSpace> == 1 ? ArrowBackend::host
                                                                      : ArrowBackend::device;

/// Where rows come from: memory, a functor that computes numbers of the workspace's scalar type, or
/// one that computes others.
enum class ArrowRowSource { stored, computed, converted };

template <class Real, class Source>
inline constexpr ArrowRowSource row_source =
    Source::is_stored                       ? ArrowRowSource::stored
    : Source::template has_entries_of<Real> ? ArrowRowSource::computed
                                            : ArrowRowSource::converted;

/// Sets of enumerators and of small numbers, as they stand in tables.
constexpr unsigned set_of(auto... some) {
  return ((1U << static_cast<unsigned>(some)) | ... | 0U);
}
constexpr bool has(unsigned set, auto one) {
  return static_cast<unsigned>(one) < 32 && (set >> static_cast<unsigned>(one) & 1U) != 0;
}
inline constexpr unsigned all_of_them = ~0U;

/// A step.
struct StepCase {
  ArrowBackend backend = ArrowBackend::host;
  bool single = false;              ///< rows of float, not of double
  bool has_double_tensors = false;  ///< the device has tensor cores for double precision
  ArrowRowSource rows = ArrowRowSource::stored;
  std::int64_t n = 0;
  int k = 1;
  std::int64_t m = 0;
  std::int64_t problems = 1;
  PseudoinverseOptions options;
};

/// What a motion column must have left to count as independent, unless the caller wants otherwise.
constexpr double default_cutoff(StepCase const& step) {
  return step.single ? default_cutoff<float>(step.k) : default_cutoff<double>(step.k);
}

/// A dense A⁺, and how it lies in memory.
struct DenseCase {
  ArrowBackend backend = ArrowBackend::host;
  bool single = false;
  std::int64_t n = 0;
  int k = 1;
  std::int64_t m = 0;
  std::int64_t row_stride = 1;  ///< from one row of A⁺ to the next: 1 where columns are contiguous
  std::int64_t column_stride = 1;  ///< from one column to the next: 1 where rows are contiguous
  PseudoinverseWriter writer = PseudoinverseWriter::automatic;
};

/// Columns of A⁺ that OneMotionColumnWriter can write: without gaps between them, and of a length
/// that lets a team have some of them in scratch.
constexpr bool has_short_columns(DenseCase const& dense) {
  std::int64_t const rows = 1 + dense.m, vector = dense.single ? 4 : 2;
  return dense.row_stride == 1 && dense.column_stride == rows && vector < rows && rows <= 2048;
}

/// Rows of a window of kernels of one motion column on warps: 32 times as many as of a lane, whose
/// number of vectors of 16 bytes is odd. 0: none of the middle.
template <bool Single>
struct OneMotionWindowRows {
  static constexpr int vector = Single ? 4 : 2;
  static constexpr int longest = 32 * 5 * vector, middle = Single ? 32 * 18 : 0,
                       shortest = 32 * 3 * vector;
};

/// The longest ones that do not have rows of more segments than a warp takes at a time, 31.
constexpr int one_motion_window_rows(bool single, std::int64_t n, std::int64_t m) {
  auto const of = [&](auto lengths) -> int {
    if (lengths.longest * m <= 28 * n) return lengths.longest;
    if (lengths.middle > 0 && lengths.middle * m <= 29 * n) return lengths.middle;
    return lengths.shortest;
  };
  return single ? of(OneMotionWindowRows<true>{}) : of(OneMotionWindowRows<false>{});
}

/// Of kernels of one motion column on hosts: enough to pay for what a window leaves.
inline constexpr int host_window_rows = 2048;

/// Of SegmentTilesKernel.
inline constexpr int segment_window_rows = 512;

/// Of GramWindowsKernel: more in large problems, for each leaves 64 doubles for the core. 256
/// frames of 120 000 rows take 0.31 ms with these, 0.36 with 512 rows each (H200, 2026-11-23).
constexpr int tensor_window_rows(std::int64_t n) {
  constexpr std::int64_t most = 1280, fewest_windows = 16, unit = 192;
  std::int64_t const rows = (n / fewest_windows + unit - 1) / unit * unit;
  return static_cast<int>(rows < segment_window_rows ? segment_window_rows
                          : rows > most              ? most
                                                     : rows);
}

/// Of ManyMotionsKernel: several times as many as of the triangle that they leave.
constexpr int tile_window_rows(ArrowBackend backend, int k) {
  if (backend == ArrowBackend::host && k == 1) return host_window_rows;
  int const least = backend == ArrowBackend::host ? 256 : 128, rows = (4 * k + 31) / 32 * 32;
  return rows > least ? rows : least;
}

/// Do all threads of a host share what follows the windows? A barrier costs more than a second
/// thread gains on less.
constexpr bool has_large_core(std::int64_t problems, std::int64_t m, std::int64_t windows) {
  return problems == 1 && m + 8 * windows > 50'000;
}
constexpr bool has_large_core(StepCase const& step) {
  return has_large_core(step.problems, step.m, (step.n + host_window_rows - 1) / host_window_rows);
}

}  // namespace carroll::detail
