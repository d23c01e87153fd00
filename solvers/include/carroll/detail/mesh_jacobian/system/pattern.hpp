// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <vector>

namespace carroll::detail {

/// Vertices of a slice: the lanes of a GPU read an entry each of its rows.
inline constexpr int slice_rows = 32;

/// Where the normal matrix of a mesh has entries beside its diagonal, and what they are the sums
/// of. The matrix is kept in slices of 32 rows (sliced ELLPACK; Monakov, Lokhmotov and Avetisyan,
/// HiPEAC 2010): entry j of row v is at slice_offsets(v/32) + 32·j + v%32; short rows end in
/// entries of their own column, which stay 0. All offsets are from the beginning of the arrays, in
/// batches of meshes, too.
struct MeshPattern {
  int const* triangles = nullptr;       ///< meshes, T, 3: vertices
  int const* vertex_offsets = nullptr;  ///< meshes, m+1: into corners
  int const* corners = nullptr;         ///< 3·triangle + corner, by vertex, in rising order
  int const* corner_slots = nullptr;    ///< per corner, 2: entry of its row for the next corner of
                                        ///< the triangle and the one after, -1: the diagonal
  int const* slice_offsets = nullptr;   ///< meshes, slices+1: into columns
  int const* columns = nullptr;
};

/// The pattern of one mesh, appended to those of the meshes before.
class PatternBuilder {
 public:
  std::vector<int> vertex_offsets, corners, corner_slots, slice_offsets, columns;

  /// `triangles`: 3 vertices each, all of them from 0 to m-1.
  void append(std::vector<int> const& triangles, int m) {
    int const first = static_cast<int>(corners.size());
    int const count = static_cast<int>(triangles.size());
    std::vector<int> offsets(static_cast<std::size_t>(m) + 1, 0);
    for (int const v : triangles) ++offsets[v + 1];
    for (int v = 0; v < m; ++v) offsets[v + 1] += offsets[v];
    corners.resize(first + count);
    corner_slots.resize(2 * corners.size());
    std::vector<int> next(offsets.begin(), offsets.end() - 1);
    for (int c = 0; c < count; ++c) corners[first + next[triangles[c]]++] = c;
    for (int const offset : offsets) vertex_offsets.push_back(first + offset);
    append_slices(triangles, offsets, first, m);
  }

 private:
  void append_slices(std::vector<int> const& triangles, std::vector<int> const& offsets, int first,
                     int m) {
    slice_offsets.push_back(static_cast<int>(columns.size()));
    std::vector<std::vector<int>> rows(slice_rows);
    for (int begin = 0; begin < m; begin += slice_rows) {
      int const end = std::min(begin + slice_rows, m);
      std::size_t width = 0;
      for (auto& row : rows) row.clear();
      for (int v = begin; v < end; ++v) {
        auto& row = rows[v - begin];
        for (int p = offsets[v]; p < offsets[v + 1]; ++p)
          for (int step = 1; step <= 2; ++step) {
            int const corner = corners[first + p];
            int const other = triangles[corner - corner % 3 + (corner % 3 + step) % 3];
            corner_slots[2 * (first + p) + step - 1] = slot_of(row, v, other);
          }
        width = std::max(width, row.size());
      }
      for (std::size_t j = 0; j < width; ++j)
        for (int lane = 0; lane < slice_rows; ++lane)
          columns.push_back(j < rows[lane].size() ? rows[lane][j] : std::min(begin + lane, m - 1));
      slice_offsets.push_back(static_cast<int>(columns.size()));
    }
  }

  static int slot_of(std::vector<int>& row, int v, int other) {
    if (other == v) return -1;
    auto const found = std::find(row.begin(), row.end(), other);
    int const slot = static_cast<int>(found - row.begin());
    if (found == row.end()) row.push_back(other);
    return slot;
  }
};

}  // namespace carroll::detail
