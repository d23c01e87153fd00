// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/reduction/study/vector.hpp>
#include <cstddef>
#include <cstdint>

namespace carroll::detail {

/// Threads of a block in the studies, a power of two, and terms that it adds up: one each.
inline constexpr int study_block = 256;

/// The terms of a block in team scratch: products, or sums of blocks where there is no y.
template <class T>
class BlockTerms {
 public:
  static constexpr std::size_t scratch_bytes = study_block * sizeof(T) + 16;

  BlockTerms(StudyVector<T> const& x, StudyVector<T> const& y, std::int64_t length)
      : x_(x), y_(y), length_(length) {}

  /// Brings them there, zeros behind the last one, and waits for the team.
  template <class Member>
  KOKKOS_FUNCTION T* fetch(Member const& team) const {
    T* const terms =
        static_cast<T*>(team.team_scratch(0).get_shmem_aligned(study_block * sizeof(T), 16));
    std::int64_t const first = std::int64_t{team.league_rank()} * study_block;
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, study_block), [&](int id) {
      std::int64_t const i = first + id;
      terms[id] = i >= length_ ? T(0) : y_.data ? x_[i] * y_[i] : x_[i];
    });
    team.team_barrier();
    return terms;
  }

 private:
  StudyVector<T> x_, y_;
  std::int64_t length_;
};

}  // namespace carroll::detail
