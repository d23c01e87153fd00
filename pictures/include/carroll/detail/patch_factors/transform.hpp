// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/patch_factors/cosine.hpp>
#include <carroll/patch_factors/types.hpp>
#include <cstdint>

namespace carroll::detail {

/// Coefficients of a plane's patches in the cosine basis, by component, in units of two levels of
/// 16 bits: C = D·(X − 32768)·Dᵀ/2, rounded after each product. What lies beyond the plane's border
/// repeats it.
///
/// A patch per work item, 128 doubles of its own; 2·256 multiplications and additions and 512 bytes
/// a patch at 4 bytes a sample: bound by memory on a device, by arithmetic on a host.
template <class Plane, class Coefficients>
struct TransformPatches {
  Plane plane;
  Coefficients coefficients;
  CosineTable table{};
  std::int64_t across = patches_across(static_cast<std::int64_t>(plane.extent(1)));

  KOKKOS_FUNCTION void operator()(std::int64_t patch) const {
    auto const rows = static_cast<std::int64_t>(plane.extent(0));
    auto const columns = static_cast<std::int64_t>(plane.extent(1));
    auto const top = patch / across * 8, left = patch % across * 8;
    double samples[64], work[64];
    for (int i = 0; i < 8; ++i) {
      auto const row = top + i < rows ? top + i : rows - 1;
      for (int j = 0; j < 8; ++j) {
        auto const column = left + j < columns ? left + j : columns - 1;
        samples[8 * i + j] = static_cast<double>(plane(row, column)) - 32768;
      }
    }
    table.forward(samples, work);
    turn(work, 0x1p-16, samples);
    table.forward(samples, work);
    turn(work, 0x1p-25, samples);
    for (int r = 0; r < 64; ++r)
      coefficients(patch, r) = static_cast<std::int32_t>(samples[component_place(r)]);
  }
};

}  // namespace carroll::detail
