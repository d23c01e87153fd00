// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/mesh_jacobian/problem.hpp>
#include <carroll/detail/mesh_jacobian/slots.hpp>

namespace carroll::detail {

/// What is known of a problem before it is solved, a team each: MeshTotals, and of each frame BᵀwB
/// and Bᵀwd. Sums over triangles, in `slots` parts; 6 + k + k(k+1)/2 sums read per triangle and
/// frame.
template <class ExecSpace, class Real>
class MeshTotalsKernel {
 public:
  static constexpr int slots = reduction_slots;
  using Policy = Kokkos::TeamPolicy<ExecSpace, Kokkos::LaunchBounds<slots * lanes<ExecSpace>, 1>>;
  using Member = typename Policy::member_type;

  explicit MeshTotalsKernel(MeshBatch<Real> const& batch) : batch_(batch) {}

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    int const problem = team.league_rank();
    if (batch_.is_active(problem)) sum(team, problem);
  }

  /// By a team of any size.
  KOKKOS_FUNCTION void sum(Member const& team, int problem) const {
    double* const partials = batch_.partials_of(problem);
    int const own = motion_sums(batch_.k) * batch_.frames;
    double* const motion_partials = partials + 5 * slots;
    thread_for(team, slots * (own + 1), [&](int item) {
      int const e = item / slots - 1, s = item % slots;
      if (e < 0)
        sum_slot(team, problem, s, partials + 5 * s);
      else
        sum_motions(team, problem, e, s, motion_partials + static_cast<std::ptrdiff_t>(e) * slots);
    });
    team.team_barrier();
    thread_for(team, own, [&](int e) {
      double const* const p = motion_partials + static_cast<std::ptrdiff_t>(e) * slots;
      double const sum = sums_of_slots<ExecSpace, slots, 1>(
          team, [&](int s) { return Sums<double, 1>{{p[s]}}; })[0];
      double* const totals = batch_.motion_totals + static_cast<std::ptrdiff_t>(problem) * own;
      once_per_thread(team, [&] { totals[e] = sum; });
    });
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

  /// Entry e of BᵀwB and Bᵀwd of all frames.
  KOKKOS_FUNCTION void sum_motions(Member const& team, int problem, int e, int s,
                                   double* out) const {
    int const own = motion_sums(batch_.k);
    int const frame = problem * batch_.frames + e / own;
    int const at = MomentLayout::motion_rhs(batch_.k) + e % own;
    int const begin = slot_begin(batch_.triangles, slots, s);
    int const end = slot_begin(batch_.triangles, slots, s + 1);
    double const sum = slot_sums<ExecSpace, 1>(team, end - begin, [&](int t) {
      return Sums<double, 1>{{batch_.moments_of(frame, begin + t)[at]}};
    })[0];
    once_per_thread(team, [&] { out[s] = sum; });
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
