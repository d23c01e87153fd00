// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/concepts.hpp>
#include <carroll/detail/direct_tracker/arctangent.hpp>

/// Cameras that see all round, and ordinary ones: from a pixel to the ray that it looks along, from
/// a point to its pixel, and the derivative of the latter.
///
/// Axes: x forward, y left, z up. Pixels: u counts columns to the right, v rows down; the centre of
/// the first pixel is u = v = 0, the image reaches from -1/2 to width - 1/2.
///
///   equirectangular   u = cx - fx·atan2(y, x),  v = cy - fy·atan2(z, √(x² + y²));
///                     once round in azimuth, fx = width/2π, and u wraps round
///   unified           (mx, my) = (-y, -z)/(x + χ‖p‖),  u = fx·mx + cx,  v = fy·my + cy;
///                     the ray is η·(1, -mx, -my) - (χ, 0, 0),
///                     η = (χ + √(1 + (1 - χ²)‖m‖²))/(1 + ‖m‖²)
///
/// χ = 0 is the pinhole, χ = 1 a parabolic mirror (stereographic), χ > 1 lenses beyond 180°.
/// Sources: Geyer and Daniilidis 2000; Barreto 2006; Mei and Rives 2007 (the unified model).
///
/// A projection is a function of the direction alone: points need not be divided by their norm, and
/// the derivative is that by p itself, which has (I - p·pᵀ/‖p‖²)/‖p‖ in it.
namespace carroll {

enum class CameraModel : int { equirectangular, unified };

/// All methods can be called in kernels and neither allocate nor synchronise. In float, angles are
/// within 4e-7 rad of the library's: 2e-4 of a pixel at 3000 columns.
template <class T>
struct Camera {
  static_assert(RealScalar<T>, "carroll::Camera: the scalar type must be float or double");
  using value_type = T;
  using Vector = Kokkos::Array<T, 3>;
  /// ∂(u, v)/∂p: row 0 of u, row 1 of v.
  using Derivative = Kokkos::Array<Kokkos::Array<T, 3>, 2>;

  CameraModel model = CameraModel::equirectangular;
  int width = 0;
  int height = 0;
  T fx = 1, fy = 1;  ///< pixels per radian (equirectangular), per unit of m (unified)
  T cx = 0, cy = 0;  ///< the pixel that looks forward
  T chi = 0;         ///< χ >= 0, of the unified model

  /// The whole sphere; the image's middle looks forward.
  [[nodiscard]] static Camera equirectangular(int width, int height) {
    return {CameraModel::equirectangular,
            width,
            height,
            static_cast<T>(width / (2 * Kokkos::numbers::pi)),
            static_cast<T>(height / Kokkos::numbers::pi),
            T(0.5) * (width - 1),
            T(0.5) * (height - 1),
            0};
  }
  [[nodiscard]] static Camera unified(int width, int height, T fx, T fy, T cx, T cy, T chi) {
    return {CameraModel::unified, width, height, fx, fy, cx, cy, chi};
  }

  /// The camera of the image that is halved by averages of 2×2 pixels (an odd last row or column is
  /// left out).
  [[nodiscard]] KOKKOS_FUNCTION Camera halved() const {
    auto const half = [](T c) { return (c + T(0.5)) / 2 - T(0.5); };
    return {model, width / 2, height / 2, fx / 2, fy / 2, half(cx), half(cy), chi};
  }

  /// The same camera in another precision.
  template <class S>
  [[nodiscard]] Camera<S> as() const {
    return {model,
            width,
            height,
            static_cast<S>(fx),
            static_cast<S>(fy),
            static_cast<S>(cx),
            static_cast<S>(cy),
            static_cast<S>(chi)};
  }

  /// The unit vector that (u, v), whole or broken numbers, looks along. NaN for points of a unified
  /// camera of χ > 1 that are no image of anything.
  [[nodiscard]] KOKKOS_FUNCTION Vector ray(T u, T v) const {
    T const mx = (u - cx) / fx, my = (v - cy) / fy;
    if (model == CameraModel::equirectangular) {
      T const c = Kokkos::cos(my);
      return {c * Kokkos::cos(mx), -c * Kokkos::sin(mx), -Kokkos::sin(my)};
    }
    T const m2 = mx * mx + my * my;
    T const eta = (chi + Kokkos::sqrt(1 + (1 - chi * chi) * m2)) / (1 + m2);
    return {eta - chi, -eta * mx, -eta * my};
  }

  /// The pixel of p, of any length but 0. False if it has none, or if that is outside of what the
  /// centres of pixels span (v of both models, u of the unified one): there is nothing to
  /// interpolate between there. u and v are written in any case, and may be NaN then.
  KOKKOS_FUNCTION bool project(Vector const& p, T& u, T& v) const {
    if (model == CameraModel::equirectangular)
      return project_as<CameraModel::equirectangular>(p, u, v);
    return project_as<CameraModel::unified>(p, u, v);
  }

  /// The same with ∂(u, v)/∂p.
  KOKKOS_FUNCTION bool project(Vector const& p, T& u, T& v, Derivative& derivative) const {
    if (model == CameraModel::equirectangular)
      return project_as<CameraModel::equirectangular>(p, u, v, derivative);
    return project_as<CameraModel::unified>(p, u, v, derivative);
  }

  /// For loops over points, of a model that is known there.
  template <CameraModel Model>
  KOKKOS_FUNCTION bool project_as(Vector const& p, T& u, T& v) const {
    if constexpr (Model == CameraModel::equirectangular) {
      T const r = Kokkos::sqrt(p[0] * p[0] + p[1] * p[1]);
      u = cx - fx * detail::arctangent(p[1], p[0]);
      v = cy - fy * detail::arctangent(p[2], r);
      return spans_v(v);
    } else {
      T const norm = Kokkos::sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]);
      T const scale = 1 / (p[0] + chi * norm);
      u = cx - fx * (p[1] * scale);
      v = cy - fy * (p[2] * scale);
      return sees(p[0], norm) & spans_u(u) & spans_v(v);
    }
  }

  template <CameraModel Model>
  KOKKOS_FUNCTION bool project_as(Vector const& p, T& u, T& v, Derivative& derivative) const {
    if constexpr (Model == CameraModel::equirectangular) {
      T const r2 = p[0] * p[0] + p[1] * p[1];
      T const r = Kokkos::sqrt(r2);
      u = cx - fx * detail::arctangent(p[1], p[0]);
      v = cy - fy * detail::arctangent(p[2], r);
      T const across = fx / r2;
      T const up = fy / ((r2 + p[2] * p[2]) * r);
      derivative[0] = {across * p[1], -across * p[0], T(0)};
      derivative[1] = {up * p[2] * p[0], up * p[2] * p[1], -up * r2};
      return spans_v(v) & (r2 > 0);
    } else {
      T const norm = Kokkos::sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]);
      T const scale = 1 / (p[0] + chi * norm);
      T const mx = p[1] * scale, my = p[2] * scale;
      u = cx - fx * mx;
      v = cy - fy * my;
      // ∂(1/scale)/∂p = e_x + χ·p/‖p‖
      T const c = chi / norm;
      T const x = 1 + c * p[0], y = c * p[1], z = c * p[2];
      T const su = fx * scale, sv = fy * scale;
      derivative[0] = {su * mx * x, su * (mx * y - 1), su * mx * z};
      derivative[1] = {sv * my * x, sv * my * y, sv * (my * z - 1)};
      return sees(p[0], norm) & spans_u(u) & spans_v(v);
    }
  }

 private:
  /// In front of where the model folds: x > -min(χ, 1/χ)·‖p‖ (Usenko and others 2018).
  KOKKOS_FUNCTION bool sees(T x, T norm) const {
    T const w = chi <= 1 ? chi : 1 / chi;
    return x > -w * norm;
  }
  KOKKOS_FUNCTION bool spans_u(T u) const { return (u >= 0) & (u <= T(width - 1)); }
  KOKKOS_FUNCTION bool spans_v(T v) const { return (v >= 0) & (v <= T(height - 1)); }
};

}  // namespace carroll
