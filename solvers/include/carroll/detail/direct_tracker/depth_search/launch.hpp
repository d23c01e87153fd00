// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/device/launch.hpp>
#include <carroll/detail/direct_tracker/depth_search/choose.hpp>
#include <carroll/detail/direct_tracker/depth_search/costs.hpp>
#include <carroll/detail/direct_tracker/depth_search/ways.hpp>

namespace carroll::detail {

/// Searches the way and depths around the trial's; what is found becomes the trial. Of N samples of
/// the level 26·32·N are looked for, and nothing is kept that is larger than the mesh.
template <class ExecSpace, CameraModel Model>
void enqueue_depth_search(ExecSpace const& exec, TrackerMesh const& mesh,
                          TrackerReference const& reference, TrackerImage const& image,
                          TrackerDepths const& depths, TrackerState* state, double spread,
                          DepthSearch const& search) {
  if (mesh.triangles == 0) return;
  constexpr int threads = lanes<ExecSpace> == 1 ? 1 : 4;
  auto const each = [&](char const* label, auto const& kernel, int count) {
    launch_teams(
        label, exec, kernel,
        {.count = (count + threads - 1) / threads, .threads = threads, .lanes = lanes<ExecSpace>});
  };
  auto const once = [&](char const* label, auto const& kernel) {
    launch_teams(label, exec, kernel,
                 {.threads = lanes<ExecSpace> == 1 ? 1 : 16, .lanes = lanes<ExecSpace>});
  };
  auto const sweep = [&](int way) {
    each(
        "carroll::direct_tracker::depth_costs",
        DepthCostsKernel<ExecSpace, Model>{mesh, reference, image, depths.zeta, state, search, way},
        mesh.triangles);
    each("carroll::direct_tracker::depth_likeness",
         DepthLikenessKernel<ExecSpace>{state, search, way}, mesh.vertices);
  };
  once("carroll::direct_tracker::spread_ways",
       SpreadWaysKernel<ExecSpace>{state, search, spread, Model == CameraModel::unified});
  for (int k = 0; k < searched_ways; ++k) sweep(k);
  once("carroll::direct_tracker::choose_way", ChooseWayKernel<ExecSpace>{state, search});
  sweep(0);
  for (int r = 0; r < depth_rounds; ++r)
    each("carroll::direct_tracker::choose_depth",
         ChooseDepthKernel<ExecSpace>{state, search, depths.prior, r}, mesh.vertices);
  once("carroll::direct_tracker::apply_depths",
       ApplyDepthsKernel<ExecSpace>{state, search, depths, depth_rounds - 1});
}

}  // namespace carroll::detail
