// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/direct_tracker/schedule/plan.hpp>
#include <carroll/detail/direct_tracker/vertices/depths.hpp>

namespace carroll::detail {

/// What becomes of a trial after a pass; is_best is added to another.
enum TrackerVerdict : int {
  verdict_nothing,
  verdict_forward,
  verdict_back,
  verdict_keep,
  verdict_seen_start,
  verdict_is_best = 8
};

/// What becomes of the vertices' depths after a pass, one by one.
struct VertexUpdate {
  TrackerDepths depths;
  float const* step;  ///< null: depths are held
  double cap;         ///< of a step
  TrackerNext next;

  /// What is known of a vertex before the pass is judged: a GPU's lanes read it meanwhile.
  struct Held {
    double trial, kept;
    float step;
  };
  KOKKOS_FUNCTION Held held(int i) const {
    return {depths.trial[i], depths.kept[i], step ? step[i] : 0.0F};
  }

  KOKKOS_FUNCTION double capped(float x) const {
    return Kokkos::fmax(-cap, Kokkos::fmin(static_cast<double>(x), cap));
  }

  /// Vertex i of the next trial, and of what is kept.
  KOKKOS_FUNCTION void put(int i, int result, double drift, Held const& held) const {
    int const verdict = result & 7;
    bool const forward = verdict == verdict_forward;
    double xi = verdict == verdict_nothing ? held.trial : held.kept, kept = held.kept;
    if (forward || verdict == verdict_keep) depths.kept[i] = kept = xi = held.trial;
    if (forward && step) xi -= capped(held.step) - drift;
    if (verdict == verdict_seen_start) {
      depths.kept[i] = kept = depths.start[i];
      xi = depths.saved[i];
    }
    if ((result & verdict_is_best) != 0) depths.saved[i] = kept;
    if (next == TrackerNext::look) depths.saved[i] = xi;
    if (next != TrackerNext::go_on) xi = depths.start[i];
    depths.trial[i] = xi;
    depths.prior[i] = static_cast<float>(xi);
    depths.zeta[i] = static_cast<float>(Kokkos::exp(xi));
  }
};

}  // namespace carroll::detail
