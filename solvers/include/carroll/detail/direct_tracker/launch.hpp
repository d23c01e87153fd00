// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/device/launch.hpp>
#include <carroll/detail/direct_tracker/depth_search/launch.hpp>
#include <carroll/detail/direct_tracker/frame.hpp>
#include <carroll/detail/direct_tracker/pyramid.hpp>
#include <carroll/detail/direct_tracker/reference.hpp>
#include <carroll/detail/direct_tracker/rows.hpp>
#include <carroll/detail/direct_tracker/verdict.hpp>
#include <carroll/direct_tracker/workspace.hpp>
#include <cmath>
#include <vector>

/// Which kernels of the tracker run, in which order and with which teams.
namespace carroll::detail {

/// Threads of the team that works on vertices, and of one that works on a row of pixels.
template <class ExecSpace>
inline constexpr int vertex_threads = lanes<ExecSpace> == 1 ? 1 : 512;
template <class ExecSpace>
inline constexpr int pixel_threads = lanes<ExecSpace> == 1 ? 1 : 8;

/// Calls f with std::integral_constant of the options' enumerators.
template <auto first, auto second, class F>
void with_either(decltype(first) value, F const& f) {
  if (value == first)
    f(std::integral_constant<decltype(first), first>{});
  else
    f(std::integral_constant<decltype(second), second>{});
}
template <class F>
void with_camera_model(CameraModel model, F const& f) {
  with_either<CameraModel::equirectangular, CameraModel::unified>(model, f);
}
template <class F>
void with_motion(TrackerMotion motion, F const& f) {
  with_either<TrackerMotion::ackermann, TrackerMotion::se3>(motion, f);
}

template <class ExecSpace, class Kernel>
void enqueue_team(char const* label, ExecSpace const& exec, Kernel const& kernel, int league = 1) {
  launch_teams(label, exec, kernel, {league, vertex_threads<ExecSpace>});
}

/// The pyramid of an image, with what is known of its mask, in `levels`, whose `image` says where;
/// `fault`, which is 0, becomes 1 where the image is not finite.
template <class ExecSpace, class Level, class Fault, class ImageView, class MaskPixel>
void enqueue_pyramid(ExecSpace const& exec, std::vector<Level> const& levels, Fault const& fault,
                     ImageView const& image, PixelMask<MaskPixel> const& mask) {
  using Pixel = typename ImageView::non_const_value_type;
  using Load = LoadImageKernel<ExecSpace, Pixel, MaskPixel>;
  using Halve = HalveImageKernel<ExecSpace, Load::masked>;
  auto const enqueue = [&](char const* label, auto const& kernel, int rows) {
    launch_teams(label, exec, kernel,
                 {.count = rows, .threads = pixel_threads<ExecSpace>, .lanes = lanes<ExecSpace>});
  };
  enqueue("carroll::direct_tracker::load",
          Load{image.data(), static_cast<std::int64_t>(image.stride(0)),
               static_cast<std::int64_t>(image.stride(1)), levels[0].image, fault.data(), mask},
          levels[0].image.camera.height);
  for (std::size_t l = 1; l < levels.size(); ++l)
    enqueue("carroll::direct_tracker::halve", Halve{levels[l - 1].image, levels[l].image},
            levels[l].image.camera.height);
}

/// Of an image, or a MaskedImage.
template <class ExecSpace, class Level, class Fault, class Image>
void enqueue_pyramid(ExecSpace const& exec, std::vector<Level> const& levels, Fault const& fault,
                     Image const& image) {
  if constexpr (is_instance_of<Image, MaskedImage>) {
    auto const& view = image.mask;
    using MaskPixel = typename decltype(image.mask)::non_const_value_type;
    enqueue_pyramid(exec, levels, fault, image.image,
                    PixelMask<MaskPixel>{view.data(), static_cast<std::int64_t>(view.stride(0)),
                                         static_cast<std::int64_t>(view.stride(1))});
  } else {
    enqueue_pyramid(exec, levels, fault, image, PixelMask<void>{});
  }
}

/// The workspace's own. BeginFrameKernel, which asks for faults, leaves 0 for the next current
/// image.
template <class ExecSpace, class Image>
void enqueue_pyramid(ExecSpace const& exec, DirectTrackerWorkspace<ExecSpace>& w,
                     Image const& image, TrackerFault which) {
  using Access = AccessTo<DirectTrackerWorkspace<ExecSpace>>;
  auto const fault = Kokkos::subview(Access::faults(w), int{which});
  if (which == fault_of_reference) Kokkos::deep_copy(exec, fault, 0);
  enqueue_pyramid(exec, Access::levels(w), fault, image);
}

/// What is kept of a reference image whose pyramid is made.
template <class ExecSpace>
void enqueue_reference(ExecSpace const& exec, DirectTrackerWorkspace<ExecSpace>& w) {
  using Access = AccessTo<DirectTrackerWorkspace<ExecSpace>>;
  TrackerMesh const& mesh = Access::mesh(w);
  Kokkos::deep_copy(exec, Access::seen(w), 0);
  if (mesh.triangles == 0) return;
  with_camera_model(w.camera().model, [&](auto model) {
    using Kernel = SampleReferenceKernel<ExecSpace, decltype(model)::value>;
    constexpr int threads = lanes<ExecSpace> == 1 ? 1 : 4;
    for (auto& level : Access::levels(w))
      launch_teams("carroll::direct_tracker::sample_reference", exec,
                   Kernel{mesh, level.reference, level.image},
                   {.count = (mesh.triangles + threads - 1) / threads,
                    .threads = threads,
                    .lanes = lanes<ExecSpace>});
  });
}

/// What a state is worth, by the rows of a level: the second one, or the only one. `counts` are 0
/// before.
template <class ExecSpace, class Rows>
void enqueue_verdict(ExecSpace const& exec, TrackerMesh const& mesh, int* counts,
                     Rows const& rows) {
  if (mesh.triangles == 0) return;
  constexpr int threads = lanes<ExecSpace> == 1 ? 1 : 4;
  launch_teams("carroll::direct_tracker::verdict", exec,
               VerdictKernel<ExecSpace, Rows>{rows, mesh, counts},
               {.count = (mesh.triangles + threads - 1) / threads,
                .threads = threads,
                .lanes = lanes<ExecSpace>});
}

/// All iterations on a current image whose pyramid is made: nothing comes back to the host.
template <class ExecSpace, CameraModel Model, TrackerMotion Motion>
void enqueue_iterations(ExecSpace const& exec, DirectTrackerWorkspace<ExecSpace>& w) {
  using Access = AccessTo<DirectTrackerWorkspace<ExecSpace>>;
  auto& levels = Access::levels(w);
  DirectTrackerOptions const& options = w.options();
  float const huber = tracker_huber(options);
  for (TrackerPass pass : Access::plan(w)) {
    auto& level = levels[static_cast<std::size_t>(pass.level)];
    pass.seen = level.reference.seen;
    auto const sum = [&](auto esm) {
      Access::sum_async(exec, w, level,
                        TrackerRows<Model, Motion, decltype(esm)::value>{
                            Access::mesh(w), level.reference, level.image, Access::depths(w).zeta,
                            Access::state(w), huber, shown_levels(options), pass.columns});
    };
    // Of the brightness alone gradients tell nothing.
    bool const moves = pass.columns.turn != 0 || pass.columns.depth != 0;
    if (options.method == TrackerMethod::esm && pass.level > 0 && moves)
      sum(std::true_type{});
    else
      sum(std::false_type{});
    Access::solve_async(exec, w, std::ldexp(options.smoothness, -pass.level), pass,
                        UpdateKernel<ExecSpace, Motion>{
                            options, pass, static_cast<int>(w.vertices()), Access::depths(w),
                            Access::step(w), Access::state(w), Access::log(w)});
    if constexpr (Motion == TrackerMotion::se3) {
      if (pass.next == TrackerNext::depths)
        enqueue_depth_search<ExecSpace, Model>(
            exec, Access::mesh(w), level.reference, level.image, Access::depths(w),
            Access::state(w), static_cast<double>(pass.spread), Access::depth_search(w));
    }
  }
  auto const& level = levels[levels.size() > 1 ? 1 : 0];
  enqueue_verdict(exec, Access::mesh(w), Access::counts(w),
                  TrackerRows<Model, Motion, false>{Access::mesh(w),
                                                    level.reference,
                                                    level.image,
                                                    Access::depths(w).zeta,
                                                    Access::state(w),
                                                    huber,
                                                    shown_levels(options),
                                                    {}});
}

}  // namespace carroll::detail
