// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <libqhull_r/libqhull_r.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/detail/spherical_mesh/morton.hpp>
#include <carroll/detail/vec3.hpp>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

/// The Delaunay triangulation of points on the sphere is the convex hull of the points: the plane
/// of a facet cuts off the circle around its corners, and no point lies beyond it (Brown, "Voronoi
/// diagrams from convex hulls", 1979). Qhull finds the hull (Barber, Dobkin and Huhdanpaa 1996).
///
/// The centre of the sphere is one more point. Where the others surround it, it is inside and does
/// nothing; where they fill only a part of the sphere, the facets that it is a corner of close the
/// hull from behind, and what is left are the triangles that are seen from the centre.
namespace carroll::detail {

using Triangle = Kokkos::Array<int, 3>;

/// Runs Qhull for as long as its result is needed.
class ConvexHull {
 public:
  /// `coordinates` of `count` points, three after three.
  ConvexHull(std::vector<double>& coordinates, int count) {
    std::unique_ptr<std::FILE, int (*)(std::FILE*)> const messages(std::tmpfile(), &std::fclose);
    if (!messages) throw std::runtime_error("carroll::spherical_mesh: no temporary file for Qhull");
    qh_zero(&state_, messages.get());
    char options[] = "qhull Qt Pp";  // facets of more corners are cut into triangles
    int const failure = qh_new_qhull(&state_, 3, count, coordinates.data(), false, options,
                                     messages.get(), messages.get());
    if (failure != 0) {
      std::string const text = first_line(messages.get());
      release();
      throw std::runtime_error("carroll::spherical_mesh: Qhull failed: " + text);
    }
  }
  ~ConvexHull() { release(); }
  ConvexHull(ConvexHull const&) = delete;
  ConvexHull& operator=(ConvexHull const&) = delete;

  /// The corners of all facets, as indices of points.
  [[nodiscard]] std::vector<Triangle> triangles() {
    std::vector<Triangle> result;
    qhT* const qh = &state_;  // the name that Qhull's macros want
    facetT* facet = nullptr;
    FORALLfacets {
      Triangle corners{-1, -1, -1};
      int k = 0;
      vertexT *vertex = nullptr, **vertexp = nullptr;
      FOREACHvertex_(facet->vertices) {
        if (k < 3) corners[static_cast<std::size_t>(k)] = qh_pointid(qh, vertex->point);
        ++k;
      }
      if (k == 3) result.push_back(corners);
    }
    return result;
  }

 private:
  static std::string first_line(std::FILE* file) {
    std::string line(200, ' ');
    std::rewind(file);
    if (std::fgets(line.data(), static_cast<int>(line.size()), file) == nullptr) return "no reason";
    return line.substr(0, line.find('\n'));
  }
  void release() {
    int long_left = 0, blocks_left = 0;
    qh_freeqhull(&state_, !qh_ALL);
    qh_memfreeshort(&state_, &long_left, &blocks_left);
  }

  qhT state_{};
};

/// The triangles of `points` (unit vectors), each anticlockwise from outside with its smallest
/// index first, along a space-filling curve, so that neighbours in memory are neighbours on the
/// sphere. A point that another one lies on belongs to no triangle. O(M log M).
inline std::vector<Triangle> spherical_delaunay(std::vector<Vec3<double>> const& points) {
  int const count = static_cast<int>(points.size());
  std::vector<double> coordinates;
  coordinates.reserve(3 * points.size() + 3);
  for (auto const& p : points) coordinates.insert(coordinates.end(), {p[0], p[1], p[2]});
  coordinates.insert(coordinates.end(), {0, 0, 0});

  struct Placed {
    std::uint32_t place;
    Triangle corners;
  };
  std::vector<Placed> placed;
  for (Triangle t : ConvexHull(coordinates, count + 1).triangles()) {
    if (std::max({t[0], t[1], t[2]}) >= count) continue;
    auto const at = [&](int k) { return points[static_cast<std::size_t>(t[k])]; };
    double const orientation = triple_product(at(0), at(1), at(2));
    if (orientation == 0) continue;
    if (orientation < 0) std::swap(t[1], t[2]);
    while (t[0] > t[1] || t[0] > t[2]) t = {t[1], t[2], t[0]};
    placed.push_back({morton_place(along(along(at(0), 1.0, at(1)), 1.0, at(2))), t});
  }
  std::ranges::sort(placed, [](Placed const& a, Placed const& b) {
    if (a.place != b.place) return a.place < b.place;
    return std::lexicographical_compare(&a.corners[0], &a.corners[0] + 3, &b.corners[0],
                                        &b.corners[0] + 3);
  });
  std::vector<Triangle> triangles;
  for (auto const& t : placed) triangles.push_back(t.corners);
  return triangles;
}

}  // namespace carroll::detail
