// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/eigh/divided/merge.hpp>
#include <carroll/detail/eigh/divided/secular.hpp>
#include <carroll/detail/team.hpp>

/// From roots to what a merge's vectors are formed of.
namespace carroll::detail {

/// The third step of a merge, a lane for each pole, 32 to a team: the z that the roots are exact
/// for (Löwner; Gu and Eisenstat), up to a factor that all share,
///
///   ẑ_i² = (λ_i - d_i)·Π_{j≠i} (λ_j - d_i)/(d_j - d_i),
///
/// so that vectors formed of it are orthogonal however near poles and roots are. Products stay
/// within the largest quotient of two distances of poles. `poles` quotients each.
template <class ExecSpace, class Real>
class DividedWeightsKernel {
 public:
  using Policy = Kokkos::TeamPolicy<ExecSpace, Kokkos::LaunchBounds<32>>;

  DividedWeightsKernel(DividedLevel<Real> const& level) : level_(level) {}

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    DividedMerge<Real> const merge = level_(team.league_rank());
    if (merge.rows == 0) return;
    int const poles = merge.count[DividedMerge<Real>::kept];
    int const begin = 32 * level_.chunk_of(team.league_rank());
    lane_for(team, Kokkos::min(32, poles - begin), [&](int lane) {
      int const i = begin + lane;
      Real product = merge.distance(i, i);
      for (int j = 0; j < i; ++j) product *= merge.distance(i, j) / (merge.pole[i] - merge.pole[j]);
      for (int j = i + 1; j < poles; ++j)
        product *= merge.distance(i, j) / (merge.pole[i] - merge.pole[j]);
      Real const size = Kokkos::sqrt(Kokkos::abs(product));
      merge.weight[i] = merge.z[i] < Real(0) ? -size : size;
    });
  }

 private:
  DividedLevel<Real> level_;
};

/// The fourth step of a merge, a lane for each of the block's eigenvalues, 32 to a team: its place
/// in ascending order, and the length of its vector ẑ_i/(d_i - λ). `poles` quotients and `rows`
/// comparisons each.
template <class ExecSpace, class Real>
class DividedPlacesKernel {
 public:
  using Policy = Kokkos::TeamPolicy<ExecSpace, Kokkos::LaunchBounds<32>>;

  DividedPlacesKernel(DividedLevel<Real> const& level) : level_(level) {}

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    DividedMerge<Real> const merge = level_(team.league_rank());
    if (merge.rows == 0) return;
    int const poles = merge.count[DividedMerge<Real>::kept];
    int const begin = 32 * level_.chunk_of(team.league_rank());
    lane_for(team, Kokkos::min(32, merge.rows - begin), [&](int lane) {
      int const j = begin + lane;
      Real const own = merge.value[j];
      int place = 0;
      for (int i = 0; i < merge.rows; ++i)
        place += merge.value[i] < own || (merge.value[i] == own && i < j) ? 1 : 0;
      merge.target[j] = place;
      merge.d[place] = own;
      if (j >= poles) return;
      Real const origin = merge.origin(j), root = merge.root[j];
      Real squares = 0;
      for (int i = 0; i < poles; ++i) {
        Real const x =
            quick_quotient<lanes<ExecSpace> != 1>(merge.weight[i], (merge.pole[i] - origin) - root);
        squares += x * x;
      }
      merge.factor[j] = 1 / Kokkos::sqrt(squares);
    });
  }

 private:
  DividedLevel<Real> level_;
};

}  // namespace carroll::detail
