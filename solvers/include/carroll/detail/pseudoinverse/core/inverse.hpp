// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/pseudoinverse/core/null.hpp>
#include <carroll/detail/pseudoinverse/core/solve.hpp>
#include <carroll/detail/pseudoinverse/problem.hpp>
#include <carroll/detail/team.hpp>

namespace carroll::detail {

/// How the columns of a frame's A⁺ are told.
enum class InverseKind {
  none,     ///< not: the step has solved no core, and A⁺ is NaN
  motions,  ///< by η, its motion rows; those of the depths are -βη
  factors,  ///< by H of A⁺ = V·H, V the long columns of ShortestSolution: where motions are
            ///< dependent
  entries,  ///< not: DenseFactorsKernel, or a writer of its own, has written A⁺
};

/// A frame's kind is the last number of its core's memory.
template <class Real>
KOKKOS_INLINE_FUNCTION void tell_inverse_kind(ArrowBatch<Real> const& batch, double* core,
                                              InverseKind kind) {
  core[core_size(batch.k) - 1] = static_cast<double>(kind);
}
template <class Real>
KOKKOS_INLINE_FUNCTION InverseKind inverse_kind(ArrowBatch<Real> const& batch, int frame) {
  // The frame's first right-hand side, of which there is one.
  return static_cast<InverseKind>(static_cast<int>(batch.core(frame)[core_size(batch.k) - 1]));
}

/// What factors of A⁺ are at most, so that no entry of their product leaves the range.
template <class Real>
KOKKOS_INLINE_FUNCTION double usual_factor(int k) {
  return Kokkos::sqrt(Kokkos::Experimental::finite_max_v<Real> / (16.0 * k));
}

/// What a dense A⁺ needs to know before its factors are formed, by the core's team.
///
/// With independent columns A⁺ has the motion rows η. Otherwise A⁺ = V·H, where H is (AN)ᵀ in the
/// places of N and -Z₂ᵀD⁻¹Uᵀ in those of Z, but for the depths' own entries. Where a factor may
/// leave the range of Real though the product does not, or the product does, A⁺ is formed in double
/// precision, entry by entry: slowly.
template <class Real>
class InverseFactors {
 public:
  KOKKOS_FUNCTION InverseFactors(ArrowBatch<Real> const& batch, Core const& core)
      : batch_(batch), core_(core) {}

  /// Whether place c is one of Z, after prepare().
  KOKKOS_FUNCTION static bool is_null(Core const& core, int c) { return core.vector[c] > 0; }

  /// Puts what is left of each depth in its own row in the place of γ, which nobody needs.
  template <class Member>
  KOKKOS_FUNCTION void prepare(Member const& team, int problem, int rank, double* memory) const {
    int const k = core_.k;
    bool const deficient = rank < k;
    ShortestSolution<Real> const shortest(batch_, core_, problem, rank);
    if (deficient)
      Kokkos::parallel_for(Kokkos::TeamVectorRange(team, batch_.m),
                           [&](int i) { batch_.group(problem, 1, i) = shortest.kept(i); });
    Kokkos::single(Kokkos::PerTeam(team), [&] {
      for (int j = 0; j < k; ++j) core_.vector[deficient ? core_.pivots[j] : j] = j < rank ? 0 : 1;
    });
    team.team_barrier();
    double const deepest = largest_of_depths(team, problem, deficient);
    thread_for(team, k, [&](int c) {
      once_per_thread(team, [&] {
        double largest = deepest, square = 0;
        for (int r = 0; r < k; ++r) {
          double const below = core_.at(core_.N, r, c), beside = core_.at(core_.N, c, r);
          if (deficient) largest = Kokkos::max(largest, Kokkos::abs(below));
          square += beside * beside;
        }
        core_.cross[c] = deficient ? largest : Kokkos::max(largest, Kokkos::sqrt(square));
      });
    });
    team.team_barrier();
    Kokkos::single(Kokkos::PerTeam(team), [&] {
      auto kind = deficient ? InverseKind::factors : InverseKind::motions;
      for (int c = 0; c < k; ++c)
        if (!(core_.cross[c] < usual_factor<Real>(k))) kind = InverseKind::entries;
      tell_inverse_kind(batch_, memory, kind);
    });
  }

 private:
  /// The largest 1/√d, entry of β, and entry of Z₂ᵀD^(-1/2). Of numbers of double in their range
  /// nothing leaves it where columns are independent: 0.
  template <class Member>
  KOKKOS_FUNCTION double largest_of_depths(Member const& team, int problem, bool deficient) const {
    double largest = 0;
    if (!deficient && sizeof(Real) == sizeof(double)) return largest;
    Kokkos::parallel_reduce(
        Kokkos::TeamVectorRange(team, batch_.m),
        [&](int i, double& part) {
          double const d = batch_.group(problem, 0, i);
          double const inverse = d > 0 ? 1 / Kokkos::sqrt(d) : 0;
          part = Kokkos::max(part, inverse);
          for (int c = 0; c < core_.k; ++c) {
            double const beta = Kokkos::abs(batch_.group(problem, 2 + c, i));
            part = Kokkos::max(part, is_null(core_, c) ? Kokkos::max(beta, beta * inverse) : beta);
          }
        },
        Kokkos::Max<double>(largest));
    return largest;
  }

  ArrowBatch<Real> const& batch_;
  Core const& core_;
};

}  // namespace carroll::detail
