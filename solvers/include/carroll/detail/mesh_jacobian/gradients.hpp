// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/mesh_jacobian/matrix_rows.hpp>
#include <carroll/detail/mesh_jacobian/slots.hpp>

namespace carroll::detail {

/// HY = b, Hz = g: conjugate gradients with Jacobi's preconditioner (Hestenes and Stiefel, J. Res.
/// NBS 49, 1952), a team per right-hand side. An empty row of H has x = 0; where H is singular and
/// the system consistent, as it is here, x is the solution that is shortest in the norm of H's
/// diagonal. An iteration reads H once, 2·(entries + 6m) flops, and has three barriers.
///
/// Vertices are cut in `slots` parts, whatever the team is, and each part is summed by the lanes of
/// one thread: the same bits for every team size. The vectors are in scratch where they fit, else
/// in the workspace; H stays in cache.
template <class ExecSpace, class Real>
class MeshGradientsKernel {
 public:
  using Policy = Kokkos::TeamPolicy<ExecSpace>;
  using Member = typename Policy::member_type;
  static constexpr int slots = 32;

  MeshGradientsKernel(MeshBatch<Real> const& batch, bool in_scratch)
      : batch_(batch), in_scratch_(in_scratch) {}

  [[nodiscard]] KOKKOS_FUNCTION static std::size_t bytes(int padded, bool in_scratch) {
    return ((in_scratch ? 5 * static_cast<std::size_t>(padded) : 0) + 2 * slots) * sizeof(double) +
           64;
  }

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    int const problem = team.league_rank() / batch_.right_hand_sides();
    int const q = team.league_rank() % batch_.right_hand_sides();
    if (!batch_.is_active(problem)) return;
    Vectors const v = vectors(team, problem, q);
    MatrixRows<Real> const H(batch_, problem);
    double const tolerance = batch_.options.tolerance;

    double const first = start(team, v, problem, q);
    double square = first;  // of the residual
    int iteration = 0;
    for (; iteration < batch_.options.max_iterations; ++iteration) {
      if (!(square > tolerance * tolerance * first)) break;
      team.team_barrier();
      double const curvature = sum_over_slots(team, v.slot_sums, [&](int begin, int count) {
        H.multiply(team, begin, count, v.p, v.Hp);
        return lane_sum<double>(team, count,
                                [&](int i) { return v.p[begin + i] * v.Hp[begin + i]; });
      });
      if (!(curvature > 0)) {
        if (curvature != curvature) square = curvature;
        break;
      }
      double const alpha = square / curvature;
      double const next = sum_over_slots(team, v.slot_sums + slots, [&](int begin, int count) {
        return lane_sum<double>(team, count, [&](int i) {
          v.x[begin + i] += alpha * v.p[begin + i];
          double const r = v.r[begin + i] - alpha * v.Hp[begin + i];
          v.r[begin + i] = r;
          return r * r * v.inverse[begin + i];
        });
      });
      double const beta = next / square;
      square = next;
      for_slots(team, [&](int begin, int count) {
        lane_for(team, count, [&](int i) {
          v.p[begin + i] = v.r[begin + i] * v.inverse[begin + i] + beta * v.p[begin + i];
        });
      });
    }
    finish(team, v, problem, q, iteration, first, square);
  }

 private:
  struct Vectors {
    double* x;
    double* r;
    double* p;
    double* Hp;
    double* inverse;  ///< of the diagonal; 0 for an empty row
    double* slot_sums;
  };

  KOKKOS_FUNCTION Vectors vectors(Member const& team, int problem, int q) const {
    std::ptrdiff_t const m = batch_.padded();
    auto* const scratch = static_cast<double*>(
        team.team_scratch(0).get_shmem_aligned(bytes(batch_.padded(), in_scratch_) - 64, 16));
    if (in_scratch_) {
      double* const v = scratch + 2 * slots;
      return {v, v + m, v + 2 * m, v + 3 * m, v + 4 * m, scratch};
    }
    std::ptrdiff_t const at = batch_.vector_of(problem, q);
    double* const w = batch_.work + 3 * at;
    return {batch_.solutions + at, batch_.residuals + at, w, w + m, w + 2 * m, scratch};
  }

  /// f(begin, count) for the vertices of each slot, one slot per team thread at a time, always the
  /// same one.
  template <class F>
  KOKKOS_FUNCTION void for_slots(Member const& team, F const& f) const {
    thread_for(team, slots, [&](int s) {
      int const begin = slot_begin(batch_.slices, slots, s);
      int const end = slot_begin(batch_.slices, slots, s + 1);
      if (begin < end) f(begin * slice_rows, (end - begin) * slice_rows);
    });
  }

  /// Σ f(begin, count) over the slots; every lane of the team gets it.
  template <class F>
  KOKKOS_FUNCTION double sum_over_slots(Member const& team, double* sums, F const& f) const {
    thread_for(team, slots, [&](int s) {
      int const begin = slot_begin(batch_.slices, slots, s);
      int const end = slot_begin(batch_.slices, slots, s + 1);
      double const sum = begin < end ? f(begin * slice_rows, (end - begin) * slice_rows) : 0.0;
      once_per_thread(team, [&] { sums[s] = sum; });
    });
    team.team_barrier();
    return sum_of_slots<slots>(team, [&](int s) { return sums[s]; });
  }

  /// x = 0, r the right-hand side, p = r over the diagonal; returns rᵀp.
  KOKKOS_FUNCTION double start(Member const& team, Vectors const& v, int problem, int q) const {
    double const* const rhs = batch_.rhs + batch_.vector_of(problem, q);
    double const* const diagonal = batch_.diagonal_of(problem);
    return sum_over_slots(team, v.slot_sums + slots, [&](int begin, int count) {
      return lane_sum<double>(team, count, [&](int i) {
        double const r = rhs[begin + i];
        double const d = diagonal[begin + i];
        double const inverse = d == 0 ? 0 : 1 / d;
        v.x[begin + i] = 0;
        v.r[begin + i] = r;
        v.inverse[begin + i] = inverse;
        v.p[begin + i] = r * inverse;
        return r * r * inverse;
      });
    });
  }

  KOKKOS_FUNCTION void finish(Member const& team, Vectors const& v, int problem, int q,
                              int iteration, double first, double square) const {
    std::ptrdiff_t const at = batch_.vector_of(problem, q);
    if (in_scratch_)
      for_slots(team, [&](int begin, int count) {
        lane_for(team, count, [&](int i) {
          batch_.solutions[at + begin + i] = v.x[begin + i];
          batch_.residuals[at + begin + i] = v.r[begin + i];
        });
      });
    Kokkos::single(Kokkos::PerTeam(team), [&] {
      int const system = batch_.system_of(problem, q);
      batch_.iterations[system] = iteration;
      batch_.errors[system] = first == 0 ? 0 : Kokkos::sqrt(square / first);
    });
  }

  MeshBatch<Real> batch_;
  bool in_scratch_;
};

}  // namespace carroll::detail
