// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/dense_depths/types.hpp>
#include <carroll/detail/team.hpp>
#include <carroll/detail/vec3.hpp>
#include <cstdint>

/// Which triangle of a mesh each pixel looks through, and with which weights; then the depth of
/// each pixel, as often as depths of the vertices come.
///
/// A pixel belongs to the triangle that it is deepest in: the distance to its nearest edge, an
/// angle, is the largest. So the sides of an edge need not agree about rounding errors, and what
/// is found does not depend on the order in which triangles are looked at. With the unit normals
/// nₖ of the planes through the edges, that distance is min nₖ·s, and the weights w = V⁻ᵀs are
/// wₖ = nₖ·s / nₖ·vₖ: 9 + 3 numbers a triangle.
///
/// Tiles of 16×16 pixels are looked at by a team each. It forms a cone round the rays of its tile,
/// compares that with a cone round each triangle, O(T) cheap tests a tile, and its pixels with what
/// is left, a few triangles: O(T·pixels/256 + pixels) operations instead of O(T·pixels).
namespace carroll::detail {

/// A triangle as pixels are compared with it.
struct SeenTriangle {
  Vec3<double> axis;      ///< of the cone that it is in
  double cosine = 2;      ///< of the cone; 2: there is nothing to be seen of it
  Vec3<double> edges[3];  ///< nₖ, against vertex k
  double heights[3];      ///< nₖ·vₖ
};

/// A triangle narrower than that, in radians, is none: its neighbours have its pixels, which they
/// are that far beyond at most.
inline constexpr double narrowest_triangle = 1e-10;
/// What a pixel's ray may be beyond the edge.
inline constexpr double edge_slack = 1e-10;

template <class Mesh>
struct PrepareTrianglesKernel {
  Mesh source;
  int const* corners;
  SeenTriangle* triangles;

  KOKKOS_FUNCTION void operator()(int t) const {
    Vec3<double> v[3];
    for (int k = 0; k < 3; ++k)
      for (int a = 0; a < 3; ++a)
        v[k][a] = static_cast<double>(source.vertices(corners[3 * t + k], a));
    SeenTriangle seen;
    bool is_one = true;
    Vec3<double> sum{0, 0, 0};
    for (int k = 0; k < 3; ++k) {
      Vec3<double> const normal = cross(v[(k + 1) % 3], v[(k + 2) % 3]);
      double const inverse = 1 / Kokkos::sqrt(dot(normal, normal));
      for (int a = 0; a < 3; ++a) seen.edges[k][a] = inverse * normal[a];
      seen.heights[k] = dot(seen.edges[k], v[k]);
      is_one = is_one && seen.heights[k] > narrowest_triangle;
      sum = along(sum, 1 / Kokkos::sqrt(dot(v[k], v[k])), v[k]);
    }
    if (is_one) {
      double const inverse = 1 / Kokkos::sqrt(dot(sum, sum));
      for (int a = 0; a < 3; ++a) seen.axis[a] = inverse * sum[a];
      seen.cosine = 1;
      for (int k = 0; k < 3; ++k)
        seen.cosine =
            Kokkos::fmin(seen.cosine, dot(seen.axis, v[k]) / Kokkos::sqrt(dot(v[k], v[k])));
      // A cone of a right angle and more does not hold all that is between its vertices.
      if (!(seen.cosine > 0)) seen.cosine = -1;
    }
    triangles[t] = seen;
  }
};

/// `found` and `weights` of all pixels; -1 and 0 where there is no triangle.
template <class ExecSpace, class Viewer>
struct LocatePixelsKernel {
  Viewer camera;
  int triangle_count;
  SeenTriangle const* triangles;
  int* found;
  float* weights;  ///< 3 a pixel

  static constexpr int side = 16;
  static constexpr int pixels = side * side;
  static constexpr int chunk = 256;  ///< triangles that are compared with the tile at a time
  /// Of cosines, beyond rounding errors and `edge_slack`.
  static constexpr double cone_slack = 1e-9;

  struct Tile {
    double rays[3][pixels];
    double depth[pixels];  ///< in the triangle found so far
    int found[pixels];
    int candidates[chunk];
    int count;
  };

  static int tiles_across(int length) { return (length + side - 1) / side; }
  [[nodiscard]] int tiles() const {
    return tiles_across(camera.width) * tiles_across(camera.height);
  }
  static constexpr std::size_t scratch = sizeof(Tile) + alignof(Tile);

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    Tile& tile =
        *static_cast<Tile*>(team.team_scratch(0).get_shmem_aligned(sizeof(Tile), alignof(Tile)));
    int const across = (camera.width + side - 1) / side;
    int const left = side * (team.league_rank() % across);
    int const top = side * (team.league_rank() / across);
    Vec3<double> axis;
    double cosine = 0;
    look(team, tile, left, top, axis, cosine);
    for (int begin = 0; begin < triangle_count; begin += chunk) {
      Kokkos::single(Kokkos::PerTeam(team), [&] { tile.count = 0; });
      team.team_barrier();
      int const end = Kokkos::min(begin + chunk, triangle_count);
      Kokkos::parallel_for(Kokkos::TeamVectorRange(team, end - begin), [&](int i) {
        if (meets(triangles[begin + i], axis, cosine))
          tile.candidates[Kokkos::atomic_fetch_add(&tile.count, 1)] = begin + i;
      });
      team.team_barrier();
      Kokkos::parallel_for(Kokkos::TeamVectorRange(team, int{pixels}), [&](int i) {
        for (int c = 0; c < tile.count; ++c) compare(tile, i, tile.candidates[c]);
      });
      team.team_barrier();
    }
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, int{pixels}), [&](int i) {
      int const u = left + i % side, v = top + i / side;
      if (u < camera.width && v < camera.height)
        write(tile, i, static_cast<std::int64_t>(v) * camera.width + u);
    });
  }

 private:
  KOKKOS_FUNCTION static Vec3<double> ray(Tile const& tile, int i) {
    return {tile.rays[0][i], tile.rays[1][i], tile.rays[2][i]};
  }

  /// The rays of the tile, NaN where there is none, and a cone round them.
  KOKKOS_FUNCTION void look(TeamMember<ExecSpace> const& team, Tile& tile, int left, int top,
                            Vec3<double>& axis, double& cosine) const {
    Sums<double, 4> sum;
    Kokkos::parallel_reduce(
        Kokkos::TeamVectorRange(team, int{pixels}),
        [&](int i, Sums<double, 4>& partial) {
          int const u = left + i % side, v = top + i / side;
          bool const inside = u < camera.width && v < camera.height;
          auto const s = camera.ray(static_cast<double>(u), static_cast<double>(v));
          bool const seen = inside && s[0] == s[0];
          for (int a = 0; a < 3; ++a) {
            tile.rays[a][i] = seen ? s[a] : Kokkos::Experimental::quiet_NaN_v<double>;
            partial.value[a] += seen ? s[a] : 0.0;
          }
          partial.value[3] += seen ? 1.0 : 0.0;
          tile.depth[i] = -1;
          tile.found[i] = -1;
        },
        sum);
    axis = {sum[0], sum[1], sum[2]};
    double const inverse = 1 / Kokkos::sqrt(dot(axis, axis));
    for (int a = 0; a < 3; ++a) axis[a] *= inverse;
    team.team_barrier();
    Kokkos::parallel_reduce(
        Kokkos::TeamVectorRange(team, int{pixels}),
        [&](int i, double& least) {
          double const x = dot(ray(tile, i), axis);
          least = x < least ? x : least;
        },
        Kokkos::Min<double>(cosine));
    cosine = Kokkos::fmin(cosine, 1.0);  // a ray that is alone has 1, and a rounding error
    if (!(inverse < 1e6)) cosine = -1;   // rays all round have no axis
    if (sum[3] == 0) cosine = 2;
  }

  /// Is the angle between the axes less than both cones' together?
  KOKKOS_FUNCTION static bool meets(SeenTriangle const& triangle, Vec3<double> const& axis,
                                    double cosine) {
    double const other = triangle.cosine;
    if (other > 1 || cosine > 1) return false;
    if (cosine <= -other) return true;  // together they are half a turn and more
    double const sines =
        Kokkos::fmax(0.0, 1 - cosine * cosine) * Kokkos::fmax(0.0, 1 - other * other);
    return dot(axis, triangle.axis) >= cosine * other - Kokkos::sqrt(sines) - cone_slack;
  }

  KOKKOS_FUNCTION void compare(Tile& tile, int i, int t) const {
    Vec3<double> const s = ray(tile, i);
    SeenTriangle const& triangle = triangles[t];
    double const a = dot(triangle.edges[0], s), b = dot(triangle.edges[1], s),
                 c = dot(triangle.edges[2], s);
    double const depth = Kokkos::fmin(a, Kokkos::fmin(b, c));
    if (!(depth >= -edge_slack)) return;
    bool const deeper =
        tile.found[i] < 0 || depth > tile.depth[i] || (depth == tile.depth[i] && t < tile.found[i]);
    if (!deeper) return;
    tile.depth[i] = depth;
    tile.found[i] = t;
  }

  KOKKOS_FUNCTION void write(Tile const& tile, int i, std::int64_t pixel) const {
    int const t = tile.found[i];
    found[pixel] = t;
    Vec3<double> const s = ray(tile, i);
    for (int k = 0; k < 3; ++k) {
      double w = 0;
      if (t >= 0) w = Kokkos::fmax(0.0, dot(triangles[t].edges[k], s)) / triangles[t].heights[k];
      weights[3 * pixel + k] = static_cast<float>(w);
    }
  }
};

/// The depth of every pixel: 16 bytes of what was found, 3 depths, 3 forward components of
/// vertices where the axis counts; a thread a pixel.
template <class Depth, class Result>
struct DenseDepthsKernel {
  DenseDepthOptions options;
  int columns;
  int const* found;
  float const* weights;
  int const* corners;
  float const* forward;  ///< of the vertices
  Depth const* zeta;
  std::int64_t zeta_stride;
  Result* result;
  std::int64_t row_stride, column_stride;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    int const t = found[i];
    double value = Kokkos::Experimental::quiet_NaN_v<double>;
    if (t >= 0) value = depth(i, corners + std::int64_t{3} * t);
    result[i / columns * row_stride + i % columns * column_stride] = static_cast<Result>(value);
  }

 private:
  KOKKOS_FUNCTION double depth(std::int64_t i, int const* corner) const {
    double inverse = 0, ahead = 0;
    for (int k = 0; k < 3; ++k) {
      auto const w = static_cast<double>(weights[3 * i + k]);
      inverse += w * static_cast<double>(zeta[corner[k] * zeta_stride]);
      // Vᵀw = s
      ahead += w * static_cast<double>(forward[corner[k]]);
    }
    if (options.quantity == DenseDepth::inverse_range) return inverse / options.unit;
    if (options.quantity == DenseDepth::range) return options.unit / inverse;
    return ahead > 0 ? options.unit * ahead / inverse : Kokkos::Experimental::quiet_NaN_v<double>;
  }
};

}  // namespace carroll::detail
