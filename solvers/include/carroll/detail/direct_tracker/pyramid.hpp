// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/direct_tracker/problem.hpp>
#include <carroll/detail/independent.hpp>
#include <carroll/detail/strided.hpp>
#include <type_traits>

/// The pyramid of an image: the caller's pixels as floats, then averages of 2×2 pixels level by
/// level. One team a row, its lanes along the row; each pixel is read and written once.
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

/// Level 0. `fault` becomes 1 if a pixel is not finite.
template <class ExecSpace, class Pixel>
struct LoadImageKernel {
  using Policy = Kokkos::TeamPolicy<ExecSpace>;
  using Member = typename Policy::member_type;

  Pixel const* source;
  std::int64_t row_stride, column_stride;
  TrackerImage image;
  int* fault;

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    int const v = team.league_rank();
    Pixel const* const from = source + v * row_stride;
    float* const row = image.pixels + static_cast<std::int64_t>(v) * image.pitch() + 1;
    std::int64_t const step = column_stride;
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, image.camera.width),
                         [&](int u) { row[u] = static_cast<float>(from[u * step]); });
    pad_row(team, image, row);
    if constexpr (std::is_same_v<Pixel, float>) {
      // 0·x is 0 for numbers, NaN for all else.
      float sum = 0;
      team.team_barrier();
      Kokkos::parallel_reduce(
          Kokkos::TeamVectorRange(team, image.camera.width),
          [&](int u, float& partial) { partial += 0 * row[u]; }, sum);
      if (sum != 0) Kokkos::single(Kokkos::PerTeam(team), [&] { Kokkos::atomic_store(fault, 1); });
    }
  }
};

/// The next level.
template <class ExecSpace>
struct HalveImageKernel {
  using Policy = Kokkos::TeamPolicy<ExecSpace>;
  using Member = typename Policy::member_type;

  TrackerImage fine, coarse;

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    int const v = team.league_rank();
    float const* const upper = fine.pixels + static_cast<std::int64_t>(2 * v) * fine.pitch() + 1;
    float const* const lower = upper + fine.pitch();
    float* const row = coarse.pixels + static_cast<std::int64_t>(v) * coarse.pitch() + 1;
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, coarse.camera.width), [&](int u) {
      row[u] = 0.25F * ((upper[2 * u] + upper[2 * u + 1]) + (lower[2 * u] + lower[2 * u + 1]));
    });
    pad_row(team, coarse, row);
  }
};

}  // namespace carroll::detail
