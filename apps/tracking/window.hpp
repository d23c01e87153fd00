// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <array>
#include <carroll/tracker_window.hpp>
#include <vector>

#include "tracking/pictures/lens_pictures.hpp"
#include "tracking/track.hpp"

namespace carroll::tool {

/// A picture on the device, and its mask, without extents where there is none.
struct MaskedPixels {
  Pixels picture, mask;
};

/// Once more with the pictures from before the reference, which see the same depths: their poses,
/// and `state` bettered; or none, and the state as it was, where a window is no success.
template <class ExecSpace, class Workspace, class State>
std::vector<Pose> track_witnesses(ExecSpace const& exec, TrackInput const& input,
                                  LensPictures const& pictures, MaskedPixels const& current,
                                  Workspace const& tracker, State const& state) {
  int const frames = 1 + static_cast<int>(input.witnesses.size());
  auto window = tracker_window_workspace(exec, tracker, {.frames = frames});
  auto const set = [&](int frame, MaskedPixels const& pixels) {
    if (pixels.mask.extent(0) > 0)
      set_window_frame_async(exec, frame, MaskedImage{pixels.picture, pixels.mask}, window);
    else
      set_window_frame_async(exec, frame, pixels.picture, window);
  };
  Kokkos::View<double* [12], Kokkos::LayoutRight, ExecSpace> const motions(
      "carroll::tool::window_motions", frames);
  auto const first = Kokkos::subview(motions, 0, Kokkos::ALL());
  auto const host = Kokkos::create_mirror_view(motions);
  set(0, current);
  for (int f = 1; f < frames; ++f) {
    TrackWitness const& witness = input.witnesses[static_cast<std::size_t>(f - 1)];
    set(f, {pictures.on_device("carroll::tool::witness", witness.picture),
            witness.mask ? pictures.mask_on_device("carroll::tool::witness_mask", *witness.mask)
                         : Pixels()});
    for (std::size_t i = 0; i < 12; ++i)
      host(f, i) = i % 4 < 3 ? witness.pose.rotation[i / 4][i % 4]
                             : witness.pose.translation[i / 4] / input.baseline;
  }
  Kokkos::deep_copy(exec, motions, host);
  Kokkos::deep_copy(exec, first, state.motion);
  using Depth = decltype(State::inverse_depth);
  Depth const depth("carroll::tool::window_depth", state.inverse_depth.extent(0));
  Kokkos::deep_copy(exec, depth, state.inverse_depth);
  auto const info = track_window(exec, TrackerWindowState{motions, depth}, window);
  if (info.status != Status::success) return {};
  Kokkos::deep_copy(exec, state.motion, first);
  Kokkos::deep_copy(exec, state.inverse_depth, depth);
  Kokkos::deep_copy(exec, host, motions);
  exec.fence("carroll::tool: motions of the window are here");
  std::vector<Pose> poses(input.witnesses.size());
  for (std::size_t f = 0; f < poses.size(); ++f)
    for (std::size_t i = 0; i < 12; ++i) {
      double& x = i % 4 < 3 ? poses[f].rotation[i / 4][i % 4] : poses[f].translation[i / 4];
      x = host(f + 1, i) * (i % 4 < 3 ? 1 : input.baseline);
    }
  return poses;
}

}  // namespace carroll::tool
