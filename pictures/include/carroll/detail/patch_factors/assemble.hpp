// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/patch_factors/cosine.hpp>
#include <carroll/patch_factors/types.hpp>
#include <cstdint>

namespace carroll::detail {

/// The plane of factors: X = Dᵀ·C·D·2 + 32768 with C = step·Σ u_r W_r/16, rounded after each
/// product and clamped to 16 bits. A patch per work item; as many operations as TransformPatches
/// has, and 2·64·R more with a basis of R singular vectors. `vectors` is 0 where the basis is that
/// of the cosines.
template <class Factors, class Basis, class Plane>
struct AssemblePatches {
  Factors factors;
  Basis basis;
  Plane plane;
  int vectors;
  double step;
  CosineTable table{};
  std::int64_t across = patches_across(static_cast<std::int64_t>(plane.extent(1)));

  KOKKOS_FUNCTION void operator()(std::int64_t patch) const {
    double c[64];
    for (double& entry : c) entry = 0;
    c[0] = step * factors(patch, 0);
    if (vectors == 0) {
      for (int r = 1; r < 64; ++r) c[component_place(r)] = step * factors(patch, r);
    } else {
      for (int r = 1; r <= vectors; ++r) {
        double const u = factors(patch, r);
        if (u == 0) continue;
        for (int s = 1; s < 64; ++s) c[component_place(s)] += u * basis(r, s);
      }
      for (int s = 1; s < 64; ++s) c[s] = nearest(step * c[s] * 0x1p-4);
    }
    back(patch, c);
  }

 private:
  KOKKOS_FUNCTION void back(std::int64_t patch, double const* c) const {
    auto const rows = static_cast<std::int64_t>(plane.extent(0));
    auto const columns = static_cast<std::int64_t>(plane.extent(1));
    auto const top = patch / across * 8, left = patch % across * 8;
    double work[64], samples[64];
    table.back(c, work);
    turn(work, 0x1p-16, samples);
    table.back(samples, work);
    turn(work, 0x1p-23, samples);
    for (int i = 0; i < 8 && top + i < rows; ++i) {
      for (int j = 0; j < 8 && left + j < columns; ++j) {
        double const level = samples[8 * i + j] + 32768;
        plane(top + i, left + j) = static_cast<std::int32_t>(level < 0       ? 0
                                                             : level > 65535 ? 65535
                                                                             : level);
      }
    }
  }
};

}  // namespace carroll::detail
