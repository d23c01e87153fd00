// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/mesh_jacobian/sums/moment_sums.hpp>
#include <carroll/detail/simd/choice.hpp>
#include <carroll/detail/team.hpp>
#include <type_traits>

namespace carroll::detail {

/// The row that a functor supplies.
template <class Rows>
using MeshRowOf = std::remove_cvref_t<decltype(std::declval<Rows const&>()(0, 0)(0))>;

/// Evaluates the rows, once, and leaves their sums by triangle, MomentLayout: rows are not stored.
/// One thread of a team per triangle, its lanes along the triangle's rows; on a host a stretch of
/// triangles. 2·(11 + 4k + k(k+1)/2) flops a row beside those of the functor.
template <class ExecSpace, class Real, class Rows>
class MeshMomentsKernel {
 public:
  using Row = MeshRowOf<Rows>;
  static constexpr int motions = Row::motions;
  /// Of a work item.
  static constexpr int triangles = lanes<ExecSpace> == 1 ? 16 : 1;
  /// Of a team. With 128 registers a thread, which the sums of few columns fit into, an H200 has
  /// warps for 2112 triangles at a time, with the 166 that a compiler would take for 1584: 2000
  /// take 6.4 µs, and took 8.6 (November 2026).
  static constexpr int threads = lanes<ExecSpace> == 1 ? 1 : 4;
  static constexpr int teams_together = motions <= 3 ? 4 : 1;
  using Policy =
      Kokkos::TeamPolicy<ExecSpace,
                         Kokkos::LaunchBounds<threads * lanes<ExecSpace>, teams_together>>;

  MeshMomentsKernel(MeshBatch<Real> const& batch, Rows const& rows)
      : batch_(batch),
        rows_(rows),
        items_((static_cast<std::int64_t>(batch.triangles) + triangles - 1) / triangles) {}

  [[nodiscard]] std::int64_t items() const { return items_ * batch_.problems * batch_.frames; }

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    std::int64_t const item =
        static_cast<std::int64_t>(team.league_rank()) * team.team_size() + team.team_rank();
    int const frame = static_cast<int>(item / items_);
    int const first = static_cast<int>(item % items_) * triangles;
    if (frame >= batch_.problems * batch_.frames) return;
    KOKKOS_IF_ON_DEVICE((sum_triangle(team, frame, first);))
    KOKKOS_IF_ON_HOST((if (is_active(frame)) with_host_vectors(OnHost{
        this, frame, first, Kokkos::min(first + triangles, batch_.triangles)});))
  }

 private:
  KOKKOS_FUNCTION int offset(int frame, int t) const {
    return batch_.offsets.data[frame * batch_.offsets.strides[0] + t * batch_.offsets.strides[1]];
  }

  KOKKOS_FUNCTION bool valid(int t, int begin, int end) const {
    return begin <= end && end <= batch_.n && (t > 0 ? begin >= 0 : begin == 0);
  }
  KOKKOS_FUNCTION bool is_active(int frame) const {
    return batch_.is_active(frame / batch_.frames);
  }

  /// By the lanes of a thread. The first loads do not wait for one another.
  KOKKOS_FUNCTION void sum_triangle(TeamMember<ExecSpace> const& team, int frame, int t) const {
    int const begin = offset(frame, t);
    int const end = offset(frame, t + 1);
    if (!is_active(frame)) return;
    bool const good = valid(t, begin, end);
    double* const out = batch_.moments_of(frame, t);
    lane_moments<ExecSpace, Row>(team, rows_(frame, t), good ? begin : 0, good ? end : 0,
                                 [&](int s, double sum) { put(out, s, good, sum); });
  }

  KOKKOS_FUNCTION void put(double* out, int s, bool valid, double sum) const {
    int const at = place(s);
    if (at >= 0) out[at] = s == MomentLayout::rows && !valid ? -1 : sum;
  }
  /// Of sum s: rows in memory may come with more columns, of zeros, whose sums have no place, -1.
  KOKKOS_FUNCTION int place(int s) const {
    using Layout = MomentLayout;
    int const k = batch_.k;
    if (k == motions || s < Layout::depth_motion) return s;
    if (s < Layout::motion_rhs(motions)) return s < Layout::motion_rhs(k) ? s : -1;
    if (s < Layout::motions(motions)) {
      int const j = s - Layout::motion_rhs(motions);
      return j < k ? Layout::motion_rhs(k) + j : -1;
    }
    for (int j = 0; j < k; ++j) {
      int const l = j + s - Layout::motion_pair(motions, j, j);
      if (l < motions) return l < k ? Layout::motion_pair(k, j, l) : -1;
    }
    return -1;
  }

  /// Triangles first <= t < last, for with_host_vectors.
  struct OnHost {
    MeshMomentsKernel const* kernel;
    int frame, first, last;

    template <int Bytes>
    void run() const {
      for (int t = first; t < last; ++t) {
        int const begin = kernel->offset(frame, t);
        int const end = kernel->offset(frame, t + 1);
        bool const valid = kernel->valid(t, begin, end);
        Moments<motions> sums;
        if (valid) sums = host_moments<Bytes, Row>(kernel->rows_(frame, t), begin, end);
        if (!valid) sums.value[MomentLayout::rows] = -1;
        double* const out = kernel->batch_.moments_of(frame, t);
        if (kernel->batch_.k == motions) {
          for (int s = 0; s < MomentLayout::size(motions); ++s) out[s] = sums.value[s];
        } else {
          for (int s = 0; s < MomentLayout::size(motions); ++s)
            kernel->put(out, s, valid, sums.value[s]);
        }
      }
    }
  };

  MeshBatch<Real> batch_;
  Rows rows_;
  std::int64_t items_;
};

}  // namespace carroll::detail
