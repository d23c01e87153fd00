// SPDX-License-Identifier: BSD-3-Clause
#include "determinant/ranks/determine_over.hpp"

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/distributed/determinant.hpp>

#include "determinant/timed.hpp"

namespace carroll::tool {

namespace {

using distributed::DeterminantEngine;

/// What works for up to most_own_ranks does so for more: its bits are those of one rank.
template <class Real>
DeterminantEngine engine_for(std::int64_t n, int ranks, std::int64_t most_by_outer_blocks) {
  return *distributed::detail::determinant_engine<ExecSpace, Real>(
      {}, n, std::min(ranks, distributed::detail::most_own_ranks), most_by_outer_blocks);
}

template <class Real>
distributed::CyclicLayout layout_for(std::int64_t n, int ranks) {
  return distributed::cyclic_layout(n, distributed::detail::default_block<ExecSpace, Real>(n),
                                    ranks);
}

template <class Real>
std::optional<std::vector<EntryRange>> rows_for(Ranks const& ranks, std::int64_t n) {
  // Kokkos has not begun. Whether by outer blocks or by panels, they are rows in the same blocks.
  auto const engine = engine_for<Real>(n, ranks.size(), 0);
  if (engine == DeterminantEngine::one_rank || engine == DeterminantEngine::gathered)
    return std::nullopt;
  auto const layout = layout_for<Real>(n, ranks.size());
  std::vector<EntryRange> rows;
  for (std::int64_t b = ranks.rank(); b < layout.blocks(); b += ranks.size())
    rows.push_back({layout.begin(b), layout.end(b)});
  return rows;
}

}  // namespace

std::optional<std::vector<EntryRange>> determinant_rows(Ranks const& ranks, std::int64_t n,
                                                        Precision precision) {
  return precision == Precision::single_precision ? rows_for<float>(ranks, n)
                                                  : rows_for<double>(ranks, n);
}

template <class Real>
Determination determine_over(Ranks const& ranks, HostMatrix<Real> const& rows, Progress& progress) {
  ExecSpace const exec;
  auto const comm = distributed::Communicator<ExecSpace>::duplicate_from_raw(MPI_COMM_WORLD, exec);
  std::int64_t const n = rows.cols;
  DeviceMatrix<Real> A;
  ranks.together([&] {
    A = to_device(exec, "carroll::tool::A", rows);
    exec.fence("carroll::tool: rows on the device");
  });
  auto const engine = engine_for<Real>(
      n, comm.size(), distributed::detail::most_outer_block_order<ExecSpace, Real>(exec));
  auto workspace =
      distributed::determinant_workspace<Real>(comm, layout_for<Real>(n, comm.size()), {engine});
  progress.phase("condensing " + extents_text(n, n));
  Determination found;
  Kokkos::Timer const timer;
  auto const info = distributed::determinant(comm, A, workspace);
  set_run(info, timer.seconds(), found);
  set_value(info.value, found);
  found.growth = static_cast<double>(info.growth);
  return found;
}

template Determination determine_over(Ranks const&, HostMatrix<float> const&, Progress&);
template Determination determine_over(Ranks const&, HostMatrix<double> const&, Progress&);

}  // namespace carroll::tool
