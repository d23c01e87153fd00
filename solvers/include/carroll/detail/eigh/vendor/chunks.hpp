// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <carroll/detail/device/vendor/eigensolver.hpp>
#include <carroll/detail/eigh/dispatch.hpp>
#include <cstddef>
#include <cstdint>
#include <vector>

/// How the members of a call go to the vendor's solver, which works in 25 to 30 times the memory of
/// its matrices: in chunks that share the memory, one after the other.
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

/// Members whose matrices are staged together, and how the solver is called for them: once for all
/// of them or once for each.
template <class Real>
struct EighChunk {
  int first, members;
  EigensolverCall call;
  EigensolverBytes bytes;  ///< that a call works in

  [[nodiscard]] bool at_once() const { return call.count > 1; }
  /// A matrix that goes to the solver with others must not be the only one: it gets a companion.
  [[nodiscard]] int staged() const { return std::max(members, call.count); }

  // Matrices that go alone begin at multiples of 512 bytes, as allocations do, so that no choice of
  // the library's can depend on where they are.
  static constexpr std::int64_t alignment = 512;
  static constexpr std::int64_t aligned(std::int64_t bytes) {
    return (bytes + alignment - 1) / alignment * alignment;
  }
  /// From a matrix to the next, and from eigenvalues to those of the next.
  [[nodiscard]] std::int64_t matrix() const { return distance(std::int64_t{call.n} * call.n); }
  [[nodiscard]] std::int64_t values() const { return distance(call.n); }
  /// Bytes that it takes on the device.
  [[nodiscard]] std::int64_t device_bytes() const {
    return aligned(static_cast<std::int64_t>(bytes.device)) + aligned(staged() * matrix() * real) +
           aligned(staged() * values() * real) + aligned(2 * staged() * std::int64_t{sizeof(int)});
  }

 private:
  static constexpr std::int64_t real = sizeof(Real);
  [[nodiscard]] std::int64_t distance(std::int64_t reals) const {
    return at_once() ? reals : aligned(reals * real) / real;
  }
};

/// The chunks of a run, of sizes as even as can be, none of more bytes than `room` that could be
/// smaller. More than 1024 members at once are no faster; of those that go alone 32 fill a device
/// with the teams that stage them.
template <class Solver>
void add_chunks(std::vector<EighChunk<typename Solver::scalar_type>>& chunks, EighRun const& run,
                bool vectors, std::size_t room, Solver const& solver) {
  using Chunk = EighChunk<typename Solver::scalar_type>;
  bool const at_once = run.n <= most_vendor_batch<typename Solver::scalar_type>;
  auto const chunk_of = [&](int first, int members) {
    Chunk chunk{first, members, {run.n, at_once ? std::max(members, 2) : 1, vectors}, {}};
    chunk.bytes = solver.bytes(chunk.call);
    return chunk;
  };
  int const least = at_once ? 2 : 1;
  int most = std::min(run.members, at_once ? 1024 : 32);
  while (most > least && chunk_of(0, most).device_bytes() > static_cast<std::int64_t>(room))
    most = std::max(most / 2, least);
  int const count = (run.members + most - 1) / most;
  int first = 0;
  for (int c = 0; c < count; ++c) {
    int const members = run.members / count + (c < run.members % count ? 1 : 0);
    chunks.push_back(chunk_of(run.first + first, members));
    first += members;
  }
}

}  // namespace carroll::detail
