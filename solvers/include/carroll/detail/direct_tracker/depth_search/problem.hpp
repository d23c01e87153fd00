// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/direct_tracker/problem.hpp>
#include <cstdint>

namespace carroll::detail {

/// Inverse depths that are tried, as multiples of what they are.
inline constexpr int depth_hypotheses = 32;
/// The hypothesis that leaves them as they are.
inline constexpr int present_depth = 16;
/// log κ from one hypothesis to the next: from 1/11 to 9.5 times what they are.
inline constexpr double depth_step = 0.15;
/// Rounds in which neighbours come to terms.
inline constexpr int depth_rounds = 9;
/// Sums of a triangle and hypothesis over the samples that are seen: 1, I*, I, I*², I², I*·I.
inline constexpr int depth_sums = 6;

/// Directions of the way that are tried, that of the state first: then rings around it.
inline constexpr int way_rings = 3, ways_of_ring = 8;
inline constexpr int searched_ways = 1 + way_rings * ways_of_ring;

/// One of them.
struct SearchedWay {
  double motion[14];
  TrackerPose pose;
  unsigned long long cost;  ///< Σ of the vertices' least costs, in units of 2⁻²⁰
};

/// What the search over depths works on.
struct DepthSearch {
  int vertices = 0;
  int const* vertex_offsets = nullptr;  ///< M+1, into corners
  int const* corners = nullptr;         ///< 3·triangle + corner, by vertex
  int const* triangles = nullptr;       ///< 3·T: vertices
  double* sums = nullptr;               ///< T, depth_sums, depth_hypotheses
  int* known = nullptr;                 ///< T: samples of the level that the reference has
  float* costs = nullptr;               ///< M, depth_hypotheses
  SearchedWay* ways = nullptr;          ///< searched_ways
  int* found[2] = {};                   ///< M: hypotheses, before and after a round

  KOKKOS_FUNCTION float factor(int h) const {
    return static_cast<float>(Kokkos::exp((h - present_depth) * depth_step));
  }
  KOKKOS_FUNCTION double* sums_of(int t, int k) const {
    return sums + (static_cast<std::int64_t>(t) * depth_sums + k) * depth_hypotheses;
  }
  KOKKOS_FUNCTION float* costs_of(int v) const {
    return costs + static_cast<std::int64_t>(v) * depth_hypotheses;
  }
};

/// Whether a tracker with these options searches depths at all.
inline bool searches_depths(DirectTrackerOptions const& options) {
  return options.motion == TrackerMotion::se3 && options.search && options.search_depths &&
         !options.known_depths;
}

/// Whether a candidate was found that can be searched around.
KOKKOS_INLINE_FUNCTION bool searches_depths(TrackerState const& s) {
  return s.stopped == 0 && s.has_best != 0;
}

}  // namespace carroll::detail
