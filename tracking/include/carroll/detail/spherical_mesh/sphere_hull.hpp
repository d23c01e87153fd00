// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/detail/spherical_mesh/orientation.hpp>
#include <carroll/detail/vec3.hpp>
#include <cstddef>
#include <vector>

namespace carroll::detail {

using Triangle = Kokkos::Array<int, 3>;

/// How far the centre is moved: more than rounding, less than what anybody sees. All planes that
/// pass nearer to the centre than this lose their triangles together: slivers at the border, and
/// what closes half a sphere.
inline constexpr double centre_shift = 0x1p-30;

/// The convex hull of a centre and of points on the sphere, point by point: the facets that a new
/// point sees go, and the edges of the hole are joined to it. Every question is answered exactly
/// (orientation.hpp), so that what is left is the boundary of a convex body, whatever the points:
/// triangles without gaps or overlaps. A point in the plane of a facet does not see it: facets of
/// more corners are cut into triangles in the order of the points.
///
/// Sources: Clarkson and Shor 1989; Edelsbrunner, Geometry and Topology for Mesh Generation, 2001.
class SphereHull {
 public:
  /// The points in `order` become corners, one after the other: neighbours there should be
  /// neighbours on the sphere. O(M log M) for those of images.
  SphereHull(std::vector<Vec3<double>> const& points, std::vector<int> const& order,
             Vec3<double> const& centre)
      : centre_(static_cast<int>(points.size())), first_at_(points.size() + 1) {
    lattice_.reserve(points.size() + 1);
    LatticePoint const origin = on_lattice(centre);
    for (auto const& p : points) lattice_.push_back(difference(on_lattice(p), origin));
    lattice_.push_back({0, 0, 0});  // the centre
    if (!begin(order)) return;
    for (int const p : order) insert(p);
  }

  /// The facets that the centre sees from inside, each anticlockwise from outside. None if all
  /// points are in one plane with the centre.
  [[nodiscard]] std::vector<Triangle> triangles() const {
    std::vector<Triangle> seen;
    for (Facet const& f : facets_)
      if (f.alive && place_of_centre(f) < 0 && orientation(at(f, 0), at(f, 1), at(f, 2)) > 0)
        seen.push_back(f.corner);
    return seen;
  }

 private:
  struct Facet {
    Triangle corner;  ///< anticlockwise from outside
    Triangle across;  ///< facets on the other side of the edges that face these corners
    bool alive = true;
    int looked_at = -1;  ///< the last point that was asked whether it sees this
    bool seen = false;   ///< its answer
  };

  [[nodiscard]] LatticePoint const& lattice(int p) const {
    return lattice_[static_cast<std::size_t>(p)];
  }
  [[nodiscard]] Facet& facet(int f) { return facets_[static_cast<std::size_t>(f)]; }
  [[nodiscard]] LatticePoint const& at(Facet const& f, std::size_t k) const {
    return lattice(f.corner[k]);
  }
  [[nodiscard]] int place_of_centre(Facet const& f) const {
    for (int k = 0; k < 3; ++k)
      if (f.corner[static_cast<std::size_t>(k)] == centre_) return k;
    return -1;
  }

  /// The first points that make a tetrahedron with the centre.
  bool begin(std::vector<int> const& order) {
    auto const parallel = [](LatticePoint const& a, LatticePoint const& b) {
      auto const minor = [&](std::size_t i, std::size_t j) {
        return Int128{a[i]} * b[j] == Int128{a[j]} * b[i];
      };
      return minor(0, 1) && minor(1, 2) && minor(2, 0);
    };
    if (order.empty()) return false;
    int const a = order[0];
    auto const second =
        std::ranges::find_if(order, [&](int p) { return !parallel(lattice(a), lattice(p)); });
    if (second == order.end()) return false;
    int b = *second;
    auto const third = std::ranges::find_if(
        order, [&](int p) { return orientation(lattice(a), lattice(b), lattice(p)) != 0; });
    if (third == order.end()) return false;
    int c = *third;
    if (orientation(lattice(a), lattice(b), lattice(c)) < 0) std::swap(b, c);
    int const o = centre_;
    facets_ = {{{a, b, c}, {2, 3, 1}},
               {{o, b, a}, {0, 3, 2}},
               {{o, c, b}, {0, 1, 3}},
               {{o, a, c}, {0, 2, 1}}};
    return true;
  }

  /// Does point p lie beyond the plane of facet f?
  bool sees(int p, int f) {
    Facet& face = facet(f);
    if (face.looked_at != p) {
      face.looked_at = p;
      face.seen =
          orientation(difference(at(face, 0), lattice(p)), difference(at(face, 1), lattice(p)),
                      difference(at(face, 2), lattice(p))) < 0;
    }
    return face.seen;
  }

  /// A facet that p sees, -1 if p is in the hull: by a walk towards where the ray through p leaves
  /// the hull. Where it would leave the triangles, the facet to the centre is one. Delaunay's
  /// triangulations let no walk go in circles (Edelsbrunner 1990), nor do exact answers.
  int find_seen(int p) {
    int f = last_;
    for (std::size_t step = 0; step <= facets_.size() && f >= 0; ++step) {
      if (sees(p, f)) return f;
      Facet const& face = facet(f);
      int const centre = place_of_centre(face);
      if (centre >= 0) {
        f = face.across[static_cast<std::size_t>(centre)];
        continue;
      }
      f = -1;
      for (std::size_t k = 0; k < 3 && f < 0; ++k)
        if (orientation(lattice(p), at(face, (k + 1) % 3), at(face, (k + 2) % 3)) < 0)
          f = face.across[k];
      // Between the centre and a facet that it does not see.
      if (f < 0 && orientation(at(face, 0), at(face, 1), at(face, 2)) > 0) return -1;
    }
    for (f = 0; f < static_cast<int>(facets_.size()); ++f)
      if (facet(f).alive && sees(p, f)) return f;
    return -1;
  }

  void insert(int p) {
    int const start = find_seen(p);
    if (start < 0) return;
    // What p sees hangs together.
    hole_.assign(1, start);
    in_hole_.assign(1, start);
    rim_.clear();
    facet(start).alive = false;
    while (!hole_.empty()) {
      int const f = hole_.back();
      hole_.pop_back();
      for (std::size_t k = 0; k < 3; ++k) {
        int const g = facet(f).across[k];
        if (!facet(g).alive) continue;
        if (sees(p, g)) {
          facet(g).alive = false;
          hole_.push_back(g);
          in_hole_.push_back(g);
        } else {
          rim_.push_back({facet(f).corner[(k + 1) % 3], facet(f).corner[(k + 2) % 3], g, f});
        }
      }
    }
    close(p);
  }

  /// Joins the rim of the hole to p.
  void close(int p) {
    for (Edge const& edge : rim_) {
      int const f = new_facet({{edge.from, edge.to, p}, {-1, -1, edge.outside}});
      first_at_[static_cast<std::size_t>(edge.from)] = f;
      Triangle& back = facet(edge.outside).across;
      for (std::size_t k = 0; k < 3; ++k)
        if (back[k] == edge.inside) pending_.push_back({edge.outside, static_cast<int>(k), f});
    }
    for (Link const& link : pending_)
      facet(link.facet).across[static_cast<std::size_t>(link.side)] = link.to;
    for (Link const& link : pending_) {
      int const f = link.to;
      int const next = first_at_[static_cast<std::size_t>(facet(f).corner[1])];
      facet(f).across[0] = next;
      facet(next).across[1] = f;
    }
    last_ = pending_.back().to;
    pending_.clear();
    free_.insert(free_.end(), in_hole_.begin(), in_hole_.end());
  }

  int new_facet(Facet const& made) {
    if (free_.empty()) {
      facets_.push_back(made);
      return static_cast<int>(facets_.size()) - 1;
    }
    int const f = free_.back();
    free_.pop_back();
    facet(f) = made;
    return f;
  }

  struct Edge {
    int from, to;         ///< anticlockwise around the hole
    int outside, inside;  ///< facets
  };
  struct Link {
    int facet, side, to;
  };

  int centre_;
  std::vector<LatticePoint> lattice_;
  std::vector<Facet> facets_;
  std::vector<int> first_at_;  ///< of corners of the rim, the new facet that begins there
  int last_ = 0;               ///< where the next walk begins
  std::vector<int> hole_, in_hole_, free_;
  std::vector<Edge> rim_;
  std::vector<Link> pending_;
};

}  // namespace carroll::detail
