// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/mesh_jacobian/problem.hpp>
#include <carroll/detail/mesh_jacobian/slots.hpp>
#include <carroll/detail/pseudoinverse/core_solve.hpp>
#include <carroll/detail/pseudoinverse/problem.hpp>  // core_size

namespace carroll::detail {

/// The end of a step, a team per problem: with the solutions Y of HY = b and z of Hz = g, and their
/// residuals R = b - HY and ρ = g - Hz,
///
///   S = BᵀwB + λ - bᵀY - YᵀR,   c = Bᵀwd - bᵀz - Yᵀρ,   Sy = c,   ξ = z - Yy.
///
/// S is EᵀwE of E = B - UY, for whatever Y: the error of y is of the order of the residuals'
/// square. S is factorised with pivots, its columns scaled by their norms in A (Core). Pairs of
/// columns are summed in `slots` parts, so that the sums do not depend on the team.
template <class ExecSpace, class Real>
class MeshReduceKernel {
 public:
  using Policy = Kokkos::TeamPolicy<ExecSpace>;
  using Member = typename Policy::member_type;
  static constexpr int slots = reduction_slots;

  explicit MeshReduceKernel(MeshBatch<Real> const& batch) : batch_(batch) {}

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    int const problem = team.league_rank();
    if (!batch_.is_active(problem)) return;
    int const K = batch_.motions();
    Core const core(K, batch_.cores + problem * core_size(K),
                    batch_.pivots + static_cast<std::ptrdiff_t>(problem) * K);
    double* const partials = batch_.partials_of(problem);
    double* const gradient = partials + static_cast<std::ptrdiff_t>(2 * slots) * K * (K + 1);
    thread_for(team, slots * K * (K + 1),
               [&](int item) { sum_pair(team, problem, item, partials); });
    team.team_barrier();
    thread_for(team, K * (K + 1),
               [&](int e) { put_pair(team, problem, core, e, partials, gradient); });
    team.team_barrier();
    MeshInfo<Real>& info = batch_.info_of(problem);
    Kokkos::single(Kokkos::PerTeam(team), [&] { info = solve(problem, core, gradient); });
    team.team_barrier();
    if (info.status == Status::breakdown || info.status == Status::non_finite) {
      fill_with_nan(team, problem);
      return;
    }
    if (batch_.covariance.data) {
      Kokkos::single(Kokkos::PerTeam(team), [&] { core.covariance(false); });
      team.team_barrier();
    }
    write(team, problem, core, gradient, info);
  }

 private:
  /// One slot of one pair of columns (i, l), l = K the right-hand side: of the motions' own sums
  /// over triangles, and of bᵢᵀxₗ + xᵢᵀrₗ over vertices.
  KOKKOS_FUNCTION void sum_pair(Member const& team, int problem, int item, double* partials) const {
    int const K = batch_.motions();
    int const k = batch_.k;
    int const e = item / slots, s = item % slots;
    int const i = e / (K + 1), l = e % (K + 1);
    if (l < i) return;
    double own = 0;
    int const frame = i / k;
    if (l == K || l / k == frame) {
      int const at =
          l == K ? MomentLayout::motion_rhs(k) + i % k : MomentLayout::motion_pair(k, i % k, l % k);
      int const begin = slot_begin(batch_.triangles, slots, s);
      own = lane_sum<double>(team, slot_begin(batch_.triangles, slots, s + 1) - begin, [&](int t) {
        return batch_.moments_of(problem * batch_.frames + frame, begin + t)[at];
      });
    }
    int const begin = slot_begin(batch_.m, slots, s);
    double const* const b = batch_.rhs + batch_.vector_of(problem, i) + begin;
    double const* const xi = batch_.solutions + batch_.vector_of(problem, i) + begin;
    double const* const xl = batch_.solutions + batch_.vector_of(problem, l) + begin;
    double const* const rl = batch_.residuals + batch_.vector_of(problem, l) + begin;
    double const shared = lane_sum<double>(team, slot_begin(batch_.m, slots, s + 1) - begin,
                                           [&](int v) { return b[v] * xl[v] + xi[v] * rl[v]; });
    once_per_thread(team, [&] {
      partials[2 * item] = own;
      partials[2 * item + 1] = shared;
    });
  }

  KOKKOS_FUNCTION void put_pair(Member const& team, int problem, Core const& core, int e,
                                double const* partials, double* gradient) const {
    int const K = batch_.motions();
    int const i = e / (K + 1), l = e % (K + 1);
    if (l < i) return;
    double const* const p = partials + 2 * static_cast<std::ptrdiff_t>(e) * slots;
    double const sum = sum_of_slots<slots>(team, [&](int s) { return p[2 * s]; });
    double const own = sum + (i == l ? batch_.motion_damping(problem, sum) : 0.0);
    double const shared = sum_of_slots<slots>(team, [&](int s) { return p[2 * s + 1]; });
    once_per_thread(team, [&] {
      core.system[e] = own - shared;
      if (i == l) core.scale[i] = Kokkos::sqrt(own);
      if (l == K) gradient[i] = own;
    });
  }

  KOKKOS_FUNCTION MeshInfo<Real> solve(int problem, Core const& core,
                                       double const* gradient) const {
    MeshInfo<Real> info;
    MeshTotals const& totals = batch_.totals[problem];
    info.rows = static_cast<std::int64_t>(totals.rows);
    info.mean_diagonal = totals.mean_diagonal;
    info.cost = totals.loss + batch_.smoothness_of(problem) * totals.bent;
    double square = 0;
    for (int j = 0; j < batch_.motions(); ++j) square += gradient[j] * gradient[j];
    info.motion_gradient = Kokkos::sqrt(square);
    bool finite = core.finite() && Kokkos::isfinite(info.cost);
    double worst = 0;
    for (int q = 0; q < batch_.right_hand_sides(); ++q) {
      int const system = batch_.system_of(problem, q);
      double const error = batch_.errors[system];
      finite = finite && Kokkos::isfinite(error);
      worst = error > worst ? error : worst;
      int const iterations = batch_.iterations[system];
      info.iterations = iterations > info.iterations ? iterations : info.iterations;
    }
    info.residual = static_cast<Real>(worst);
    info.status = totals.invalid > 0                 ? Status::breakdown
                  : !finite                          ? Status::non_finite
                  : worst > batch_.options.tolerance ? Status::not_converged
                                                     : Status::success;
    double smallest = 1;
    if (totals.invalid == 0 && finite) info.motion_rank = core.solve(true, cutoff(), smallest);
    return info;
  }

  /// Of what is left of a motion column beside the others, relative to its norm in A: rounding
  /// errors of S, and what the residuals of Y leave.
  KOKKOS_FUNCTION double cutoff() const {
    constexpr double eps = Kokkos::Experimental::epsilon_v<double>;
    double const rounding = Kokkos::sqrt(32.0 * (batch_.motions() + 1) * eps);
    double const left = 4 * batch_.options.tolerance;
    return rounding > left ? rounding : left;
  }

  KOKKOS_FUNCTION void write(Member const& team, int problem, Core const& core,
                             double const* gradient, MeshInfo<Real>& info) const {
    int const K = batch_.motions();
    double const lambda = batch_.depth_damping(problem);
    int worst_xi = 0, worst_c = 0;
    Kokkos::parallel_reduce(
        Kokkos::TeamVectorRange(team, batch_.m),
        [&](int v, int& worst) {
          auto const x = static_cast<Real>(depth_step(problem, core, v));
          batch_.xi.data[problem * batch_.xi.strides[0] + v * batch_.xi.strides[1]] = x;
          if (!Kokkos::isfinite(x)) worst = 1;
        },
        Kokkos::Max<int>(worst_xi));
    if (batch_.covariance.data)
      Kokkos::parallel_reduce(
          Kokkos::TeamVectorRange(team, K * K),
          [&](int e, int& worst) {
            auto const& C = batch_.covariance;
            auto const x = static_cast<Real>(core.work[e]);
            C.data[problem * C.strides[0] + e / K * C.strides[1] + e % K * C.strides[2]] = x;
            if (!Kokkos::isfinite(x)) worst = 1;
          },
          Kokkos::Max<int>(worst_c));
    double const promised = depth_part(team, problem, core, lambda);
    Kokkos::single(Kokkos::PerTeam(team), [&] {
      bool overflow = worst_xi > 0 || worst_c > 0;
      double reduction = promised;
      for (int j = 0; j < K; ++j) {
        reduction += core.y[j] * (gradient[j] + motion_damping(problem, core, j) * core.y[j]);
        auto const y = static_cast<Real>(core.y[j]);
        batch_.y.data[problem * batch_.y.strides[0] + j * batch_.y.strides[1]] = y;
        overflow = overflow || !Kokkos::isfinite(y);
      }
      info.predicted_reduction = reduction;
      if (overflow) info.status = Status::overflow;
    });
  }

  /// λ of motion column j, whose norm with it is core.scale.
  KOKKOS_FUNCTION double motion_damping(int problem, Core const& core, int j) const {
    double const lambda = batch_.lambda_of(problem);
    double const square = core.scale[j] * core.scale[j] / (1 + lambda);
    return batch_.motion_damping(problem, square);
  }

  KOKKOS_FUNCTION double depth_step(int problem, Core const& core, int v) const {
    int const K = batch_.motions();
    double x = batch_.solutions[batch_.vector_of(problem, K) + v];
    for (int j = 0; j < K; ++j) x -= core.y[j] * batch_.solutions[batch_.vector_of(problem, j) + v];
    return x;
  }

  /// Σ ξ·(g + λξ), by one thread's lanes.
  KOKKOS_FUNCTION double depth_part(Member const& team, int problem, Core const& core,
                                    double lambda) const {
    if (team.team_rank() > 0) return 0;
    double const* const g = batch_.rhs + batch_.vector_of(problem, batch_.motions());
    return lane_sum<double>(team, batch_.m, [&](int v) {
      double const x = depth_step(problem, core, v);
      return x * (g[v] + lambda * x);
    });
  }

  KOKKOS_FUNCTION void fill_with_nan(Member const& team, int problem) const {
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
};

}  // namespace carroll::detail
