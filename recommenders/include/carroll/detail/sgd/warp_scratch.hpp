// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/warp.hpp>
#include <carroll/detail/sgd/problem.hpp>
#include <cstddef>
#include <cstdint>

/// What a warp has in scratch of the ratings of its block.
namespace carroll::detail {

/// A lane's factors that stand side by side.
template <class Real, int N>
struct alignas(N * sizeof(Real)) SgdVector {
  Real x[N];
};

/// A rating that is staged in scratch.
template <class Real>
struct alignas(sizeof(Real) == 4 ? 16 : 8) SgdStaged {
  std::int32_t user, item;
  Real value;
  std::int32_t where;

  /// The rating in whose slot its user's row is: itself, or a last one.
  [[nodiscard]] KOKKOS_FUNCTION int source() const { return where >> 1; }
  /// Is its item another one than before?
  [[nodiscard]] KOKKOS_FUNCTION bool begins_run() const { return (where & 1) != 0; }
};

/// A warp's scratch: some ratings of its block, and the rows of those whose turn is soon.
template <class Real, int Chunks>
struct SgdScratch {
  using Rating = SgdRating<Real>;
  using Staged = SgdStaged<Real>;
  static constexpr int width = 32 * Chunks;
  static constexpr std::size_t row_bytes = width * sizeof(Real);
  static constexpr int length = row_bytes > 1024 ? 64 : 192;     ///< ratings
  static constexpr unsigned slots = row_bytes > 512 ? 8 : 16;    ///< of rows
  static constexpr int ahead = static_cast<int>(slots - 1) / 2;  ///< ratings whose rows come

  Staged* ratings;
  Real* users;  ///< slots × width
  Real* items;
  Real* user_biases;  ///< slots × 32, a lane's own each
  Real* item_biases;

  template <class Member>
  KOKKOS_FUNCTION explicit SgdScratch(Member const& team) {
    auto const& scratch = team.team_scratch(0);
    auto const take = [&](std::size_t bytes) { return scratch.get_shmem_aligned(bytes, 16); };
    ratings = static_cast<Staged*>(take(length * sizeof(Staged)));
    users = static_cast<Real*>(take(slots * width * sizeof(Real)));
    items = static_cast<Real*>(take(slots * width * sizeof(Real)));
    user_biases = static_cast<Real*>(take(slots * 32 * sizeof(Real)));
    item_biases = static_cast<Real*>(take(slots * 32 * sizeof(Real)));
  }
  static std::size_t bytes() {
    return length * sizeof(Staged) + slots * (2 * width + 64) * sizeof(Real) + 64;
  }

  /// Returns how many ratings there are.
  KOKKOS_FUNCTION int fill(DeviceWarp const& warp, Rating const* from, std::int64_t left) const {
    int const count = left < length ? static_cast<int>(left) : int{length};
    warp.sync();  // all have read what was here
    for (int k = warp.lane; k < count; k += 32)
      ratings[k] = {from[k].user, from[k].item, from[k].value, 0};
    warp.sync();
    for (int k = warp.lane; k < count; k += 32) {
      int source = k;
      for (int before = ahead; before > 0; --before)
        if (before <= k && ratings[k - before].user == ratings[k].user) source = k - before;
      bool const begins_run = k == 0 || ratings[k - 1].item != ratings[k].item;
      ratings[k].where = 2 * source + (begins_run ? 1 : 0);
    }
    warp.sync();
    return count;
  }
};

}  // namespace carroll::detail
