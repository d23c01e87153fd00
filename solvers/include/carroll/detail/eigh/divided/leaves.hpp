// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/eigh/batch.hpp>
#include <carroll/detail/eigh/common/ql.hpp>
#include <carroll/detail/eigh/divided/merge.hpp>
#include <carroll/detail/eigh/divided/storage.hpp>
#include <carroll/detail/eigh/divided/tree.hpp>
#include <carroll/detail/svd/problem.hpp>
#include <carroll/detail/team.hpp>
#include <cstddef>

namespace carroll::detail {

/// The leaves of T by implicit QL steps (common/ql.hpp), a team of one thread each: a lane finds a
/// step's rotations, and all lanes, each with a row of S, apply them.
///
/// Some 0.9·m² rotations for m <= 32 rows, one after the other, of a root and a reciprocal; 5.4·m³
/// flops for S. T is read once, d and m² entries of S are written once. The rows beside a coupling
/// to a neighbour lose its modulus from their diagonal entries.
template <class ExecSpace, class Real>
class DividedLeavesKernel {
  static constexpr int most = most_leaf_rows;
  using Chain = QlChain<Real, lanes<ExecSpace> != 1>;

  struct alignas(16) Scratch {
    Real S[most * most];  ///< column by column
    QlRotation<Real> rotation[most];
    Real d[most], e[most];
    EighBlock blocks[2];  ///< of this step and the next, in turn
  };

 public:
  using Policy = Kokkos::TeamPolicy<ExecSpace, Kokkos::LaunchBounds<32>>;
  using Storage = DividedStorage<Real>;

  /// `leaves`: of a member, at most.
  DividedLeavesKernel(EighBatch<Real> const& batch, int leaves) : batch_(batch), leaves_(leaves) {}

  static constexpr std::size_t scratch_bytes() { return sizeof(Scratch) + alignof(Scratch); }

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    int const leaf = team.league_rank() % leaves_;
    EighProblem<Real> const problem = batch_(batch_.index(team.league_rank() / leaves_));
    Storage const at(problem);
    DivideTree const tree(at.n);
    if (leaf >= tree.leaves() || at.message[Storage::is_finite] == 0) return;
    auto& scratch = *static_cast<Scratch*>(
        team.team_scratch(0).get_shmem_aligned(sizeof(Scratch), alignof(Scratch)));
    int const begin = tree.begin_of(tree.levels, leaf);
    int const rows = tree.begin_of(tree.levels, leaf + 1) - begin;
    load(team, at, begin, rows, scratch);
    int const steps = diagonalise(team, rows, scratch);
    store(team, at, tree, begin, rows, scratch);
    once_per_thread(team, [&] {
      if (leaf == 0) at.message[Storage::steps] = steps + tree.levels;
      if (steps > most_steps * rows) at.message[Storage::done] = 0;
    });
  }

 private:
  /// For each row; one or two are the rule.
  static constexpr int most_steps = 30;

  KOKKOS_FUNCTION static void load(TeamMember<ExecSpace> const& team, Storage const& at, int begin,
                                   int rows, Scratch& scratch) {
    Real const largest = lane_max<Real>(team, rows, [&](int i) {
      int const k = begin + i;
      Real const coupling = k + 1 < at.n ? Kokkos::abs(at.e[k]) : Real(0);
      return Kokkos::max(Kokkos::abs(at.d[k]), coupling);
    });
    lane_for(team, rows, [&](int i) {
      int const k = begin + i;
      Real const above = i == 0 && k > 0 ? Kokkos::abs(at.e[k - 1]) : Real(0);
      Real const below = i == rows - 1 && k + 1 < at.n ? Kokkos::abs(at.e[k]) : Real(0);
      scratch.d[i] = at.d[k] - above - below;
      scratch.e[i] = i < rows - 1 ? at.e[k] : Real(0);
      for (int j = 0; j < rows; ++j) scratch.S[j * most + i] = i == j ? Real(1) : Real(0);
      if (i == 0) divided_leaf_sizes(at)[begin] = largest;
    });
  }

  /// Returns the number of steps, one more than are allowed if that has not been enough.
  KOKKOS_FUNCTION static int diagonalise(TeamMember<ExecSpace> const& team, int rows,
                                         Scratch& scratch) {
    Chain const chain{rows, scratch.d, scratch.e};
    once_per_thread(team, [&] { scratch.blocks[0] = chain.find_block(0); });
    for (int steps = 0; steps <= most_steps * rows; ++steps) {
      EighBlock const block = scratch.blocks[steps % 2];
      if (block.length() == 0) return steps;
      once_per_thread(team, [&] {
        scratch.blocks[(steps + 1) % 2] = chain.take_step(block, scratch.rotation);
      });
      lane_for(team, rows, [&](int i) {
        Real* const row = scratch.S + i;
        Real carried = row[block.last * most];
        for (int j = block.last - 1; j >= block.first; --j) {
          QlRotation<Real> const rotation = scratch.rotation[j - block.first];
          Real const x = row[j * most];
          row[(j + 1) * most] = rotation.s * x + rotation.c * carried;
          carried = rotation.c * x - rotation.s * carried;
        }
        row[block.first * most] = carried;
      });
    }
    return most_steps * rows + 1;
  }

  KOKKOS_FUNCTION static void store(TeamMember<ExecSpace> const& team, Storage const& at,
                                    DivideTree const& tree, int begin, int rows,
                                    Scratch const& scratch) {
    Columns<Real> const& to = tree.in_place_after(0) ? at.S : at.P;
    for (int j = 0; j < rows; ++j) {
      Real const own = scratch.d[j];
      int place = 0;
      for (int i = 0; i < rows; ++i)
        place += scratch.d[i] < own || (scratch.d[i] == own && i < j) ? 1 : 0;
      lane_for(team, rows, [&](int i) { to(begin + i, begin + place) = scratch.S[j * most + i]; });
      once_per_thread(team, [&] { at.d[begin + place] = own; });
    }
  }

  EighBatch<Real> batch_;
  int leaves_;
};

}  // namespace carroll::detail
