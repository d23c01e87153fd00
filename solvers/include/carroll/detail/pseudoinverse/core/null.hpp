// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/pseudoinverse/common/multiply_add.hpp>
#include <carroll/detail/pseudoinverse/core/solve.hpp>
#include <carroll/detail/pseudoinverse/problem.hpp>
#include <carroll/detail/team.hpp>
#include <limits>

namespace carroll::detail {

/// The shortest solution where motion columns are dependent, by a team. Long columns (·; -β·) of
/// k + m entries are formed of Core's short ones, null vectors Z and solutions N, and take the
/// place of the groups' β, column c that of βc; x = (y; γ - βy) takes that of γ. They are kept in
/// full: of a depth that is short beside the motions, β is large, and what is small in a null
/// vector beside it could not be had again from k numbers.
///
/// 1. Z is reduced, Gauss and Jordan's way: the largest entry that is left of all null vectors is
///    made 1, and the others of its row 0, in N and x, too. So a depth next to nothing, of which
///    one null vector is all but made, is in no other one, and however large β is, N and x are of
///    the size of other solutions afterwards. The columns of Z are then well-conditioned.
/// 2. Z is made orthonormal by Cholesky's factorisation of ZᵀZ, and what N and x have of it is
///    taken off, both twice (Yamamoto et al., ETNA 44, 2015).
///
/// Some 2 + null passes over (k+1)·m numbers.
template <class Real>
class ShortestSolution {
 public:
  KOKKOS_FUNCTION ShortestSolution(ArrowBatch<Real> const& batch, Core const& core, int problem,
                                   int rank)
      : batch_(batch), core_(core), problem_(problem), rank_(rank), null_(core.k - rank) {}

  /// The caller sees to a barrier before it and behind.
  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, batch_.m), [&](int i) { lengthen(i); });
    for (int a = 0; a < null_; ++a) reduce(team, a);
    for (int pass = 0; pass < 2; ++pass) {
      team.team_barrier();
      sum_products(team);
      team.team_barrier();
      Kokkos::single(Kokkos::PerTeam(team), [&] { core_.factorise_products(rank_); });
      team.team_barrier();
      Kokkos::parallel_for(Kokkos::TeamVectorRange(team, core_.k + batch_.m),
                           [&](int e) { take_off(e); });
    }
  }

  /// For the covariance: Z₂ᵀD⁻¹Z₂ into core.weighted, Z₂ the depths of Z, and
  /// Z₁·Z₂ᵀD⁻¹Z₂·Z₁ᵀ into core.work.
  template <class Member>
  KOKKOS_FUNCTION void weigh(Member const& team) const {
    int const k = core_.k;
    thread_for(team, k * k, [&](int e) {
      int const row = e / k, col = e % k;
      auto const sums = lane_sums<double, 2>(team, batch_.m, [&](int i) {
        double const d = batch_.group(problem_, 0, i);
        double const root = d > 0 ? 1 / Kokkos::sqrt(d) : 0;
        Sums<double, 2> term;
        term.value[0] = along(row, i) * root * (along(col, i) * root);
        if (row < null_ && col < null_)
          term.value[1] = entry(null_slot(row), core_.k + i) * root *
                          (entry(null_slot(col), core_.k + i) * root);
        return term;
      });
      once_per_thread(team, [&] {
        core_.work[e] = sums[0];
        core_.weighted[e] = sums[1];
      });
    });
  }

  /// The variance of depth i, after weigh().
  KOKKOS_FUNCTION double variance(int i) const {
    double sum = 0;
    for (int j = 0; j < rank_; ++j) {
      double const x = entry(core_.pivots[j], core_.k + i);
      sum = multiply_add(x, x, sum);
    }
    double const d = batch_.group(problem_, 0, i), root = d > 0 ? 1 / Kokkos::sqrt(d) : 0;
    double const taken = null_square(i);
    if (taken <= 0.5) {
      for (int a = 0; a < null_; ++a) {
        double inner = 0;
        for (int b = 0; b < null_; ++b)
          inner =
              multiply_add(core_.at(core_.weighted, a, b), entry(null_slot(b), core_.k + i), inner);
        sum = multiply_add(inner, entry(null_slot(a), core_.k + i), sum);
      }
      return sum + (1 - 2 * taken) * root * root;
    }
    for (int j = 0; j < batch_.m; ++j) {
      double const other = batch_.group(problem_, 0, j);
      double const x = (j == i ? kept(i) : overlap(core_.k + i, core_.k + j)) *
                       (other > 0 ? 1 / Kokkos::sqrt(other) : 0);
      sum = multiply_add(x, x, sum);
    }
    return sum;
  }

  /// What is left of depth i, as a unit vector, beside the null vectors, in its own row: 1 - ZᵢZᵢᵀ,
  /// without a difference where that is small.
  KOKKOS_FUNCTION double kept(int i) const {
    double const taken = null_square(i);
    if (taken <= 0.5) return 1 - taken;
    double sum = 0;
    for (int e = 0; e < core_.k + batch_.m; ++e) {
      if (e == core_.k + i) continue;
      double const x = overlap(core_.k + i, e);
      sum = multiply_add(x, x, sum);
    }
    return sum / taken;
  }

 private:
  KOKKOS_FUNCTION int null_slot(int a) const { return core_.pivots[rank_ + a]; }
  /// Column b of [Z N].
  KOKKOS_FUNCTION int slot(int b) const { return core_.pivots[b < null_ ? rank_ + b : b - null_]; }
  /// Entry e of the long column in place c.
  KOKKOS_FUNCTION double& entry(int c, int e) const {
    return e < core_.k ? core_.at(core_.N, e, c) : batch_.group(problem_, 2 + c, e - core_.k);
  }
  KOKKOS_FUNCTION double& solution(int e) const {
    return e < core_.k ? core_.y[e] : batch_.group(problem_, 1, e - core_.k);
  }

  /// (ZZᵀ)ₑₓ.
  KOKKOS_FUNCTION double overlap(int e, int x) const {
    double sum = 0;
    for (int a = 0; a < null_; ++a)
      sum = multiply_add(entry(null_slot(a), e), entry(null_slot(a), x), sum);
    return sum;
  }
  KOKKOS_FUNCTION double null_square(int i) const { return overlap(core_.k + i, core_.k + i); }
  KOKKOS_FUNCTION double along(int row, int i) const { return overlap(row, core_.k + i); }

  /// Depth i of all columns. Those of columns that were taken later need its β of earlier ones, and
  /// their own, alone, so that they may take their place from the last one on.
  KOKKOS_FUNCTION void lengthen(int i) const {
    int const k = core_.k;
    double x = batch_.group(problem_, 1, i);
    for (int c = 0; c < k; ++c) x = multiply_add(-batch_.group(problem_, 2 + c, i), core_.y[c], x);
    batch_.group(problem_, 1, i) = x;
    for (int j = k - 1; j >= 0; --j) {
      int const own = core_.pivots[j];
      double sum = 0;
      for (int t = 0; t < Kokkos::min(j, rank_); ++t) {
        int const c = core_.pivots[t];
        sum = multiply_add(batch_.group(problem_, 2 + c, i), core_.at(core_.N, c, own), sum);
      }
      sum = multiply_add(batch_.group(problem_, 2 + own, i), core_.at(core_.N, own, own), sum);
      batch_.group(problem_, 2 + own, i) = -sum;
    }
  }

  /// Takes the largest entry of null vectors a, a + 1, … as the a-th pivot.
  template <class Member>
  KOKKOS_FUNCTION void reduce(Member const& team, int a) const {
    int const k = core_.k, length = k + batch_.m;
    team.team_barrier();
    double largest = 0;
    Kokkos::parallel_reduce(
        Kokkos::TeamVectorRange(team, length),
        [&](int e, double& most) {
          for (int b = a; b < null_; ++b) {
            double const x = Kokkos::abs(entry(null_slot(b), e));
            most = x > most ? x : most;
          }
        },
        Kokkos::Max<double>(largest));
    int place = 0;
    Kokkos::parallel_reduce(
        Kokkos::TeamVectorRange(team, length),
        [&](int e, int& first) {
          for (int b = a; b < null_; ++b)
            if (Kokkos::abs(entry(null_slot(b), e)) == largest) first = e < first ? e : first;
        },
        Kokkos::Min<int>(place));
    place = Kokkos::min(place, length - 1);
    team.team_barrier();
    Kokkos::single(Kokkos::PerTeam(team), [&] {
      int found = a;
      for (int b = null_ - 1; b >= a; --b)
        if (Kokkos::abs(entry(null_slot(b), place)) == largest) found = b;
      int const column = null_slot(found);
      core_.pivots[rank_ + found] = core_.pivots[rank_ + a];
      core_.pivots[rank_ + a] = column;
      for (int c = 0; c < k; ++c) core_.cross[c] = entry(c, place);
      core_.nullity[1] = solution(place);
    });
    team.team_barrier();
    int const column = null_slot(a);
    double const pivot = core_.cross[column];
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, length), [&](int e) {
      double const z = entry(column, e) / pivot;
      bool const own = e == place;
      for (int c = 0; c < k; ++c) {
        double& x = entry(c, e);
        x = c == column ? z : own ? 0 : multiply_add(-core_.cross[c], z, x);
      }
      double& x = solution(e);
      x = own ? 0 : multiply_add(-core_.nullity[1], z, x);
    });
  }

  /// Zᵀ[Z N] into core.gram, Zᵀx into core.cross.
  template <class Member>
  KOKKOS_FUNCTION void sum_products(Member const& team) const {
    int const k = core_.k;
    thread_for(team, null_ * (k + 1), [&](int q) {
      int const a = q / (k + 1), b = q % (k + 1);
      if (b < a) return;
      auto const other = [&](int e) { return b < k ? entry(slot(b), e) : solution(e); };
      double const sum = lane_sum<double>(
          team, batch_.m, [&](int i) { return entry(null_slot(a), k + i) * other(k + i); });
      once_per_thread(team, [&] {
        double all = sum;
        for (int e = 0; e < k; ++e) all = multiply_add(entry(null_slot(a), e), other(e), all);
        (b < k ? core_.at(core_.gram, a, b) : core_.cross[a]) = all;
      });
    });
  }

  /// Entry e of all columns, after Core::factorise_products.
  KOKKOS_FUNCTION void take_off(int e) const {
    for (int a = 0; a < null_; ++a) {
      double& z = entry(null_slot(a), e);
      for (int b = 0; b < a; ++b)
        z = multiply_add(-core_.at(core_.gram, b, a), entry(null_slot(b), e), z);
      z /= core_.at(core_.gram, a, a);
      for (int b = null_; b < core_.k; ++b) {
        double& x = entry(slot(b), e);
        x = multiply_add(-core_.at(core_.gram, a, b), z, x);
      }
      double& x = solution(e);
      x = multiply_add(-core_.cross[a], z, x);
    }
  }

  ArrowBatch<Real> const& batch_;
  Core const& core_;
  int problem_, rank_, null_;
};

}  // namespace carroll::detail
