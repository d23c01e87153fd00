// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/host_vectors.hpp>
#include <carroll/detail/mesh_jacobian/moment_sums.hpp>
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
  using Policy = Kokkos::TeamPolicy<ExecSpace>;
  using Member = typename Policy::member_type;
  using Row = MeshRowOf<Rows>;
  static constexpr int motions = Row::motions;
  /// Of a work item.
  static constexpr int triangles = lanes<ExecSpace> == 1 ? 16 : 1;

  MeshMomentsKernel(MeshBatch<Real> const& batch, Rows const& rows)
      : batch_(batch),
        rows_(rows),
        items_((static_cast<std::int64_t>(batch.triangles) + triangles - 1) / triangles) {}

  [[nodiscard]] std::int64_t items() const { return items_ * batch_.problems * batch_.frames; }

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    std::int64_t const item =
        static_cast<std::int64_t>(team.league_rank()) * team.team_size() + team.team_rank();
    int const frame = static_cast<int>(item / items_);
    int const first = static_cast<int>(item % items_) * triangles;
    if (frame >= batch_.problems * batch_.frames || !batch_.is_active(frame / batch_.frames))
      return;
    int const last = Kokkos::min(first + triangles, batch_.triangles);
    KOKKOS_IF_ON_DEVICE((for (int t = first; t < last; ++t) {
      int const begin = offset(frame, t);
      int const end = offset(frame, t + 1);
      Moments<motions> sums;
      if (valid(t, begin, end)) sums = lane_moments<Row>(team, rows_(frame, t), begin, end);
      once_per_thread(team, [&] { put(frame, t, valid(t, begin, end), sums); });
    }))
    KOKKOS_IF_ON_HOST((with_host_vectors(OnHost{this, frame, first, last});))
  }

 private:
  KOKKOS_FUNCTION int offset(int frame, int t) const {
    return batch_.offsets.data[frame * batch_.offsets.strides[0] + t * batch_.offsets.strides[1]];
  }

  KOKKOS_FUNCTION bool valid(int t, int begin, int end) const {
    return begin <= end && end <= batch_.n && (t > 0 ? begin >= 0 : begin == 0);
  }
  KOKKOS_FUNCTION void put(int frame, int t, bool valid, Moments<motions> const& sums) const {
    using Layout = MomentLayout;
    double* const out = batch_.moments_of(frame, t);
    int const k = batch_.k;  // rows in memory may come with more columns, of zeros
    CARROLL_UNROLL
    for (int s = 0; s < Layout::depth_motion; ++s) out[s] = sums.value[s];
    CARROLL_UNROLL
    for (int j = 0; j < motions; ++j) {
      if (j >= k) continue;
      CARROLL_UNROLL
      for (int c = 0; c < 3; ++c)
        out[Layout::depth_motion + 3 * j + c] = sums.value[Layout::depth_motion + 3 * j + c];
      out[Layout::motion_rhs(k) + j] = sums.value[Layout::motion_rhs(motions) + j];
      CARROLL_UNROLL
      for (int l = j; l < motions; ++l)
        if (l < k)
          out[Layout::motion_pair(k, j, l)] = sums.value[Layout::motion_pair(motions, j, l)];
    }
    if (!valid) out[MomentLayout::rows] = -1;
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
        kernel->put(frame, t, valid,
                    valid ? host_moments<Bytes, Row>(kernel->rows_(frame, t), begin, end)
                          : Moments<motions>{});
      }
    }
  };

  MeshBatch<Real> batch_;
  Rows rows_;
  std::int64_t items_;
};

}  // namespace carroll::detail
