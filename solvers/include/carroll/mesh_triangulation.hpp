// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/concepts.hpp>
#include <carroll/detail/allocate.hpp>
#include <carroll/detail/copy.hpp>
#include <carroll/detail/mesh_jacobian/system/pattern.hpp>
#include <carroll/detail/strided.hpp>
#include <carroll/detail/workspace.hpp>
#include <carroll/error.hpp>
#include <concepts>
#include <cstdint>
#include <string>
#include <vector>

namespace carroll {

/// The triangles of a mesh, or of a batch of meshes of one size, on the device, with what solvers
/// need to know of their neighbourhood. Made once by `mesh_triangulation`, never changed, copies
/// share the memory.
template <class ExecSpace>
class MeshTriangulation : public detail::SpacesOf<ExecSpace> {
 public:
  [[nodiscard]] std::int64_t meshes() const { return meshes_; }
  [[nodiscard]] std::int64_t vertices() const { return vertices_; }
  [[nodiscard]] std::int64_t triangles() const { return triangles_; }
  /// Bytes of device memory held.
  [[nodiscard]] std::size_t bytes() const { return data_.span() * sizeof(int); }

 private:
  friend struct detail::AccessTo<MeshTriangulation>;

  std::int64_t meshes_ = 0;  ///< a triangulation that nobody made fits no workspace
  std::int64_t vertices_ = 0;
  std::int64_t triangles_ = 0;
  std::int64_t entries_ = 0;  ///< of all meshes' matrices beside the diagonal, padding included
  Kokkos::View<int*, typename ExecSpace::memory_space> data_;
  detail::MeshPattern pattern_;
};

namespace detail {

/// The inside of a triangulation, for workspaces.
template <class ExecSpace>
struct AccessTo<MeshTriangulation<ExecSpace>> {
  using Mesh = MeshTriangulation<ExecSpace>;

  static MeshPattern const& pattern(Mesh const& mesh) { return mesh.pattern_; }
  static std::int64_t entries(Mesh const& mesh) { return mesh.entries_; }

  /// `triangles`: meshes·T·3 vertices on the host.
  static Mesh make(ExecSpace const& exec, char const* function, std::vector<int> const& triangles,
                   std::int64_t meshes, std::int64_t count, std::int64_t vertices) {
    require_size(function, "the number of meshes", meshes);
    require_size(function, "the number of vertices", vertices);
    require_size(function, "the number of corners of all meshes", meshes * count * 3);
    for (std::size_t c = 0; c < triangles.size(); ++c)
      require(0 <= triangles[c] && triangles[c] < vertices, function, [&] {
        auto const corner = static_cast<std::int64_t>(c);
        return "corner " + std::to_string(corner % 3) + " of triangle " +
               std::to_string(corner / 3 % count) + " is vertex " + std::to_string(triangles[c]) +
               ", must be from 0 to below " + std::to_string(vertices);
      });
    PatternBuilder builder;
    for (std::int64_t i = 0; i < meshes; ++i)
      builder.append({triangles.begin() + i * count * 3, triangles.begin() + (i + 1) * count * 3},
                     static_cast<int>(vertices));
    Mesh mesh;
    mesh.meshes_ = meshes;
    mesh.vertices_ = vertices;
    mesh.triangles_ = count;
    mesh.entries_ = static_cast<std::int64_t>(builder.columns.size());
    require_size(function, "the number of entries of all matrices", mesh.entries_);

    std::vector<int> all(triangles);
    auto const append = [&](std::vector<int> const& part) {
      auto const begin = all.size();
      all.insert(all.end(), part.begin(), part.end());
      return begin;
    };
    auto const vertex_offsets = append(builder.vertex_offsets);
    auto const corners = append(builder.corners);
    auto const corner_slots = append(builder.corner_slots);
    auto const slice_offsets = append(builder.slice_offsets);
    auto const columns = append(builder.columns);
    mesh.data_ = allocate<decltype(mesh.data_)>(exec, "carroll::mesh::triangulation",
                                                static_cast<std::int64_t>(all.size()));
    copy_to_device(exec, mesh.data_.data(), all.data(), all.size());
    exec.fence("carroll::mesh::triangulation");
    int const* const data = mesh.data_.data();
    mesh.pattern_ = {data,
                     data + vertex_offsets,
                     data + corners,
                     data + corner_slots,
                     data + slice_offsets,
                     data + columns};
    return mesh;
  }
};

}  // namespace detail

/// The mesh of T triangles on `vertices` vertices, numbered from 0: `triangles` is a View of int,
/// T×3, or meshes×T×3 for a batch whose problems have a mesh each. Corners come in any order. A
/// vertex need not belong to a triangle, and corners of one triangle may be the same vertex, so
/// that smaller meshes of a batch can be filled up with triangles (0, 0, 0) that have no rows.
///
/// Copies the triangles to the host, orders them in O(T) there and copies the result back: for once
/// per mesh, not once per step. Fences `exec` twice. Throws std::invalid_argument for a vertex
/// number out of range, AllocationError for want of memory.
template <ExecutionSpace ExecSpace, class TriangleView>
[[nodiscard]] MeshTriangulation<ExecSpace> mesh_triangulation(ExecSpace const& exec,
                                                              TriangleView const& triangles,
                                                              std::int64_t vertices) {
  static_assert(StridedView<TriangleView> && AccessibleView<TriangleView, ExecSpace> &&
                    (int(TriangleView::rank) == 2 || int(TriangleView::rank) == 3) &&
                    std::same_as<typename TriangleView::non_const_value_type, int>,
                "carroll::mesh_triangulation: triangles must be a strided View of int, of rank 2 "
                "(one mesh) or 3 (a batch), in memory that the execution space can access");
  constexpr int rank = int(TriangleView::rank);
  constexpr char const* function = "carroll::mesh_triangulation";
  auto const meshes = rank == 3 ? static_cast<std::int64_t>(triangles.extent(0)) : 1;
  auto const count = static_cast<std::int64_t>(triangles.extent(rank - 2));
  detail::require_extents(function, "the last extent of triangles",
                          {static_cast<long long>(triangles.extent(rank - 1))}, {3});
  // By way of a contiguous array, since triangles may be strided.
  using Packed = Kokkos::View<int*, typename ExecSpace::memory_space>;
  auto const packed =
      detail::allocate<Packed>(exec, "carroll::mesh::triangles", meshes * count * 3);
  auto const corners = detail::strided_batch(triangles);
  Kokkos::parallel_for(
      "carroll::mesh::pack",
      Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>(exec, 0, meshes * count),
      KOKKOS_LAMBDA(std::int64_t i) {
        for (int c = 0; c < 3; ++c)
          packed(3 * i + c) = corners.data[i / count * corners.strides[0] +
                                           i % count * corners.strides[1] + c * corners.strides[2]];
      });
  std::vector<int> host(packed.size());
  detail::copy_to_host(exec, host.data(), packed.data(), host.size());
  exec.fence("carroll::mesh::triangles");
  return detail::AccessTo<MeshTriangulation<ExecSpace>>::make(exec, function, host, meshes, count,
                                                              vertices);
}

}  // namespace carroll
