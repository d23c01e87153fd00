// SPDX-License-Identifier: BSD-3-Clause
#include "files/camera/rectify.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <utility>

namespace carroll::tool {

namespace {

struct PixelPlace {
  double u, v;
};

/// Where a lens shows the direction (right, down, forward), none where its formula has turned back.
std::optional<PixelPlace> place_in(CameraParameters const& lens, double right, double down,
                                   double forward) {
  auto const& k = lens.coefficients;
  double a = 0, b = 0;
  if (lens.distortion == Distortion::kannala_brandt) {
    double const r = std::hypot(right, down);
    double const t = std::atan2(r, forward), t2 = t * t;
    if (!(1 + t2 * (3 * k[0] + t2 * (5 * k[1] + t2 * (7 * k[2] + t2 * 9 * k[3]))) > 0))
      return std::nullopt;
    double const bent = t * (1 + t2 * (k[0] + t2 * (k[1] + t2 * (k[2] + t2 * k[3]))));
    a = r > 0 ? bent * right / r : 0;
    b = r > 0 ? bent * down / r : 0;
  } else {
    if (!(forward > 0)) return std::nullopt;
    double const x = right / forward, y = down / forward, r2 = x * x + y * y;
    if (!(1 + r2 * (3 * k[0] + r2 * (5 * k[1] + r2 * 7 * k[4])) > 0)) return std::nullopt;
    double const radial = 1 + r2 * (k[0] + r2 * (k[1] + r2 * k[4]));
    a = x * radial + 2 * k[2] * x * y + k[3] * (r2 + 2 * x * x);
    b = y * radial + k[2] * (r2 + 2 * y * y) + 2 * k[3] * x * y;
  }
  return PixelPlace{lens.cx + lens.fx * a, lens.cy + lens.fy * b};
}

/// The same of a pixel of the camera without distortion.
std::optional<PixelPlace> lens_place_of(CameraParameters const& camera,
                                        CameraParameters const& lens, double u, double v) {
  double const x = (u - camera.cx) / camera.fx, y = (v - camera.cy) / camera.fy;
  double const eta = camera.chi == 0 ? 1 : 2 / (1 + x * x + y * y);  // χ = 1
  auto const place = place_in(lens, eta * x, eta * y, eta - camera.chi);
  bool const inside = place && place->u >= 0 && place->u <= lens.width - 1 && place->v >= 0 &&
                      place->v <= lens.height - 1;
  return inside ? place : std::nullopt;
}

/// Are all pixels of the camera's border seen by the lens?
bool sees_border(CameraParameters const& camera, CameraParameters const& lens) {
  auto const seen = [&](int u, int v) { return lens_place_of(camera, lens, u, v).has_value(); };
  for (int u = 0; u < camera.width; ++u)
    if (!seen(u, 0) || !seen(u, camera.height - 1)) return false;
  for (int v = 0; v < camera.height; ++v)
    if (!seen(0, v) || !seen(camera.width - 1, v)) return false;
  return true;
}

}  // namespace

Rectifier::Rectifier(CameraParameters const& lens) : lens_(lens), camera_(lens) {
  if (!bends()) return;
  bool const fisheye = lens.distortion == Distortion::kannala_brandt;
  camera_.distortion = Distortion::none;
  camera_.coefficients = {};
  camera_.chi = fisheye ? 1 : 0;
  camera_.fx = (1 + camera_.chi) * lens.fx;
  camera_.fy = (1 + camera_.chi) * lens.fy;
  for (int percent = fisheye ? 150 : 100; percent >= 20; --percent) {
    auto const part = [&](double length) {
      return static_cast<int>(std::floor(std::max(0.0, length) * percent / 100));
    };
    int const left = part(lens.cx), above = part(lens.cy);
    camera_.cx = left;
    camera_.cy = above;
    camera_.width = left + 1 + part(lens.width - 1 - lens.cx);
    camera_.height = above + 1 + part(lens.height - 1 - lens.cy);
    if (sees_border(camera_, lens_)) return;
  }
  throw std::invalid_argument("the lens' distortion leaves hardly anything of its picture");
}

/// f(u, v) of the lens' pixel for every pixel of the camera.
template <class F>
std::vector<float> Rectifier::map(F const& f) const {
  std::vector<float> values;
  values.reserve(static_cast<std::size_t>(camera_.width) *
                 static_cast<std::size_t>(camera_.height));
  for (int v = 0; v < camera_.height; ++v)
    for (int u = 0; u < camera_.width; ++u) {
      auto const place = lens_place_of(camera_, lens_, u, v);
      values.push_back(place ? f(place->u, place->v) : 0.0F);
    }
  return values;
}

GreyPicture Rectifier::operator()(GreyPicture const& picture) const {
  if (!bends()) return picture;
  auto const at = [&](int u, int v) {
    return static_cast<double>(
        picture.grey[static_cast<std::size_t>(std::min(v, picture.height - 1)) *
                         static_cast<std::size_t>(picture.width) +
                     static_cast<std::size_t>(std::min(u, picture.width - 1))]);
  };
  return {camera_.width, camera_.height, map([&](double u, double v) {
            auto const i = static_cast<int>(u), j = static_cast<int>(v);
            double const x = u - i, y = v - j;
            return static_cast<float>((1 - y) * ((1 - x) * at(i, j) + x * at(i + 1, j)) +
                                      y * ((1 - x) * at(i, j + 1) + x * at(i + 1, j + 1)));
          })};
}

GreyPicture Rectifier::nearest(GreyPicture const& picture) const {
  if (!bends()) return picture;
  return {camera_.width, camera_.height, map([&](double u, double v) {
            return picture.grey[static_cast<std::size_t>(std::lround(v)) *
                                    static_cast<std::size_t>(picture.width) +
                                static_cast<std::size_t>(std::lround(u))];
          })};
}

HostMatrix<float> Rectifier::nearest(HostMatrix<float> const& ranges) const {
  if (!bends()) return ranges;
  std::vector<float> const by_rows =
      map([&](double u, double v) { return ranges(std::lround(v), std::lround(u)); });
  HostMatrix<float> result{camera_.height, camera_.width, by_rows};
  for (std::int64_t i = 0; i < result.rows; ++i)
    for (std::int64_t j = 0; j < result.cols; ++j)
      result(i, j) = by_rows[static_cast<std::size_t>(i * result.cols + j)];
  return result;
}

}  // namespace carroll::tool
