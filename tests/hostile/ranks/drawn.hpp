// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/distributed/blas/reduction/layout.hpp>
#include <carroll/distributed/block_layout.hpp>
#include <carroll/distributed/communicator.hpp>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "hostile/round.hpp"

/// Ranks, and what each of them has, at random. All ranks draw from the same numbers; two groups of
/// them do from where the numbers begin to depend on the ranks: layouts come last.
namespace carroll::test {

using Exec = Kokkos::DefaultExecutionSpace;
using distributed::BlockLayout;
using Communicator = distributed::Communicator<Exec>;
using Range = std::pair<std::int64_t, std::int64_t>;

inline Communicator& world() {
  // Freed before MPI and Kokkos end.
  static auto* const comm = new Communicator(Communicator::duplicate_from_raw(MPI_COMM_WORLD));
  return *comm;
}

inline BlockLayout drawn_layout(Random& random, int ranks, std::int64_t length) {
  switch (random.index(5)) {
    case 0: return distributed::block_layout(ranks, length);
    case 1: return distributed::reduction_layout(ranks, length);
    case 2: return distributed::block_layout(ranks, length, 1 + random.index(3000));
    default: break;
  }
  std::vector<std::int64_t> cuts;
  for (int r = 1; r < ranks; ++r) {
    std::int64_t cut = static_cast<std::int64_t>(random.uniform() * double(length + 1));
    if (random.chance(0.3)) cut = cut / 1024 * 1024 + random.index(3) - 1;
    cuts.push_back(std::clamp<std::int64_t>(cut, 0, length));
  }
  std::sort(cuts.begin(), cuts.end());
  BlockLayout layout;
  layout.offsets.insert(layout.offsets.end(), cuts.begin(), cuts.end());
  layout.offsets.push_back(length);
  return layout;
}

/// Some of the ranks, the others among themselves. All draw the same numbers.
inline Communicator drawn_ranks(Random& random) {
  int const first = 1 + random.index(world().size());
  return world().split(world().rank() < first ? 0 : 1, random.chance(0.5) ? 0 : -world().rank());
}

inline int drawn_length(Random& random) {
  if (random.chance(0.1)) return random.index(20);
  int const length = static_cast<int>(std::exp(random.uniform() * std::log(60'000.0)));
  return random.chance(0.3) ? length / 1024 * 1024 + random.index(3) : length;
}

/// The rank by itself, for what one rank makes of the whole.
[[nodiscard]] inline Communicator alone() {
  return world().split(world().rank(), 0);
}

/// Whole units for each rank, none for some.
inline BlockLayout drawn_units(Random& random, int ranks, std::int64_t length, std::int64_t unit) {
  if (random.chance(0.3)) return distributed::block_layout(ranks, length, unit);
  std::vector<std::int64_t> cuts;
  for (int r = 1; r < ranks; ++r)
    cuts.push_back(std::min(length, unit * random.index(static_cast<int>(length / unit) + 2)));
  std::sort(cuts.begin(), cuts.end());
  BlockLayout layout;
  layout.offsets.insert(layout.offsets.end(), cuts.begin(), cuts.end());
  layout.offsets.push_back(length);
  return layout;
}

}  // namespace carroll::test
