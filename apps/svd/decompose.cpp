// SPDX-License-Identifier: BSD-3-Clause
#include "svd/decompose.hpp"

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/svd.hpp>
#include <carroll/truncated_svd.hpp>
#include <string>
#include <utility>

#include "device/matrix.hpp"
#include "svd/options.hpp"
#include "svd/residual.hpp"

namespace carroll::tool {

namespace {

/// Runs the truncated method, and tells what it says.
template <class Real>
void run_truncated(ExecSpace const& exec, DeviceMatrix<Real> const& A, DeviceMatrix<Real> const& U,
                   DeviceVector<Real> const& S, DeviceMatrix<Real> const& V, double tolerance,
                   Decomposition<Real>& result) {
  auto const info = truncated_svd(exec, A, U, S, V, {.tolerance = tolerance});
  result.summary.status = to_string(info.status);
  result.summary.truncation = {info.power_steps, static_cast<double>(info.residual),
                               static_cast<double>(info.error)};
}

/// Runs a method for all triplets, and tells what it says.
template <class Real>
void run_full(ExecSpace const& exec, DeviceMatrix<Real> const& A, DeviceMatrix<Real> const& U,
              DeviceVector<Real> const& S, DeviceMatrix<Real> const& V,
              DecomposeOptions const& options, Decomposition<Real>& result) {
  SvdInfo<Real> const info = options.vectors ? svd(exec, A, U, S, V, solver_options(options))
                                             : singular_values(exec, A, S, solver_options(options));
  result.summary.status = to_string(info.status);
  result.summary.sweeps = info.sweeps;
  result.summary.max_cosine = static_cast<double>(info.max_cosine);
  result.summary.rank = info.rank;
}

}  // namespace

template <class Real>
Decomposition<Real> decompose(HostMatrix<Real> const& matrix, DecomposeOptions const& options,
                              Progress& progress) {
  ExecSpace const exec;
  bool const truncated = options.method == "truncated";
  auto const values = truncated ? options.columns : std::min(matrix.rows, matrix.cols);
  auto const A = to_device(exec, "carroll::tool::A", matrix);
  auto const S = uninitialized<DeviceVector<Real>>(exec, "carroll::tool::S", values);
  std::int64_t const computed = options.vectors || truncated ? values : 0;
  auto const U = uninitialized<DeviceMatrix<Real>>(exec, "carroll::tool::U", matrix.rows, computed);
  auto const V = uninitialized<DeviceMatrix<Real>>(exec, "carroll::tool::V", matrix.cols, computed);
  exec.fence("carroll::tool: start of the clock");

  progress.phase("decomposing " + std::to_string(matrix.rows) + " x " +
                 std::to_string(matrix.cols));
  Kokkos::Timer const timer;
  Decomposition<Real> result;
  if (truncated)
    run_truncated(exec, A, U, S, V, options.tolerance, result);
  else
    run_full(exec, A, U, S, V, options, result);
  result.summary.seconds = timer.seconds();
  result.summary.backend = ExecSpace::name();
  result.S = to_host(exec, S);
  if (!options.vectors || result.summary.status == to_string(Status::non_finite)) return result;

  progress.phase("computing the residual");
  std::pair<std::int64_t, std::int64_t> const kept(0, options.columns);
  DeviceMatrix<Real> const kept_U = Kokkos::subview(U, Kokkos::ALL, kept);
  DeviceVector<Real> const kept_S = Kokkos::subview(S, kept);
  DeviceMatrix<Real> const kept_V = Kokkos::subview(V, Kokkos::ALL, kept);
  result.summary.relative_residual = relative_residual(exec, A, kept_U, kept_S, kept_V);
  if (options.copy_vectors) {
    progress.phase("copying the factors");
    result.U = to_host(exec, kept_U);
    result.V = to_host(exec, kept_V);
  }
  return result;
}

template Decomposition<float> decompose(HostMatrix<float> const&, DecomposeOptions const&,
                                        Progress&);
template Decomposition<double> decompose(HostMatrix<double> const&, DecomposeOptions const&,
                                         Progress&);

}  // namespace carroll::tool
