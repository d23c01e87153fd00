// SPDX-License-Identifier: BSD-3-Clause
#include "svd/ranks/decompose_tall.hpp"

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/distributed/detail/alone.hpp>
#include <carroll/distributed/tall_svd.hpp>
#include <carroll/none.hpp>
#include <cmath>
#include <utility>
#include <vector>

#include "device/matrix.hpp"
#include "files/limits.hpp"
#include "svd/residual.hpp"

namespace carroll::tool {

namespace {

template <class Real>
distributed::BlockLayout tall_layout(Ranks const& ranks, std::int64_t rows, std::int64_t cols) {
  return distributed::tall_layout<Real>(ranks.size(), rows, cols);
}

/// This rank's part of a decomposition. U and V have no columns without vectors.
template <class Real>
struct TallPart {
  DeviceMatrix<Real> A, U, V;
  DeviceVector<Real> S;
};

/// `by(communicator)`; one rank does without MPI, which nobody has started.
template <class By>
auto with_communicator(Ranks const& ranks, ExecSpace const& exec, By const& by) {
  if (ranks.size() == 1) return by(distributed::detail::Alone<ExecSpace>(exec));
  return by(distributed::Communicator<ExecSpace>::duplicate_from_raw(MPI_COMM_WORLD, exec));
}

/// What distributed::tall_svd does, for one rank without MPI, too, and with the clock on what
/// follows its allocations.
template <class Real, class UView, class VView>
distributed::TallSvdInfo<Real> run_tall(Ranks const& ranks, distributed::BlockLayout const& layout,
                                        TallPart<Real> const& part, UView const& U, VView const& V,
                                        double& seconds) {
  using Workspace = distributed::TallWorkspace<ExecSpace, Real>;
  using Access = distributed::detail::TallAccess<Workspace>;
  constexpr char const* function = "carroll::distributed::tall_svd";
  ExecSpace const exec;
  return with_communicator(ranks, exec, [&](auto const& comm) {
    Workspace workspace;
    distributed::detail::TallProblem<Real> problem;
    ranks.together([&] {
      workspace = Access::make(comm, function, layout, static_cast<std::int64_t>(part.A.extent(1)),
                               distributed::detail::wanted_of<UView, VView>, true);
      problem = Access::problem(workspace);
      distributed::detail::bind_tall_svd<ExecSpace>(function, problem, part.A, U, part.S, V);
      exec.fence("carroll::tool: start of the clock");
    });
    Kokkos::Timer const timer;
    auto const info = distributed::detail::run_tall_svd(comm, problem, part.S, V, workspace);
    seconds = timer.seconds();
    return info;
  });
}

/// ‖A − U diag(S) Vᵀ‖_F / ‖A‖_F on the first rank. Sums of rows of tiles, which no rank shares with
/// another, are added in the order of all rows.
template <class Real>
double tall_residual(Ranks const& ranks, ExecSpace const& exec, TallPart<Real> const& part) {
  auto const [A, U, V, S] = part;
  auto const rows = static_cast<std::int64_t>(A.extent(0));
  auto const cols = static_cast<std::int64_t>(A.extent(1));
  if (cols == 0) return 0;
  double largest = rows > 0 ? static_cast<double>(largest_entry(exec, A)) : 0;
  for (double const theirs : ranks.gather(std::vector{largest}))
    largest = std::max(largest, theirs);
  largest = ranks.of_first(largest);
  PowerOfTwo<Real> const scale = scale_for(static_cast<Real>(largest));
  auto const scaled_S = scaled(exec, S, scale);
  auto const sum = [&](char const* label, auto const& of_tile) {
    double all = 0;
    for (double const part_of_all :
         ranks.gather(sums_over_rows_of_tiles(exec, label, rows, cols, of_tile)))
      all += part_of_all;
    return all;
  };
  using Matrix = DeviceMatrix<Real>;
  double const norm = sum("carroll::tool::norm", SquaresOfTile<ExecSpace, Matrix>{A, scale});
  double const residual =
      sum("carroll::tool::residual",
          ResidualOfTile<ExecSpace, Matrix, decltype(scaled_S)>{A, U, scaled_S, V, scale});
  if (norm == 0 && residual == 0) return 0;
  return std::sqrt(residual) / std::sqrt(norm);
}

/// The rows of all ranks on the first one, a column at a time.
template <class Real>
HostMatrix<Real> gather_rows(Ranks const& ranks, HostMatrix<Real> const& mine, std::int64_t rows) {
  if (ranks.size() == 1) return mine;
  HostMatrix<Real> all{rows, mine.cols, {}};
  if (ranks.first()) all.values.reserve(static_cast<std::size_t>(rows * mine.cols));
  for (std::int64_t j = 0; j < mine.cols; ++j) {
    auto const begin = mine.values.begin() + j * mine.rows;
    auto const column = ranks.gather(std::vector<Real>(begin, begin + mine.rows));
    all.values.insert(all.values.end(), column.begin(), column.end());
  }
  return all;
}

}  // namespace

EntryRange tall_rows(Ranks const& ranks, std::int64_t rows, std::int64_t cols,
                     Precision precision) {
  auto const layout = precision == Precision::single_precision
                          ? tall_layout<float>(ranks, rows, cols)
                          : tall_layout<double>(ranks, rows, cols);
  return {layout.begin(ranks.rank()), layout.end(ranks.rank())};
}

template <class Real>
Decomposition<Real> decompose_tall(Ranks const& ranks, HostMatrix<Real> const& matrix,
                                   std::int64_t all_rows, DecomposeOptions const& options,
                                   Progress& progress) {
  ExecSpace const exec;
  std::int64_t const cols = matrix.cols, computed = options.vectors ? cols : 0;
  auto const layout = tall_layout<Real>(ranks, all_rows, cols);
  TallPart<Real> part;
  ranks.together([&] {
    part = {to_device(exec, "carroll::tool::A", matrix),
            uninitialized<DeviceMatrix<Real>>(exec, "carroll::tool::U", matrix.rows, computed),
            uninitialized<DeviceMatrix<Real>>(exec, "carroll::tool::V", cols, computed),
            uninitialized<DeviceVector<Real>>(exec, "carroll::tool::S", cols)};
    exec.fence("carroll::tool: rows on the device");
  });
  progress.phase("decomposing " + extents_text(all_rows, cols));
  Decomposition<Real> result;
  double& seconds = result.summary.seconds;
  auto const info = options.vectors ? run_tall(ranks, layout, part, part.U, part.V, seconds)
                                    : run_tall(ranks, layout, part, none, none, seconds);
  result.summary.status = to_string(info.status);
  result.summary.backend = ExecSpace::name();
  result.summary.sweeps = info.triangle.sweeps;
  result.summary.max_cosine = static_cast<double>(info.triangle.max_cosine);
  result.summary.rank = info.triangle.rank;
  ranks.together([&] { result.S = to_host(exec, part.S); });
  if (!options.vectors || info.status == Status::non_finite) return result;

  progress.phase("computing the residual");
  std::pair<std::int64_t, std::int64_t> const kept(0, options.columns);
  part = {part.A, Kokkos::subview(part.U, Kokkos::ALL, kept),
          Kokkos::subview(part.V, Kokkos::ALL, kept), Kokkos::subview(part.S, kept)};
  result.summary.relative_residual = tall_residual(ranks, exec, part);
  if (!options.copy_vectors) return result;
  progress.phase("copying the factors");
  HostMatrix<Real> rows_of_U;
  ranks.together([&] {
    rows_of_U = to_host(exec, part.U);
    result.V = to_host(exec, part.V);
  });
  result.U = gather_rows(ranks, rows_of_U, all_rows);
  return result;
}

template Decomposition<float> decompose_tall(Ranks const&, HostMatrix<float> const&, std::int64_t,
                                             DecomposeOptions const&, Progress&);
template Decomposition<double> decompose_tall(Ranks const&, HostMatrix<double> const&, std::int64_t,
                                              DecomposeOptions const&, Progress&);

}  // namespace carroll::tool
