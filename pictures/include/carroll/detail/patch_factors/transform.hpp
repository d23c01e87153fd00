// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/patch_factors/cosine.hpp>
#include <carroll/patch_factors/types.hpp>
#include <cstdint>

namespace carroll::detail {

/// Coefficients of a plane's patches in the cosine basis, by component, in units of two levels of
/// 16 bits: C = D·(X − 32768)·Dᵀ/2, rounded. What lies beyond the plane's border repeats it.
///
/// A patch per work item, 64 doubles of its own; 2·64·8 multiplications and additions and 512 bytes
/// a patch at 4 bytes a sample: bound by memory on a device, by arithmetic on a host.
template <class Plane, class Coefficients>
struct TransformPatches {
  Plane plane;
  Coefficients coefficients;
  CosineTable table{};

  KOKKOS_FUNCTION void operator()(std::int64_t patch) const {
    auto const rows = static_cast<std::int64_t>(plane.extent(0));
    auto const columns = static_cast<std::int64_t>(plane.extent(1));
    auto const across = patches_across(columns);
    auto const top = patch / across * 8, left = patch % across * 8;
    double half[64];
    for (int i = 0; i < 8; ++i) {
      auto const row = top + i < rows ? top + i : rows - 1;
      double samples[8];
      for (int j = 0; j < 8; ++j) {
        auto const column = left + j < columns ? left + j : columns - 1;
        samples[j] = static_cast<double>(plane(row, column)) - 32768;
      }
      for (int k = 0; k < 8; ++k) half[8 * i + k] = 0;
      for (int j = 0; j < 8; ++j)
        for (int k = 0; k < 8; ++k) half[8 * i + k] += table.columns[8 * j + k] * samples[j];
      for (int k = 0; k < 8; ++k) half[8 * i + k] = nearest(half[8 * i + k] * 0x1p-16);
    }
    double whole[64];
    for (int k = 0; k < 64; ++k) whole[k] = 0;
    for (int l = 0; l < 8; ++l)
      for (int i = 0; i < 8; ++i)
        for (int k = 0; k < 8; ++k) whole[8 * l + k] += table.rows[8 * l + i] * half[8 * i + k];
    for (int r = 0; r < 64; ++r)
      coefficients(patch, r) = static_cast<std::int32_t>(nearest(whole[component_place(r)] * 0x1p-25));
  }
};

}  // namespace carroll::detail
