// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/denoise/types.hpp>
#include <carroll/detail/denoise/planes.hpp>
#include <carroll/detail/power_of_two.hpp>
#include <carroll/status.hpp>
#include <cstdint>

namespace carroll::detail {

/// What kernels find of a picture and the host need not know.
struct PictureState {
  SampleRange range;
  int exponent = 0;  ///< planes are multiplied by 2^exponent, below 2^8 and not below 2^7
  float noise = 0;   ///< of scaled planes; 0: nothing is to be done
};

/// state.exponent, state.noise := of state.range. `factor`: how much larger numbers may become,
/// even infinite, which has an exponent like others.
struct FindPictureState {
  PictureState* state;
  double noise, factor;
  KOKKOS_FUNCTION void operator()(int) const {
    SampleRange const range = state->range;
    int const exponent = range.largest > 0 ? 8 - exponent_of(range.largest * factor) : 0;
    bool const idle = range.bad > 0 || range.largest == 0;
    state->exponent = exponent;
    state->noise = idle ? 0.0F : static_cast<float>(scale(noise, exponent));
  }
};

/// info := what became of the picture; of an empty one, which has no state, that all is well.
struct WriteDenoiseInfo {
  PictureState const* state;
  int iterations;
  DenoiseInfo* info;
  KOKKOS_FUNCTION void operator()(int) const {
    bool const bad = state != nullptr && state->range.bad > 0;
    info->status = bad ? Status::non_finite : Status::success;
    info->iterations = state != nullptr && state->noise != 0 ? iterations : 0;
  }
};

/// noisy, current := the transformed planes.
template <class T>
struct LoadPlanes {
  PlanesOfCaller<T const> picture;
  PictureLayout layout;
  std::int64_t plane_numbers;
  PlaneTransform transform;
  PictureState const* state;
  float *noisy, *current;
  KOKKOS_FUNCTION void operator()(std::int64_t e) const {
    auto const y = static_cast<int>(e / layout.width), x = static_cast<int>(e % layout.width);
    int const exponent = state->exponent;
    float samples[most_planes];
    for (int c = 0; c < transform.planes; ++c)
      samples[c] = static_cast<float>(scale(static_cast<double>(picture(c, y, x)), exponent));
    for (int k = 0; k < transform.planes; ++k) {
      float sum = 0;
      for (int c = 0; c < transform.planes; ++c) sum += transform.matrix[k][c] * samples[c];
      noisy[k * plane_numbers + layout.at(y, x)] = sum;
      current[k * plane_numbers + layout.at(y, x)] = sum;
    }
  }
};

/// The caller's picture := the planes transformed back; NaN, if a sample was not finite.
template <class T>
struct StorePlanes {
  PlanesOfCaller<T> picture;
  PictureLayout layout;
  std::int64_t plane_numbers;
  PlaneTransform transform;
  PictureState const* state;
  float const* current;
  KOKKOS_FUNCTION void operator()(std::int64_t e) const {
    auto const y = static_cast<int>(e / layout.width), x = static_cast<int>(e % layout.width);
    int const exponent = -state->exponent;
    for (int c = 0; c < transform.planes; ++c) {
      float sum = state->range.bad > 0 ? Kokkos::Experimental::quiet_NaN_v<float> : 0.0F;
      for (int k = 0; k < transform.planes; ++k)
        sum += transform.matrix[k][c] * current[k * plane_numbers + layout.at(y, x)];
      picture(c, y, x) = static_cast<T>(scale(static_cast<double>(sum), exponent));
    }
  }
};

}  // namespace carroll::detail
