// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <carroll/detail/device/vendor/eigensolver.hpp>
#include <carroll/detail/eigh/dispatch.hpp>
#include <cstddef>
#include <cstdint>
#include <vector>

/// How the members of a call go to the vendor's solver: staged in chunks, which share the memory,
/// and then one after the other.
namespace carroll::detail {

/// Members of equal order that follow each other.
struct EighRun {
  int first, members, n;
};

/// `order(k)`: of the k-th of so many members.
template <class Order>
std::vector<EighRun> runs_of_equal_order(int members, Order const& order) {
  std::vector<EighRun> runs;
  for (int k = 0; k < members; ++k) {
    int const n = order(k);
    if (runs.empty() || runs.back().n != n) runs.push_back({k, 0, n});
    ++runs.back().members;
  }
  return runs;
}

/// Members whose matrices are staged together, and how the solver is called for each.
template <class Real>
struct EighChunk {
  int first, members;
  EigensolverCall call;
  EigensolverBytes bytes;  ///< that a call works in

  // Matrices begin at multiples of 512 bytes, as allocations do, so that no choice of the library's
  // can depend on where they are.
  static constexpr std::int64_t alignment = 512;
  static constexpr std::int64_t aligned(std::int64_t bytes) {
    return (bytes + alignment - 1) / alignment * alignment;
  }
  /// From a matrix to the next, and from eigenvalues to those of the next.
  [[nodiscard]] std::int64_t matrix() const { return distance(std::int64_t{call.n} * call.n); }
  [[nodiscard]] std::int64_t values() const { return distance(call.n); }
  /// Bytes that it takes on the device.
  [[nodiscard]] std::int64_t device_bytes() const {
    return aligned(static_cast<std::int64_t>(bytes.device)) + aligned(members * matrix() * real) +
           aligned(members * values() * real) + aligned(2 * members * std::int64_t{sizeof(int)});
  }

 private:
  static constexpr std::int64_t real = sizeof(Real);
  static constexpr std::int64_t distance(std::int64_t reals) {
    return aligned(reals * real) / real;
  }
};

/// The chunks of a run, of sizes as even as can be, none of more bytes than `room` that could be
/// smaller. 32 members fill a device with the teams that stage them.
template <class Solver>
void add_chunks(std::vector<EighChunk<typename Solver::scalar_type>>& chunks, EighRun const& run,
                bool vectors, std::size_t room, Solver const& solver) {
  using Chunk = EighChunk<typename Solver::scalar_type>;
  EigensolverCall const call{run.n, vectors};
  EigensolverBytes const bytes = solver.bytes(call);
  auto const chunk_of = [&](int first, int members) { return Chunk{first, members, call, bytes}; };
  int most = std::min(run.members, 32);
  while (most > 1 && chunk_of(0, most).device_bytes() > static_cast<std::int64_t>(room)) most /= 2;
  int const count = (run.members + most - 1) / most;
  int first = 0;
  for (int c = 0; c < count; ++c) {
    int const members = run.members / count + (c < run.members % count ? 1 : 0);
    chunks.push_back(chunk_of(run.first + first, members));
    first += members;
  }
}

}  // namespace carroll::detail
