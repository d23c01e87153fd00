// SPDX-License-Identifier: BSD-3-Clause
#include "pseudoinverse/pseudoinvert.hpp"

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/detail/copy.hpp>
#include <carroll/pseudoinverse.hpp>
#include <cmath>

#include "device/matrix.hpp"
#include "pseudoinverse/options.hpp"

namespace carroll::tool {

template <class Real>
double relative_gradient(ArrowInput<Real> const& input, ArrowOutput<Real> const& x, double lambda) {
  std::int64_t const k = input.motion.cols;
  auto const m = static_cast<std::int64_t>(input.offsets.size()) - 1;
  double worst = 0;
  for (std::int64_t r = 0; r < input.residual.cols; ++r) {
    std::vector<double> gradient(static_cast<std::size_t>(k));
    double squares = 0, size = 0, depths = 0;
    for (std::int64_t s = 0; s < m; ++s) {
      double sum = lambda * static_cast<double>(x.depth(s, r));
      for (int i = input.offsets[static_cast<std::size_t>(s)];
           i < input.offsets[static_cast<std::size_t>(s) + 1]; ++i) {
        double const u = static_cast<double>(input.depth(i, 0));
        double const d = static_cast<double>(input.residual(i, r));
        double residual = u * static_cast<double>(x.depth(s, r)) - d;
        for (std::int64_t j = 0; j < k; ++j)
          residual += static_cast<double>(input.motion(i, j)) * static_cast<double>(x.motion(j, r));
        for (std::int64_t j = 0; j < k; ++j) {
          double const b = static_cast<double>(input.motion(i, j));
          gradient[static_cast<std::size_t>(j)] += b * residual;
          squares += b * b;
        }
        sum += u * residual;
        squares += u * u;
        size += d * d;
      }
      depths += sum * sum;
    }
    for (std::int64_t j = 0; j < k; ++j) {
      double const g =
          gradient[static_cast<std::size_t>(j)] + lambda * static_cast<double>(x.motion(j, r));
      depths += g * g;
    }
    double const scale = std::sqrt(squares) * std::sqrt(size);
    double const ratio = scale > 0 ? std::sqrt(depths) / scale : std::sqrt(depths + scale);
    worst = ratio > worst || std::isnan(ratio) ? ratio : worst;
  }
  return worst;
}

template double relative_gradient(ArrowInput<float> const&, ArrowOutput<float> const&, double);
template double relative_gradient(ArrowInput<double> const&, ArrowOutput<double> const&, double);

template <class Real>
ArrowOutput<Real> pseudoinvert(ArrowInput<Real> const& input, PinvArguments const& arguments,
                               Progress& progress) {
  ExecSpace const exec;
  std::int64_t const n = input.motion.rows, k = input.motion.cols;
  auto const m = static_cast<std::int64_t>(input.offsets.size()) - 1;
  std::int64_t const columns = input.residual.cols;
  auto const motion = to_device(exec, "carroll::tool::motion", input.motion);
  auto const depth = to_device(exec, "carroll::tool::depth", input.depth);
  auto const residual = to_device(exec, "carroll::tool::residual", input.residual);
  auto const offsets = uninitialized<DeviceVector<int>>(exec, "carroll::tool::offsets", m + 1);
  detail::copy_to_device(exec, offsets.data(), input.offsets.data(), input.offsets.size());
  auto const y = uninitialized<DeviceMatrix<Real>>(exec, "carroll::tool::y", k, columns);
  auto const xi = uninitialized<DeviceMatrix<Real>>(exec, "carroll::tool::xi", m, columns);
  carroll::ArrowJacobian const A{motion, Kokkos::subview(depth, Kokkos::ALL, 0), offsets};
  PseudoinverseOptions const options = solver_options(arguments);
  auto workspace = pseudoinverse_workspace<Real>(
      exec, {.rows = n, .motions = k, .depths = m, .right_hand_sides = columns}, options);
  exec.fence("carroll::tool: start of the clock");

  progress.phase("solving " + std::to_string(n) + " x " + std::to_string(k + m));
  ArrowOutput<Real> result;
  Kokkos::Timer const timer;
  auto const infos = apply_pseudoinverse(exec, A, residual, ArrowSolution{y, xi}, workspace);
  result.summary.seconds = timer.seconds();
  result.summary.backend = ExecSpace::name();
  result.summary.path = to_string(workspace.path());
  result.summary.right_hand_sides = columns;
  Status status = Status::success;
  for (auto const& info : infos) {
    if (status == Status::success) status = info.status;
    result.summary.rank = info.rank;
    result.summary.cutoff = static_cast<double>(info.cutoff);
  }
  result.motion = to_host(exec, y);
  result.depth = to_host(exec, xi);

  if (arguments.covariance && columns > 0) {
    auto const covariance =
        uninitialized<DeviceMatrix<Real>>(exec, "carroll::tool::covariance", k, k);
    auto const variances =
        uninitialized<DeviceMatrix<Real>>(exec, "carroll::tool::variances", m, 1);
    auto const info = apply_pseudoinverse(
        exec, A, Kokkos::subview(residual, Kokkos::ALL, 0),
        ArrowSolution{Kokkos::subview(y, Kokkos::ALL, 0), Kokkos::subview(xi, Kokkos::ALL, 0),
                      covariance, Kokkos::subview(variances, Kokkos::ALL, 0)},
        options);
    if (status == Status::success) status = info.status;
    result.covariance = to_host(exec, covariance);
    result.variances = to_host(exec, variances).values;
    result.summary.covariance.assign(result.covariance.values.begin(),
                                     result.covariance.values.end());
  }
  result.summary.motion_step.assign(result.motion.values.begin(), result.motion.values.end());
  result.summary.relative_gradient = relative_gradient(input, result, arguments.damping);
  if (arguments.dense && status != Status::non_finite) {
    progress.phase("writing the pseudoinverse");
    auto const inverse =
        uninitialized<DeviceMatrix<Real>>(exec, "carroll::tool::inverse", k + m, n);
    auto const info = pseudoinverse(exec, A, inverse, options);
    if (status == Status::success) status = info.status;
    result.inverse = to_host(exec, inverse);
  }
  result.summary.status = to_string(status);
  return result;
}

template ArrowOutput<float> pseudoinvert(ArrowInput<float> const&, PinvArguments const&, Progress&);
template ArrowOutput<double> pseudoinvert(ArrowInput<double> const&, PinvArguments const&,
                                          Progress&);

}  // namespace carroll::tool
