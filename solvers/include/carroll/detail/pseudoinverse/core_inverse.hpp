// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/power_of_two.hpp>
#include <carroll/detail/pseudoinverse/core_null.hpp>
#include <carroll/detail/pseudoinverse/core_solve.hpp>
#include <carroll/detail/pseudoinverse/problem.hpp>
#include <carroll/detail/team.hpp>

namespace carroll::detail {

/// What a dense A⁺ needs to know before its factors are formed, by the core's team.
///
/// With independent columns the motion rows of A⁺ are η, and those of the depths -βη. Otherwise,
/// and where η or β may leave the range of Real, A⁺ = V·H with two factors: V has the long columns
/// of ShortestSolution, or [I; -β], and H is (AN)ᵀ in the places of N, -Z₂ᵀD⁻¹Uᵀ in those of Z, or
/// η. Column c of V is multiplied by unit[c], and row c of H divided, so that the largest entries
/// of both are about as large: no product's factor leaves the range unless the product does, or is
/// nothing beside others. The first k rows of V are `mix`.
template <class Real>
class InverseFactors {
 public:
  KOKKOS_FUNCTION InverseFactors(ArrowBatch<Real> const& batch, Core const& core)
      : batch_(batch), core_(core) {}

  /// 0: η and β are the factors. 1: V and H are. 2: and products may leave the range.
  KOKKOS_FUNCTION static double& kind_of(Core const& core) { return core.nullity[2]; }
  /// Whether place c is one of Z, after prepare().
  KOKKOS_FUNCTION static bool is_null(Core const& core, int c) { return core.vector[c] > 0; }

  template <class Member>
  KOKKOS_FUNCTION void prepare(Member const& team, int problem, int rank) const {
    int const k = core_.k;
    bool const deficient = rank < k;
    ShortestSolution<Real> const shortest(batch_, core_, problem, rank);
    if (deficient)
      Kokkos::parallel_for(Kokkos::TeamVectorRange(team, batch_.m), [&](int i) {
        batch_.group(problem, 1, i) = shortest.kept(i);  // nobody needs γ
      });
    Kokkos::single(Kokkos::PerTeam(team), [&] {
      for (int j = 0; j < k; ++j) core_.vector[deficient ? core_.pivots[j] : j] = j >= rank;
    });
    team.team_barrier();
    // Of numbers of double in their range nothing leaves it where columns are independent.
    constexpr bool is_wide = sizeof(Real) == sizeof(double);
    thread_for(team, k, [&](int c) {
      bool const null = is_null(core_, c);
      double const in_depths =
          lane_max<double>(team, is_wide && !deficient ? 0 : batch_.m,
                           [&](int i) { return Kokkos::abs(batch_.group(problem, 2 + c, i)); });
      double const in_rows = lane_max<double>(team, null ? batch_.m : 0, [&](int i) {
        double const d = batch_.group(problem, 0, i);
        return d > 0 ? Kokkos::abs(batch_.group(problem, 2 + c, i)) / Kokkos::sqrt(d) : 0;
      });
      once_per_thread(team, [&] {
        double left = in_depths, square = 0;
        for (int r = 0; r < k; ++r) {
          left = Kokkos::max(left, deficient ? Kokkos::abs(core_.at(core_.N, r, c)) : 1.0);
          square += core_.at(core_.N, c, r) * core_.at(core_.N, c, r);
        }
        core_.unit[c] = left;
        core_.cross[c] = null ? in_rows : deficient ? 1 : Kokkos::sqrt(square);
      });
    });
    team.team_barrier();
    Kokkos::single(Kokkos::PerTeam(team), [&] {
      constexpr double largest = Kokkos::Experimental::finite_max_v<Real>;
      double const usual = Kokkos::sqrt(largest / (16.0 * k));
      double& kind = kind_of(core_);
      kind = deficient ? 1 : 0;
      double bound = 0;
      for (int c = 0; c < k; ++c) {
        double const left = core_.unit[c], right = core_.cross[c];
        if (!(left < usual) || !(right < usual)) kind = 1;
        bound += left * right;
        bool const balanced = 0 < left && left < infinite && 0 < right && right < infinite;
        core_.unit[c] = balanced ? power_of_two<double>(Kokkos::clamp(
                                       (exponent_of(right) - exponent_of(left)) / 2, -1000, 1000))
                                 : 1;
      }
      if (kind > 0 && !(bound < largest / 4)) kind = 2;
      for (int r = 0; r < k; ++r)
        for (int c = 0; c < k; ++c)
          core_.at(core_.mix, r, c) = (deficient ? core_.at(core_.N, r, c)
                                       : r == c  ? 1
                                                 : 0) *
                                      core_.unit[c];
    });
  }

 private:
  static constexpr double infinite = Kokkos::Experimental::infinity_v<double>;

  ArrowBatch<Real> const& batch_;
  Core const& core_;
};

}  // namespace carroll::detail
