// SPDX-License-Identifier: BSD-3-Clause
// Pictures that need no file.
#pragma once

#include <Kokkos_Core.hpp>
#include <cmath>
#include <cstdint>

#include "support/random.hpp"

namespace carroll::test {

using HostPicture = Kokkos::View<double**, Kokkos::LayoutRight, Kokkos::HostSpace>;

/// Stripes, steps, a ramp and a disc, in 0 … 255.
inline HostPicture shapes(int height, int width) {
  HostPicture const picture("carroll_test::shapes", height, width);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      double value = 60 + 100.0 * x / width;
      if (x > width / 2) value = (x + 2 * y) / 6 % 2 == 0 ? 80 : 180;
      if (std::hypot(y - height / 3.0, x - width / 3.0) < height / 5.0) value = 220;
      picture(y, x) = value;
    }
  return picture;
}

inline HostPicture with_noise(HostPicture const& picture, double noise, std::uint64_t seed) {
  Random random(seed);
  HostPicture const noisy("carroll_test::noisy", picture.extent(0), picture.extent(1));
  for (int y = 0; y < picture.extent_int(0); ++y)
    for (int x = 0; x < picture.extent_int(1); ++x)
      noisy(y, x) = picture(y, x) + noise * random.normal();
  return noisy;
}

template <class A, class B>
double rms(A const& a, B const& b) {
  double sum = 0;
  for (int y = 0; y < a.extent_int(0); ++y)
    for (int x = 0; x < a.extent_int(1); ++x)
      sum += std::pow(static_cast<double>(a(y, x)) - static_cast<double>(b(y, x)), 2);
  return std::sqrt(sum / static_cast<double>(a.extent(0) * a.extent(1)));
}

}  // namespace carroll::test
