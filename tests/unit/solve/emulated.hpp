// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/device/emulated/space.hpp>
// Before all kernels.
#include <carroll/detail/solve/launch.hpp>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "support/complex_entries.hpp"
#include "support/field_matrix.hpp"
#include "support/solve/drivers.hpp"
#include "support/svd/matrix_types.hpp"
#include "unit/solve/ways.hpp"

/// Linear equations by the kernels of devices, on the host: lanes take turns.
namespace carroll::test {

using detail::EmulatedSpace;
using detail::SolveBatch;

struct EmulatedCall {
  bool inverse = false;
  bool by_rows = false;  ///< all matrices
  bool condition = true;
  SolvePath path = SolvePath::warp;
  EmulatedSpace device = {};
  int panel_threads = detail::most_panel_threads;  ///< of `tiled`
};

/// Systems of equal extents, one behind the other in memory, and one word more, which has to stay.
template <class T>
std::vector<HostSolve<T>> solve_emulated(std::vector<HostSystem<T>> const& systems,
                                         EmulatedCall const& call = {}) {
  using Real = RealOf<T>;
  T const guard = Real(-77);
  auto const count = static_cast<std::int64_t>(systems.size());
  std::int64_t const n = systems[0].A.rows, columns = call.inverse ? n : systems[0].B.cols;
  std::vector<T> A, B, X(static_cast<std::size_t>(count * n * columns + 1), guard);
  auto const append = [&](std::vector<T>& all, HostMatrix<T> const& M) {
    for (int j = 0; j < (call.by_rows ? M.rows : M.cols); ++j)
      for (int i = 0; i < (call.by_rows ? M.cols : M.rows); ++i)
        all.push_back(call.by_rows ? M(j, i) : M(i, j));
  };
  for (auto const& system : systems) {
    append(A, system.A);
    if (!call.inverse) append(B, system.B);
  }
  std::vector<SolveInfo<Real>> infos(systems.size());
  SolveBatch<T> batch{};
  auto const lay_out = [&](auto& view, auto* data, std::int64_t cols) {
    view.data = data;
    view.extents = {count, n, cols};
    view.strides = {n * cols, call.by_rows ? cols : 1, call.by_rows ? 1 : n};
  };
  lay_out(batch.a, A.data(), n);
  if (!call.inverse) lay_out(batch.b, B.data(), columns);
  lay_out(batch.x, X.data(), columns);
  batch.condition = call.condition;
  batch.inverse = call.inverse;
  batch.infos = infos.data();
  batch.info_stride = 1;
  // Memory as others have left it.
  SolveExtents const extents{count, n, columns, call.inverse};
  batch.distance = carroll::detail::solve_reals<T>(call.path, extents, call.condition);
  constexpr std::size_t line = 128;
  std::vector<Real> reals(static_cast<std::size_t>(count * batch.distance) + line / sizeof(Real),
                          std::numeric_limits<Real>::quiet_NaN());
  auto const past = reinterpret_cast<std::uintptr_t>(reals.data()) % line;
  batch.reals = reals.data() + (line - past) / sizeof(Real);
  if (call.path == SolvePath::tiled)
    carroll::detail::enqueue_solve_tiled(call.device, batch, call.panel_threads);
  else
    carroll::detail::enqueue_solve_warp(call.device, batch);
  std::vector<HostSolve<T>> results;
  for (std::int64_t b = 0; b < count; ++b) {
    HostSolve<T> result{infos[static_cast<std::size_t>(b)],
                        HostMatrix<T>(static_cast<int>(n), static_cast<int>(columns))};
    for (int j = 0; j < columns; ++j)
      for (int i = 0; i < n; ++i)
        result.X(i, j) = X[static_cast<std::size_t>(b * n * columns +
                                                    (call.by_rows ? i * columns + j : j * n + i))];
    result.guarded = X.back() == guard;
    results.push_back(result);
  }
  return results;
}

template <class T>
std::vector<HostSystem<T>> systems_of_all_types(int n, int columns, bool inverse, int step) {
  std::vector<HostSystem<T>> systems;
  SolveCall call;
  call.inverse = inverse;
  int k = 0;
  for (MatrixType const type : all_matrix_types())
    if (k++ % step == 0)
      systems.push_back(system_of(field::make_field_matrix<T>(type, n, n, 5), call, columns));
  return systems;
}

}  // namespace carroll::test
