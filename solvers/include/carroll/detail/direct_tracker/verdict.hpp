// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/direct_tracker/rows.hpp>
#include <carroll/detail/mesh_jacobian/system/slots.hpp>
#include <carroll/detail/simd/choice.hpp>
#include <carroll/detail/team.hpp>

/// Whether the result explains the current image: a triangle matches if what is seen of it now and
/// its reference are correlated, which neither brightness nor noise decides. Costs do not tell: a
/// wrong motion may leave less than a right one does where there is more to be seen.
///
/// A thread per triangle, its lanes along the triangle's rows. Once per frame, on the second level,
/// where noise is half; counts are integers, which add up to the same in any order.
namespace carroll::detail {

template <class ExecSpace, class Rows>
struct VerdictKernel {
  /// Less than 3 grey levels of standard deviation are no texture.
  static constexpr double least_variance = 9;
  static constexpr double least_correlation = 0.8;
  /// Nor is less than a tenth of a grey level, black or saturated, anything seen.
  static constexpr double least_seen = 0.01;
  static constexpr int least_rows = 4;

  Rows rows;
  TrackerMesh mesh;
  int* counts;  ///< TrackerCount

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    int const t = team.league_rank() * team.team_size() + team.team_rank();
    if (t >= mesh.triangles || rows.state->stopped != 0) return;
    TrackerReference const& reference = rows.reference;
    [[maybe_unused]] TrackerPose const& pose = rows.state->pose;
    [[maybe_unused]] auto const triangle = rows(0, t);
    int const first = reference.offsets[t];
    int const count = reference.offsets[t + 1] - first;
    Sums<double, 6> sums;
    KOKKOS_IF_ON_HOST((with_host_vectors(OnHost{this, t, first, count, &sums});))
    KOKKOS_IF_ON_DEVICE((sums = slot_sums<ExecSpace, 6>(team, count, [&](int i) {
                           auto const row = triangle(first + i);
                           return terms(pose, rows.levels, reference.grey[first + i], row.residual,
                                        row.weight);
                         });))
    once_per_thread(team, [&] {
      double const n = sums.value[0];
      if (n < least_rows) return;
      double const before = sums.value[3] - sums.value[1] * sums.value[1] / n;
      double const now = sums.value[4] - sums.value[2] * sums.value[2] / n;
      double const both = sums.value[5] - sums.value[1] * sums.value[2] / n;
      if (!(before > least_variance * n)) return;
      Kokkos::atomic_add(counts + count_of_textured, 1);
      if (now > least_seen * n && both > 0 &&
          both * both > least_correlation * least_correlation * before * now)
        Kokkos::atomic_add(counts + count_of_matched, 1);
    });
  }

 private:
  /// Of a sample: 1, I*, I, I*², I², I*·I; nothing where it is not seen.
  KOKKOS_FUNCTION static Sums<double, 6> terms(TrackerPose const& pose, TrackerLevels const& levels,
                                               float grey, float residual, float weight) {
    bool const counts = weight > 0;
    double const before = counts ? static_cast<double>(grey) : 0.0;
    float const expected = levels.shown(pose.gain * grey + pose.offset);
    double const now = counts ? static_cast<double>(residual) + static_cast<double>(expected) : 0.0;
    return {{counts ? 1.0 : 0.0, before, now, before * before, now * now, before * now}};
  }

  /// The sums of a triangle, for with_host_vectors: rows by blocks, each place of which has sums of
  /// its own.
  struct OnHost {
    VerdictKernel const* kernel;
    int triangle, first, count;
    Sums<double, 6>* sums;

    template <int Bytes>
    void run() const {
      constexpr int width = 16;
      auto const rows = kernel->rows(0, triangle);
      TrackerPose const& pose = kernel->rows.state->pose;
      float const* const grey = kernel->rows.reference.grey + first;
      double parts[6][width] = {};
      for (int i = 0; i < count; i += width) {
        int const filled = count - i < width ? count - i : width;
        MeshRowBlock<float, Rows::motions, width> block;
        rows.block(first + i, filled, block);
        for (int w = 0; w < filled; ++w) {
          auto const term =
              terms(pose, kernel->rows.levels, grey[i + w], block.residual[w], block.weight[w]);
          for (int k = 0; k < 6; ++k) parts[k][w] += term.value[k];
        }
      }
      for (int k = 0; k < 6; ++k)
        for (int w = 0; w < width; ++w) sums->value[k] += parts[k][w];
    }
  };
};

}  // namespace carroll::detail
