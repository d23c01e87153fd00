// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/error.hpp>
#include <span>
#include <string>
#include <vector>

namespace carroll::detail {

/// A mesh's t triangles in the order in which the tracker keeps them on the device.
struct HostTriangles {
  /// 3t corners by triangles; t + 1 offsets of the samples; for each level t + 1 offsets of its
  /// rows.
  std::vector<int> indices;
  std::vector<float> inverses;  ///< V⁻¹ of each triangle by rows, 9t
};

/// Appends V⁻¹ by rows; of a flat triangle, which no sample sees, zeros.
inline void append_inverse(double const (&v)[3][3], std::vector<float>& inverses) {
  double c[3][3];
  for (int k = 0; k < 3; ++k)
    for (int a = 0; a < 3; ++a) {
      int const p = (k + 1) % 3, q = (k + 2) % 3, d = (a + 1) % 3, e = (a + 2) % 3;
      c[a][k] = v[p][d] * v[q][e] - v[p][e] * v[q][d];
    }
  double const determinant = v[0][0] * c[0][0] + v[0][1] * c[1][0] + v[0][2] * c[2][0];
  for (int a = 0; a < 3; ++a)
    for (int k = 0; k < 3; ++k)
      inverses.push_back(determinant == 0 ? 0.0F : static_cast<float>(c[a][k] / determinant));
}

/// The triangles of a mesh whose extents are right, copied to the host. A level of stride s has
/// every s-th sample of a triangle, the first one always. Throws std::invalid_argument where
/// offsets do not rise from 0 to the samples, or where a corner is no vertex. O(t · levels).
template <class Mesh>
HostTriangles host_triangles(char const* function, Mesh const& mesh, std::span<int const> strides) {
  auto const on_host = [](auto const& view) {
    return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
  };
  auto const corners = on_host(mesh.triangles);
  auto const offsets = on_host(mesh.triangle_offsets);
  auto const positions = on_host(mesh.vertices);
  int const t = static_cast<int>(corners.extent(0));
  int const vertices = static_cast<int>(positions.extent(0));
  int const samples = static_cast<int>(mesh.samples.extent(0));

  HostTriangles host;
  for (int i = 0; i < t; ++i)
    for (int k = 0; k < 3; ++k) host.indices.push_back(corners(i, k));
  for (int i = 0; i <= t; ++i) {
    int const least = i == 0 ? 0 : offsets(i - 1);
    int const most = i == 0 ? 0 : samples;
    require(least <= offsets(i) && offsets(i) <= most && (i < t || offsets(i) == samples), function,
            [&] {
              return "mesh.triangle_offsets(" + std::to_string(i) + ") is " +
                     std::to_string(offsets(i)) + ", offsets must rise from 0 to the " +
                     std::to_string(samples) + " samples";
            });
    host.indices.push_back(offsets(i));
  }
  for (int const stride : strides) {
    host.indices.push_back(0);
    for (int i = 0; i < t; ++i)
      host.indices.push_back(host.indices.back() +
                             (offsets(i + 1) - offsets(i) + stride - 1) / stride);
  }

  for (int i = 0; i < t; ++i) {
    double v[3][3];
    for (int k = 0; k < 3; ++k) {
      require(0 <= corners(i, k) && corners(i, k) < vertices, function, [&] {
        return "mesh.triangles(" + std::to_string(i) + ", " + std::to_string(k) + ") is " +
               std::to_string(corners(i, k)) + ", must be from 0 to below the " +
               std::to_string(vertices) + " vertices";
      });
      for (int a = 0; a < 3; ++a) v[k][a] = static_cast<double>(positions(corners(i, k), a));
    }
    append_inverse(v, host.inverses);
  }
  return host;
}

}  // namespace carroll::detail
