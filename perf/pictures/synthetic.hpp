// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/random.hpp>
#include <cstdint>

#include "harness/contender.hpp"

/// Pictures and frames that are functions of their seeds: sizes and noise as real ones have, and
/// details about as many.
namespace carroll::perf {

using PicturePlanes = Kokkos::View<float***, Kokkos::LayoutRight, Exec::memory_space>;
using FrameMatrix = Kokkos::View<float**, Kokkos::LayoutRight, Exec::memory_space>;

/// Waves of several directions and wavelengths, stripes and steps, 0 … 255, with white noise.
struct DrawPlane {
  PicturePlanes picture;
  float noise;
  KOKKOS_FUNCTION void operator()(int plane, int y, int x) const {
    auto const u = static_cast<float>(x), v = static_cast<float>(y);
    float value = 128 + 40 * Kokkos::sin(0.021F * u + 0.013F * v + 0.5F * plane) +
                  25 * Kokkos::sin(0.11F * u - 0.07F * v);
    if ((x / 64 + y / 64) % 3 == 0) value += 30 * Kokkos::sin(0.9F * u + 0.35F * v);
    if ((x / 96 + y / 80) % 2 == 0) value += 35;
    auto const index = (std::uint64_t(plane) * picture.extent(1) + y) * picture.extent(2) + x;
    picture(plane, y, x) = value + noise * detail::random_normal<float>(7, 0, index);
  }
};

inline PicturePlanes noisy_picture(Exec const& exec, int planes, int side, float noise) {
  PicturePlanes const picture("carroll_perf::picture", planes, side, side);
  Kokkos::parallel_for(
      "carroll_perf::draw",
      Kokkos::MDRangePolicy<Exec, Kokkos::Rank<3>>(exec, {0, 0, 0}, {planes, side, side}),
      DrawPlane{picture, noise});
  exec.fence("carroll_perf::draw");
  return picture;
}

/// `rank` brightnesses over a scene, and three things that are elsewhere in each frame, a twentieth
/// of it: of low rank and sparse.
struct DrawFrame {
  FrameMatrix frames;
  int width, height, rank;
  KOKKOS_FUNCTION int place(int side, int thing, int frame, int extent) const {
    auto const far = Kokkos::fabs(detail::random_normal<float>(13 + side, thing, frame));
    return static_cast<int>(far * 1000) % extent;
  }
  KOKKOS_FUNCTION void operator()(int frame, int pixel) const {
    float value = 0;
    for (int k = 0; k < rank; ++k)
      value +=
          detail::random_normal<float>(11, k, frame) * detail::random_normal<float>(12, k, pixel);
    int const x = pixel % width, y = pixel / width;
    for (int thing = 0; thing < 3; ++thing) {
      int const left = place(0, thing, frame, width), top = place(1, thing, frame, height);
      if (x >= left && x < left + width / 6 && y >= top && y < top + height / 6)
        value += thing == 1 ? -9.0F : 12.0F;
    }
    frames(frame, pixel) = value;
  }
};

inline FrameMatrix made_up_frames(Exec const& exec, int frames, int width, int height) {
  FrameMatrix const matrix("carroll_perf::frames", frames, width * height);
  Kokkos::parallel_for(
      "carroll_perf::draw",
      Kokkos::MDRangePolicy<Exec, Kokkos::Rank<2>>(exec, {0, 0}, {frames, width * height}),
      DrawFrame{matrix, width, height, 5});
  exec.fence("carroll_perf::draw");
  return matrix;
}

}  // namespace carroll::perf
