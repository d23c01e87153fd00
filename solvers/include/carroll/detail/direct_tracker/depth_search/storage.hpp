// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/allocate.hpp>
#include <carroll/detail/direct_tracker/depth_search/problem.hpp>
#include <carroll/mesh_jacobian.hpp>
#include <cstdint>

namespace carroll::detail {

/// What a search over the depths of a mesh works on, and memory for it.
template <class ExecSpace>
auto allocate_depth_search(ExecSpace const& exec, MeshTriangulation<ExecSpace> const& triangulation,
                           TrackerMesh const& mesh, DepthSearch& search) {
  MeshPattern const pattern = AccessTo<MeshTriangulation<ExecSpace>>::pattern(triangulation);
  search.vertices = mesh.vertices;
  search.vertex_offsets = pattern.vertex_offsets;
  search.corners = pattern.corners;
  search.triangles = mesh.corners;
  std::int64_t const m = mesh.vertices, t = mesh.triangles;
  return allocate_arena(exec, "carroll::direct_tracker::depth_search", [&](auto& arena) {
    search.sums = arena.template take<double>(t * depth_sums * depth_hypotheses);
    search.known = arena.template take<int>(t);
    search.costs = arena.template take<float>(m * depth_hypotheses);
    for (int*& found : search.found) found = arena.template take<int>(m);
    search.ways = arena.template take<SearchedWay>(searched_ways);
  });
}

}  // namespace carroll::detail
