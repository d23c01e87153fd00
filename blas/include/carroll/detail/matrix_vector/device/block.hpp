// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/signals.hpp>
#include <carroll/detail/matrix_vector/device/short_pair_tree.hpp>
#include <carroll/detail/matrix_vector/dispatch.hpp>
#include <carroll/detail/matrix_vector/problem.hpp>
#include <carroll/detail/quotient.hpp>
#include <carroll/detail/unroll.hpp>
#include <cstddef>
#include <cstdint>

namespace carroll::detail {

/// Memory that teams share: made once, for a plan.
template <class Sum>
struct MatrixVectorMemory {
  Sum* partials = nullptr;  ///< sums of groups: [member][group][row]
  int* arrived = nullptr;   ///< groups that have come, of each member and block; 0 between calls
};

/// A team's block of rows and group of chunks, and the way from sums of chunks, in scratch, to
/// entries of y: the team adds neighbours, and who comes last of a block what its groups have.
template <class T>
class TeamBlock {
  using Problem = MatrixVector<T>;
  using Sum = typename Problem::Sum;

 public:
  int member, first_row, rows;     ///< rows: of the block, the last has fewer that exist
  int group, first_chunk, chunks;  ///< chunks: of the group

  static constexpr std::size_t scratch_bytes(MatrixVectorPlan const& plan) {
    int const sums = plan.block_rows * plan.group_chunks;
    return std::size_t(sums > plan.threads ? sums : plan.threads) * sizeof(Sum) + 16;
  }

  template <class Team>
  KOKKOS_FUNCTION TeamBlock(Team const& team, Problem const& problem, MatrixVectorPlan const& plan)
      : rows(plan.block_rows), plan_(plan) {
    int const place = team.league_rank() / plan.blocks;
    block_ = team.league_rank() % plan.blocks;
    first_row = block_ * rows;
    group = place % plan.groups;
    member = place / plan.groups;
    first_chunk = group * plan.group_chunks;
    chunks = Kokkos::min(plan.group_chunks, problem.chunks() - first_chunk);
    sums_ = static_cast<Sum*>(team.team_scratch(0).get_shmem(std::size_t{scratch_bytes(plan)}));
  }

  /// Of a row of the block and a chunk of the group.
  KOKKOS_FUNCTION Sum& sum(int row, int chunk) const { return sums_[chunk * rows + row]; }

  /// By all threads, once all sums are written.
  template <class Team>
  KOKKOS_FUNCTION void finish(Team const& team, Problem const& problem,
                              MatrixVectorMemory<Sum> const& memory) const {
    add_neighbours(team, chunks);
    if (plan_.groups > 1) {
      std::int64_t const of_member = std::int64_t{member} * plan_.groups;
      for (int r = team.team_rank(); r < rows && first_row + r < problem.rows; r += plan_.threads)
        memory.partials[(of_member + group) * problem.rows + first_row + r] = sums_[r];
      team.team_barrier();
      int& last =
          *reinterpret_cast<int*>(reinterpret_cast<std::byte*>(sums_) + scratch_bytes(plan_) - 16);
      if (!is_last_team(team, memory.arrived + std::int64_t{member} * plan_.blocks + block_,
                        plan_.groups, 1, last))
        return;
      add_groups(team, problem, memory.partials + of_member * problem.rows);
    }
    for (int r = team.team_rank(); r < rows && first_row + r < problem.rows; r += plan_.threads)
      problem.store(member, first_row + r, sums_[r]);
  }

 private:
  /// The pairs of the tree over `count` sums of each row; the first is that of all.
  template <class Team>
  KOKKOS_FUNCTION void add_neighbours(Team const& team, int count) const {
    team.team_barrier();
    for (int step = 1; step < count; step *= 2) {
      for (int item = team.team_rank();; item += plan_.threads) {
        int const left = item / rows * 2 * step, row = item % rows;
        if (left + step >= count) break;
        sum(row, left).join(sum(row, left + step));
      }
      team.team_barrier();
    }
  }

  /// The groups' sums, consecutive ones by each thread of a row; then those of the threads.
  template <class Team>
  KOKKOS_FUNCTION void add_groups(Team const& team, Problem const& problem,
                                  Sum const* partials) const {
    constexpr int at_once = 8;
    int const slots = plan_.threads > rows ? plan_.threads / rows : 1;
    int each = at_once;
    while (each * slots < plan_.groups) each *= 2;
    for (int item = team.team_rank(); item < slots * rows; item += plan_.threads) {
      int const slot = item / rows, row = item % rows;
      int const i = Kokkos::min(first_row + row, problem.rows - 1);
      int const first = slot * each;
      ShortPairTree<Sum, most_levels> tree;
      for (int g = first; g < first + each && g < plan_.groups; g += at_once) {
        Sum some[at_once];
        CARROLL_UNROLL
        for (int k = 0; k < at_once; ++k)
          if (g + k < plan_.groups) some[k] = partials[std::int64_t{g + k} * problem.rows + i];
        CARROLL_UNROLL
        for (int half = 1; half < at_once; half *= 2) CARROLL_UNROLL
        for (int k = 0; k < at_once; k += 2 * half) some[k].join(some[k + half]);
        tree.add(some[0]);
      }
      sum(row, slot) = tree.total();
    }
    add_neighbours(team, static_cast<int>(quotient_up(plan_.groups, each)));
  }

  /// 2^31 terms are 2^21 chunks; with 8 rows a block a group has 64, and 32 threads or more a row.
  static constexpr int most_levels = 10;
  MatrixVectorPlan plan_;
  int block_;
  Sum* sums_;
};

}  // namespace carroll::detail
