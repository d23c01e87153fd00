// SPDX-License-Identifier: BSD-3-Clause
#include "tracking/pictures/lens_pictures.hpp"

#include <algorithm>
#include <carroll/detail/copy.hpp>
#include <cmath>
#include <string>

#include "tracking/pictures/check_lens.hpp"
#include "tracking/pictures/device_camera.hpp"

namespace carroll::tool {

namespace {

Pixels pixels_of(Kokkos::DefaultExecutionSpace const& exec, char const* label, int height,
                 int width) {
  return Pixels(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, std::string(label)),
                static_cast<std::size_t>(height), static_cast<std::size_t>(width));
}

}  // namespace

void check_lens(CameraParameters const& parameters) {
  if (auto const lens = device_lens(parameters)) (void)rectified_camera(*lens);
}

LensPictures::LensPictures(CameraParameters const& parameters)
    : lens_(device_lens(parameters)),
      camera_(lens_ ? rectified_camera(*lens_) : device_camera(parameters)) {
  if (lens_) rectifier_ = lens_rectifier(ExecSpace(), *lens_, camera_);
}

Pixels LensPictures::on_device(char const* label, GreyPicture const& picture,
                               Interpolation interpolation) const {
  ExecSpace const exec;
  Pixels const whole = pixels_of(exec, label, picture.height, picture.width);
  detail::copy_to_device(exec, whole.data(), picture.grey.data(), whole.size());
  Pixels const result = lens_ ? pixels_of(exec, label, camera_.height, camera_.width) : whole;
  if (lens_) rectify_async(exec, whole, result, *rectifier_, {interpolation});
  exec.fence("carroll::tool: picture on the device");
  return result;
}

std::optional<std::int64_t> LensPictures::pixel_of(Kokkos::Array<double, 3> const& ray) const {
  double u = 0, v = 0;
  if (lens_)
    (void)lens_->project(ray, u, v);
  else
    (void)camera_.project(ray, u, v);
  if (!std::isfinite(u) || !std::isfinite(v)) return std::nullopt;
  int const width = lens_ ? lens_->width : camera_.width;
  int const height = lens_ ? lens_->height : camera_.height;
  auto const nearest = [](double x, int size) {
    return std::clamp<std::int64_t>(std::llround(x), 0, size - 1);
  };
  return nearest(v, height) * width + nearest(u, width);
}

}  // namespace carroll::tool
