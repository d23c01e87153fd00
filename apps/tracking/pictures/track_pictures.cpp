// SPDX-License-Identifier: BSD-3-Clause
#include "tracking/pictures/track_pictures.hpp"

#include <algorithm>
#include <carroll/dense_depths.hpp>
#include <carroll/detail/copy.hpp>
#include <carroll/detail/vec3.hpp>
#include <cmath>
#include <cstdint>

namespace carroll::tool {

namespace {

using ExecSpace = Kokkos::DefaultExecutionSpace;
using HostPixels = Kokkos::View<float**, Kokkos::LayoutRight, Kokkos::HostSpace>;
using Vec = detail::Vec3<float>;

constexpr std::uint8_t unknown = 110;  // grey

/// I(π(p)) - I*(pixel) with p = Rᵀs - ζ·Rᵀt for the ray s and the inverse range ζ of the pixel;
/// bilinear. NaN where p is not seen. One thread per pixel.
struct ResidualMap {
  Camera<float> camera;
  Pixels reference, current, inverse_range, residual;
  Kokkos::Array<Vec, 3> axes;  ///< rows of Rᵀ
  Vec back;                    ///< Rᵀt

  KOKKOS_FUNCTION float grey(int u, int v) const {
    int const column = u < 0 ? u + camera.width : u >= camera.width ? u - camera.width : u;
    return current(Kokkos::min(v, camera.height - 1), column);
  }
  KOKKOS_FUNCTION void operator()(int v, int u) const {
    Vec const s = camera.ray(static_cast<float>(u), static_cast<float>(v));
    float const zeta = inverse_range(v, u);
    Vec const p{detail::dot(axes[0], s) - zeta * back[0], detail::dot(axes[1], s) - zeta * back[1],
                detail::dot(axes[2], s) - zeta * back[2]};
    float x = 0, y = 0;
    bool const seen = camera.project(p, x, y);
    residual(v, u) = Kokkos::Experimental::quiet_NaN_v<float>;
    if (!seen || !(zeta >= 0)) return;
    float const left = Kokkos::floor(x), top = Kokkos::floor(y);
    auto const i = static_cast<int>(left), j = static_cast<int>(top);
    float const a = x - left, b = y - top;
    float const upper = (1 - a) * grey(i, j) + a * grey(i + 1, j);
    float const lower = (1 - a) * grey(i, j + 1) + a * grey(i + 1, j + 1);
    residual(v, u) = (1 - b) * upper + b * lower - reference(v, u);
  }
};

/// Full colours round the circle: 0 red, 1/3 green, 2/3 blue.
std::array<double, 3> colour_of_hue(double hue) {
  auto const channel = [&](double offset) {
    double const x = std::abs(std::fmod(6 * hue + offset, 6.0) - 3) - 1;
    return std::clamp(x, 0.0, 1.0);
  };
  return {channel(0), channel(4), channel(2)};
}

std::uint8_t byte(double x) {
  return static_cast<std::uint8_t>(std::clamp(std::lround(255 * x), 0L, 255L));
}

HostPixels on_host(Pixels const& pixels) {
  return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), pixels);
}

/// The value that a fraction of the vertices is below.
double quantile(std::vector<double> values, double fraction) {
  auto const place = static_cast<std::ptrdiff_t>(fraction * static_cast<double>(values.size() - 1));
  std::ranges::nth_element(values, values.begin() + place);
  return values[static_cast<std::size_t>(place)];
}

}  // namespace

TrackPictures::TrackPictures(SphericalMesh<double> const& mesh, Camera<double> const& camera,
                             Pixels const& reference, Pixels const& current)
    : camera_(camera),
      reference_(reference),
      current_(current),
      dense_(dense_depths_workspace(ExecSpace(), camera, mesh_on<double>(ExecSpace(), mesh))) {}

Pixels TrackPictures::inverse_range(std::vector<double> const& inverse_depth) const {
  ExecSpace const exec;
  Kokkos::View<double*, ExecSpace> const zeta(
      Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "carroll::tool::inverse_depth"),
      inverse_depth.size());
  detail::copy_to_device(exec, zeta.data(), inverse_depth.data(), inverse_depth.size());
  Pixels const pixels(
      Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "carroll::tool::inverse_range"),
      reference_.extent(0), reference_.extent(1));
  dense_depths_async(exec, zeta, pixels, dense_, {DenseDepth::inverse_range});
  exec.fence("carroll::tool: depths of all pixels");
  return pixels;
}

std::vector<float> TrackPictures::residual(TrackState const& state) const {
  Pixels const result(Kokkos::view_alloc(Kokkos::WithoutInitializing, "carroll::tool::residual"),
                      reference_.extent(0), reference_.extent(1));
  ResidualMap map{camera_.as<float>(),
                  reference_,
                  current_,
                  inverse_range(state.inverse_depth),
                  result,
                  {},
                  {}};
  for (std::size_t i = 0; i < 3; ++i) {
    double back = 0;
    for (std::size_t j = 0; j < 3; ++j) {
      map.axes[i][j] = static_cast<float>(state.rotation[j][i]);
      back += state.rotation[j][i] * state.translation[j];
    }
    map.back[i] = static_cast<float>(back);
  }
  Kokkos::parallel_for(
      "carroll::tool::residual",
      Kokkos::MDRangePolicy<ExecSpace, Kokkos::Rank<2>>({0, 0}, {camera_.height, camera_.width}),
      map);
  auto const host = on_host(result);
  return {host.data(), host.data() + host.size()};
}

BytePicture TrackPictures::depth(std::vector<double> const& inverse_depth) const {
  double const near = std::log(quantile(inverse_depth, 0.95));
  double const far = std::log(quantile(inverse_depth, 0.05));
  auto const zeta = on_host(inverse_range(inverse_depth));
  auto const grey = on_host(reference_);
  BytePicture picture{camera_.width, camera_.height, 3, {}};
  for (std::size_t i = 0; i < zeta.size(); ++i) {
    double const x = static_cast<double>(zeta.data()[i]);
    double const place =
        near > far ? std::clamp((near - std::log(x)) / (near - far), 0.0, 1.0) : 0.5;
    double const light =
        0.35 + 0.65 * std::clamp(static_cast<double>(grey.data()[i]) / 255, 0.0, 1.0);
    auto const colour = colour_of_hue(place * 2 / 3);
    for (double const channel : colour)
      picture.bytes.push_back(x > 0 ? byte((0.2 + 0.8 * channel) * light) : unknown);
  }
  return picture;
}

BytePicture TrackPictures::residuals(TrackState const& before, TrackState const& after) const {
  constexpr double full = 40;  // grey levels
  BytePicture picture{camera_.width, 2 * camera_.height, 3, {}};
  for (TrackState const* state : {&before, &after}) {
    for (float const r : residual(*state)) {
      double const x = std::clamp(static_cast<double>(r) / full, -1.0, 1.0);
      bool const known = std::isfinite(r);
      for (double const channel : {1 + std::min(x, 0.0), 1 - std::abs(x), 1 - std::max(x, 0.0)})
        picture.bytes.push_back(known ? byte(channel) : unknown);
    }
  }
  return picture;
}

}  // namespace carroll::tool
