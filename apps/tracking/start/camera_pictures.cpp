// SPDX-License-Identifier: BSD-3-Clause
#include "tracking/start/camera_pictures.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "files/file_error.hpp"
#include "files/limits.hpp"
#include "files/pictures/any.hpp"
#include "files/png/reader.hpp"

namespace carroll::tool {

namespace {

/// The first component of the unit vector that a pixel of the unified model looks along.
double forward_of(CameraParameters const& camera, std::int64_t u, std::int64_t v) {
  double const x = (static_cast<double>(u) - camera.cx) / camera.fx;
  double const y = (static_cast<double>(v) - camera.cy) / camera.fy;
  double const m2 = x * x + y * y;
  return (camera.chi + std::sqrt(1 + (1 - camera.chi * camera.chi) * m2)) / (1 + m2) - camera.chi;
}

}  // namespace

CameraPictures::CameraPictures(std::string const& camera_file, std::string const& first)
    : lens_(read_camera(camera_file)) {
  if (lens_.width == 0) {
    GreyPicture const picture = read_grey_picture(first);
    lens_.width = picture.width;
    lens_.height = picture.height;
  }
  try {
    rectifier_.emplace(lens_);
  } catch (std::invalid_argument const& error) {
    throw FileError(camera_file, error.what());
  }
}

GreyPicture CameraPictures::read_whole(std::string const& path) const {
  GreyPicture picture = read_grey_picture(path);
  if (picture.width != lens_.width || picture.height != lens_.height)
    throw FileError(path, "is " + extents_text(picture.width, picture.height) +
                              " pixels, must be " + extents_text(lens_.width, lens_.height) +
                              " as the camera says");
  return picture;
}

void CameraPictures::divide_by(std::string const& path) {
  constexpr float least = 0.02F;
  GreyPicture const light = read_whole(path);
  float const brightest = *std::ranges::max_element(light.grey);
  if (!(brightest > 0)) throw FileError(path, "is black, which no lens is");
  for (float const x : light.grey) vignette_.push_back(1 / std::max(x / brightest, least));
}

GreyPicture CameraPictures::read(std::string const& path) const {
  GreyPicture picture = read_whole(path);
  for (std::size_t i = 0; i < vignette_.size(); ++i) picture.grey[i] *= vignette_[i];
  return (*rectifier_)(picture);
}

GreyPicture CameraPictures::read_mask(std::string const& path) const {
  return rectifier_->nearest(read_whole(path));
}

GreyPicture CameraPictures::mask_of_clipped(std::string const& path) const {
  GreyPicture picture = read_whole(path);
  for (float& grey : picture.grey) grey = grey > 0 && grey < 255 ? 1.0F : 0.0F;
  return rectifier_->nearest(picture);
}

HostMatrix<float> CameraPictures::ranges_of(std::string const& path,
                                            HostMatrix<float> const& ranges) const {
  if (ranges.rows != lens_.height || ranges.cols != lens_.width)
    throw FileError(path, "is " + extents_text(ranges.rows, ranges.cols) + ", must be " +
                              extents_text(lens_.height, lens_.width) + " as the camera says");
  return rectifier_->nearest(ranges);
}

HostMatrix<float> CameraPictures::read_depth_picture(std::string const& path, double scale) const {
  SamplePicture const picture = read_png_samples(path);
  if (picture.channels != 1 || picture.bits != 16)
    throw FileError(path, "is no grey picture of 16 bits, which one of distances has to be");
  HostMatrix<float> depths{picture.height, picture.width, {}};
  depths.values.resize(picture.levels.size());
  for (std::int64_t v = 0; v < depths.rows; ++v)
    for (std::int64_t u = 0; u < depths.cols; ++u)
      depths(v, u) =
          static_cast<float>(picture.levels[static_cast<std::size_t>(v * depths.cols + u)] / scale);
  HostMatrix<float> ranges = ranges_of(path, depths);
  if (camera().model == "equirectangular") return ranges;
  for (std::int64_t v = 0; v < ranges.rows; ++v)
    for (std::int64_t u = 0; u < ranges.cols; ++u) {
      double const forward = forward_of(camera(), u, v);
      ranges(v, u) = forward > 0.05 ? ranges(v, u) / static_cast<float>(forward) : 0.0F;
    }
  return ranges;
}

}  // namespace carroll::tool
