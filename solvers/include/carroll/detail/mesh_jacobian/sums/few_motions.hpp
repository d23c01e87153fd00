// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/device/collectives.hpp>
#include <carroll/detail/mesh_jacobian/sums/few_unknowns.hpp>
#include <carroll/detail/mesh_jacobian/sums/reduce.hpp>
#include <carroll/detail/mesh_jacobian/sums/register_gradients.hpp>
#include <carroll/detail/scattered_sums.hpp>

namespace carroll::detail {

/// MeshReduceKernel::finish on a GPU, for one frame of up to `most` motion columns on a mesh that
/// RegisterGradients takes, by its team. There the end of a step is a chain of waits, for memory
/// that other multiprocessors wrote, for barriers, for one thread's roots and quotients: so all is
/// read at once, columns stay in registers, and each lane solves the small system for itself.
///
/// Two barriers, one where depths are held. Warp s sums slot s of the vertices; e counts the pairs
/// (i, l) of columns i = 0, 1, 2 and l = i, …, 3, of which 3 is the right-hand side.
template <class Real>
class FewMotions {
 public:
  static constexpr int most = FewUnknowns::most;
  static constexpr int warps = RegisterGradients<Real, double>::warps;
  static constexpr int rows = RegisterGradients<Real, double>::rows;
  static constexpr int pairs = 9;

  /// Of scratch, in doubles.
  static constexpr int size = warps * (pairs + 2);

  KOKKOS_FUNCTION static bool takes(MeshBatch<Real> const& batch) {
    return batch.frames == 1 && batch.k <= most;
  }

  struct Result {
    MeshInfo<Real> info;
    Real motion[most];
  };

  KOKKOS_FUNCTION explicit FewMotions(MeshBatch<Real> const& batch) : batch_(batch) {}

  /// Every lane of the team gets the result; the motion's step is in memory, too, and the info,
  /// after a barrier.
  template <class Member>
  KOKKOS_FUNCTION Result finish(Member const& team, int problem, double* scratch) const {
    DeviceWarp const warp = warp_of_lanes(team);
    int const s = team.team_rank(), K = batch_.k, pair = warp.lane % 16;
    bool const held = batch_.holds_depths;
    double const lambda = batch_.lambda_of(problem);
    int const begin = slot_begin(batch_.m, warps, s);
    int const end = slot_begin(batch_.m, warps, s + 1);
    double const sum = pair < pairs ? own_sum(problem, pair) : 0.0;
    MeshTotals const totals = batch_.totals[problem];
    Ends const ends(batch_, problem);
    Columns columns[rows];
    CARROLL_UNROLL
    for (int h = 0; h < rows; ++h) {
      int const v = begin + warp.lane + 32 * h;
      columns[h] = load(problem, v < end && !held ? v : -1);
    }
    double const shared = held ? 0.0 : shared_sum(team, warp, columns, scratch);
    bool const relative = batch_.options.relative;
    bool const on_diagonal = pair == 0 || pair == 4 || pair == 7;
    double const own = sum + (on_diagonal ? lambda * (relative ? sum : 1.0) : 0.0);
    FewUnknowns system(K);
    CARROLL_UNROLL
    for (int i = 0, e = 0; i < most; ++i) {
      CARROLL_UNROLL
      for (int l = i; l <= most; ++l, ++e) system.set(i, l, warp.from(own - shared, e));
      system.set_norm(i, warp.from(own, first_of(i)), warp.from(own, first_of(i) + most - i));
    }

    double const cost = totals.loss + batch_.smoothness_of(problem) * totals.bent;
    bool const finite = ends.finite && system.finite() && Kokkos::isfinite(cost);
    Result result;
    MeshInfo<Real>& info = result.info;
    info.status = totals.invalid > 0                      ? Status::breakdown
                  : !finite                               ? Status::non_finite
                  : ends.worst > batch_.options.tolerance ? Status::not_converged
                                                          : Status::success;
    info.iterations = ends.iterations;
    info.residual = static_cast<Real>(ends.worst);
    info.rows = static_cast<std::int64_t>(totals.rows);
    info.cost = cost;
    info.mean_diagonal = totals.mean_diagonal;
    info.motion_gradient = system.gradient_norm();
    bool const usable = totals.invalid == 0 && finite;
    if (usable) {
      system.solve(mesh_cutoff(batch_));
      info.motion_rank = system.rank;
    }
    bool bad = false;
    double const damping = lambda * (relative ? totals.mean_diagonal : 1.0);
    double const reduction =
        write_depths(warp, problem, usable, damping, system, columns, begin, end, bad);
    bad = write_motion(team, warp, problem, usable, system, result) || bad;
    bool const any = warp.ballot(bad) != 0;
    if (warp.lane == 0) {
      scratch[warps * pairs + s] = reduction;
      scratch[warps * (pairs + 1) + s] = any ? 1 : 0;
    }
    team.team_barrier();
    double const both = lanes_sum_up<1, 16>(warp, double{scratch[warps * pairs + warp.lane]});
    double const of_depths = warp.from(both, 0), beyond = warp.from(both, 16);
    if (usable) {
      if (beyond > 0) info.status = Status::overflow;
      info.predicted_reduction = of_depths + system.reduction(lambda, relative);
    }
    if (s == 0 && warp.lane == 0) batch_.info_of(problem) = info;
    return result;
  }

 private:
  /// What is known of the conjugate gradients.
  struct Ends {
    double worst = 0;
    int iterations = 0;
    bool finite = true;

    KOKKOS_FUNCTION Ends(MeshBatch<Real> const& batch, int problem) {
      if (batch.holds_depths) return;
      int const first = batch.system_of(problem, 0);
      CARROLL_UNROLL
      for (int q = 0; q <= most; ++q) {
        int const at = first + (q < batch.right_hand_sides() ? q : 0);
        double const error = batch.errors[at];
        int const count = batch.iterations[at];
        finite = finite && Kokkos::isfinite(error);
        worst = error > worst ? error : worst;
        iterations = count > iterations ? count : iterations;
      }
    }
  };

  /// Of a vertex: right-hand sides, solutions and residuals, those of Hz = g behind the motions'.
  struct Columns {
    double b[most + 1], x[most + 1], r[most + 1];
  };

  KOKKOS_FUNCTION static int first_of(int i) { return i == 0 ? 0 : i == 1 ? 4 : 7; }

  KOKKOS_FUNCTION Columns load(int problem, int v) const {
    Columns c;
    CARROLL_UNROLL
    for (int j = 0; j <= most; ++j) {
      bool const there = v >= 0 && (j == most || j < batch_.k);
      std::ptrdiff_t const at = there ? batch_.vector_of(problem, j == most ? batch_.k : j) + v : 0;
      c.b[j] = there ? batch_.rhs[at] : 0.0;
      c.x[j] = there ? batch_.solutions[at] : 0.0;
      c.r[j] = there ? batch_.residuals[at] : 0.0;
    }
    return c;
  }

  KOKKOS_FUNCTION static void add_pairs(Sums<double, pairs>& terms, Columns const& c) {
    CARROLL_UNROLL
    for (int i = 0, e = 0; i < most; ++i) {
      CARROLL_UNROLL
      for (int l = i; l <= most; ++l, ++e) terms.value[e] += c.b[i] * c.x[l] + c.x[i] * c.r[l];
    }
  }

  /// Of BᵀwB, or of Bᵀwd.
  KOKKOS_FUNCTION double own_sum(int problem, int pair) const {
    int const k = batch_.k;
    int const i = pair < 4 ? 0 : pair < 7 ? 1 : 2;
    int const l = i + pair - first_of(i);
    if (i >= k || (l < most && l >= k)) return 0;
    int const at = l == most ? i : MomentLayout::motion_pair(k, i, l) - MomentLayout::motion_rhs(k);
    return batch_.motion_totals[static_cast<std::ptrdiff_t>(problem) * motion_sums(k) + at];
  }

  /// Of bᵢᵀxₗ + xᵢᵀrₗ over all vertices, for the lane's pair.
  template <class Member>
  KOKKOS_FUNCTION double shared_sum(Member const& team, DeviceWarp const& warp,
                                    Columns const (&columns)[rows], double* scratch) const {
    Sums<double, pairs> terms;
    CARROLL_UNROLL
    for (int h = 0; h < rows; ++h) add_pairs(terms, columns[h]);
    ScatteredSums<pairs> const slot(warp, terms);
    if (warp.lane < pairs) scratch[team.team_rank() * pairs + warp.lane] = slot.own();
    team.team_barrier();
    double sum = 0;
    CARROLL_UNROLL
    for (int i = 0; i < warps / 2; ++i)
      sum += scratch[(warps / 2 * (warp.lane / 16) + i) * pairs + warp.lane % 16 % pairs];
    return sum + warp.from(sum, warp.lane ^ 16);
  }

  /// ξ = z - Yy of the warp's slot, and what it adds to the promise.
  KOKKOS_FUNCTION double write_depths(DeviceWarp const& warp, int problem, bool usable,
                                      double lambda, FewUnknowns const& system,
                                      Columns const (&columns)[rows], int begin, int end,
                                      bool& bad) const {
    double reduction = 0;
    CARROLL_UNROLL
    for (int h = 0; h < rows; ++h) {
      int const v = begin + warp.lane + 32 * h;
      double x = columns[h].x[most];
      CARROLL_UNROLL
      for (int j = 0; j < most; ++j) x -= system.y[j] * columns[h].x[j];
      if (v >= end) continue;
      Real const step = usable ? static_cast<Real>(x) : Kokkos::Experimental::quiet_NaN_v<Real>;
      batch_.xi.data[problem * batch_.xi.strides[0] + v * batch_.xi.strides[1]] = step;
      bad = bad || !Kokkos::isfinite(step);
      reduction += x * (columns[h].b[most] + lambda * x);
    }
    return lanes_sum_up<1, 32>(warp, reduction);
  }

  /// y and its covariance, whose entries the lanes of the first warp write.
  template <class Member>
  KOKKOS_FUNCTION bool write_motion(Member const& team, DeviceWarp const& warp, int problem,
                                    bool usable, FewUnknowns const& system, Result& result) const {
    Real const nan = Kokkos::Experimental::quiet_NaN_v<Real>;
    bool bad = false;
    CARROLL_UNROLL
    for (int j = 0; j < most; ++j) {
      result.motion[j] = usable ? static_cast<Real>(system.y[j]) : nan;
      if (j >= batch_.k) continue;
      bad = bad || !Kokkos::isfinite(result.motion[j]);
      if (team.team_rank() == 0 && warp.lane == j)
        batch_.y.data[problem * batch_.y.strides[0] + j * batch_.y.strides[1]] = result.motion[j];
    }
    auto const& C = batch_.covariance;
    if (!C.data || team.team_rank() > 0 || warp.lane >= batch_.k * batch_.k) return bad;
    int const i = warp.lane / batch_.k, j = warp.lane % batch_.k;
    Real const entry = usable ? static_cast<Real>(system.inverse(i, j)) : nan;
    C.data[problem * C.strides[0] + i * C.strides[1] + j * C.strides[2]] = entry;
    return bad || !Kokkos::isfinite(entry);
  }

  MeshBatch<Real> const& batch_;
};

}  // namespace carroll::detail
