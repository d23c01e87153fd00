// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/eigh/batch.hpp>
#include <carroll/detail/eigh/jacobi/factors.hpp>
#include <carroll/detail/field.hpp>
#include <carroll/detail/power_of_two.hpp>
#include <carroll/detail/team.hpp>

namespace carroll::detail {

/// A = L·Lᴴ by Cholesky with pivoting, a team per matrix: the next column is that of the largest
/// diagonal entry left. Rows keep their places, so that L's left singular vectors are A's
/// eigenvectors. Rows and columns are scaled by powers of two to diagonal entries near 1 first:
/// errors are those of H, A = D·H·D, whatever D is.
///
/// Diagonal entries that have sunk to rounding errors of what they were count as zero; A is then
/// singular, if the rest of their rows has sunk as well, and not semidefinite if it has not.
///
/// n³ flops (both triangles are kept), three barriers a column.
template <class ExecSpace, class T>
class CholeskyKernel {
  using Real = RealOf<T>;

 public:
  explicit CholeskyKernel(EighBatch<T> const& batch) : batch_(batch) {}

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    EighProblem<T> const problem = batch_(batch_.index(team.league_rank()));
    FactorStorage<T> const at(problem);
    int const n = problem.n;
    thread_for(team, n, [&](int j) { lane_for(team, n, [&](int i) { at.L(i, j) = 0; }); });
    int exponent = 0;
    Status status = load(team, problem, at, exponent);
    if (status == Status::success && !factorise(team, at, n, exponent)) {
      status = Status::breakdown;
      team.team_barrier();
      thread_for(team, n, [&](int j) { lane_for(team, n, [&](int i) { at.L(i, j) = 0; }); });
    }
    Kokkos::single(Kokkos::PerTeam(team), [&] {
      at.outcome[0] = static_cast<int>(status);
      at.outcome[1] = exponent;
    });
  }

 private:
  /// U := A with entry (i, j) times 2^-(exponents[i] + exponents[j]); `exponent` the largest of the
  /// exponents. A diagonal that is negative, or zero in a row that is not, tells of no square root.
  KOKKOS_FUNCTION Status load(TeamMember<ExecSpace> const& team, EighProblem<T> const& problem,
                              FactorStorage<T> const& at, int& exponent) const {
    int const n = problem.n;
    Real const infinity = Kokkos::Experimental::infinity_v<Real>;
    thread_for(team, n, [&](int j) {
      Real const largest = lane_max<Real>(team, n, [&](int i) {
        Real const size = largest_part(problem.entry(i, j));
        return size < infinity ? size : infinity;
      });
      Real const own = real_part(problem.a(j, j));
      once_per_thread(team, [&] {
        at.sigma[j] = own >= Real(0) && (own > Real(0) || largest == Real(0)) ? largest : -largest;
        // Twice the exponent is that of the entry, or one less.
        int const e = own > Real(0) && own < infinity ? exponent_of(own) : 0;
        at.exponents[j] = e >= 0 ? (e + 1) / 2 : -(-e / 2);
        at.used[j] = own > Real(0) ? 0 : 1;
      });
    });
    team.team_barrier();
    Real const largest = lane_max<Real>(team, n, [&](int j) { return Kokkos::abs(at.sigma[j]); });
    if (!(largest < infinity)) return Status::non_finite;
    if (lane_max<Real>(team, n, [&](int j) { return at.sigma[j] < Real(0) ? 1 : 0; }) > Real(0))
      return Status::breakdown;
    constexpr int lowest = -(1 << 20);
    exponent = lowest;
    for (int j = 0; j < n; ++j)
      if (at.used[j] == 0) exponent = Kokkos::max(exponent, at.exponents[j]);
    if (exponent == lowest) exponent = 0;
    thread_for(team, n, [&](int j) {
      lane_for(team, n, [&](int i) {
        at.U(i, j) = scale_parts(problem.entry(i, j), -(at.exponents[i] + at.exponents[j]));
      });
    });
    team.team_barrier();
    return Status::success;
  }

  /// Rounding errors of entries of what is left, in units of the diagonal of H, at most 1.
  KOKKOS_FUNCTION static Real noise(int n) {
    return static_cast<Real>(2 * n) * Kokkos::Experimental::epsilon_v<Real>;
  }

  /// The row with the largest diagonal entry left that is more than noise; -1: none.
  KOKKOS_FUNCTION static int pivot(FactorStorage<T> const& at, int n) {
    int best = -1, best_exponent = 0;
    Real best_mantissa = 0;
    for (int j = 0; j < n; ++j) {
      Real const own = real_part(at.U(j, j));
      if (at.used[j] != 0 || !(own > noise(n))) continue;
      int const e = exponent_of(own);
      int const total = e + 2 * at.exponents[j];
      Real const mantissa = scale(own, -e);
      if (best < 0 || total > best_exponent ||
          (total == best_exponent && mantissa > best_mantissa)) {
        best = j;
        best_exponent = total;
        best_mantissa = mantissa;
      }
    }
    return best;
  }

  KOKKOS_FUNCTION bool factorise(TeamMember<ExecSpace> const& team, FactorStorage<T> const& at,
                                 int n, int exponent) const {
    int k = 0;
    for (; k < n; ++k) {
      int const p = pivot(at, n);
      if (p < 0) break;
      Real const root = Kokkos::sqrt(real_part(at.U(p, p)));
      team.team_barrier();  // all have chosen
      thread_for(team, (n + 31) / 32, [&](int part) {
        lane_for(team, Kokkos::min(32, n - 32 * part), [&](int r) {
          int const i = 32 * part + r;
          T const entry = at.used[i] != 0 ? T(0) : i == p ? T(root) : at.U(i, p) / root;
          at.column[i] = entry;
          at.L(i, k) = scale_parts(entry, at.exponents[i] - exponent);
        });
      });
      team.team_barrier();
      thread_for(team, n, [&](int j) {
        if (at.used[j] != 0) return;
        T const other = conjugate(at.column[j]);
        lane_for(team, n, [&](int i) { at.U(i, j) -= at.column[i] * other; });
      });
      team.team_barrier();
      Kokkos::single(Kokkos::PerTeam(team), [&] { at.used[p] = 1; });
      team.team_barrier();
    }
    // What is left is to be noise. Entries that the diagonal has scaled beyond the range, which
    // those of semidefinite matrices cannot be, have left infinities there, or NaN.
    Real const infinity = Kokkos::Experimental::infinity_v<Real>;
    Real worst = 0;
    for (int j = 0; j < n; ++j) {
      if (at.used[j] != 0) continue;
      worst = Kokkos::max(worst, lane_max<Real>(team, n, [&](int i) {
                            Real const size = largest_part(at.U(i, j));
                            if (at.used[i] != 0) return Real(0);
                            return size < infinity ? size : infinity;
                          }));
    }
    return worst <= 4 * noise(n);
  }

  EighBatch<T> batch_;
};

}  // namespace carroll::detail
