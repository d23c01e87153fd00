// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/concepts.hpp>
#include <carroll/detail/rectify/polynomial.hpp>
#include <limits>

/// Lenses that bend what a pinhole or an ideal fisheye lens would show: from a direction to its
/// pixel and back. Axes and pixels are those of carroll/camera.hpp. With a = right/forward and
/// b = down/forward, r² = a² + b², θ the angle to the axis:
///
///   radial_tangential   a ← a(1 + k₁r² + k₂r⁴ + k₃r⁶) + 2p₁ab + p₂(r² + 2a²),
///                       b ← b(1 + k₁r² + k₂r⁴ + k₃r⁶) + p₁(r² + 2b²) + 2p₂ab
///   kannala_brandt      r ← θ(1 + k₁θ² + k₂θ⁴ + k₃θ⁶ + k₄θ⁸), in its direction
///
/// and then u = cx + fx·a, v = cy + fy·b: OpenCV's coefficients in its order. The radial part is
/// a lens' as far as it rises; what is beyond its first turn is not seen.
///
/// Sources: Brown, Decentering distortion of lenses, 1966; Kannala and Brandt, A generic camera
/// model, 2006.
namespace carroll {

enum class LensModel : int { radial_tangential, kannala_brandt };

/// All methods but the makers can be called in kernels; none allocates or synchronises.
template <class T>
struct Lens {
  static_assert(RealScalar<T>, "carroll::Lens: the scalar type must be float or double");
  using value_type = T;
  using Vector = Kokkos::Array<T, 3>;

  LensModel model = LensModel::radial_tangential;
  int width = 0;
  int height = 0;
  T fx = 1, fy = 1;                         ///< pixels per unit of a and b
  T cx = 0, cy = 0;                         ///< the pixel that looks forward
  Kokkos::Array<T, 5> k = {0, 0, 0, 0, 0};  ///< k₁, k₂, p₁, p₂, k₃, or k₁ to k₄
  T limit = 0;                              ///< the largest r, or θ, up to which it rises

  /// `k`: k₁, k₂, p₁, p₂, k₃. On the host.
  [[nodiscard]] static Lens radial_tangential(int width, int height, T fx, T fy, T cx, T cy,
                                              Kokkos::Array<T, 5> const& k) {
    double const slope[] = {1, 3.0 * double(k[0]), 5.0 * double(k[1]), 7.0 * double(k[4])};
    constexpr double widest = 1e4;  // 89.4 degrees
    return {LensModel::radial_tangential, width, height, fx, fy, cx, cy, k,
            limit_of(slope, widest)};
  }
  /// `k`: k₁ to k₄. On the host.
  [[nodiscard]] static Lens kannala_brandt(int width, int height, T fx, T fy, T cx, T cy,
                                           Kokkos::Array<T, 4> const& k) {
    double const slope[] = {1, 3.0 * double(k[0]), 5.0 * double(k[1]), 7.0 * double(k[2]),
                            9.0 * double(k[3])};
    constexpr double widest = Kokkos::numbers::pi * Kokkos::numbers::pi;
    return {LensModel::kannala_brandt, width, height, fx, fy, cx, cy, {k[0], k[1], k[2], k[3], 0},
            limit_of(slope, widest)};
  }

  /// The same lens in another precision.
  template <class S>
  [[nodiscard]] Lens<S> as() const {
    Lens<S> lens{model, width, height, S(fx), S(fy), S(cx), S(cy), {}, S(limit)};
    for (int i = 0; i < 5; ++i) lens.k[i] = static_cast<S>(k[i]);
    return lens;
  }

  /// The pixel of p, of any length but 0, in the axes of a Camera. False where it has none, or one
  /// outside of what the centres of pixels span; u and v are written in any case, and may be NaN
  /// then.
  KOKKOS_FUNCTION bool project(Vector const& p, T& u, T& v) const {
    T a = 0, b = 0;
    bool seen = false;
    if (model == LensModel::kannala_brandt) {
      T const across = Kokkos::hypot(p[1], p[2]);
      T const theta = Kokkos::atan2(across, p[0]);
      T const scale = across > 0 ? bent_angle(theta) / across : T(0);
      a = -p[1] * scale;
      b = -p[2] * scale;
      seen = theta < limit;
    } else {
      T const x = -p[1] / p[0], y = -p[2] / p[0];
      bend(x, y, a, b);
      seen = (p[0] > 0) & (x * x + y * y < limit * limit);
    }
    u = cx + fx * a;
    v = cy + fy * b;
    return seen & (u >= 0) & (u <= T(width - 1)) & (v >= 0) & (v <= T(height - 1));
  }

  /// The unit vector that is seen at (u, v), by Newton's method; NaN where nothing is.
  [[nodiscard]] KOKKOS_FUNCTION Vector ray(T u, T v) const {
    T const a = (u - cx) / fx, b = (v - cy) / fy;
    return model == LensModel::kannala_brandt ? ray_of_angle(a, b) : ray_of_place(a, b);
  }

 private:
  static constexpr int most_steps = 30;
  static constexpr T none = Kokkos::Experimental::quiet_NaN_v<T>;
  /// In units of a and b: far below a pixel.
  static constexpr T close_enough = 64 * std::numeric_limits<T>::epsilon();

  template <std::size_t N>
  static T limit_of(double const (&slope)[N], double widest) {
    return static_cast<T>(Kokkos::sqrt(detail::first_root(slope, widest)));
  }

  KOKKOS_FUNCTION T bent_angle(T theta) const {
    T const t2 = theta * theta;
    return theta * (1 + t2 * (k[0] + t2 * (k[1] + t2 * (k[2] + t2 * k[3]))));
  }
  KOKKOS_FUNCTION T radial(T r2) const { return 1 + r2 * (k[0] + r2 * (k[1] + r2 * k[4])); }
  KOKKOS_FUNCTION void bend(T x, T y, T& a, T& b) const {
    T const r2 = x * x + y * y, scale = radial(r2);
    a = x * scale + 2 * k[2] * x * y + k[3] * (r2 + 2 * x * x);
    b = y * scale + k[2] * (r2 + 2 * y * y) + 2 * k[3] * x * y;
  }

  KOKKOS_FUNCTION Vector ray_of_angle(T a, T b) const {
    T const wanted = Kokkos::hypot(a, b);
    T theta = Kokkos::fmin(wanted, limit);
    for (int i = 0; i < most_steps; ++i) {
      T const t2 = theta * theta;
      T const slope = 1 + t2 * (3 * k[0] + t2 * (5 * k[1] + t2 * (7 * k[2] + t2 * 9 * k[3])));
      T const step = (bent_angle(theta) - wanted) / slope;
      theta = Kokkos::fmax(T(0), Kokkos::fmin(theta - step, limit));
      if (!(Kokkos::abs(step) > close_enough)) break;
    }
    bool const found = Kokkos::abs(bent_angle(theta) - wanted) <= 4 * close_enough * (1 + wanted);
    if (!found || !(theta < limit)) return {none, none, none};
    T const across = wanted > 0 ? Kokkos::sin(theta) / wanted : T(0);
    return {Kokkos::cos(theta), -a * across, -b * across};
  }

  KOKKOS_FUNCTION Vector ray_of_place(T a, T b) const {
    T x = a, y = b;
    T error_a = 0, error_b = 0;
    for (int i = 0; i < most_steps; ++i) {
      // Not beyond where the formula turns, where steps would lead astray.
      T const r = Kokkos::hypot(x, y);
      if (r > limit) {
        x *= limit / r;
        y *= limit / r;
      }
      bend(x, y, error_a, error_b);
      error_a -= a;
      error_b -= b;
      T const r2 = x * x + y * y, scale = radial(r2);
      T const slope = k[0] + r2 * (2 * k[1] + r2 * 3 * k[4]);
      T const aa = scale + 2 * x * x * slope + 2 * k[2] * y + 6 * k[3] * x;
      T const ab = 2 * x * y * slope + 2 * k[2] * x + 2 * k[3] * y;
      T const bb = scale + 2 * y * y * slope + 6 * k[2] * y + 2 * k[3] * x;
      T const determinant = aa * bb - ab * ab;
      T const step_x = (bb * error_a - ab * error_b) / determinant;
      T const step_y = (aa * error_b - ab * error_a) / determinant;
      x -= step_x;
      y -= step_y;
      if (!(Kokkos::abs(step_x) + Kokkos::abs(step_y) > close_enough)) break;
    }
    bend(x, y, error_a, error_b);
    T const error = Kokkos::abs(error_a - a) + Kokkos::abs(error_b - b);
    bool const found = (error <= 4 * close_enough * (1 + Kokkos::abs(a) + Kokkos::abs(b))) &
                       (x * x + y * y < limit * limit);
    if (!found) return {none, none, none};
    T const forward = 1 / Kokkos::sqrt(1 + x * x + y * y);
    return {forward, -forward * x, -forward * y};
  }
};

}  // namespace carroll
