// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/direct_tracker/problem.hpp>
#include <carroll/detail/independent.hpp>
#include <carroll/detail/strided.hpp>
#include <carroll/detail/team.hpp>
#include <type_traits>

/// The pyramid of an image: the caller's pixels as floats, smoothed, then averages of 2×2 pixels
/// level by level. One team a row, its lanes along the row; the caller's pixels are read nine
/// times, from the cache but once, and all others once.
namespace carroll::detail {

/// The columns before the first and after the last of a row: the opposite ones of an image that
/// goes round, else the nearest.
template <class Member>
KOKKOS_INLINE_FUNCTION void pad_row(Member const& team, TrackerImage const& image, float* row) {
  int const width = image.camera.width;
  bool const round = image.camera.model == CameraModel::equirectangular;
  team.team_barrier();
  Kokkos::single(Kokkos::PerTeam(team), [&] {
    row[-1] = row[round ? width - 1 : 0];
    row[width] = row[round ? 0 : width - 1];
  });
}

/// The caller's mask; of nothing without one.
template <class MaskPixel>
struct PixelMask {
  MaskPixel const* data;
  std::int64_t row_stride, column_stride;

  KOKKOS_FUNCTION bool counts(int v, int u) const {
    return data[v * row_stride + u * column_stride] != MaskPixel(0);
  }
};
template <>
struct PixelMask<void> {};

/// Level 0: the weights 1, 2, 1 across and down, over 16. What is between the pixels of an image as
/// sharp as they allow is no line from one to the next, and looks otherwise after a move by half a
/// pixel: a panorama that is turned by 2° was found 0.017° off, a twentieth of a pixel, and is with
/// these weights 0.002° off. Pixels that a mask leaves out leave their weight to the others.
/// `fault` becomes 1 if a pixel that counts is not finite.
template <class ExecSpace, class Pixel, class MaskPixel>
struct LoadImageKernel {
  Pixel const* source;
  std::int64_t row_stride, column_stride;
  TrackerImage image;
  int* fault;
  PixelMask<MaskPixel> mask;

  static constexpr bool masked = !std::is_void_v<MaskPixel>;

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    int const v = team.league_rank();
    int const width = image.camera.width;
    float* const row = image.pixels + static_cast<std::int64_t>(v) * image.pitch() + 1;
    // The first and the last column by themselves: their neighbours may be on the other side.
    bool const round = image.camera.model == CameraModel::equirectangular;
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, width > 2 ? width - 2 : 0),
                         [&](int i) { row[i + 1] = smoothed(v, i, i + 1, i + 2); });
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, width > 1 ? 2 : 1), [&](int side) {
      int const u = side * (width - 1);
      int const before = u > 0 ? u - 1 : round ? width - 1 : u;
      int const after = u + 1 < width ? u + 1 : round ? 0 : u;
      row[u] = smoothed(v, before, u, after);
    });
    if constexpr (!masked) pad_row(team, image, row);
    if constexpr (std::is_same_v<Pixel, float>) {
      // 0·x is 0 for numbers, NaN for all else.
      float sum = 0;
      team.team_barrier();
      Kokkos::parallel_reduce(
          Kokkos::TeamVectorRange(team, image.camera.width),
          [&](int u, float& partial) { partial += counts(v, u) ? 0 * row[u] : 0.0F; }, sum);
      if (sum != 0) Kokkos::single(Kokkos::PerTeam(team), [&] { Kokkos::atomic_store(fault, 1); });
    }
    if constexpr (masked) {
      team.team_barrier();
      Kokkos::parallel_for(Kokkos::TeamVectorRange(team, image.camera.width), [&](int u) {
        if (!counts(v, u)) row[u] = Kokkos::Experimental::quiet_NaN_v<float>;
      });
      pad_row(team, image, row);
    }
  }

 private:
  /// Of row v and of the column in the middle. Weights are powers of two, so that a mask that
  /// leaves nothing out changes no bit.
  KOKKOS_FUNCTION float smoothed(int v, int before, int middle, int after) const {
    int const last = image.camera.height - 1;
    int const rows[3] = {v > 0 ? v - 1 : 0, v, v < last ? v + 1 : last};
    int const columns[3] = {before, middle, after};
    float sum = 0, weights = 0;
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) {
        float const weight = (i == 1 ? 0.5F : 0.25F) * (j == 1 ? 0.5F : 0.25F);
        bool const in = counts(rows[i], columns[j]);
        float const x =
            static_cast<float>(source[rows[i] * row_stride + columns[j] * column_stride]);
        sum += in ? weight * x : 0.0F;
        weights += in ? weight : 0.0F;
      }
    if constexpr (masked) return weights > 0 ? sum / weights : 0.0F;
    return sum;
  }

  KOKKOS_FUNCTION bool counts([[maybe_unused]] int v, [[maybe_unused]] int u) const {
    if constexpr (masked)
      return mask.counts(v, u);
    else
      return true;
  }
};

/// The next level. Of an image with a mask: the mean of those of the four pixels that count, if two
/// of them do; where all do, that is the mean of an image without one.
template <class ExecSpace, bool masked>
struct HalveImageKernel {
  TrackerImage fine, coarse;

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    int const v = team.league_rank();
    float const* const upper = fine.pixels + static_cast<std::int64_t>(2 * v) * fine.pitch() + 1;
    float const* const lower = upper + fine.pitch();
    float* const row = coarse.pixels + static_cast<std::int64_t>(v) * coarse.pitch() + 1;
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, coarse.camera.width), [&](int u) {
      row[u] = mean(upper[2 * u], upper[2 * u + 1], lower[2 * u], lower[2 * u + 1]);
    });
    pad_row(team, coarse, row);
  }

 private:
  KOKKOS_FUNCTION static float mean(float a, float b, float c, float d) {
    if constexpr (masked) {
      auto const counts = [](float x) { return int(x == x); };
      int const count = counts(a) + counts(b) + counts(c) + counts(d);
      auto const value = [&](float x) { return counts(x) != 0 ? x : 0.0F; };
      float const sum = (value(a) + value(b)) + (value(c) + value(d));
      return count >= 2 ? sum / static_cast<float>(count)
                        : Kokkos::Experimental::quiet_NaN_v<float>;
    } else {
      return 0.25F * ((a + b) + (c + d));
    }
  }
};

}  // namespace carroll::detail
