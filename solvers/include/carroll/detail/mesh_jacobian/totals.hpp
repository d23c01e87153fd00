// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/mesh_jacobian/problem.hpp>
#include <carroll/detail/mesh_jacobian/slots.hpp>

namespace carroll::detail {

/// What is known of a problem before it is solved, MeshTotals, a team each: sums over the triangles
/// of all frames, in `slots` parts. 6 sums read per triangle and frame.
template <class ExecSpace, class Real>
class MeshTotalsKernel {
 public:
  static constexpr int slots = reduction_slots;
  using Policy = Kokkos::TeamPolicy<ExecSpace, Kokkos::LaunchBounds<slots * lanes<ExecSpace>, 1>>;
  using Member = typename Policy::member_type;

  explicit MeshTotalsKernel(MeshBatch<Real> const& batch) : batch_(batch) {}

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    int const problem = team.league_rank();
    if (!batch_.is_active(problem)) return;
    double* const partials = batch_.partials_of(problem);
    thread_for(team, slots, [&](int s) { sum_slot(team, problem, s, partials + 5 * s); });
    team.team_barrier();
    Kokkos::single(Kokkos::PerTeam(team), [&] {
      double sums[5] = {};
      for (int s = 0; s < slots; ++s)
        for (int c = 0; c < 5; ++c) sums[c] += partials[5 * s + c];
      MeshTotals& totals = batch_.totals[problem];
      totals.loss = sums[0];
      totals.rows = sums[1];
      totals.invalid = sums[2];
      totals.mean_diagonal = batch_.m > 0 ? sums[3] / batch_.m : 0;
      totals.bent = sums[4];
    });
  }

 private:
  KOKKOS_FUNCTION void sum_slot(Member const& team, int problem, int s, double* out) const {
    int const count = batch_.triangles * batch_.frames;
    int const begin = slot_begin(count, slots, s);
    int const end = slot_begin(count, slots, s + 1);
    auto const sums = slot_sums<ExecSpace, 5>(team, end - begin, [&](int i) {
      int const f = (begin + i) / batch_.triangles;
      int const t = (begin + i) % batch_.triangles;
      double const* const T = batch_.moments_of(problem * batch_.frames + f, t);
      using Layout = MomentLayout;
      double const rows = T[Layout::rows];
      double const trace =
          T[Layout::depth_pair(0, 0)] + T[Layout::depth_pair(1, 1)] + T[Layout::depth_pair(2, 2)];
      return Sums<double, 5>{{T[Layout::loss], rows > 0 ? rows : 0.0, rows < 0 ? 1.0 : 0.0, trace,
                              f == 0 ? bent(problem, t) : 0.0}};
    });
    once_per_thread(team, [&] {
      for (int c = 0; c < 5; ++c) out[c] = sums.value[c];
    });
  }

  /// Of pᵀLp.
  KOKKOS_FUNCTION double bent(int problem, int t) const {
    if (!batch_.prior.data || batch_.options.smoothness == 0) return 0;
    int const* const v = batch_.corners_of(problem, t);
    double const a = batch_.prior_of(problem, v[0]) - batch_.prior_of(problem, v[1]);
    double const b = batch_.prior_of(problem, v[1]) - batch_.prior_of(problem, v[2]);
    double const c = batch_.prior_of(problem, v[2]) - batch_.prior_of(problem, v[0]);
    return (a * a + b * b + c * c) / 2;
  }

  MeshBatch<Real> batch_;
};

}  // namespace carroll::detail
