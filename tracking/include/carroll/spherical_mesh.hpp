// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/camera.hpp>
#include <carroll/concepts.hpp>
#include <carroll/detail/allocate.hpp>
#include <carroll/detail/spherical_mesh/border.hpp>
#include <carroll/detail/spherical_mesh/delaunay.hpp>
#include <carroll/detail/spherical_mesh/locate.hpp>
#include <carroll/detail/spherical_mesh/sphere_points.hpp>
#include <carroll/detail/spherical_mesh/vertices.hpp>
#include <carroll/error.hpp>
#include <carroll/spherical_mesh/types.hpp>
#include <carroll/svd/types.hpp>  // carroll::none
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

/// Feature points of an image, their Delaunay triangulation on the sphere, and sample points in the
/// triangles: link Carroll::tracking. Made once for a reference image, on the host but
/// for the search of features; same input, same bits.
namespace carroll {

struct SphericalMeshOptions {
  int vertices = 1000;    ///< >= 3
  int samples = 120'000;  ///< >= 0
  /// Rays beyond these elevations, in radians from the horizon, get neither vertices nor samples.
  double min_elevation = -Kokkos::numbers::pi / 2;
  double max_elevation = Kokkos::numbers::pi / 2;
};

namespace detail {

/// The rays that may be looked at: within the band of elevations, inside the image, and where the
/// mask, if there is one, is not 0.
template <class MaskView>
class VisibleRays {
 public:
  VisibleRays(Camera<double> const& camera, SphericalMeshOptions const& options,
              MaskView const& mask)
      : camera_(camera),
        lowest_(std::sin(options.min_elevation)),
        highest_(std::sin(options.max_elevation)),
        mask_(mask) {}

  [[nodiscard]] bool operator()(Vec3<double> const& s) const {
    double u = 0, v = 0;
    if (!(s[2] >= lowest_ && s[2] <= highest_) || !camera_.project(s, u, v)) return false;
    if constexpr (!std::is_same_v<MaskView, None>) {
      int const row = std::clamp(static_cast<int>(std::lround(v)), 0, camera_.height - 1);
      int const column = std::clamp(static_cast<int>(std::lround(u)), 0, camera_.width - 1);
      return mask_(row, column) != 0;
    }
    return true;
  }
  [[nodiscard]] double lowest() const { return lowest_; }
  [[nodiscard]] double highest() const { return highest_; }

 private:
  Camera<double> camera_;
  double lowest_, highest_;
  MaskView mask_;
};

/// The part of the band between `lowest` and `highest` that is visible, from a few thousand points,
/// or from more where little is; 1 where none of them is visible, which no search would make good.
template <class Visible>
double visible_fraction(Visible const& visible) {
  constexpr int tries = 1 << 14, most = 1 << 20, enough = 64;
  int seen = 0, i = 0;
  while (i < tries || (i < most && seen < enough))
    seen +=
        visible(sphere_point(static_cast<std::uint64_t>(i++), visible.lowest(), visible.highest()));
  return seen > 0 ? static_cast<double>(seen) / i : 1;
}

inline constexpr std::uint64_t longest_search = 1U << 27U;  ///< rays: some seconds

/// Vertices and triangles as they are; samples, drawn from the sequence of sphere_point until there
/// are enough, sorted by triangle and in the order of the sequence within one. `fraction` of the
/// sequence are visible rays, `least_share` of which are to be in the triangles.
template <class Visible>
SphericalMesh<double> mesh_of(std::vector<Vec3<double>> const& points, int samples, double fraction,
                              double least_share, Visible const& visible, char const* function) {
  std::vector<Triangle> const triangles = spherical_delaunay(points);
  if (triangles.empty())
    throw std::runtime_error(
        std::string(function) +
        ": all vertices are in one plane with the centre, or too near to each other");
  TriangleLocator const locator(points, triangles);
  if (!covers(locator.border(), points, triangles))
    throw std::runtime_error(std::string(function) + ": " + std::to_string(triangles.size()) +
                             " triangles of " + std::to_string(points.size()) +
                             " vertices do not cover what is between them");
  std::vector<Vec3<double>> rays;
  std::vector<int> places;
  std::int64_t seen = 0;
  // A mesh of which fewer than one ray in a thousand hits something is taken for a mistake, unless
  // hardly more is visible.
  auto const wanted = static_cast<std::uint64_t>(samples) + 10;
  auto const for_one = std::max<std::uint64_t>(1000, static_cast<std::uint64_t>(100 / fraction));
  std::uint64_t const most = std::min(for_one * wanted, std::max(1000 * wanted, longest_search));
  for (std::uint64_t i = 0; static_cast<int>(rays.size()) < samples; ++i) {
    require(i < most, function, [&] {
      return "only " + std::to_string(rays.size()) + " of " + std::to_string(samples) +
             " samples found in " + std::to_string(i) +
             " rays: the mesh hardly covers what is visible";
    });
    Vec3<double> const s = sphere_point(i, visible.lowest(), visible.highest());
    if (!visible(s)) continue;
    ++seen;
    int const t = locator.find(s);
    if (t < 0) continue;
    rays.push_back(s);
    places.push_back(t);
  }
  require(static_cast<double>(samples) >= least_share * static_cast<double>(seen), function, [&] {
    return "only " + std::to_string(samples) + " of " + std::to_string(seen) +
           " rays that are visible pass through the triangles of " + std::to_string(points.size()) +
           " vertices";
  });

  SphericalMesh<double> mesh;
  Kokkos::DefaultHostExecutionSpace const host;
  auto const make = [&]<class View>(View& view, char const* label, std::size_t count) {
    view = allocate<View>(host, label, static_cast<std::int64_t>(count));
  };
  make(mesh.vertices, "carroll::mesh::vertices", points.size());
  make(mesh.triangles, "carroll::mesh::triangles", triangles.size());
  make(mesh.samples, "carroll::mesh::samples", rays.size());
  make(mesh.weights, "carroll::mesh::weights", rays.size());
  make(mesh.triangle_offsets, "carroll::mesh::triangle_offsets", triangles.size() + 1);
  for (std::size_t i = 0; i < points.size(); ++i)
    for (std::size_t k = 0; k < 3; ++k) mesh.vertices(i, k) = points[i][k];
  for (std::size_t t = 0; t < triangles.size(); ++t)
    for (std::size_t k = 0; k < 3; ++k) mesh.triangles(t, k) = triangles[t][k];
  // Sorting by counting keeps the order within a triangle.
  std::vector<int> next(triangles.size() + 1, 0);
  for (int const t : places) ++next[static_cast<std::size_t>(t) + 1];
  for (std::size_t t = 1; t < next.size(); ++t) next[t] += next[t - 1];
  for (std::size_t t = 0; t < next.size(); ++t) mesh.triangle_offsets(t) = next[t];
  for (std::size_t i = 0; i < rays.size(); ++i) {
    auto const row = static_cast<std::size_t>(next[static_cast<std::size_t>(places[i])]++);
    Vec3<double> const w = locator.weights(places[i], rays[i]);
    for (std::size_t k = 0; k < 3; ++k) {
      mesh.samples(row, k) = rays[i][k];
      mesh.weights(row, k) = w[k];
    }
  }
  return mesh;
}

inline void require_options(char const* function, SphericalMeshOptions const& options) {
  auto const number = [](auto x) { return std::to_string(x); };
  require(options.vertices >= 3, function, [&] {
    return "options.vertices is " + number(options.vertices) + ", must be at least 3";
  });
  require(options.samples >= 0, function, [&] {
    return "options.samples is " + number(options.samples) + ", must not be negative";
  });
  constexpr double quarter = Kokkos::numbers::pi / 2 + 1e-12;
  require(options.min_elevation >= -quarter && options.max_elevation <= quarter &&
              options.min_elevation < options.max_elevation,
          function, [&] {
            return "options give elevations from " + number(options.min_elevation) + " to " +
                   number(options.max_elevation) + ", must rise, within -π/2 to π/2";
          });
}

/// How much of what is visible the triangles of `count` vertices cover, at the least. Corners may
/// be as near to each other as 0.8³ of the first distance, so that a quarter of the image can have
/// them all, and at its edge some are missed. Few vertices may have a triangle anywhere.
inline double least_share(int count) {
  return count >= 50 ? 0.1 : 0;
}

/// For vertices that are given: rays everywhere in a band.
struct BandOfRays {
  double low, high;
  [[nodiscard]] bool operator()(Vec3<double> const&) const { return true; }
  [[nodiscard]] double lowest() const { return low; }
  [[nodiscard]] double highest() const { return high; }
};

}  // namespace detail

/// The mesh of given vertices, M×3 unit rays in host memory (options.vertices is not looked at),
/// with options.samples evenly distributed rays in its triangles. The vertices keep their order; of
/// two that are nearer than 2⁻²⁰ rad to each other one belongs to no triangle. The triangles cover
/// all of the sphere, or, where the vertices do not surround the centre, their convex hull on it;
/// rays beyond get no sample. Numbered differently, the same vertices have the same triangles.
///
/// std::invalid_argument: fewer than 3 vertices, one that is not finite or not of length 1 (1e-6),
/// options that cannot be, samples that find no triangle. std::runtime_error: all vertices are in
/// one plane with the centre, within 2⁻²⁸ rad, or nearer to each other than 2⁻²⁰. O((M + N) log M).
template <class VertexView>
[[nodiscard]] SphericalMesh<double> spherical_mesh(VertexView const& vertices,
                                                   SphericalMeshOptions options = {}) {
  constexpr char const* function = "carroll::spherical_mesh";
  static_assert(ReadableView<VertexView, Kokkos::DefaultHostExecutionSpace, 2>,
                "carroll::spherical_mesh: vertices must be a View of rank 2 over float or double "
                "in host memory");
  detail::require_extents(function, "vertices", {vertices.extent_int(0), vertices.extent_int(1)},
                          {vertices.extent_int(0), 3});
  options.vertices = vertices.extent_int(0);
  detail::require_options(function, options);
  std::vector<detail::Vec3<double>> points;
  for (int i = 0; i < vertices.extent_int(0); ++i) {
    detail::Vec3<double> const p{static_cast<double>(vertices(i, 0)),
                                 static_cast<double>(vertices(i, 1)),
                                 static_cast<double>(vertices(i, 2))};
    double const length = std::sqrt(detail::dot(p, p));
    detail::require(std::abs(length - 1) <= 1e-6, function, [&] {
      return "vertex " + std::to_string(i) + " has length " + std::to_string(length) +
             ", must be a unit vector";
    });
    points.push_back({p[0] / length, p[1] / length, p[2] / length});
  }
  constexpr double all = 1, any_share = 0;
  return detail::mesh_of(
      points, options.samples, all, any_share,
      detail::BandOfRays{std::sin(options.min_elevation), std::sin(options.max_elevation)},
      function);
}

/// The mesh for a reference image: options.vertices of its corners (Shi and Tomasi), spread out as
/// evenly as they come and completed by points of an even sequence where the image has none;
/// their spherical Delaunay triangulation; options.samples evenly distributed rays.
///
/// `image` H×W, rows first, of float or 8 or 16 bit integers, in memory that `exec` reaches, as
/// `camera` says; `mask`, H×W in host memory, 0 where nothing is to be looked at, may be left out.
/// Fences `exec` once. Allocates H·W floats on the device and O(M + N) on the host. Errors as
/// above, extents that differ from the camera's, a mask that leaves too little, and 50 vertices or
/// more whose triangles cover less than a tenth of what is visible.
template <ExecutionSpace ExecSpace, class ImageView, class T, class MaskView = None>
[[nodiscard]] SphericalMesh<double> spherical_mesh(ExecSpace const& exec, ImageView const& image,
                                                   Camera<T> const& camera,
                                                   SphericalMeshOptions const& options = {},
                                                   MaskView const& mask = {}) {
  constexpr char const* function = "carroll::spherical_mesh";
  static_assert(
      StridedView<ImageView> && ImageView::rank == 2 && AccessibleView<ImageView, ExecSpace>,
      "carroll::spherical_mesh: image must be a strided View of rank 2 that the execution "
      "space can read");
  Camera<double> const seen_by = camera.template as<double>();
  detail::require_extents(function, "image", {image.extent_int(0), image.extent_int(1)},
                          {seen_by.height, seen_by.width});
  if constexpr (!std::is_same_v<MaskView, None>)
    detail::require_extents(function, "mask", {mask.extent_int(0), mask.extent_int(1)},
                            {seen_by.height, seen_by.width});
  detail::require_options(function, options);
  detail::VisibleRays<MaskView> const visible(seen_by, options, mask);
  auto const corners = detail::corners_of(exec, image, seen_by, visible);
  double const fraction = detail::visible_fraction(visible);
  auto const points = detail::spread_over(corners, options.vertices, fraction, visible, function);
  return detail::mesh_of(points, options.samples, fraction, detail::least_share(options.vertices),
                         visible, function);
}

}  // namespace carroll
