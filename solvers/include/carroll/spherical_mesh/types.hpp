// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/concepts.hpp>
#include <carroll/detail/allocate.hpp>
#include <carroll/detail/copy.hpp>
#include <cstdint>

namespace carroll {

/// Feature points on the unit sphere around a camera, a triangulation of them, and sample points in
/// the triangles: what the depth of a scene is written in for direct visual SLAM.
///
/// A scene that is a plane in each triangle is given by the inverse ranges ζₖ of the vertices:
/// along the ray s of a sample it is ζ(s) = Σ wₖ ζₖ, with w = V⁻ᵀs for the matrix V whose rows are
/// the vertices of the triangle. The weights are not negative; their sum is 1 at a vertex and above
/// it elsewhere, because the plane is flat and the sphere is not.
///
/// M vertices, T triangles, N samples; every View is contiguous in the layout of its memory space.
template <RealScalar Real, class MemorySpace = Kokkos::HostSpace>
struct SphericalMesh {
  using value_type = Real;

  Kokkos::View<Real* [3], MemorySpace> vertices;     ///< M×3 unit rays
  Kokkos::View<int* [3], MemorySpace> triangles;     ///< T×3 vertices, anticlockwise from outside
  Kokkos::View<Real* [3], MemorySpace> samples;      ///< N×3 unit rays, triangle after triangle
  Kokkos::View<int*, MemorySpace> triangle_offsets;  ///< T+1, rising from 0 to N
  Kokkos::View<Real* [3], MemorySpace> weights;      ///< N×3, of the vertices of the triangle
};

/// The mesh in the memory of `exec` and in the precision Real. Five allocations, a mirror and
/// a fence for each where `exec` does not reach host memory.
template <RealScalar Real, ExecutionSpace ExecSpace, class Source>
[[nodiscard]] SphericalMesh<Real, typename ExecSpace::memory_space> mesh_on(
    ExecSpace const& exec, SphericalMesh<Source> const& mesh) {
  auto const copied = [&]<class Entry>(char const* label, Entry, auto const& host) {
    using HostView = std::remove_cvref_t<decltype(host)>;
    constexpr bool is_vector = HostView::rank == 1;
    using Data = std::conditional_t<is_vector, Entry*, Entry* [3]>;
    Kokkos::View<Data, typename ExecSpace::memory_space> const device =
        detail::allocate<Kokkos::View<Data, typename ExecSpace::memory_space>>(
            exec, label, static_cast<std::int64_t>(host.extent(0)));
    auto const mirror =
        Kokkos::create_mirror_view(Kokkos::view_alloc(Kokkos::WithoutInitializing), device);
    for (std::size_t i = 0; i < host.extent(0); ++i) {
      if constexpr (is_vector) {
        mirror(i) = static_cast<Entry>(host(i));
      } else {
        for (int k = 0; k < 3; ++k) mirror(i, k) = static_cast<Entry>(host(i, k));
      }
    }
    detail::copy_view(exec, device, mirror);
    exec.fence("carroll::mesh_on: the mirror may go");
    return device;
  };
  SphericalMesh<Real, typename ExecSpace::memory_space> result;
  result.vertices = copied("carroll::mesh::vertices", Real{}, mesh.vertices);
  result.triangles = copied("carroll::mesh::triangles", int{}, mesh.triangles);
  result.samples = copied("carroll::mesh::samples", Real{}, mesh.samples);
  result.triangle_offsets = copied("carroll::mesh::triangle_offsets", int{}, mesh.triangle_offsets);
  result.weights = copied("carroll::mesh::weights", Real{}, mesh.weights);
  return result;
}

}  // namespace carroll
