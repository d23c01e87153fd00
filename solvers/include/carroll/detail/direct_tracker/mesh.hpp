// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>

/// The caller's samples as the tracker keeps them, coordinate by coordinate. Once per workspace; a
/// thread per sample.
namespace carroll::detail {

template <class Mesh>
struct KeepSamplesKernel {
  Mesh source;
  float* rays[3];
  float* weights[3];

  KOKKOS_FUNCTION void operator()(int i) const {
    for (int a = 0; a < 3; ++a) rays[a][i] = static_cast<float>(source.samples(i, a));
    for (int k = 0; k < 3; ++k) weights[k][i] = static_cast<float>(source.weights(i, k));
  }
};

}  // namespace carroll::detail
