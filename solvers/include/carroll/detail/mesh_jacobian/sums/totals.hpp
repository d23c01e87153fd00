// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/mesh_jacobian/problem.hpp>
#include <carroll/detail/mesh_jacobian/system/slots.hpp>
#include <carroll/detail/team.hpp>

namespace carroll::detail {

/// What is known of a problem before it is solved, a team each: MeshTotals, and of each frame BᵀwB
/// and Bᵀwd. Sums over triangles, in `team_slots` parts; 6 + k + k(k+1)/2 sums read per triangle
/// and frame, which lie apart from each other: on GPUs the parts are left to
/// MeshAssembleByWarpsKernel, whose warps are on all multiprocessors, where it can do without the
/// result.
///
/// `Batch` is a reference where another kernel has the batch already: of what a launch hands over
/// each line is fetched when it is first read.
template <class ExecSpace, class Real, class Batch = MeshBatch<Real>>
class MeshTotalsKernel : public SlotsKernel<ExecSpace> {
 public:
  /// Entries of BᵀwB and Bᵀwd that are summed side by side.
  static constexpr int width = 4;

  KOKKOS_FUNCTION explicit MeshTotalsKernel(MeshBatch<Real> const& batch) : batch_(batch) {}

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    int const problem = team.league_rank();
    if (batch_.is_active(problem)) sum(team, problem);
  }

  /// By a team of any size.
  KOKKOS_FUNCTION void sum(TeamMember<ExecSpace> const& team, int problem) const {
    thread_for(team, items(), [&](int item) { sum_item(team, problem, item); });
    team.team_barrier();
    finish(team, problem);
  }

  /// The two halves of that: first items, by a thread each, then what they come to.
  [[nodiscard]] KOKKOS_FUNCTION int items() const {
    return team_slots * (1 + (motion_totals() + width - 1) / width);
  }
  KOKKOS_FUNCTION void sum_item(TeamMember<ExecSpace> const& team, int problem, int item) const {
    double* const partials = batch_.partials_of(problem);
    int const block = item / team_slots, s = item % team_slots;
    if (block == 0)
      sum_slot(team, problem, s, partials + 5 * s);
    else
      sum_motions(team, problem, (block - 1) * width, s, partials + 5 * team_slots);
  }
  KOKKOS_FUNCTION void finish(TeamMember<ExecSpace> const& team, int problem) const {
    double const* const partials = batch_.partials_of(problem);
    int const own = motion_totals();
    thread_for(team, own + 1, [&](int e) {
      if (e == own)
        put_totals(team, problem, partials);
      else
        put_motions(team, problem, e, partials + 5 * team_slots);
    });
  }

 private:
  /// Entries of BᵀwB and Bᵀwd of all frames.
  KOKKOS_FUNCTION int motion_totals() const { return motion_sums(batch_.k) * batch_.frames; }

  KOKKOS_FUNCTION void sum_slot(TeamMember<ExecSpace> const& team, int problem, int s,
                                double* out) const {
    int const count = batch_.triangles * batch_.frames;
    int const begin = slot_begin(count, team_slots, s);
    int const end = slot_begin(count, team_slots, s + 1);
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

  /// Entries of BᵀwB and Bᵀwd of all frames, from `first` on, in one pass.
  KOKKOS_FUNCTION void sum_motions(TeamMember<ExecSpace> const& team, int problem, int first, int s,
                                   double* partials) const {
    int const own = motion_sums(batch_.k), all = motion_totals();
    int const begin = slot_begin(batch_.triangles, team_slots, s);
    int const end = slot_begin(batch_.triangles, team_slots, s + 1);
    std::ptrdiff_t at[width];
    for (int j = 0; j < width; ++j) {
      int const e = Kokkos::min(first + j, all - 1);
      at[j] = batch_.moments_of(problem * batch_.frames + e / own, begin) - batch_.moments +
              MomentLayout::motion_rhs(batch_.k) + e % own;
    }
    int const size = MomentLayout::size(batch_.k);
    auto const sums = slot_sums<ExecSpace, width>(team, end - begin, [&](int t) {
      Sums<double, width> terms;
      for (int j = 0; j < width; ++j)
        terms.value[j] = batch_.moments[at[j] + static_cast<std::ptrdiff_t>(t) * size];
      return terms;
    });
    once_per_thread(team, [&] {
      for (int j = 0; j < width; ++j)
        if (first + j < all)
          partials[static_cast<std::ptrdiff_t>(first + j) * team_slots + s] = sums.value[j];
    });
  }

  KOKKOS_FUNCTION void put_motions(TeamMember<ExecSpace> const& team, int problem, int e,
                                   double const* partials) const {
    double const* const p = partials + static_cast<std::ptrdiff_t>(e) * team_slots;
    double const sum = sums_of_slots<ExecSpace, team_slots, 1>(
        team, [&](int s) { return Sums<double, 1>{{p[s]}}; })[0];
    std::ptrdiff_t const own = motion_totals();
    once_per_thread(team, [&] { batch_.motion_totals[problem * own + e] = sum; });
  }
  KOKKOS_FUNCTION void put_totals(TeamMember<ExecSpace> const& team, int problem,
                                  double const* partials) const {
    auto const sums = sums_of_slots<ExecSpace, team_slots, 5>(team, [&](int s) {
      double const* const p = partials + 5 * s;
      return Sums<double, 5>{{p[0], p[1], p[2], p[3], p[4]}};
    });
    once_per_thread(team, [&] {
      batch_.totals[problem] = {sums.value[0], sums.value[1], sums.value[2],
                                batch_.m > 0 ? sums.value[3] / batch_.m : 0, sums.value[4]};
    });
  }

  /// Of pᵀLp.
  KOKKOS_FUNCTION double bent(int problem, int t) const {
    if (!batch_.has_prior()) return 0;
    int const* const v = batch_.corners_of(problem, t);
    double const a =
        batch_.edge_cost(batch_.prior_of(problem, v[0]) - batch_.prior_of(problem, v[1]));
    double const b =
        batch_.edge_cost(batch_.prior_of(problem, v[1]) - batch_.prior_of(problem, v[2]));
    double const c =
        batch_.edge_cost(batch_.prior_of(problem, v[2]) - batch_.prior_of(problem, v[0]));
    return (a + b + c) / 2;
  }

  Batch batch_;
};

}  // namespace carroll::detail
