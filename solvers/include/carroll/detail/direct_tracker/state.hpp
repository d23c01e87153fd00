// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/direct_tracker/problem.hpp>
#include <cstdint>
#include <cstring>
#include <type_traits>

/// Motions: from their numbers to the pose that rows need, and a step of them.
///
///   arc   α = 2·asin(ρ/2), t = (cos α/2, sin α/2, 0), R = turn by α about e_z
///   se3   R ← R·exp[ω]ₓ, t ← t + R·v
namespace carroll::detail {

/// Beyond it the chord of length 1 no longer fits into the circle.
inline constexpr double largest_curvature = 1.999;

/// to ← from, by all lanes of a team, which wait for memory once; no barrier.
template <class Member>
KOKKOS_INLINE_FUNCTION void copy_state(Member const& team, TrackerState& to,
                                       TrackerState const& from) {
  static_assert(std::is_trivially_copyable_v<TrackerState> && alignof(TrackerState) == 8);
  using Word = std::uint64_t;
  auto* const target = reinterpret_cast<unsigned char*>(&to);
  auto const* const source = reinterpret_cast<unsigned char const*>(&from);
  Kokkos::parallel_for(
      Kokkos::TeamVectorRange(team, static_cast<int>(sizeof(TrackerState) / sizeof(Word))),
      [&](int i) {
        Word word;
        std::memcpy(&word, source + i * sizeof(Word), sizeof(Word));
        std::memcpy(target + i * sizeof(Word), &word, sizeof(Word));
      });
}

template <TrackerMotion Motion>
KOKKOS_INLINE_FUNCTION void set_pose(TrackerState& state) {
  double rotation[3][3], translation[3];
  TrackerPose& pose = state.pose;
  if constexpr (Motion == TrackerMotion::ackermann) {
    double const s2 = state.motion[0] / 2, c2 = Kokkos::sqrt(1 - s2 * s2);  // of α/2
    double const c = c2 * c2 - s2 * s2, s = 2 * s2 * c2;
    double const turn[3][3] = {{c, -s, 0}, {s, c, 0}, {0, 0, 1}};
    for (int a = 0; a < 3; ++a)
      for (int b = 0; b < 3; ++b) rotation[a][b] = turn[a][b];
    translation[0] = c2;
    translation[1] = s2;
    translation[2] = 0;
    pose.turn = static_cast<float>(1 / c2);
  } else {
    for (int a = 0; a < 3; ++a) {
      for (int b = 0; b < 3; ++b) rotation[a][b] = state.motion[4 * a + b];
      translation[a] = state.motion[4 * a + 3];
    }
    pose.turn = 0;
  }
  for (int a = 0; a < 3; ++a) {
    double baseline = 0;
    for (int b = 0; b < 3; ++b) {
      pose.rotation[a][b] = static_cast<float>(rotation[b][a]);
      baseline += rotation[b][a] * translation[b];
    }
    pose.baseline[a] = static_cast<float>(baseline);
    pose.translation[a] = static_cast<float>(translation[a]);
  }
  pose.gain = static_cast<float>(state.motion[motion_numbers(Motion)]);
  pose.offset = static_cast<float>(state.motion[motion_numbers(Motion) + 1]);
}

/// gain and offset of `to` ← those of `from` moved by -y. A gain beyond a factor of 5 is none that
/// pictures of one scene have.
template <TrackerMotion Motion>
KOKKOS_INLINE_FUNCTION void move_brightness(double* to, double const* from, float const* y) {
  constexpr int at = motion_numbers(Motion), column = pose_columns(Motion);
  double const gain = from[at] - static_cast<double>(y[column]);
  to[at] = Kokkos::fmax(0.2, Kokkos::fmin(gain, 5.0));
  to[at + 1] = from[at + 1] - static_cast<double>(y[column + 1]);
}

/// motion ← kept_motion moved by -y; t divided by `shrink`.
template <TrackerMotion Motion>
KOKKOS_INLINE_FUNCTION void move(TrackerState& state, float const* y, double shrink) {
  move_brightness<Motion>(state.motion, state.kept_motion, y);
  if constexpr (Motion == TrackerMotion::ackermann) {
    double const rho = state.kept_motion[0] - static_cast<double>(y[0]);
    state.motion[0] = Kokkos::fmax(-largest_curvature, Kokkos::fmin(rho, largest_curvature));
  } else {
    double w[3], v[3];
    for (int a = 0; a < 3; ++a) {
      w[a] = -static_cast<double>(y[a]);
      v[a] = -static_cast<double>(y[3 + a]);
    }
    // Rodrigues' formula, with series where the angle is small.
    double const angle2 = w[0] * w[0] + w[1] * w[1] + w[2] * w[2];
    double const angle = Kokkos::sqrt(angle2);
    bool const tiny = angle2 < 1e-8;
    double const s = tiny ? 1 - angle2 / 6 : Kokkos::sin(angle) / angle;
    double const c = tiny ? 0.5 - angle2 / 24 : (1 - Kokkos::cos(angle)) / angle2;
    double e[3][3];
    for (int a = 0; a < 3; ++a)
      for (int b = 0; b < 3; ++b) e[a][b] = c * (w[a] * w[b] - (a == b ? angle2 : 0)) + (a == b);
    for (int a = 0; a < 3; ++a) {
      int const b = (a + 1) % 3, d = (a + 2) % 3;
      e[b][a] += s * w[d];
      e[a][b] -= s * w[d];
    }
    double const* const from = state.kept_motion;
    for (int a = 0; a < 3; ++a) {
      double moved = from[4 * a + 3];
      for (int b = 0; b < 3; ++b) {
        double entry = 0;
        for (int d = 0; d < 3; ++d) entry += from[4 * a + d] * e[d][b];
        state.motion[4 * a + b] = entry;
        moved += from[4 * a + b] * v[b];
      }
      state.motion[4 * a + 3] = moved / shrink;
    }
  }
}

}  // namespace carroll::detail
