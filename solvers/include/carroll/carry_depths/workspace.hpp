// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/concepts.hpp>
#include <carroll/detail/bind.hpp>
#include <carroll/detail/carry_depths/kernels.hpp>
#include <carroll/detail/workspace.hpp>
#include <carroll/error.hpp>
#include <carroll/spherical_mesh/types.hpp>
#include <cstddef>
#include <cstdint>
#include <string>

namespace carroll {

/// The mesh whose depths are carried from one camera to the next, and what that needs besides. Made
/// by `carry_depths_workspace`. Calls that are given one allocate nothing. One call at a time may
/// use it; copies share the memory.
template <class ExecSpace>
class CarryDepthsWorkspace {
 public:
  using execution_space = ExecSpace;
  using memory_space = typename ExecSpace::memory_space;

  [[nodiscard]] std::int64_t vertices() const { return mesh_.vertices; }
  [[nodiscard]] std::int64_t triangles() const { return mesh_.triangles; }
  /// Bytes of device memory held.
  [[nodiscard]] std::size_t bytes() const { return memory_.span(); }

 private:
  friend struct detail::AccessTo<CarryDepthsWorkspace>;

  detail::CarriedMesh mesh_;
  Kokkos::View<std::byte*, memory_space> memory_;
};

namespace detail {

/// The mesh's vertices, coordinate by coordinate, and its triangles, one behind the other; counts
/// corners that are no vertices.
template <class Mesh>
struct KeepMeshKernel {
  Mesh source;
  CarriedMesh mesh;
  int* corners;

  KOKKOS_FUNCTION void operator()(int i, int& strangers) const {
    if (i < mesh.triangles) {
      for (int k = 0; k < 3; ++k) {
        int const corner = corners[3 * i + k] = source.triangles(i, k);
        if (corner < 0 || corner >= mesh.vertices) ++strangers;
      }
      return;
    }
    int const vertex = i - mesh.triangles;
    for (int a = 0; a < 3; ++a)
      mesh.rays[a][vertex] = static_cast<float>(source.vertices(vertex, a));
  }
};

template <class ExecSpace>
struct AccessTo<CarryDepthsWorkspace<ExecSpace>> {
  using Workspace = CarryDepthsWorkspace<ExecSpace>;

  template <class Mesh>
  static Workspace make(ExecSpace const& exec, Mesh const& mesh) {
    constexpr char const* function = "carroll::carry_depths_workspace";
    auto const of_three = [](auto const& view) {
      return view.extent(0) == 0 || view.extent(1) == 3;
    };
    require(of_three(mesh.vertices) && of_three(mesh.triangles), function, [&] {
      return "the mesh's vertices are " + view_extents_text(mesh.vertices) + " and its triangles " +
             view_extents_text(mesh.triangles) + ", must have three columns each";
    });
    Workspace w;
    CarriedMesh& kept = w.mesh_;
    kept.vertices = static_cast<int>(mesh.vertices.extent(0));
    kept.triangles = static_cast<int>(mesh.triangles.extent(0));
    int* corners = nullptr;
    w.memory_ = allocate_arena(exec, "carroll::carry_depths::mesh", [&](Arena& arena) {
      corners = arena.take<int>(std::int64_t{3} * kept.triangles);
      for (float*& ray : kept.rays) ray = arena.take<float>(kept.vertices);
      for (auto& plane : kept.planes)
        for (float*& entry : plane) entry = arena.take<float>(kept.triangles);
      for (float*& seen : kept.seen) seen = arena.take<float>(kept.vertices);
      kept.seen_inverse_depth = arena.take<float>(kept.vertices);
    });
    kept.corners = corners;
    int strangers = 0;  // known when the mesh may go
    Kokkos::parallel_reduce("carroll::carry_depths::keep",
                            Kokkos::RangePolicy<ExecSpace>(exec, 0, kept.triangles + kept.vertices),
                            KeepMeshKernel<Mesh>{mesh, kept, corners}, strangers);
    require(strangers == 0, function, [&] {
      return std::to_string(strangers) + " corners of triangles are no vertices, which go from 0 " +
             "to below " + std::to_string(kept.vertices);
    });
    return w;
  }

  static CarriedMesh const& mesh(Workspace const& w) { return w.mesh_; }
};

}  // namespace detail
}  // namespace carroll
