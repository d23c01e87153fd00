// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/camera.hpp>
#include <carroll/concepts.hpp>
#include <carroll/detail/allocate.hpp>
#include <carroll/detail/copy.hpp>
#include <carroll/detail/random.hpp>
#include <carroll/detail/synthetic_scene/cast_rays.hpp>
#include <carroll/detail/vec3.hpp>
#include <carroll/error.hpp>
#include <carroll/lens.hpp>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <string>
#include <vector>

/// Scenes made of textured rectangles, and images of them with exact ranges, so that tracking can
/// be tried and measured without a data set. All lengths are in metres; the world is as a camera
/// sees it at the origin: x forward, y left, z up.
namespace carroll {

/// Where a camera is: its axes in the world are the columns of `rotation` (rows of the array are
/// rows of the matrix), its centre is `position`.
struct CameraPose {
  Kokkos::Array<Kokkos::Array<double, 3>, 3> rotation = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  Kokkos::Array<double, 3> position = {0, 0, 0};
};

/// The pose after a car at `pose` has gone round a circle in its plane: by a chord of length
/// `baseline`, of which the radius, in baselines, is 1/ρ. The heading turns by α = 2·asin(ρ/2), to
/// the left for ρ > 0, and the chord points α/2 to the left. |ρ| < 2.
[[nodiscard]] inline CameraPose ackermann_step(CameraPose const& pose, double rho,
                                               double baseline) {
  detail::require(std::abs(rho) < 2, "carroll::ackermann_step",
                  [&] { return "rho is " + std::to_string(rho) + ", must be within -2 and 2"; });
  double const half = std::asin(rho / 2);
  double const c = std::cos(2 * half), s = std::sin(2 * half);
  CameraPose next = pose;
  for (std::size_t i = 0; i < 3; ++i) {
    auto const& axes = pose.rotation[i];
    next.position[i] += baseline * (std::cos(half) * axes[0] + std::sin(half) * axes[1]);
    next.rotation[i] = {c * axes[0] + s * axes[1], c * axes[1] - s * axes[0], axes[2]};
  }
  return next;
}

/// A rectangle: the points corner + a·along + b·across with a, b in [0, 1], textured on both sides.
struct ScenePatch {
  Kokkos::Array<double, 3> corner;
  Kokkos::Array<double, 3> along;   ///< side, of any length but 0
  Kokkos::Array<double, 3> across;  ///< the other one, at a right angle to it
  double grey = 128;                ///< mean of the texture
  double contrast = 35;             ///< its standard deviation; 0: none
  double shortest_wave = 0.15;      ///< metres; the texture has nothing shorter
  double longest_wave = 2;
};

/// A scene in the memory of an execution space, made by synthetic_scene().
template <ExecutionSpace ExecSpace>
struct SyntheticScene {
  Kokkos::View<detail::Patch*, typename ExecSpace::memory_space> patches;
  Kokkos::View<detail::Wave**, Kokkos::LayoutRight, typename ExecSpace::memory_space> waves;
  double background = 200;  ///< grey where there is nothing, infinitely far away
};

/// Gives every patch its texture: a sum of `waves` plane waves in random directions and phases, of
/// lengths that are uniform in their logarithm, from Philox with `seed`. Fences `exec` once.
template <ExecutionSpace ExecSpace>
[[nodiscard]] SyntheticScene<ExecSpace> synthetic_scene(ExecSpace const& exec,
                                                        std::vector<ScenePatch> const& patches,
                                                        std::uint64_t seed, int waves = 24);

/// A room of 10 m × 8 m × 3 m, seen from 1.2 m above the floor, a little off the middle. Everything
/// is textured: all depths can be seen.
[[nodiscard]] inline std::vector<ScenePatch> box_room() {
  double const x0 = -4.5, x1 = 5.5, y0 = -3.5, y1 = 4.5, z0 = -1.2, z1 = 1.8;
  double const X = x1 - x0, Y = y1 - y0, Z = z1 - z0;
  return {{.corner = {x0, y0, z0}, .along = {X, 0, 0}, .across = {0, Y, 0}, .grey = 105},
          {.corner = {x0, y0, z1}, .along = {X, 0, 0}, .across = {0, Y, 0}, .grey = 150},
          {.corner = {x0, y0, z0}, .along = {X, 0, 0}, .across = {0, 0, Z}, .grey = 120},
          {.corner = {x0, y1, z0}, .along = {X, 0, 0}, .across = {0, 0, Z}, .grey = 135},
          {.corner = {x0, y0, z0}, .along = {0, Y, 0}, .across = {0, 0, Z}, .grey = 125},
          {.corner = {x1, y0, z0}, .along = {0, Y, 0}, .across = {0, 0, Z}, .grey = 140}};
}

/// A street of 90 m between façades 14 m apart and 9 m high, closed at both ends, below a sky
/// without texture, with a few boxes at its sides that hide what is behind them.
[[nodiscard]] inline std::vector<ScenePatch> street_canyon() {
  double const x0 = -40, x1 = 50, y0 = -6, y1 = 8, z0 = -1.6, z1 = 7.4;
  double const X = x1 - x0, Y = y1 - y0, Z = z1 - z0;
  auto const patch = [](Kokkos::Array<double, 3> corner, Kokkos::Array<double, 3> along,
                        Kokkos::Array<double, 3> across, double grey) {
    return ScenePatch{.corner = corner,
                      .along = along,
                      .across = across,
                      .grey = grey,
                      .shortest_wave = 0.3,
                      .longest_wave = 5};
  };
  std::vector<ScenePatch> scene = {patch({x0, y0, z0}, {X, 0, 0}, {0, Y, 0}, 95),
                                   patch({x0, y0, z0}, {X, 0, 0}, {0, 0, Z}, 130),
                                   patch({x0, y1, z0}, {X, 0, 0}, {0, 0, Z}, 145),
                                   patch({x0, y0, z0}, {0, Y, 0}, {0, 0, Z}, 120),
                                   patch({x1, y0, z0}, {0, Y, 0}, {0, 0, Z}, 135)};
  struct Box {
    double x, y, length, width, height;
  };
  for (Box const& box : {Box{9, 5.4, 4.4, 1.8, 1.5}, Box{-10, 5.6, 4.2, 1.8, 1.6},
                         Box{16, -5.8, 5.5, 2, 2.4}, Box{-19, -5.7, 4.3, 1.8, 1.5}}) {
    double const l = box.length, w = box.width, h = box.height;
    scene.push_back(patch({box.x, box.y, z0}, {l, 0, 0}, {0, 0, h}, 110));
    scene.push_back(patch({box.x, box.y + w, z0}, {l, 0, 0}, {0, 0, h}, 110));
    scene.push_back(patch({box.x, box.y, z0}, {0, w, 0}, {0, 0, h}, 150));
    scene.push_back(patch({box.x + l, box.y, z0}, {0, w, 0}, {0, 0, h}, 150));
    scene.push_back(patch({box.x, box.y, z0 + h}, {l, 0, 0}, {0, w, 0}, 165));
  }
  return scene;
}

/// The image of the scene that a camera or a lens at `pose` takes, in grey levels, not rounded and
/// not cut to what a pixel can hold, and the range of every pixel in metres: infinite where there
/// is nothing, and, together with a grey level of 0, NaN where the camera has no ray. `image` and
/// `range` H×W.
///
/// Each wave of a texture is weakened by what a Gaussian of `blur` pixels leaves of it, to first
/// order in the pixel, so that the image holds nothing that its pixels cannot tell. Does not fence.
template <ExecutionSpace ExecSpace, class Optics, class ImageView, class RangeView>
requires std::same_as<Optics, Camera<double>> || std::same_as<Optics, Lens<double>>
void render_scene(ExecSpace const& exec, SyntheticScene<ExecSpace> const& scene,
                  Optics const& camera, CameraPose const& pose, ImageView const& image,
                  RangeView const& range, double blur = 0.6) {
  constexpr char const* function = "carroll::render_scene";
  static_assert(WritableView<ImageView, ExecSpace, 2> && WritableView<RangeView, ExecSpace, 2>,
                "carroll::render_scene: image and range must be writable Views of rank 2 over "
                "float or double that the execution space can reach");
  int const height = camera.height, width = camera.width;
  detail::require_extents(function, "image", {image.extent_int(0), image.extent_int(1)},
                          {height, width});
  detail::require_extents(function, "range", {range.extent_int(0), range.extent_int(1)},
                          {height, width});
  Kokkos::parallel_for("carroll::synthetic_scene::cast_rays",
                       Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>(
                           exec, 0, std::int64_t{width} * height),
                       detail::CastRays<Optics, ImageView, RangeView, decltype(scene.patches),
                                        decltype(scene.waves)>(
                           image, range, scene.patches, scene.waves, camera, pose.rotation,
                           pose.position, blur, scene.background));
}

/// Adds normal noise of standard deviation `sigma` grey levels to every pixel: Philox with `seed`
/// and, as its stream, the number of the frame; the same whatever the image's layout and the number
/// of threads. Does not fence.
template <ExecutionSpace ExecSpace, class ImageView>
void add_noise(ExecSpace const& exec, ImageView const& image, double sigma, std::uint64_t seed,
               std::uint32_t frame) {
  static_assert(WritableView<ImageView, ExecSpace, 2>,
                "carroll::add_noise: image must be a writable View of rank 2 over float or double "
                "that the execution space can reach");
  std::int64_t const height = image.extent_int(0), width = image.extent_int(1);
  using Real = typename ImageView::non_const_value_type;
  Kokkos::parallel_for(
      "carroll::synthetic_scene::noise",
      Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>(exec, 0, height * width),
      KOKKOS_LAMBDA(std::int64_t pixel) {
        double const x =
            detail::random_normal<double>(seed, frame, static_cast<std::uint64_t>(pixel));
        image(pixel / width, pixel % width) += static_cast<Real>(sigma * x);
      });
}

template <ExecutionSpace ExecSpace>
SyntheticScene<ExecSpace> synthetic_scene(ExecSpace const& exec,
                                          std::vector<ScenePatch> const& patches,
                                          std::uint64_t seed, int waves) {
  constexpr char const* function = "carroll::synthetic_scene";
  constexpr std::uint32_t stream = 0xFFFF'FFFFU;  // not that of any frame's noise
  detail::require(waves >= 0, function,
                  [&] { return "waves is " + std::to_string(waves) + ", must not be negative"; });
  SyntheticScene<ExecSpace> scene;
  using Patches = decltype(scene.patches);
  scene.patches = detail::allocate<Patches>(exec, "carroll::synthetic_scene::patches",
                                            static_cast<std::int64_t>(patches.size()));
  scene.waves = decltype(scene.waves)(
      Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "carroll::synthetic_scene::waves"),
      patches.size(), static_cast<std::size_t>(waves));
  auto const host_patches = Kokkos::create_mirror_view(scene.patches);
  auto const host_waves = Kokkos::create_mirror_view(scene.waves);
  for (std::size_t p = 0; p < patches.size(); ++p) {
    ScenePatch const& patch = patches[p];
    double const length = std::sqrt(detail::dot(patch.along, patch.along));
    double const width = std::sqrt(detail::dot(patch.across, patch.across));
    detail::require(length > 0 && width > 0 &&
                        std::abs(detail::dot(patch.along, patch.across)) <= 1e-9 * length * width &&
                        patch.shortest_wave > 0 && patch.longest_wave >= patch.shortest_wave,
                    function, [&] {
                      return "patch " + std::to_string(p) +
                             " is no rectangle, or its waves do not rise from above 0";
                    });
    detail::Vec3<double> const e1{patch.along[0] / length, patch.along[1] / length,
                                  patch.along[2] / length};
    detail::Vec3<double> const e2{patch.across[0] / width, patch.across[1] / width,
                                  patch.across[2] / width};
    host_patches(p) = {patch.corner, e1, e2, detail::cross(e1, e2), length, width, patch.grey};
    for (int k = 0; k < waves; ++k) {
      auto const index = static_cast<std::uint64_t>(p) * static_cast<std::uint64_t>(waves) +
                         static_cast<std::uint64_t>(k);
      auto const bits = detail::philox(seed, {static_cast<std::uint32_t>(index),
                                              static_cast<std::uint32_t>(index >> 32U), stream, 1});
      auto const uniform = [&](std::size_t i) { return (bits[i] + 0.5) * 0x1p-32; };
      double const wave =
          patch.shortest_wave * std::pow(patch.longest_wave / patch.shortest_wave, uniform(0));
      double const number = 2 * Kokkos::numbers::pi / wave;
      double const direction = Kokkos::numbers::pi * uniform(1);
      host_waves(p, k) = {number * std::cos(direction), number * std::sin(direction),
                          2 * Kokkos::numbers::pi * uniform(2),
                          patch.contrast * std::sqrt(2.0 / waves)};
    }
  }
  detail::copy_view(exec, scene.patches, host_patches);
  detail::copy_view(exec, scene.waves, host_waves);
  exec.fence("carroll::synthetic_scene: mirrors may go");
  return scene;
}

}  // namespace carroll
