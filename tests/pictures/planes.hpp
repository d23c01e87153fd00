// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <carroll/patch_factors.hpp>
#include <cmath>
#include <cstdint>
#include <vector>

#include "support/random.hpp"

/// Planes to factorise, and what came of it.
namespace carroll::test {

using PlaneExec = Kokkos::DefaultHostExecutionSpace;
using Plane = Kokkos::View<std::int32_t**, Kokkos::LayoutRight, Kokkos::HostSpace>;

/// Slow waves, an edge, and noise.
inline Plane test_plane(int rows, int columns, double noise, std::uint64_t seed) {
  Random random(seed);
  Plane const plane("plane", rows, columns);
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j) {
      double const level = 30000 + 12000 * std::sin(.07 * i + .11 * j) +
                           (i + 2 * j > rows ? 9000 : 0) + noise * random.normal();
      plane(i, j) = static_cast<std::int32_t>(std::clamp(level, 0.0, 65535.0));
    }
  return plane;
}

inline double mean_square(Plane const& a, Plane const& b) {
  double sum = 0;
  for (std::size_t e = 0; e < a.size(); ++e) {
    double const d = static_cast<double>(a.data()[e]) - b.data()[e];
    sum += d * d;
  }
  return sum / static_cast<double>(a.size());
}

struct Coded {
  std::vector<std::int32_t> factors, levels;
  carroll::PatchFactorInfo info;
  double mse = 0;
};

inline Coded coded(Plane const& plane, int step, PatchFactorOptions const& options) {
  PlaneExec const exec;
  auto const rows = static_cast<int>(plane.extent(0)), columns = static_cast<int>(plane.extent(1));
  auto patches = carroll::patch_factors(exec, rows, columns);
  carroll::load_patches(exec, plane, patches);
  Coded found;
  found.info = carroll::factorise_patches(exec, step, patches, options);
  Plane const seen("seen", rows, columns);
  carroll::assemble_patches(exec, step, patches, seen);
  exec.fence();
  found.factors.assign(patches.factors().data(),
                       patches.factors().data() + patches.factors().size());
  found.levels.assign(seen.data(), seen.data() + seen.size());
  found.mse = mean_square(plane, seen);
  return found;
}

}  // namespace carroll::test
