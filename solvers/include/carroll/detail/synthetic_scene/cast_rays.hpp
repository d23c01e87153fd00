// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/vec3.hpp>
#include <cstdint>

namespace carroll::detail {

/// A textured rectangle: corner + a·e1 + b·e2, 0 <= a <= length, 0 <= b <= width.
struct Patch {
  Vec3<double> corner, e1, e2, normal;
  double length, width, grey;
};

/// amplitude·cos(k1·a + k2·b + phase)
struct Wave {
  double k1, k2, phase, amplitude;
};

/// One ray per pixel against every rectangle of a scene; the nearest hit gives range and grey
/// level.
///
/// On a plane with normal n, hit by the unit ray d at range t, a wave of wave vector F = k1·e1 +
/// k2·e2 has the phase gradient g = t·(F - n·(F·d)/(n·d)) with respect to d (g·d = 0). A pixel that
/// sees a Gaussian of σ radians leaves exp(-σ²‖g‖²/2) of its amplitude, to first order in the pixel
/// (Heckbert, "Fundamentals of texture mapping and image warping", 1989).
///
/// One thread per pixel; per pixel about 25 flops for each patch and 30, a cosine and an
/// exponential for each wave of one patch. All in double: ranges are exact to a few units in the
/// last place. Optics: a Camera or a Lens, of double.
template <class Optics, class ImageView, class RangeView, class PatchView, class WaveView>
class CastRays {
  using Vec = Vec3<double>;

 public:
  CastRays(ImageView const& image, RangeView const& range, PatchView const& patches,
           WaveView const& waves, Optics const& camera, Kokkos::Array<Vec, 3> const& rotation,
           Vec const& position, double blur, double background)
      : image_(image),
        range_(range),
        patches_(patches),
        waves_(waves),
        camera_(camera),
        rotation_(rotation),
        position_(position),
        blur_(blur),
        background_(background) {}

  KOKKOS_FUNCTION void operator()(std::int64_t pixel) const {
    auto const v = static_cast<int>(pixel / camera_.width);
    auto const u = static_cast<int>(pixel % camera_.width);
    Vec const d = world_ray(u, v);
    Hit const hit = nearest(d);
    bool const has_ray = dot(d, d) > 0;  // not for NaN
    constexpr double infinity = Kokkos::Experimental::infinity_v<double>;
    double grey = has_ray ? background_ : 0;
    double range = has_ray ? infinity : Kokkos::Experimental::quiet_NaN_v<double>;
    if (hit.patch >= 0) {
      range = hit.range;
      grey = texture(hit, d, blur_ * pixel_angle(u, v));
    }
    image_(v, u) = static_cast<typename ImageView::non_const_value_type>(grey);
    range_(v, u) = static_cast<typename RangeView::non_const_value_type>(range);
  }

 private:
  struct Hit {
    int patch;
    double range, a, b;
  };

  KOKKOS_FUNCTION Vec world_ray(int u, int v) const {
    Vec const s = camera_.ray(u, v);
    return {dot(rotation_[0], s), dot(rotation_[1], s), dot(rotation_[2], s)};
  }

  /// The wider of a pixel's two sides, in radians; where the camera's view ends within the pixel,
  /// what it is in the middle of the image.
  KOKKOS_FUNCTION double pixel_angle(double u, double v) const {
    Vec const across = along(camera_.ray(u + 0.5, v), -1.0, camera_.ray(u - 0.5, v));
    Vec const down = along(camera_.ray(u, v + 0.5), -1.0, camera_.ray(u, v - 0.5));
    double const side = Kokkos::sqrt(Kokkos::fmax(dot(across, across), dot(down, down)));
    return Kokkos::isfinite(side) ? side : 1 / camera_.fx;
  }

  KOKKOS_FUNCTION Hit nearest(Vec const& d) const {
    Hit best{-1, 0, 0, 0};
    for (int i = 0; i < static_cast<int>(patches_.extent(0)); ++i) {
      Patch const& patch = patches_(i);
      Vec const to_corner = along(patch.corner, -1.0, position_);
      double const t = dot(patch.normal, to_corner) / dot(patch.normal, d);
      if (!(t > 0) || (best.patch >= 0 && t >= best.range)) continue;
      Vec const on_plane = along(Vec{t * d[0], t * d[1], t * d[2]}, -1.0, to_corner);
      double const a = dot(patch.e1, on_plane), b = dot(patch.e2, on_plane);
      // A ray through an edge must not slip between the patches that share it.
      double const slack = 1e-12 * (patch.length + patch.width + t);
      bool const inside =
          a >= -slack && a <= patch.length + slack && b >= -slack && b <= patch.width + slack;
      if (inside) best = {i, t, a, b};
    }
    return best;
  }

  KOKKOS_FUNCTION double texture(Hit const& hit, Vec const& d, double sigma) const {
    Patch const& patch = patches_(hit.patch);
    double const facing = dot(patch.normal, d);
    double const d1 = dot(patch.e1, d), d2 = dot(patch.e2, d);
    double grey = patch.grey;
    for (int k = 0; k < static_cast<int>(waves_.extent(1)); ++k) {
      Wave const& wave = waves_(hit.patch, k);
      // ‖g‖²/t² with g = t·(F - n·s), s = (F·d)/(n·d), and F at a right angle to n.
      double const s = (wave.k1 * d1 + wave.k2 * d2) / facing;
      double const g2 = wave.k1 * wave.k1 + wave.k2 * wave.k2 + s * s;
      double const blurred = sigma * hit.range;
      double const left = Kokkos::exp(-0.5 * blurred * blurred * g2);
      grey += left * wave.amplitude * Kokkos::cos(wave.k1 * hit.a + wave.k2 * hit.b + wave.phase);
    }
    return grey;
  }

  ImageView image_;
  RangeView range_;
  PatchView patches_;
  WaveView waves_;
  Optics camera_;
  Kokkos::Array<Vec, 3> rotation_;
  Vec position_;
  double blur_, background_;
};

}  // namespace carroll::detail
