// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/reduction/study/block_terms.hpp>
#include <carroll/detail/team.hpp>

namespace carroll::detail {

/// The third strategy of an inner product: a block adds up its products in shared memory, in each
/// step the upper half of what is left to the lower one. Whole warps work or rest until there is
/// one left, and neighbours read from neighbouring banks.
///
/// A multiplication and an addition a term, log₂ of the block's size barriers; 2N numbers read from
/// memory, one written a block.
template <class ExecSpace, class T>
class ConflictFreeKernel {
 public:
  ConflictFreeKernel(BlockTerms<T> const& terms, T* sums) : terms_(terms), sums_(sums) {}

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    T* const terms = terms_.fetch(team);
    for (int distance = study_block / 2; distance > 0; distance /= 2) {
      Kokkos::parallel_for(Kokkos::TeamThreadRange(team, distance),
                           [&](int id) { terms[id] += terms[id + distance]; });
      team.team_barrier();
    }
    Kokkos::single(Kokkos::PerTeam(team), [&] { sums_[team.league_rank()] = terms[0]; });
  }

 private:
  BlockTerms<T> terms_;
  T* sums_;
};

}  // namespace carroll::detail
