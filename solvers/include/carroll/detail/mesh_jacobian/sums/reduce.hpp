// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/mesh_jacobian/problem.hpp>
#include <carroll/detail/mesh_jacobian/system/slots.hpp>
#include <carroll/detail/mesh_jacobian/system/small_system.hpp>
#include <carroll/detail/team.hpp>
#include <carroll/detail/unroll.hpp>

namespace carroll::detail {

/// The end of a step, a team per problem: with the solutions Y of HY = b and z of Hz = g, and their
/// residuals R = b - HY and ρ = g - Hz,
///
///   S = BᵀwB + λ - bᵀY - YᵀR,   c = Bᵀwd - bᵀz - Yᵀρ,   Sy = c,   ξ = z - Yy.
///
/// S is EᵀwE of E = B - UY, for whatever Y: the error of y is of the order of the residuals'
/// square. S is factorised with pivots, its columns scaled by their norms in A. Pairs of
/// columns are summed in `reduction_slots` parts, so that the sums do not depend on the team.
template <class ExecSpace, class Real>
class MeshReduceKernel {
 public:
  static constexpr int most_threads = 16;
  using Policy =
      Kokkos::TeamPolicy<ExecSpace, Kokkos::LaunchBounds<most_threads * lanes<ExecSpace>, 1>>;

  /// Up to here the k×k system is worked on in scratch.
  static constexpr std::size_t most_bytes = 32'768;

  MeshReduceKernel(MeshBatch<Real> const& batch, bool in_scratch)
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
    thread_for(team, reduction_slots * K * blocks,
               [&](int item) { sum_pairs(team, problem, item, blocks, partials); });
    team.team_barrier();
    thread_for(team, K * (K + 1),
               [&](int e) { put_pair(team, problem, core, e, partials, gradient); });
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
  /// Pairs of columns that a thread sums at a time: the lanes of a GPU wait for memory and for each
  /// other, once for all of them.
  static constexpr int pair_width = lanes<ExecSpace> == 1 ? 2 : 8;

  /// One slot of the pairs of columns (i, l), (i, l+1), …, K the right-hand side: of
  /// bᵢᵀxₗ + xᵢᵀrₗ.
  KOKKOS_FUNCTION void sum_pairs(TeamMember<ExecSpace> const& team, int problem, int item,
                                 int blocks, double* partials) const {
    int const K = batch_.motions();
    int const s = item % reduction_slots, i = item / reduction_slots / blocks;
    int const l = i + pair_width * (item / reduction_slots % blocks);
    if (l > K) return;
    int const begin = slot_begin(batch_.m, reduction_slots, s);
    auto const column = [&](double const* vectors, int q) {
      return vectors + batch_.vector_of(problem, q) + begin;
    };
    double const* const b = column(batch_.rhs, i);
    double const* const x = column(batch_.solutions, i);
    double const* xs[pair_width];
    double const* rs[pair_width];
    CARROLL_UNROLL
    for (int h = 0; h < pair_width; ++h) {
      int const q = l + h < K ? l + h : K;
      xs[h] = column(batch_.solutions, q);
      rs[h] = column(batch_.residuals, q);
    }
    auto const sums = slot_sums<ExecSpace, pair_width>(
        team, slot_begin(batch_.m, reduction_slots, s + 1) - begin, [&](int v) {
          Sums<double, pair_width> terms;
          CARROLL_UNROLL
          for (int h = 0; h < pair_width; ++h) terms.value[h] = b[v] * xs[h][v] + x[v] * rs[h][v];
          return terms;
        });
    once_per_thread(team, [&] {
      std::ptrdiff_t const first =
          static_cast<std::ptrdiff_t>(i * (K + 1) + l) * reduction_slots + s;
      CARROLL_UNROLL
      for (int h = 0; h < pair_width; ++h)
        if (l + h <= K) partials[first + std::ptrdiff_t{h} * reduction_slots] = sums.value[h];
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

  KOKKOS_FUNCTION void put_pair(TeamMember<ExecSpace> const& team, int problem,
                                SmallSystem const& core, int e, double const* partials,
                                double* gradient) const {
    int const K = batch_.motions();
    int const i = e / (K + 1), l = e % (K + 1);
    if (l < i) return;
    double const sum = own_sum(problem, i, l);  // what the motions have of their own
    double const own = sum + (i == l ? batch_.motion_damping(problem, sum) : 0.0);
    double const* const p = partials + static_cast<std::ptrdiff_t>(e) * reduction_slots;
    double const shared = sums_of_slots<ExecSpace, reduction_slots, 1>(
        team, [&](int s) { return Sums<double, 1>{{p[s]}}; })[0];
    once_per_thread(team, [&] {
      core.S[e] = own - shared;
      if (i == l) core.scale[i] = Kokkos::sqrt(own);
      if (l == K) gradient[i] = own;
    });
  }

  /// By one thread.
  KOKKOS_FUNCTION void solve(TeamMember<ExecSpace> const& team, int problem,
                             SmallSystem const& core, double const* gradient,
                             MeshInfo<Real>& info) const {
    MeshTotals const totals = batch_.totals[problem];
    double const cost = totals.loss + batch_.smoothness_of(problem) * totals.bent;
    bool finite = core.finite(team) && Kokkos::isfinite(cost);
    double worst = 0, square = 0;
    int iterations = 0;
    for (int q = 0; q < batch_.right_hand_sides(); ++q) {
      int const system = batch_.system_of(problem, q);
      double const error = batch_.errors[system];
      finite = finite && Kokkos::isfinite(error);
      worst = error > worst ? error : worst;
      iterations = Kokkos::max(iterations, batch_.iterations[system]);
      if (q < batch_.motions()) square += gradient[q] * gradient[q];
    }
    bool const usable = totals.invalid == 0 && finite;
    int const rank = usable ? core.solve(team, cutoff()) : 0;
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

  /// Of what is left of a motion column beside the others, relative to its norm in A: rounding
  /// errors of S, and what the residuals of Y leave.
  KOKKOS_FUNCTION double cutoff() const {
    constexpr double eps = Kokkos::Experimental::epsilon_v<double>;
    double const rounding = Kokkos::sqrt(32.0 * (batch_.motions() + 1) * eps);
    double const left = 4 * batch_.options.tolerance;
    return rounding > left ? rounding : left;
  }

  /// `partials`: room for two numbers per slot.
  KOKKOS_FUNCTION void write(TeamMember<ExecSpace> const& team, int problem,
                             SmallSystem const& core, double* partials, double const* gradient,
                             MeshInfo<Real>& info) const {
    int const K = batch_.motions();
    double const lambda = batch_.depth_damping(problem);
    double const* const g = batch_.rhs + batch_.vector_of(problem, K);
    auto const put = [](Real& target, double value) {
      target = static_cast<Real>(value);
      return Kokkos::isfinite(target) ? 0.0 : 1.0;
    };
    thread_for(team, reduction_slots, [&](int s) {
      int const begin = slot_begin(batch_.m, reduction_slots, s);
      auto const sums = slot_sums<ExecSpace, 2>(
          team, slot_begin(batch_.m, reduction_slots, s + 1) - begin, [&](int i) {
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
    once_per_thread(team, [&] {
      double reduction = sums.value[0], infinite = sums.value[1];
      auto const& C = batch_.covariance;
      for (int e = 0; C.data && e < K * K; ++e)
        infinite +=
            put(C.data[problem * C.strides[0] + e / K * C.strides[1] + e % K * C.strides[2]],
                core.C[e]);
      for (int j = 0; j < K; ++j) {
        reduction += core.y[j] * (gradient[j] + motion_damping(problem, core, j) * core.y[j]);
        infinite +=
            put(batch_.y.data[problem * batch_.y.strides[0] + j * batch_.y.strides[1]], core.y[j]);
      }
      info.predicted_reduction = reduction;
      if (infinite > 0) info.status = Status::overflow;
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

  MeshBatch<Real> batch_;
  bool in_scratch_;
};

}  // namespace carroll::detail
