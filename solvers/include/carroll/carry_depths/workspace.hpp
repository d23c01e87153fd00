// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/concepts.hpp>
#include <carroll/detail/carry_depths/kernels.hpp>
#include <carroll/detail/mesh_corners.hpp>
#include <carroll/detail/workspace.hpp>
#include <carroll/spherical_mesh/types.hpp>
#include <cstddef>
#include <cstdint>

namespace carroll {

/// The mesh whose depths are carried from one camera to the next, and what that needs besides. Made
/// by `carry_depths_workspace`. Calls that are given one allocate nothing. One call at a time may
/// use it; copies share the memory.
template <class ExecSpace>
class CarryDepthsWorkspace : public detail::SpacesOf<ExecSpace> {
 public:
  [[nodiscard]] std::int64_t vertices() const { return mesh_.vertices; }
  [[nodiscard]] std::int64_t triangles() const { return mesh_.triangles; }
  /// Bytes of device memory held.
  [[nodiscard]] std::size_t bytes() const { return memory_.span(); }

 private:
  friend struct detail::AccessTo<CarryDepthsWorkspace>;

  detail::CarriedMesh mesh_;
  Kokkos::View<std::byte*, typename ExecSpace::memory_space> memory_;
};

namespace detail {

/// The mesh's vertices, coordinate by coordinate.
template <class Mesh>
struct KeepRaysKernel {
  Mesh source;
  CarriedMesh mesh;

  KOKKOS_FUNCTION void operator()(int vertex) const {
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
    require_three_columns(function, mesh);
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
      for (float*& depth : kept.inverse_depths) depth = arena.take<float>(kept.triangles);
      for (float*& seen : kept.seen) seen = arena.take<float>(kept.vertices);
      kept.seen_inverse_depth = arena.take<float>(kept.vertices);
    });
    kept.corners = corners;
    Kokkos::parallel_for("carroll::carry_depths::keep",
                         Kokkos::RangePolicy<ExecSpace>(exec, 0, kept.vertices),
                         KeepRaysKernel<Mesh>{mesh, kept});
    // Waits: the mesh may go.
    keep_corners(function, exec, mesh, corners);
    return w;
  }

  static CarriedMesh const& mesh(Workspace const& w) { return w.mesh_; }
};

}  // namespace detail
}  // namespace carroll
