// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/independent.hpp>
#include <carroll/detail/mesh_jacobian/system/matrix_rows.hpp>
#include <carroll/detail/mesh_jacobian/system/slots.hpp>
#include <carroll/detail/pseudoinverse/host/vector.hpp>
#include <carroll/detail/team.hpp>

namespace carroll::detail {

/// HY = b, Hz = g: conjugate gradients with Jacobi's preconditioner D, a team per right-hand side,
/// in the form whose two sums are formed together (Chronopoulos and Gear, J. Comput. Appl. Math.
/// 25, 1989):
///
///   u = D⁻¹r,  w = Hu,  γ = rᵀu,  δ = wᵀu,  β = γ/γ₋,  α = γ/(δ - βγ/α₋),
///   p = u + βp,  s = w + βs,  x += αp,  r -= αs.
///
/// An empty row of H has x = 0; where H is singular and the system consistent, as it is here, x is
/// the solution that is shortest in the norm of D. An iteration reads H once, has two barriers and
/// 2·(entries + 8m) flops.
///
/// Vertices are cut in `team_slots` parts, whatever the team is, each of which one thread works on:
/// the same bits for every team size. Only u is read by others; it is in scratch where that fits.
template <class ExecSpace, class Real>
class MeshGradientsKernel : public SlotsKernel<ExecSpace> {
 public:
  MeshGradientsKernel(MeshBatch<Real> const& batch, bool in_scratch)
      : batch_(batch), in_scratch_(in_scratch) {}

  [[nodiscard]] KOKKOS_FUNCTION static std::size_t bytes(int padded, bool in_scratch) {
    return (static_cast<std::size_t>(in_scratch ? padded : 0) + 2 * team_slots) * sizeof(double) +
           64;
  }

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    int const problem = team.league_rank() / batch_.right_hand_sides();
    int const q = team.league_rank() % batch_.right_hand_sides();
    if (!batch_.is_active(problem)) return;
    Vectors const v = vectors(team, problem, q);
    MatrixRows<Real> const H(batch_, problem);
    double const square_tolerance = batch_.options.tolerance * batch_.options.tolerance;

    start(team, v, problem, q);
    double first = 0, gamma = 0, alpha = 1;
    int iteration = 0;
    for (;; ++iteration) {
      team.team_barrier();
      auto const sums = multiply(team, v, H);
      double const before = gamma;
      gamma = sums[0];
      if (iteration == 0) first = gamma;
      if (!(gamma > square_tolerance * first) || iteration == batch_.options.max_iterations) break;
      double const beta = iteration == 0 ? 0 : gamma / before;
      double const curvature = sums[1] - beta * gamma / alpha;
      if (!(curvature > 0)) {
        if (curvature != curvature) gamma = curvature;
        break;
      }
      alpha = gamma / curvature;
      update(team, v, alpha, beta);
    }
    Kokkos::single(Kokkos::PerTeam(team), [&] {
      int const system = batch_.system_of(problem, q);
      batch_.iterations[system] = iteration;
      batch_.errors[system] = first == 0 ? 0 : Kokkos::sqrt(gamma / first);
    });
  }

 private:
  struct Vectors {
    double* x;
    double* r;
    double* p;
    double* s;
    double* w;
    double* inverse;  ///< of the diagonal; 0 for an empty row
    double* u;
    double* slot_sums;
  };

  KOKKOS_FUNCTION Vectors vectors(TeamMember<ExecSpace> const& team, int problem, int q) const {
    std::ptrdiff_t const m = batch_.padded();
    auto* const scratch = static_cast<double*>(
        team.team_scratch(0).get_shmem_aligned(bytes(batch_.padded(), in_scratch_) - 64, 16));
    std::ptrdiff_t const at = batch_.vector_of(problem, q);
    double* const own = batch_.work + mesh_work_vectors * at;
    return {batch_.solutions + at,
            batch_.residuals + at,
            own,
            own + m,
            own + 2 * m,
            own + 3 * m,
            in_scratch_ ? scratch + 2 * team_slots : own + 4 * m,
            scratch};
  }

  /// f(s, begin, count) for the vertices of each slot, one slot per team thread at a time, always
  /// the same one.
  template <class F>
  KOKKOS_FUNCTION void for_slots(TeamMember<ExecSpace> const& team, F const& f) const {
    thread_for(team, team_slots, [&](int s) {
      int const begin = slot_begin(batch_.slices, team_slots, s);
      int const end = slot_begin(batch_.slices, team_slots, s + 1);
      f(s, begin * slice_rows, (end - begin) * slice_rows);
    });
  }

  KOKKOS_FUNCTION void start(TeamMember<ExecSpace> const& team, Vectors const& v, int problem,
                             int q) const {
    double const* const rhs = batch_.rhs + batch_.vector_of(problem, q);
    double const* const diagonal = batch_.diagonal_of(problem);
    for_slots(team, [&](int, int begin, int count) {
      lane_for(team, count, [&](int i) {
        int const row = begin + i;
        double const inverse = diagonal[row] == 0 ? 0 : 1 / diagonal[row];
        v.x[row] = v.p[row] = v.s[row] = 0;
        v.r[row] = rhs[row];
        v.inverse[row] = inverse;
        v.u[row] = rhs[row] * inverse;
      });
    });
  }

  /// w = Hu; rᵀu and wᵀu, on every lane of the team.
  KOKKOS_FUNCTION Sums<double, 2> multiply(TeamMember<ExecSpace> const& team, Vectors const& v,
                                           MatrixRows<Real> const& H) const {
    for_slots(team, [&](int s, int begin, int count) {
      H.multiply(team, begin, count, v.u, v.w);
      Sums<double, 2> sums;
      KOKKOS_IF_ON_HOST((sums.value[0] = host_dot(v.r + begin, v.u + begin, count);
                         sums.value[1] = host_dot(v.w + begin, v.u + begin, count);))
      KOKKOS_IF_ON_DEVICE((sums = slot_sums<ExecSpace, 2>(team, count, [&](int i) {
                             int const row = begin + i;
                             return Sums<double, 2>{{v.r[row] * v.u[row], v.w[row] * v.u[row]}};
                           });))
      once_per_thread(team, [&] {
        v.slot_sums[s] = sums.value[0];
        v.slot_sums[team_slots + s] = sums.value[1];
      });
    });
    team.team_barrier();
    return sums_of_slots<ExecSpace, team_slots, 2>(team, [&](int s) {
      return Sums<double, 2>{{v.slot_sums[s], v.slot_sums[team_slots + s]}};
    });
  }

  KOKKOS_FUNCTION void update(TeamMember<ExecSpace> const& team, Vectors const& v, double alpha,
                              double beta) const {
    for_slots(team, [&](int, int begin, int count) {
      auto const update_row = [&](int row) {
        double const p = v.u[row] + beta * v.p[row];
        double const s = v.w[row] + beta * v.s[row];
        double const r = v.r[row] - alpha * s;
        v.p[row] = p;
        v.s[row] = s;
        v.x[row] += alpha * p;
        v.r[row] = r;
        v.u[row] = r * v.inverse[row];
      };
      KOKKOS_IF_ON_HOST(
          (CARROLL_INDEPENDENT for (int row = begin; row < begin + count; ++row) update_row(row);))
      KOKKOS_IF_ON_DEVICE((lane_for(team, count, [&](int i) { update_row(begin + i); });))
    });
  }

  MeshBatch<Real> batch_;
  bool in_scratch_;
};

}  // namespace carroll::detail
