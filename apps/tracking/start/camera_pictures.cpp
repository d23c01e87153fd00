// SPDX-License-Identifier: BSD-3-Clause
#include "tracking/start/camera_pictures.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "files/file_error.hpp"
#include "files/limits.hpp"
#include "files/pictures/any.hpp"
#include "files/png/reader.hpp"
#include "tracking/pictures/check_lens.hpp"

namespace carroll::tool {

CameraPictures::CameraPictures(std::string const& camera_file, std::string const& first)
    : camera_(read_camera(camera_file)) {
  if (camera_.width == 0) {
    GreyPicture const picture = read_grey_picture(first);
    camera_.width = picture.width;
    camera_.height = picture.height;
  }
  try {
    check_lens(camera_);
  } catch (std::invalid_argument const& error) {
    throw FileError(camera_file, error.what());
  }
}

GreyPicture CameraPictures::read_whole(std::string const& path) const {
  GreyPicture picture = read_grey_picture(path);
  if (picture.width != camera_.width || picture.height != camera_.height)
    throw FileError(path, "is " + extents_text(picture.width, picture.height) +
                              " pixels, must be " + extents_text(camera_.width, camera_.height) +
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
  if (!vignette_.empty()) picture.white = std::numeric_limits<float>::infinity();
  return picture;
}

GreyPicture CameraPictures::read_mask(std::string const& path) const {
  return read_whole(path);
}

GreyPicture CameraPictures::mask_of_clipped(std::string const& path) const {
  GreyPicture picture = read_whole(path);
  for (float& grey : picture.grey) grey = grey > 0 && grey < 255 ? 1.0F : 0.0F;
  return picture;
}

void CameraPictures::check_size(std::string const& path, HostMatrix<float> const& depths) const {
  if (depths.rows != camera_.height || depths.cols != camera_.width)
    throw FileError(path, "is " + extents_text(depths.rows, depths.cols) + ", must be " +
                              extents_text(camera_.height, camera_.width) + " as the camera says");
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
  check_size(path, depths);
  return depths;
}

}  // namespace carroll::tool
