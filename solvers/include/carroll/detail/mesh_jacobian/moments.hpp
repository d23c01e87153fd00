// SPDX-License-Identifier: BSD-3-Clause
#pragma once

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
  static constexpr int motions = MeshRowOf<Rows>::motions;
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
    int const last = first + triangles < batch_.triangles ? first + triangles : batch_.triangles;
    for (int t = first; t < last; ++t) sum_triangle(team, frame, t);
  }

 private:
  KOKKOS_FUNCTION int offset(int frame, int t) const {
    return batch_.offsets.data[frame * batch_.offsets.strides[0] + t * batch_.offsets.strides[1]];
  }

  KOKKOS_FUNCTION void sum_triangle(Member const& team, int frame, int t) const {
    int const begin = offset(frame, t);
    int const end = offset(frame, t + 1);
    bool const valid = 0 <= begin && begin <= end && end <= batch_.n && (t > 0 || begin == 0) &&
                       (t + 1 < batch_.triangles || end == batch_.n);
    Moments<motions> sums;
    if (valid && begin < end) sums = sum_moments<motions>(team, rows_(frame, t), begin, end);
    if (!valid) sums.value[MomentLayout::rows] = -1;
    double* const out = batch_.moments_of(frame, t);
    once_per_thread(team, [&] {
      CARROLL_UNROLL
      for (int s = 0; s < MomentLayout::size(motions); ++s) out[s] = sums.value[s];
    });
  }

  MeshBatch<Real> batch_;
  Rows rows_;
  std::int64_t items_;
};

}  // namespace carroll::detail
