// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <vector>

#include "hostile/tracker/long_vectors.hpp"

/// What a mesh may be refused for.
namespace carroll::test {

/// The largest distance of a vertex from the great circle through the vertex number `through` and
/// the one that is most nearly at a right angle to it: 0 if all are on one great circle.
double distance_from_a_great_circle(std::vector<Ray> const& vertices, std::size_t through = 0);
/// The least of these, through whichever vertex: a mesh may be refused for any circle that all
/// vertices are near, and circles through others differ where vertices lie close together. O(M²).
double distance_from_the_nearest_great_circle(std::vector<Ray> const& vertices);

/// Are two of them nearer to each other than what meshes tell apart?
bool has_twins(std::vector<Ray> const& vertices);

}  // namespace carroll::test
