// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/direct_tracker/problem.hpp>
#include <carroll/detail/direct_tracker/state.hpp>
#include <carroll/detail/independent.hpp>
#include <carroll/detail/team.hpp>
#include <carroll/detail/vec3.hpp>
#include <cstdint>

/// The depths of a mesh from where the camera has gone to. Seen from there the vertices are at
///
///   qₖ = Rᵀsₖ - ζₖt̄,  t̄ = Rᵀt,   ζₖ times their places,
///
/// and the ray s meets the triangle with these in the rows of Q if c = Q⁻ᵀs >= 0, at the inverse
/// range Σ cₖζₖ: no division by ζ, so that what is infinitely far away stays there. Q⁻¹ is made
/// once for each triangle, 12 floats with its ζ; a ray then takes 20 operations a triangle. Of the
/// triangles that it meets from their front the nearest counts; where it meets none, beyond the
/// mesh's edge, the vertex that is seen nearest to it does.
///
/// O(M·T) operations: 2 million pairs for 1000 vertices. No atomics: the same bits everywhere on
/// one backend.
namespace carroll::detail {

/// What carried meshes are made of, by pointers into a workspace.
struct CarriedMesh {
  int vertices = 0, triangles = 0;
  int const* corners = nullptr;         ///< 3·T
  float* rays[3] = {};                  ///< M, of the vertices
  float* planes[3][3] = {};             ///< T: (Q⁻¹)ₖ, NaN of what is seen from behind
  float* inverse_depths[3] = {};        ///< T: ζₖ of the corners
  float* seen[3] = {};                  ///< M: directions that the vertices are seen in
  float* seen_inverse_depth = nullptr;  ///< M
};

/// Both halves of what comes before the rays: a thread for each triangle and each vertex.
template <TrackerMotion Motion, class Depth>
struct MoveMeshKernel {
  CarriedMesh mesh;
  double const* motion;
  std::int64_t motion_stride;
  Depth const* zeta;
  std::int64_t zeta_stride;

  KOKKOS_FUNCTION void operator()(int i) const {
    TrackerState state;
    for (int k = 0; k < motion_numbers(Motion); ++k) state.motion[k] = motion[k * motion_stride];
    state.motion[motion_numbers(Motion)] = 1;
    state.motion[motion_numbers(Motion) + 1] = 0;
    set_pose<Motion>(state);
    if (i < mesh.triangles)
      move_triangle(state.pose, i);
    else
      move_vertex(state.pose, i - mesh.triangles);
  }

 private:
  KOKKOS_FUNCTION float depth(int vertex) const {
    return static_cast<float>(zeta[vertex * zeta_stride]);
  }

  /// q of a vertex.
  KOKKOS_FUNCTION Vec3<float> moved(TrackerPose const& pose, int vertex) const {
    float const z = depth(vertex);
    Vec3<float> q;
    for (int a = 0; a < 3; ++a)
      q[a] = pose.rotation[a][0] * mesh.rays[0][vertex] +
             pose.rotation[a][1] * mesh.rays[1][vertex] +
             pose.rotation[a][2] * mesh.rays[2][vertex] - z * pose.baseline[a];
    return q;
  }

  KOKKOS_FUNCTION void move_triangle(TrackerPose const& pose, int triangle) const {
    int vertex[3];
    Vec3<float> q[3];
    for (int k = 0; k < 3; ++k) {
      vertex[k] = mesh.corners[3 * triangle + k];
      q[k] = moved(pose, vertex[k]);
    }
    float const determinant = triple_product(q[0], q[1], q[2]);
    float const inverse =
        determinant > 0 ? 1 / determinant : Kokkos::Experimental::quiet_NaN_v<float>;
    for (int k = 0; k < 3; ++k) {
      Vec3<float> const row = cross(q[(k + 1) % 3], q[(k + 2) % 3]);
      for (int a = 0; a < 3; ++a) mesh.planes[k][a][triangle] = inverse * row[a];
      mesh.inverse_depths[k][triangle] = depth(vertex[k]);
    }
  }

  KOKKOS_FUNCTION void move_vertex(TrackerPose const& pose, int vertex) const {
    Vec3<float> const q = moved(pose, vertex);
    float const inverse = 1 / Kokkos::sqrt(dot(q, q));
    for (int a = 0; a < 3; ++a) mesh.seen[a][vertex] = inverse * q[a];
    mesh.seen_inverse_depth[vertex] = inverse * depth(vertex);
  }
};

/// The rays of the vertices, which stay: a thread for each, its lanes along the triangles. An entry
/// for which nothing is found stays as it is.
template <class ExecSpace, class Depth>
struct CarryDepthsKernel {
  CarriedMesh mesh;
  Depth* zeta;
  std::int64_t zeta_stride;

  /// Shares of a ray's weights by which it may miss a triangle, so that it slips through no edge;
  /// at the edge it is then, however far apart the corners' depths are.
  static constexpr float slack = 1e-4F;

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    int const i = team.league_rank() * team.team_size() + team.team_rank();
    if (i >= mesh.vertices) return;
    float const s[3] = {mesh.rays[0][i], mesh.rays[1][i], mesh.rays[2][i]};
    float found = largest(team, mesh.triangles, [&](int t) { return met(s, t); });
    if (!(found > 0)) {
      // Cosines are made positive, since 0 stands for none.
      float const nearest = largest(team, mesh.vertices, [&](int k) { return 2 + cosine(s, k); });
      found = largest(team, mesh.vertices, [&](int k) {
        return 2 + cosine(s, k) == nearest ? mesh.seen_inverse_depth[k] : 0.0F;
      });
    }
    if (found > 0)
      once_per_thread(team, [&] { zeta[i * zeta_stride] = static_cast<Depth>(found); });
  }

 private:
  /// Inverse range at which the ray meets a triangle, or 0.
  KOKKOS_FUNCTION float met(float const (&s)[3], int t) const {
    float c[3], range = 0;
    for (int k = 0; k < 3; ++k) {
      c[k] =
          mesh.planes[k][0][t] * s[0] + mesh.planes[k][1][t] * s[1] + mesh.planes[k][2][t] * s[2];
      range += (c[k] > 0 ? c[k] : 0.0F) * mesh.inverse_depths[k][t];
    }
    float const sum = c[0] + c[1] + c[2], least = -slack * sum;
    bool const hit = (c[0] >= least) & (c[1] >= least) & (c[2] >= least) & (sum > 0);
    return hit ? range : 0.0F;
  }
  KOKKOS_FUNCTION float cosine(float const (&s)[3], int k) const {
    return mesh.seen[0][k] * s[0] + mesh.seen[1][k] * s[1] + mesh.seen[2][k] * s[2];
  }

  /// max f(i), which is 0 or more, or NaN, which does not count. By blocks on hosts, which become
  /// vector code.
  template <class F>
  KOKKOS_FUNCTION static float largest([[maybe_unused]] TeamMember<ExecSpace> const& team, int n,
                                       F const& f) {
    KOKKOS_IF_ON_DEVICE((return lane_max<float>(team, n, f);))
    KOKKOS_IF_ON_HOST((return largest_by_blocks(n, f);))
  }
  template <class F>
  KOKKOS_FUNCTION static float largest_by_blocks(int n, F const& f) {
    constexpr int width = 16;
    float best[width] = {};
    int i = 0;
    for (; i + width <= n; i += width) {
      CARROLL_INDEPENDENT
      for (int w = 0; w < width; ++w) {
        float const x = f(i + w);
        best[w] = x > best[w] ? x : best[w];
      }
    }
    float result = 0;
    for (; i < n; ++i) {
      float const x = f(i);
      result = x > result ? x : result;
    }
    for (float const x : best) result = x > result ? x : result;
    return result;
  }
};

}  // namespace carroll::detail
