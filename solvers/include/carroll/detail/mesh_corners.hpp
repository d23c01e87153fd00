// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/allocate.hpp>
#include <carroll/detail/bind.hpp>
#include <carroll/error.hpp>
#include <cstdint>
#include <string>

/// What every workspace that keeps somebody's triangles checks first.
namespace carroll::detail {

/// The corners of a mesh's triangles, one triangle behind the other; counts those that are no
/// vertices.
template <class Mesh>
struct KeepCornersKernel {
  Mesh source;
  int vertices;
  int* corners;

  KOKKOS_FUNCTION void operator()(int i, int& strangers) const {
    for (int k = 0; k < 3; ++k) {
      int const corner = corners[3 * i + k] = source.triangles(i, k);
      if (corner < 0 || corner >= vertices) ++strangers;
    }
  }
};

/// std::invalid_argument unless vertices and triangles have three columns.
template <class Mesh>
void require_three_columns(char const* function, Mesh const& mesh) {
  auto const of_three = [](auto const& view) { return view.extent(0) == 0 || view.extent(1) == 3; };
  require(of_three(mesh.vertices) && of_three(mesh.triangles), function, [&] {
    return "the mesh's vertices are " + view_extents_text(mesh.vertices) + " and its triangles " +
           view_extents_text(mesh.triangles) + ", must have three columns each";
  });
}

/// Copies the corners; fences `exec`. std::invalid_argument where one is no vertex.
template <class ExecSpace, class Mesh>
void keep_corners(char const* function, ExecSpace const& exec, Mesh const& mesh, int* corners) {
  int const vertices = static_cast<int>(mesh.vertices.extent(0));
  int strangers = 0;
  Kokkos::parallel_reduce(
      "carroll::mesh::keep_corners",
      Kokkos::RangePolicy<ExecSpace>(exec, 0, static_cast<int>(mesh.triangles.extent(0))),
      KeepCornersKernel<Mesh>{mesh, vertices, corners}, strangers);
  require(strangers == 0, function, [&] {
    return std::to_string(strangers) + " corners of triangles are no vertices, which go from 0 " +
           "to below " + std::to_string(vertices);
  });
}

}  // namespace carroll::detail
