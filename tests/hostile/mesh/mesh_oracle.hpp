// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <carroll/spherical_mesh/types.hpp>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "hostile/tracker/long_vectors.hpp"

namespace carroll::test {

using HostMesh = SphericalMesh<double>;

/// What a mesh has to be by definition, found out by trying everything, in long double: the
/// vertices' hull by its supporting planes, a ray's triangle by asking all of them.
class MeshOracle {
 public:
  using Complain = std::function<void(std::string const&)>;

  MeshOracle(HostMesh const& mesh, Complain complain);

  /// Triangles with corners that go round anticlockwise, whose planes leave no vertex outside;
  /// neighbours on both sides of an edge; no border and Euler's number of a sphere, or one border
  /// that all vertices are inside of and the number of a disk; areas that sum to the region's.
  void check_triangles() const;
  /// Samples are unit rays in the triangles that their place says, with the right weights, as many
  /// as `samples`.
  void check_samples(int samples) const;
  /// The samples are the first rays of the sequence that are in the region.
  void check_none_is_missing(double lowest, double highest,
                             std::function<bool(Ray const&)> const& visible) const;
  /// `ray` is in one triangle if it is in the region, in none if it is outside; `found`: the
  /// locator's answer. Rays within rounding of an edge may go either way.
  void check_ray(Ray const& ray, int found) const;

  /// Of all triangles.
  [[nodiscard]] double area() const;
  /// How far `ray` is inside the region: the least height above an edge of the border; 2 where
  /// there is no border.
  [[nodiscard]] double depth_in_region(Ray const& ray) const;

  /// All coordinates of all triangles, in an order that numbers of vertices do not matter to.
  [[nodiscard]] std::vector<std::array<Ray, 3>> triangles_by_place() const;

 private:
  [[nodiscard]] Ray vertex(int i) const;
  [[nodiscard]] bool has_twin(int i) const;
  [[nodiscard]] std::array<Ray, 3> corners(int t) const;

  HostMesh const& mesh_;
  Complain complain_;
  int triangles_;
  std::vector<Ray> border_;  ///< unit normals of the planes of its edges, inwards
  std::vector<std::array<int, 2>> border_edges_;
  std::set<int> used_;  ///< vertices in triangles
  bool sound_ = true;   ///< of the edges
  int edges_ = 0;
};

}  // namespace carroll::test
