// SPDX-License-Identifier: BSD-3-Clause
#include "tracking/synthesize.hpp"

#include <Kokkos_Core.hpp>
#include <carroll/detail/copy.hpp>
#include <carroll/synthetic_scene.hpp>

#include "tracking/pictures/device_camera.hpp"

namespace carroll::tool {

namespace {

using ExecSpace = Kokkos::DefaultExecutionSpace;
template <class Value>
using Raster = Kokkos::View<Value**, Kokkos::LayoutRight, ExecSpace>;

template <class Value>
Raster<Value> make(ExecSpace const& exec, char const* label, CameraParameters const& camera) {
  return Raster<Value>(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, std::string(label)),
                       static_cast<std::size_t>(camera.height),
                       static_cast<std::size_t>(camera.width));
}

/// What a camera of 8 bits makes of grey levels.
void round_to_bytes(ExecSpace const& exec, Raster<float> const& grey,
                    Raster<std::uint8_t> const& bytes) {
  Kokkos::parallel_for(
      "carroll::tool::round_to_bytes",
      Kokkos::MDRangePolicy<ExecSpace, Kokkos::Rank<2>>(exec, {0, 0},
                                                        {grey.extent_int(0), grey.extent_int(1)}),
      KOKKOS_LAMBDA(int v, int u) {
        float const x = Kokkos::round(grey(v, u));
        bytes(v, u) = static_cast<std::uint8_t>(x < 0 ? 0.0F : x > 255 ? 255.0F : x);
      });
}

template <class Value>
std::vector<Value> to_host(ExecSpace const& exec, Raster<Value> const& pixels) {
  std::vector<Value> values(pixels.size());
  detail::copy_to_host(exec, values.data(), pixels.data(), values.size());
  exec.fence("carroll::tool: picture on the host");
  return values;
}

}  // namespace

std::string synthesize(SequenceWishes const& wishes,
                       std::function<void(SequenceFrame const&)> const& take, Progress& progress) {
  ExecSpace const exec;
  auto const patches = wishes.scene == "street" ? street_canyon() : box_room();
  auto const scene = synthetic_scene(exec, patches, wishes.seed);
  Camera<double> const camera = device_camera(wishes.camera);
  auto const lens = device_lens(wishes.camera);
  auto const grey = make<float>(exec, "carroll::tool::grey", wishes.camera);
  auto const range = make<float>(exec, "carroll::tool::range", wishes.camera);
  auto const bytes = make<std::uint8_t>(exec, "carroll::tool::bytes", wishes.camera);
  CameraPose pose;
  for (int k = 0; k < wishes.frames; ++k) {
    progress.phase("rendering frame " + std::to_string(k + 1) + " of " +
                   std::to_string(wishes.frames));
    if (lens)
      render_scene(exec, scene, *lens, pose, grey, range);
    else
      render_scene(exec, scene, camera, pose, grey, range);
    if (wishes.noise > 0)
      add_noise(exec, grey, wishes.noise, wishes.seed, static_cast<std::uint32_t>(k));
    round_to_bytes(exec, grey, bytes);
    SequenceFrame frame;
    frame.index = k;
    frame.image = {camera.width, camera.height, 1, to_host(exec, bytes)};
    frame.range = to_host(exec, range);
    for (std::size_t i = 0; i < 3; ++i) {
      frame.position[i] = pose.position[i];
      for (std::size_t j = 0; j < 3; ++j) frame.rotation[i][j] = pose.rotation[i][j];
    }
    take(frame);
    pose = ackermann_step(pose, wishes.rho, wishes.baseline);
  }
  return ExecSpace::name();
}

}  // namespace carroll::tool
