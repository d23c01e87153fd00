// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/device/threads.hpp>
#include <carroll/detail/device/warp.hpp>
#include <carroll/detail/mesh_jacobian/problem.hpp>
#include <carroll/detail/mesh_jacobian/sums/totals.hpp>
#include <carroll/detail/mesh_jacobian/system/assemble.hpp>
#include <carroll/detail/mesh_jacobian/system/slots.hpp>
#include <carroll/detail/team.hpp>

namespace carroll::detail {

/// What MeshAssembleKernel does, on a GPU: a warp per vertex, a lane per corner of it. Lanes read
/// what their triangle adds to the diagonal and to g, which are summed over the lanes, and to two
/// entries beside the diagonal, which go round from lane to lane, each to the lane of its entry:
/// loads wait for one load before them, whatever the number of corners. What it adds to b is read
/// `together` columns at a time, the first of them before all else. Further warps sum the parts of
/// MeshTotalsKernel, unless the totals are known.
template <class ExecSpace, class Real>
class MeshAssembleByWarpsKernel {
 public:
  using Totals = MeshTotalsKernel<ExecSpace, Real, MeshBatch<Real> const&>;
  static constexpr int together = 4;

  MeshAssembleByWarpsKernel(MeshBatch<Real> const& batch, bool totals_known)
      : batch_(batch), parts_(totals_known ? 0 : Totals(batch).items()) {}

  [[nodiscard]] KOKKOS_FUNCTION std::int64_t items() const {
    return static_cast<std::int64_t>(batch_.problems) * (parts_ + batch_.padded());
  }

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    std::int64_t const item =
        static_cast<std::int64_t>(team.league_rank()) * team.team_size() + team.team_rank();
    if (item >= items()) return;
    int const of_problem = parts_ + batch_.padded();
    int const problem = static_cast<int>(item / of_problem);
    int const v = static_cast<int>(item % of_problem) - parts_;
    if (!batch_.is_active(problem)) return;
    if (v < 0) {
      Totals(batch_).sum_item(team, problem, v + parts_);
      return;
    }
    DeviceWarp const warp = warp_of_lanes(team);
    Corners const corners = v < batch_.m ? Corners{batch_.vertex_offsets(problem)[v],
                                                   batch_.vertex_offsets(problem)[v + 1]}
                                         : Corners{0, 0};
    auto const first = columns(warp, problem, 0, corners);
    write_matrix(team, warp, problem, v, corners);
    write_columns(warp, problem, v, 0, first);
    for (int j = together; j < batch_.motions(); j += together)
      write_columns(warp, problem, v, j, columns(warp, problem, j, corners));
  }

 private:
  struct Corners {
    int begin, end;  ///< in the pattern
  };
  /// What the triangle of a corner adds: to the vertex' own entry, to those of the two others, to
  /// g.
  struct Parts {
    double own = 0, next = 0, last = 0, g = 0;
    int next_slot = -2, last_slot = -2;
  };

  using Group = Sums<double, together>;

  /// What the lane's corners add to columns j, j + 1, … of b.
  KOKKOS_FUNCTION Group columns(DeviceWarp const& warp, int problem, int j,
                                Corners const& corners) const {
    int const k = batch_.k, K = batch_.motions();
    Group parts;
    for (int p = corners.begin + warp.lane; p < corners.end; p += 32) {
      int const corner = batch_.pattern.corners[p];
      CARROLL_UNROLL
      for (int h = 0; h < together; ++h) {
        int const column = j + h < K ? j + h : j;
        double const* const T = batch_.moments_of(problem * batch_.frames + column / k, corner / 3);
        parts.value[h] += T[MomentLayout::depth_motion + 3 * (column % k) + corner % 3];
      }
    }
    return parts;
  }
  KOKKOS_FUNCTION void write_columns(DeviceWarp const& warp, int problem, int v, int j,
                                     Group const& parts) const {
    ScatteredSums<together>(warp, parts).for_each([&](int h, double sum) {
      if (j + h < batch_.motions()) batch_.rhs[batch_.vector_of(problem, j + h) + v] = sum;
    });
  }

  /// Row v of H, and of g.
  KOKKOS_FUNCTION void write_matrix(TeamMember<ExecSpace> const& team, DeviceWarp const& warp,
                                    int problem, int v, Corners const& corners) const {
    int const* const slices = batch_.slice_offsets(problem) + v / slice_rows;
    double* const row = batch_.matrix_of(problem) + slices[0] + v % slice_rows;
    int const width = (slices[1] - slices[0]) / slice_rows;
    Sums<double, 2> own;  // diagonal and g
    for (int slots = 0; slots == 0 || slots < width; slots += 32) {
      int const slot = slots + warp.lane;
      double value = 0;
      for (int first = corners.begin; first < corners.end; first += 32) {
        Parts const parts =
            first + warp.lane < corners.end ? parts_of(problem, first + warp.lane) : Parts{};
        if (slots == 0) own += Sums<double, 2>{{parts.own, parts.g}};
        int const count = corners.end - first < 32 ? corners.end - first : 32;
        for (int i = 0; i < count; ++i) {
          double const next = warp.from(parts.next, i), last = warp.from(parts.last, i);
          if (warp.from(parts.next_slot, i) == slot) value += next;
          if (warp.from(parts.last_slot, i) == slot) value += last;
        }
      }
      if (slot < width) row[slot * slice_rows] = value;
    }
    own = total_of_lanes<ExecSpace, 2>(team, own);
    if (warp.lane > 0) return;
    batch_.diagonal_of(problem)[v] = (v < batch_.m ? batch_.depth_damping(problem) : 0) + own[0];
    batch_.rhs[batch_.vector_of(problem, batch_.motions()) + v] = own[1];
  }

  KOKKOS_FUNCTION Parts parts_of(int problem, int p) const {
    int const corner = batch_.pattern.corners[p];
    int const c = corner % 3, after = (c + 1) % 3, before = (c + 2) % 3;
    SmoothEdges const edges(batch_, problem, corner);
    Parts parts{edges.next + edges.last,
                -edges.next,
                -edges.last,
                edges.pull,
                batch_.pattern.corner_slots[2 * p],
                batch_.pattern.corner_slots[2 * p + 1]};
    for (int f = 0; f < batch_.frames; ++f) {
      double const* const T = batch_.moments_of(problem * batch_.frames + f, corner / 3);
      parts.own += T[MomentLayout::depth_pair(c, c)];
      parts.next += T[MomentLayout::depth_pair(c, after)];
      parts.last += T[MomentLayout::depth_pair(c, before)];
      parts.g += T[MomentLayout::depth_rhs + c];
    }
    if (parts.next_slot < 0) parts.own += parts.next;
    if (parts.last_slot < 0) parts.own += parts.last;
    return parts;
  }

  MeshBatch<Real> batch_;
  int parts_;  ///< of the totals
};

}  // namespace carroll::detail
