// SPDX-License-Identifier: BSD-3-Clause
#include "hostile/mesh/great_circles.hpp"

#include <algorithm>
#include <cmath>

namespace carroll::test {

using namespace long_vectors;

double distance_from_a_great_circle(std::vector<Ray> const& vertices, std::size_t through) {
  // The normal of the two that are most nearly at a right angle, of those with the one.
  Vector normal{};
  for (auto const& p : vertices) {
    Vector const n = outer(wide(vertices[through]), wide(p));
    if (length(n) > length(normal)) normal = n;
  }
  // A patch that is too small for a mesh, or nearly, has no plane that could be told.
  if (length(normal) < 0x1p-18L) return 0x1p-28;
  Real most = 0;
  for (auto const& p : vertices)
    most = std::max(most, std::abs(inner(normal, wide(p))) / length(normal));
  return static_cast<double>(most);
}

double distance_from_the_nearest_great_circle(std::vector<Ray> const& vertices) {
  double least = distance_from_a_great_circle(vertices);
  for (std::size_t i = 1; i < vertices.size(); ++i)
    least = std::min(least, distance_from_a_great_circle(vertices, i));
  return least;
}

bool has_twins(std::vector<Ray> const& vertices) {
  for (std::size_t i = 0; i < vertices.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (length(minus(wide(vertices[i]), wide(vertices[j]))) < 0x1p-20L) return true;
  return false;
}

}  // namespace carroll::test
