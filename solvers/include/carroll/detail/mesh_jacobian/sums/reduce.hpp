// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/mesh_jacobian/problem.hpp>
#include <carroll/detail/mesh_jacobian/system/slots.hpp>
#include <carroll/detail/mesh_jacobian/system/small_system.hpp>
#include <carroll/detail/team.hpp>
#include <carroll/detail/team_search.hpp>
#include <carroll/detail/unroll.hpp>

namespace carroll::detail {

/// Of what is left of a motion column beside the others, relative to its norm in A, below which it
/// counts as dependent: rounding errors of S, and what the residuals of Y leave.
template <class Real>
KOKKOS_INLINE_FUNCTION double mesh_cutoff(MeshBatch<Real> const& batch) {
  constexpr double eps = Kokkos::Experimental::epsilon_v<double>;
  double const rounding = Kokkos::sqrt(32.0 * (batch.motions() + 1) * eps);
  double const left = 4 * batch.options.tolerance;
  return rounding > left ? rounding : left;
}

/// The end of a step, a team per problem: with the solutions Y of HY = b and z of Hz = g, and their
/// residuals R = b - HY and ρ = g - Hz,
///
///   S = BᵀwB + λ - bᵀY - YᵀR,   c = Bᵀwd - bᵀz - Yᵀρ,   Sy = c,   ξ = z - Yy.
///
/// S is EᵀwE of E = B - UY, for whatever Y: the error of y is of the order of the residuals'
/// square. S is factorised with pivots, its columns scaled by their norms in A. Pairs of
/// columns are summed in `reduction_slots` parts, so that the sums do not depend on the team.
/// `Batch` as in MeshTotalsKernel.
template <class ExecSpace, class Real, class Batch = MeshBatch<Real>>
class MeshReduceKernel {
 public:
  static constexpr int most_threads = 16;
  using Policy =
      Kokkos::TeamPolicy<ExecSpace, Kokkos::LaunchBounds<most_threads * lanes<ExecSpace>, 1>>;

  /// Up to here the k×k system is worked on in scratch.
  static constexpr std::size_t most_bytes = 32'768;

  KOKKOS_FUNCTION MeshReduceKernel(MeshBatch<Real> const& batch, bool in_scratch)
      : batch_(batch), in_scratch_(in_scratch) {}

  static std::size_t bytes(int K) {
    return static_cast<std::size_t>(SmallSystem::size(K) + reduction_size(K)) * sizeof(double) + 64;
  }

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    int const problem = team.league_rank();
    if (batch_.is_active(problem)) finish(team, problem);
  }

  /// By a team of any size.
  KOKKOS_FUNCTION void finish(TeamMember<ExecSpace> const& team, int problem) const {
    int const K = batch_.motions();
    double* data = batch_.cores + problem * SmallSystem::size(K);
    double* partials = batch_.partials_of(problem);
    if (in_scratch_) {
      data = static_cast<double*>(team.team_scratch(0).get_shmem_aligned(
          static_cast<std::size_t>(SmallSystem::size(K) + reduction_size(K)) * sizeof(double), 16));
      partials = data + SmallSystem::size(K);
    }
    SmallSystem const core(K, data);
    double* const gradient = partials + static_cast<std::ptrdiff_t>(reduction_slots) * K * (K + 1);
    int const blocks = (K + pair_width) / pair_width;
    int const tiles = (K + pair_rows - 1) / pair_rows * blocks;
    thread_for(team, are_solved() ? reduction_slots * tiles : 0,
               [&](int item) { sum_pairs(team, problem, item, blocks, partials); });
    team.team_barrier();
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, K * (K + 1)),
                         [&](int e) { put_pair(problem, core, e, partials, gradient); });
    team.team_barrier();
    MeshInfo<Real>& info = batch_.info_of(problem);
    if (team.team_rank() == 0) solve(team, problem, core, gradient, info);
    team.team_barrier();
    if (info.status == Status::breakdown || info.status == Status::non_finite) {
      fill_with_nan(team, problem);
      return;
    }
    write(team, problem, core, partials, gradient, info);
  }

 private:
  /// Columns on the left and on the right of the pairs that a thread sums at a time: a GPU reads
  /// each of them once for all of its pairs, and its lanes wait once.
  static constexpr int pair_rows = has_warps<ExecSpace> ? 3 : 1;
  static constexpr int pair_width = has_warps<ExecSpace> ? 9 : 2;

  /// Without an iteration Y and z are 0, and there is nothing to be summed.
  KOKKOS_FUNCTION bool are_solved() const {
    return batch_.options.max_iterations > 0 && !batch_.holds_depths;
  }

  /// One slot of the pairs of columns (i, l), l >= i, of a tile; K the right-hand side: of
  /// bᵢᵀxₗ + xᵢᵀrₗ. Pairs of one slot stand side by side.
  KOKKOS_FUNCTION void sum_pairs(TeamMember<ExecSpace> const& team, int problem, int item,
                                 int blocks, double* partials) const {
    int const K = batch_.motions();
    int const s = item % reduction_slots, tile = item / reduction_slots;
    int const i = pair_rows * (tile / blocks);
    int const l = i + pair_width * (tile % blocks);
    if (l > K) return;
    int const begin = slot_begin(batch_.m, reduction_slots, s);
    // Offsets of columns, not pointers to them, which would not fit into a GPU's registers: below
    // 2³¹, which whoever makes a workspace checks.
    std::ptrdiff_t const at = batch_.vector_of(problem, 0) + begin;
    double const* const b = batch_.rhs + at;
    double const* const x = batch_.solutions + at;
    double const* const r = batch_.residuals + at;
    int left[pair_rows], right[pair_width];
    CARROLL_UNROLL
    for (int j = 0; j < pair_rows; ++j) left[j] = (i + j < K ? i + j : K - 1) * batch_.padded();
    CARROLL_UNROLL
    for (int h = 0; h < pair_width; ++h) right[h] = (l + h < K ? l + h : K) * batch_.padded();
    put_sums<ExecSpace, pair_rows * pair_width>(
        team, slot_begin(batch_.m, reduction_slots, s + 1) - begin,
        [&](int v) {
          Sums<double, pair_rows * pair_width> terms;
          CARROLL_UNROLL
          for (int h = 0; h < pair_width; ++h) {
            double const solution = x[right[h] + v], residual = r[right[h] + v];
            CARROLL_UNROLL
            for (int j = 0; j < pair_rows; ++j)
              terms.value[j * pair_width + h] =
                  b[left[j] + v] * solution + x[left[j] + v] * residual;
          }
          return terms;
        },
        [&](int e, double sum) {
          int const row = i + e / pair_width, column = l + e % pair_width;
          if (row < K && column <= K) partials[(s * K + row) * (K + 1) + column] = sum;
        });
  }

  /// Entry (i, l) of BᵀwB, or of Bᵀwd for l = K.
  KOKKOS_FUNCTION double own_sum(int problem, int i, int l) const {
    int const K = batch_.motions(), k = batch_.k, frame = i / k;
    if (l < K && l / k != frame) return 0;
    int const at =
        l == K ? MomentLayout::motion_rhs(k) + i % k : MomentLayout::motion_pair(k, i % k, l % k);
    return batch_.motion_totals[static_cast<std::ptrdiff_t>(problem * batch_.frames + frame) *
                                    motion_sums(k) +
                                at - MomentLayout::motion_rhs(k)];
  }

  KOKKOS_FUNCTION void put_pair(int problem, SmallSystem const& core, int e, double const* partials,
                                double* gradient) const {
    int const K = batch_.motions();
    int const i = e / (K + 1), l = e % (K + 1);
    if (l < i) return;
    double const sum = own_sum(problem, i, l);  // what the motions have of their own
    double const own = sum + (i == l ? batch_.motion_damping(problem, sum) : 0.0);
    double shared = 0;
    for (int s = 0; are_solved() && s < reduction_slots; ++s)
      shared += partials[s * K * (K + 1) + e];
    core.S[e] = own - shared;
    if (i == l) core.scale[i] = Kokkos::sqrt(own);
    if (l == K) gradient[i] = own;
  }

  /// By one thread.
  KOKKOS_FUNCTION void solve(TeamMember<ExecSpace> const& team, int problem,
                             SmallSystem const& core, double const* gradient,
                             MeshInfo<Real>& info) const {
    MeshTotals const totals = batch_.totals[problem];
    double const cost = totals.loss + batch_.smoothness_of(problem) * totals.bent;
    // Lanes look at a system each.
    int const first = batch_.system_of(problem, 0);
    int const systems = batch_.holds_depths ? 0 : batch_.right_hand_sides();
    double const* const errors = batch_.errors + first;
    double const worst = lane_max<double>(team, systems, [&](int q) { return errors[q]; });
    int const iterations =
        lane_max<int>(team, systems, [&](int q) { return batch_.iterations[first + q]; });
    int const failed = count_of(team, systems, [&](int q) { return !Kokkos::isfinite(errors[q]); });
    bool const finite = core.finite(team) && Kokkos::isfinite(cost) && failed == 0;
    double square = 0;
    for (int q = 0; q < batch_.motions(); ++q) square += gradient[q] * gradient[q];
    bool const usable = totals.invalid == 0 && finite;
    int const rank = usable ? core.solve(team, mesh_cutoff(batch_)) : 0;
    if (usable && batch_.covariance.data) core.invert(team, rank);
    once_per_thread(team, [&] {
      info.status = totals.invalid > 0                 ? Status::breakdown
                    : !finite                          ? Status::non_finite
                    : worst > batch_.options.tolerance ? Status::not_converged
                                                       : Status::success;
      info.iterations = iterations;
      info.residual = static_cast<Real>(worst);
      info.motion_rank = rank;
      info.rows = static_cast<std::int64_t>(totals.rows);
      info.cost = cost;
      info.predicted_reduction = 0;
      info.mean_diagonal = totals.mean_diagonal;
      info.motion_gradient = Kokkos::sqrt(square);
    });
  }

  /// `partials`: room for two numbers per slot.
  KOKKOS_FUNCTION void write(TeamMember<ExecSpace> const& team, int problem,
                             SmallSystem const& core, double* partials, double const* gradient,
                             MeshInfo<Real>& info) const {
    int const K = batch_.motions(), m = batch_.holds_depths ? 0 : batch_.m;
    double const lambda = batch_.depth_damping(problem);
    if (batch_.holds_depths) hold_depths(team, problem);
    double const* const g = batch_.rhs + batch_.vector_of(problem, K);
    auto const put = [](Real& target, double value) {
      target = static_cast<Real>(value);
      return Kokkos::isfinite(target) ? 0.0 : 1.0;
    };
    thread_for(team, reduction_slots, [&](int s) {
      int const begin = slot_begin(m, reduction_slots, s);
      auto const sums =
          slot_sums<ExecSpace, 2>(team, slot_begin(m, reduction_slots, s + 1) - begin, [&](int i) {
            int const v = begin + i;
            double const x = depth_step(problem, core, v);
            Real& target =
                batch_.xi.data[problem * batch_.xi.strides[0] + v * batch_.xi.strides[1]];
            return Sums<double, 2>{{x * (g[v] + lambda * x), put(target, x)}};
          });
      once_per_thread(team, [&] {
        partials[2 * s] = sums.value[0];
        partials[2 * s + 1] = sums.value[1];
      });
    });
    team.team_barrier();
    if (team.team_rank() > 0) return;
    auto const sums = sums_of_slots<ExecSpace, reduction_slots, 2>(team, [&](int s) {
      return Sums<double, 2>{{partials[2 * s], partials[2 * s + 1]}};
    });
    auto const own = slot_sums<ExecSpace, 2>(team, K, [&](int j) {
      double const y = core.y[j];
      Real& target = batch_.y.data[problem * batch_.y.strides[0] + j * batch_.y.strides[1]];
      return Sums<double, 2>{
          {y * (gradient[j] + motion_damping(problem, core, j) * y), put(target, y)}};
    });
    auto const& C = batch_.covariance;
    auto const variances = slot_sums<ExecSpace, 1>(team, C.data ? K * K : 0, [&](int e) {
      return Sums<double, 1>{
          {put(C.data[problem * C.strides[0] + e / K * C.strides[1] + e % K * C.strides[2]],
               core.C[e])}};
    });
    once_per_thread(team, [&] {
      info.predicted_reduction = sums[0] + own[0];
      if (sums[1] + own[1] + variances[0] > 0) info.status = Status::overflow;
    });
  }

  /// λ of motion column j, whose norm with it is core.scale.
  KOKKOS_FUNCTION double motion_damping(int problem, SmallSystem const& core, int j) const {
    double const lambda = batch_.lambda_of(problem);
    double const square = core.scale[j] * core.scale[j] / (1 + lambda);
    return batch_.motion_damping(problem, square);
  }

  KOKKOS_FUNCTION double depth_step(int problem, SmallSystem const& core, int v) const {
    int const K = batch_.motions();
    double x = batch_.solutions[batch_.vector_of(problem, K) + v];
    for (int j = 0; j < K; ++j) x -= core.y[j] * batch_.solutions[batch_.vector_of(problem, j) + v];
    return x;
  }

  KOKKOS_FUNCTION void hold_depths(TeamMember<ExecSpace> const& team, int problem) const {
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, batch_.m), [&](int v) {
      batch_.xi.data[problem * batch_.xi.strides[0] + v * batch_.xi.strides[1]] = Real(0);
    });
  }

  KOKKOS_FUNCTION void fill_with_nan(TeamMember<ExecSpace> const& team, int problem) const {
    constexpr Real nan = Kokkos::Experimental::quiet_NaN_v<Real>;
    auto const fill = [&](StridedBatch<Real> const& out, int rows, int width) {
      if (!out.data) return;
      Kokkos::parallel_for(Kokkos::TeamVectorRange(team, rows * width), [&](int e) {
        out.data[problem * out.strides[0] + e / width * out.strides[1] +
                 e % width * out.strides[2]] = nan;
      });
    };
    fill(batch_.y, batch_.motions(), 1);
    fill(batch_.xi, batch_.m, 1);
    fill(batch_.covariance, batch_.motions(), batch_.motions());
  }

  Batch batch_;
  bool in_scratch_;
};

}  // namespace carroll::detail
