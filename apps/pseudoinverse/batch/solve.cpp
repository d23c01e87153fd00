// SPDX-License-Identifier: BSD-3-Clause
#include "pseudoinverse/batch/solve.hpp"

#include <Kokkos_Core.hpp>
#include <carroll/detail/copy.hpp>
#include <carroll/pseudoinverse.hpp>

#include "device/batch.hpp"
#include "pseudoinverse/options.hpp"

namespace carroll::tool {

namespace {

template <class View, class Number>
View on_device(ExecSpace const& exec, std::string const& label, std::vector<Number> const& values,
               auto... extents) {
  auto const view = uninitialized<View>(exec, label, extents...);
  detail::copy_to_device(exec, view.data(), values.data(), values.size());
  return view;
}

template <class Real>
std::vector<Real> part(std::vector<Real> const& all, std::int64_t frame, std::int64_t count) {
  return {all.begin() + frame * count, all.begin() + (frame + 1) * count};
}

template <class Real>
double gradient_of(FramesInput<Real> const& input, FramesOutput<Real> const& found,
                   std::int64_t frame, double lambda) {
  std::int64_t const n = input.rows, k = input.motions, m = input.depths;
  ArrowInput<Real> one{{n, k, std::vector<Real>(static_cast<std::size_t>(n * k))},
                       {n, 1, part(input.depth, frame, n)},
                       {n, 1, part(input.residual, frame, n)},
                       part(input.offsets, frame, m + 1)};
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j < k; ++j)
      one.motion(i, j) = input.motion[static_cast<std::size_t>((frame * n + i) * k + j)];
  ArrowOutput<Real> x;
  x.motion = {k, 1, part(found.motion, frame, k)};
  x.depth = {m, 1, part(found.depth, frame, m)};
  return relative_gradient(one, x, lambda);
}

}  // namespace

template <class Real>
FramesOutput<Real> solve_frames(FramesInput<Real> const& input, PinvArguments const& arguments,
                                Progress& progress) {
  ExecSpace const exec;
  std::int64_t const frames = input.frames, n = input.rows, k = input.motions, m = input.depths;
  auto const motion =
      on_device<DeviceBatch<Real>>(exec, "carroll::tool::motion", input.motion, frames, n, k);
  auto const depth =
      on_device<DeviceVectors<Real>>(exec, "carroll::tool::depth", input.depth, frames, n);
  auto const residual =
      on_device<DeviceVectors<Real>>(exec, "carroll::tool::residual", input.residual, frames, n);
  using Offsets = Kokkos::View<int**, Kokkos::LayoutRight, ExecSpace>;
  std::vector<int> own(input.offsets.begin(), input.offsets.begin() + frames * (m + 1));
  auto const offsets = on_device<Offsets>(exec, "carroll::tool::offsets", own, frames, m + 1);
  auto const y = uninitialized<DeviceVectors<Real>>(exec, "carroll::tool::y", frames, k);
  auto const xi = uninitialized<DeviceVectors<Real>>(exec, "carroll::tool::xi", frames, m);
  carroll::ArrowJacobian const A{motion, depth, offsets};
  PseudoinverseOptions const options = solver_options(arguments);
  auto workspace = pseudoinverse_workspace<Real>(
      exec, {.frames = frames, .rows = n, .motions = k, .depths = m}, options);
  exec.fence("carroll::tool: start of the clock");

  progress.phase("solving " + std::to_string(frames) + " of " + std::to_string(n) + " x " +
                 std::to_string(k + m));
  FramesOutput<Real> found;
  Kokkos::Timer const timer;
  auto const infos = apply_pseudoinverse(exec, A, residual, ArrowSolution{y, xi}, workspace);
  found.seconds = timer.seconds();
  found.backend = ExecSpace::name();
  found.path = to_string(workspace.path());
  found.motion = numbers_on_host(exec, y);
  found.depth = numbers_on_host(exec, xi);
  for (auto const& info : infos) {
    auto const frame = std::ssize(found.frames);
    found.frames.push_back({static_cast<int>(info.status), info.rank,
                            static_cast<double>(info.cutoff),
                            gradient_of(input, found, frame, arguments.damping)});
  }
  auto const take_over = [&](auto const& others) {
    for (std::size_t f = 0; f < found.frames.size(); ++f)
      if (found.frames[f].status == static_cast<int>(Status::success))
        found.frames[f].status = static_cast<int>(others[f].status);
  };
  if (arguments.covariance) {
    auto const covariance =
        uninitialized<DeviceBatch<Real>>(exec, "carroll::tool::covariance", frames, k, k);
    auto const variances =
        uninitialized<DeviceVectors<Real>>(exec, "carroll::tool::variances", frames, m);
    take_over(apply_pseudoinverse(exec, A, residual, ArrowSolution{y, xi, covariance, variances},
                                  options));
    found.covariance = numbers_on_host(exec, covariance);
    found.variances = numbers_on_host(exec, variances);
  }
  if (arguments.dense) {
    progress.phase("writing the pseudoinverses");
    auto const inverse =
        uninitialized<DeviceBatch<Real>>(exec, "carroll::tool::inverse", frames, k + m, n);
    take_over(pseudoinverse(exec, A, inverse, options));
    found.inverse = numbers_on_host(exec, inverse);
  }
  return found;
}

template FramesOutput<float> solve_frames(FramesInput<float> const&, PinvArguments const&,
                                          Progress&);
template FramesOutput<double> solve_frames(FramesInput<double> const&, PinvArguments const&,
                                           Progress&);

}  // namespace carroll::tool
