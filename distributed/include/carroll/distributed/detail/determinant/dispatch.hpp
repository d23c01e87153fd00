// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <carroll/detail/determinant/dispatch.hpp>
#include <carroll/distributed/detail/determinant/host_blocks.hpp>
#include <carroll/distributed/detail/determinant/outer_block/steps.hpp>
#include <carroll/distributed/detail/determinant/panel/steps.hpp>
#include <carroll/distributed/determinant/types.hpp>
#include <cstdint>
#include <limits>
#include <optional>

/// The table that chooses who works out a determinant over ranks. Up to `most_own_ranks` ranks the
/// choice does not depend on how many there are, but for `one_rank`, which has the same bits as
/// what others take in its place: so has the result.
namespace carroll::distributed::detail {

/// `warps`: where outer blocks are.
enum class EngineWhere { all, hosts, warps };

struct EngineRow {
  DeterminantEngine engine;
  EngineWhere where;
  bool complex;              ///< takes complex numbers, too
  bool scalapack;            ///< wants a build with ScaLAPACK
  std::int64_t least_order;  ///< that is its own unless somebody else is asked for …
  std::int64_t most_order;
  int least_ranks, most_ranks;  ///< … with so many ranks
  int can_ranks;                ///< ranks that it can have if it is asked for
};

/// Each rank is sent all of the pivots' rows, n²/2 entries, however many ranks there are: beyond
/// these a 2-D layout wins. An estimate: 64 ranks have not been tried.
inline constexpr int most_own_ranks = 64;

/// Orders up to which one rank does it all. Of hosts, those for which the plain solver has other
/// kernels than host_blocks.
template <class ExecSpace, class T>
inline constexpr std::int64_t most_gathered_order =
    lanes<ExecSpace> == 1 ? 256 : carroll::detail::least_outer_block_order<RealOf<T>> - 1;

template <class ExecSpace, class T>
constexpr auto determinant_engines() {
  using E = DeterminantEngine;
  using W = EngineWhere;
  constexpr std::int64_t any = std::numeric_limits<int>::max(),
                         few = most_gathered_order<ExecSpace, T>;
  constexpr int all = std::numeric_limits<int>::max();
  constexpr bool host = lanes<ExecSpace> == 1;
  // engine, where, complex, ScaLAPACK, orders from … to, ranks from … to, ranks that it can have
  return std::to_array<EngineRow>({
      // Devices have other kernels for one matrix than `panels`.
      {E::one_rank, W::all, true, false, 0, host ? any : few, 1, 1, 1},
      {E::one_rank, W::warps, false, false, few + 1, any, 1, 1, 1},
      {E::gathered, W::all, true, false, 0, few, 1, all, all},
      {E::scalapack, W::hosts, true, true, 0, any, most_own_ranks + 1, all, all},
      {E::host_blocks, W::hosts, false, false, 0, any, 1, all, all},
      {E::outer_blocks, W::warps, false, false, few + 1, any, 1, all, all},
      {E::panels, W::all, true, false, 0, any, 1, all, all},
  });
}

#ifdef CARROLL_HAVE_SCALAPACK
inline constexpr bool has_scalapack = true;
#else
inline constexpr bool has_scalapack = false;
#endif

/// What takes outer blocks, and orders up to which a device has room for them.
template <class ExecSpace, class T>
inline constexpr bool has_outer_blocks =
    carroll::detail::has_warps<ExecSpace> && !carroll::detail::is_complex<T>;
template <class ExecSpace, class T>
std::int64_t most_outer_block_order(ExecSpace const& exec) {
  if constexpr (has_outer_blocks<ExecSpace, T>)
    return OuterBlockSteps<ExecSpace, T>::most_order(exec);
  else
    return 0;
}

/// Nothing where the engine that is asked for cannot be had. `most_by_outer_blocks`: see above.
template <class ExecSpace, class T>
constexpr std::optional<DeterminantEngine> determinant_engine(DeterminantOptions const& options,
                                                              std::int64_t n, int ranks,
                                                              std::int64_t most_by_outer_blocks) {
  bool const is_asked = options.engine != DeterminantEngine::automatic;
  for (EngineRow const& row : determinant_engines<ExecSpace, T>()) {
    if (row.where == EngineWhere::hosts && lanes<ExecSpace> != 1) continue;
    // These kernels are for large orders only, whoever asks, as far as there is room for them.
    if (row.where == EngineWhere::warps && (n < row.least_order || n > most_by_outer_blocks))
      continue;
    if ((carroll::detail::is_complex<T> && !row.complex) || (row.scalapack && !has_scalapack))
      continue;
    bool const fits = is_asked ? row.engine == options.engine && ranks <= row.can_ranks
                               : row.least_order <= n && n <= row.most_order &&
                                     row.least_ranks <= ranks && ranks <= row.most_ranks;
    if (fits) return row.engine;
  }
  return std::nullopt;
}

/// Rows of a block that divide all engines' steps: what a block has to be a multiple of.
template <class ExecSpace, class T>
constexpr std::int64_t least_block(DeterminantEngine engine) {
  if (engine == DeterminantEngine::host_blocks) return carroll::detail::host_panel_rows;
  if (engine == DeterminantEngine::outer_blocks) return carroll::detail::outer_block_rows;
  if (engine == DeterminantEngine::panels) return rank_panel_rows<ExecSpace, T>;
  return 1;
}

/// Rows of a block unless somebody wants others. The fewer, the more evenly the work is spread;
/// the more, the more often a rank's rows are read and written. Outer blocks that are taken off by
/// twos are to be one rank's both.
template <class ExecSpace, class T>
constexpr std::int64_t default_block(std::int64_t n) {
  if (lanes<ExecSpace> == 1) return 128;
  bool const pairs = has_outer_blocks<ExecSpace, T> && n >= carroll::detail::least_pair_columns;
  return (pairs ? 2 : 1) * carroll::detail::outer_block_rows;
}

}  // namespace carroll::distributed::detail
