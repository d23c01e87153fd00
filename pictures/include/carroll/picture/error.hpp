// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/status.hpp>
#include <cmath>
#include <cstdint>
#include <limits>

namespace carroll {

/// Peak signal-to-noise ratio in dB of a mean squared error, where samples reach from 0 to `peak`:
/// 10·log₁₀(peak²/mse); infinite where there is no error.
[[nodiscard]] inline double psnr(double mse, double peak) {
  if (mse == 0) return std::numeric_limits<double>::infinity();
  return 10 * std::log10(peak * peak / mse);
}

/// The mean squared error that has a peak signal-to-noise ratio of `decibel`.
[[nodiscard]] inline double mse_of_psnr(double decibel, double peak) {
  return peak * peak * std::pow(10.0, -decibel / 10);
}

/// How far one picture is from another.
struct PictureError {
  Status status = Status::success;  ///< non_finite where a sample of either is
  double mse = 0;                   ///< mean squared difference of samples, 0 where there are none
  std::int64_t count = 0;           ///< samples
};

}  // namespace carroll
