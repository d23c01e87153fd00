// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/camera.hpp>
#include <carroll/detail/direct_tracker/problem.hpp>
#include <carroll/detail/independent.hpp>
#include <carroll/mesh_jacobian.hpp>

/// Rows of the photometric Jacobian, made when they are summed and never stored.
///
/// A sample looks along the unit ray s of the reference image, I*, inside a triangle whose corners
/// have the inverse ranges ζₖ = exp ξₖ. With the weights w = V⁻ᵀs (V: the corners' rays by rows)
/// and the pose R, t of the current image I,
///
///   ζ = w·ζ_v,  p = Rᵀs - ζt̄,  t̄ = Rᵀt,  (u, v) = π(p),  r = I(u, v) - a·I*(s) - b,
///   q = (∂π/∂p)ᵀ∇I                                      Gauss-Newton
///   q = ½[(∂π/∂p)ᵀ∇I + a·Rᵀ(q* + n·(t·q*)/(1 - n·t))]   ESM, q* = ∂I*/∂s, n = V⁻¹ζ_v
///   ∂r/∂ξₖ = -(q·t̄)·wₖζₖ
///   ∂r/∂ρ = q·(-e_z × (p + ½ζt̄))/√(1 - ρ²/4)            arc, see state.hpp
///   ∂r/∂(ω, v) = (q × p, -ζq)                           R·exp[ω]ₓ, t + R·v
///   ∂r/∂(a, b) = (-I*, -1)                              gain and offset of the current image
///
/// p = Hs with H = Rᵀ - t̄nᵀ in all of a triangle; ESM's second term is H⁻ᵀq*, by Sherman and
/// Morrison's formula: images are functions of directions, so that q and q* are gradients in space
/// (q·p = 0) and no bases of tangent planes are needed. I and ∇I are those of the bilinear
/// interpolant, and a·I* + b is cut off at the levels that I can show.
///
/// Sources: Malis 2004 (ESM); Huber 1964; the planar arc and the mesh of inverse depths: Pretto,
/// Soatto and Menegatti 2010, with ∂p/∂ρ derived anew. About 120 operations and 4 pixels a row.
///
/// Decomposition: rows come in blocks of W, whose stages are loops without branches over arrays of
/// W numbers: vector code on hosts; with W = 1, a lane's own registers on GPUs.
namespace carroll::detail {

/// 1/√x for x > 0 within 2e-7 of it, without the branches of the library's √.
KOKKOS_INLINE_FUNCTION float reciprocal_root(float x) {
  KOKKOS_IF_ON_DEVICE((return Kokkos::rsqrt(x);))
  KOKKOS_IF_ON_HOST(
      (float y = Kokkos::bit_cast<float>(0x5f375a86 - (Kokkos::bit_cast<int>(x) >> 1));
       float const e = 1 - x * y * y; y = y + y * e * (0.5F + 0.375F * e);
       return y + y * (0.5F - 0.5F * x * y * y);))
}

/// Where W points are seen, and the derivative of that.
template <CameraModel Model, int W>
struct SeenPoints {
  float u[W], v[W], du[3][W], dv[3][W];
  int valid[W];

  /// Camera::project_as in float, with roots and reciprocals that vectorise.
  KOKKOS_FUNCTION void project(Camera<float> const& c, int w, float x, float y, float z) {
    float const last_u = static_cast<float>(c.width - 1);
    float const last_v = static_cast<float>(c.height - 1);
    if constexpr (Model == CameraModel::equirectangular) {
      float const r2 = x * x + y * y;
      float const safe = r2 > 1e-30F ? r2 : 1e-30F;
      float const inverse_r = reciprocal_root(safe);
      float const r = safe * inverse_r;
      u[w] = c.cx - c.fx * arctangent(y, x);
      v[w] = c.cy - c.fy * arctangent(z, r);
      float const across = c.fx * inverse_r * inverse_r;
      float const up = c.fy * inverse_r / (safe + z * z);
      du[0][w] = across * y;
      du[1][w] = -across * x;
      du[2][w] = 0;
      dv[0][w] = up * z * x;
      dv[1][w] = up * z * y;
      dv[2][w] = -up * safe;
      valid[w] = (r2 > 1e-30F) & (v[w] >= 0) & (v[w] <= last_v);
    } else {
      float const n2 = x * x + y * y + z * z;
      float const safe = n2 > 1e-30F ? n2 : 1e-30F;
      float const inverse_norm = reciprocal_root(safe);
      float const norm = safe * inverse_norm;
      float const scale = 1 / (x + c.chi * norm);
      float const mx = y * scale, my = z * scale;
      u[w] = c.cx - c.fx * mx;
      v[w] = c.cy - c.fy * my;
      float const k = c.chi * inverse_norm;
      float const a = 1 + k * x, b = k * y, d = k * z;
      float const su = c.fx * scale, sv = c.fy * scale;
      du[0][w] = su * mx * a;
      du[1][w] = su * (mx * b - 1);
      du[2][w] = su * mx * d;
      dv[0][w] = sv * my * a;
      dv[1][w] = sv * my * b;
      dv[2][w] = sv * (my * d - 1);
      float const fold = c.chi <= 1 ? c.chi : 1 / c.chi;
      valid[w] = (x > -fold * norm) & (u[w] >= 0) & (u[w] <= last_u) & (v[w] >= 0) &
                 (v[w] <= last_v) & (n2 > 1e-30F);
    }
  }
};

/// Bilinear interpolation at W places, and q = (∂π/∂p)ᵀ∇I.
template <int W>
struct SampledImage {
  float grey[W], q[3][W];

  template <CameraModel Model>
  KOKKOS_FUNCTION void sample(TrackerImage const& image, SeenPoints<Model, W> const& seen) {
    int const pitch = image.pitch();
    int const last_row = image.camera.height > 1 ? image.camera.height - 2 : 0;
    int const below = image.camera.height > 1 ? pitch : 0;
    float const last_u = static_cast<float>(image.camera.width);
    float const last_v = static_cast<float>(image.camera.height - 1);
    float const* const pixels = image.pixels;
    int place[W];
    float fu[W], fv[W];
    CARROLL_INDEPENDENT
    for (int w = 0; w < W; ++w) {
      // Any number, NaN as well, becomes a place inside; whole parts are floors for numbers >= 0.
      float const u = clamped(seen.u[w] + 1, last_u);
      float const v = clamped(seen.v[w], last_v);
      int const column = static_cast<int>(u);
      int const whole = static_cast<int>(v);
      int const row = whole < last_row ? whole : last_row;
      place[w] = row * pitch + column;
      fu[w] = u - static_cast<float>(column);
      fv[w] = v - static_cast<float>(row);
    }
    float a[W], b[W], c[W], d[W];
    CARROLL_INDEPENDENT
    for (int w = 0; w < W; ++w) a[w] = pixels[place[w]];
    CARROLL_INDEPENDENT
    for (int w = 0; w < W; ++w) b[w] = pixels[place[w] + 1];
    CARROLL_INDEPENDENT
    for (int w = 0; w < W; ++w) c[w] = pixels[place[w] + below];
    CARROLL_INDEPENDENT
    for (int w = 0; w < W; ++w) d[w] = pixels[place[w] + below + 1];
    CARROLL_INDEPENDENT
    for (int w = 0; w < W; ++w) {
      float const top = b[w] - a[w], bottom = d[w] - c[w];
      float const iu = top + fv[w] * (bottom - top);
      float const upper = a[w] + fu[w] * top;
      float const iv = c[w] + fu[w] * bottom - upper;
      grey[w] = upper + fv[w] * iv;
      for (int k = 0; k < 3; ++k) q[k][w] = iu * seen.du[k][w] + iv * seen.dv[k][w];
    }
  }

 private:
  KOKKOS_FUNCTION static float clamped(float x, float last) {
    float const y = x > 0 ? x : 0.0F;
    return y < last ? y : last;
  }
};

/// What the rows of a level have in common.
template <CameraModel Model, TrackerMotion Motion, bool Esm>
struct TrackerRows {
  static constexpr int motions = motion_columns(Motion);
  static constexpr float least_distance = 0.25F;
  TrackerMesh mesh;
  TrackerReference reference;
  TrackerImage image;
  float const* zeta;  ///< of the trial, M
  TrackerState const* state;
  float huber;  ///< c
  TrackerLevels levels;
  TrackerColumns columns;

  /// And those of a triangle.
  struct OfTriangle {
    TrackerRows const& level;
    TrackerPose const& pose;
    float corner[3];
    float plane[3];  ///< n
    float tilt;      ///< 1/(1 - n·t); 0: the plane is no help to ESM
    int first_row, first_sample;

    KOKKOS_FUNCTION MeshRow<float, motions> operator()(int row) const {
      MeshRowBlock<float, motions, 1> one;
      block(row, 1, one);
      MeshRow<float, motions> result;
      for (int k = 0; k < motions; ++k) result.motion[k] = one.motion[k][0];
      for (int k = 0; k < 3; ++k) result.depth[k] = one.depth[k][0];
      result.residual = one.residual[0];
      result.weight = one.weight[0];
      result.loss = one.loss[0];
      return result;
    }

    /// Rows first … first + count - 1, 1 <= count <= W.
    template <int W>
    KOKKOS_FUNCTION void block(int first, int count, MeshRowBlock<float, motions, W>& rows) const {
      int const stride = level.reference.stride;
      int const sample = first_sample + (first - first_row) * stride;
      int const last = count - 1;
      auto const& mesh = level.mesh;
      float s[3][W], weight[3][W], p[3][W], zeta[W], grey[W];
      CARROLL_INDEPENDENT
      for (int w = 0; w < W; ++w) {
        int const i = w < last ? w : last;
        for (int k = 0; k < 3; ++k) s[k][w] = mesh.rays[k][sample + i * stride];
        for (int k = 0; k < 3; ++k) weight[k][w] = mesh.weights[k][sample + i * stride];
        grey[w] = level.reference.grey[first + i];
      }
      SeenPoints<Model, W> seen;
      CARROLL_INDEPENDENT
      for (int w = 0; w < W; ++w) {
        for (int k = 0; k < 3; ++k) weight[k][w] *= corner[k];
        zeta[w] = weight[0][w] + weight[1][w] + weight[2][w];
        for (int k = 0; k < 3; ++k)
          p[k][w] = pose.rotation[k][0] * s[0][w] + pose.rotation[k][1] * s[1][w] +
                    pose.rotation[k][2] * s[2][w] - zeta[w] * pose.baseline[k];
        seen.project(level.image.camera, w, p[0][w], p[1][w], p[2][w]);
      }
      SampledImage<W> now;
      now.sample(level.image, seen);
      if constexpr (Esm) {
        if (tilt > 0) add_reference_gradient(first, last, now);
      }
      float const c = level.huber;
      TrackerLevels const levels = level.levels;
      TrackerColumns const columns = level.columns;
      CARROLL_INDEPENDENT
      for (int w = 0; w < W; ++w) {
        // NaN: I* beyond the reference, I that does not count. With weight 0 the rest is all one.
        int const counts =
            seen.valid[w] & int(grey[w] == grey[w]) & int(now.grey[w] == now.grey[w]);
        float const lit = pose.gain * grey[w] + pose.offset, expected = levels.shown(lit);
        float const r = now.grey[w] - expected;
        float const size = r < 0 ? -r : r;
        float const far = size > c ? size : c;
        float const near = size > c ? c : size;
        float const huber = c / far;
        rows.residual[w] = r;
        rows.weight[w] = counts != 0 ? huber : 0.0F;
        rows.loss[w] = near * (2 * size - near);
        float const q[3] = {now.q[0][w], now.q[1][w], now.q[2][w]};
        float const g = -columns.depth * (q[0] * pose.baseline[0] + q[1] * pose.baseline[1] +
                                          q[2] * pose.baseline[2]);
        for (int k = 0; k < 3; ++k) rows.depth[k][w] = g * weight[k][w];
        if constexpr (Motion == TrackerMotion::ackermann) {
          float const half = 0.5F * zeta[w];
          float const x = p[0][w] + half * pose.baseline[0];
          float const y = p[1][w] + half * pose.baseline[1];
          rows.motion[0][w] = columns.way * pose.turn * (q[0] * y - q[1] * x);
        } else {
          rows.motion[0][w] = columns.turn * (q[1] * p[2][w] - q[2] * p[1][w]);
          rows.motion[1][w] = columns.turn * (q[2] * p[0][w] - q[0] * p[2][w]);
          rows.motion[2][w] = columns.turn * (q[0] * p[1][w] - q[1] * p[0][w]);
          for (int k = 0; k < 3; ++k) rows.motion[3 + k][w] = -columns.way * zeta[w] * q[k];
        }
        constexpr int brightness = pose_columns(Motion);
        float const bright = expected == lit ? columns.brightness : 0.0F;
        rows.motion[brightness][w] = -bright * grey[w];
        rows.motion[brightness + 1][w] = -bright;
      }
    }

   private:
    /// q ← ½(q + H⁻ᵀq*).
    template <int W>
    KOKKOS_FUNCTION void add_reference_gradient(int first, int last, SampledImage<W>& now) const {
      CARROLL_INDEPENDENT
      for (int w = 0; w < W; ++w) {
        int const i = first + (w < last ? w : last);
        float before[3];
        for (int k = 0; k < 3; ++k) before[k] = level.reference.gradient[k][i];
        float const along =
            tilt * (before[0] * pose.translation[0] + before[1] * pose.translation[1] +
                    before[2] * pose.translation[2]);
        for (int k = 0; k < 3; ++k) before[k] += plane[k] * along;
        for (int k = 0; k < 3; ++k)
          now.q[k][w] = 0.5F * (now.q[k][w] + pose.gain * (pose.rotation[k][0] * before[0] +
                                                           pose.rotation[k][1] * before[1] +
                                                           pose.rotation[k][2] * before[2]));
      }
    }
  };

  KOKKOS_FUNCTION OfTriangle operator()(int, int triangle) const {
    TrackerPose const& pose = state->pose;
    float corner[3], plane[3] = {}, along = 0;
    for (int k = 0; k < 3; ++k) corner[k] = zeta[mesh.corners[3 * triangle + k]];
    if constexpr (Esm) {
      float const* const inverse = mesh.inverse + 9 * static_cast<std::int64_t>(triangle);
      for (int a = 0; a < 3; ++a) {
        plane[a] = inverse[3 * a] * corner[0] + inverse[3 * a + 1] * corner[1] +
                   inverse[3 * a + 2] * corner[2];
        along += plane[a] * pose.translation[a];
      }
    }
    // The distance to the plane, in units of that of the reference camera; near 0 or behind the
    // plane Gauss-Newton is better.
    float const distance = 1 - along;
    return {*this,
            pose,
            {corner[0], corner[1], corner[2]},
            {plane[0], plane[1], plane[2]},
            distance > least_distance ? 1 / distance : 0.0F,
            reference.offsets[triangle],
            mesh.offsets[triangle]};
  }
};

}  // namespace carroll::detail
