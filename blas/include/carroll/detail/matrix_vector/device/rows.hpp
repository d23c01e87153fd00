// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/collectives.hpp>
#include <carroll/detail/device/threads.hpp>
#include <carroll/detail/device/warp.hpp>
#include <carroll/detail/matrix_vector/device/block.hpp>
#include <carroll/detail/matrix_vector/device/entries.hpp>
#include <carroll/detail/matrix_vector/dispatch.hpp>
#include <carroll/detail/matrix_vector/problem.hpp>
#include <carroll/detail/team.hpp>
#include <carroll/detail/unroll.hpp>
#include <carroll/occupancy/residency.hpp>
#include <cstddef>

namespace carroll::detail {

/// Terms that lie side by side, by teams of devices. `Threads` threads of a warp have a chunk of a
/// row at a time; each reads `Entries` consecutive terms, in one load, so that together they read a
/// row of the tree, or a part of it, in order, and a thread's sums are whole lanes. Halving goes
/// over a thread's parts of a row, then over the threads, then over consecutive terms.
///
/// 2 flops a real product and 1 read of A; x comes from the caches, where rows of a block find it:
/// the time is that of memory. 128 bytes of A for each thread are on their way together.
template <class ExecSpace, class T, int Threads, int Entries>
class RowsKernel {
  using Problem = MatrixVector<T>;
  using Sum = typename Problem::Sum;
  using Some = SomeEntries<T, Entries>;
  static constexpr int across = Threads * Entries;     ///< terms that the threads read at a time
  static constexpr int parts = row_terms<T> / across;  ///< of a row of the tree
  /// Rows of the tree.
  static constexpr int wanted = 128 / (parts * Entries * int(sizeof(T)));
  static constexpr int at_once = wanted > 1 ? wanted : 1;

 public:
  using Policy = BoundedTeams<ExecSpace, 256, 3, most_lent_scratch>;

  static std::size_t scratch_bytes(MatrixVectorPlan const& plan) {
    return TeamBlock<T>::scratch_bytes(plan);
  }

  RowsKernel(Problem const& problem, MatrixVectorPlan const& plan,
             MatrixVectorMemory<Sum> const& memory)
      : problem_(problem), plan_(plan), memory_(memory) {}

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    TeamBlock<T> const block(team, problem_, plan_);
    DeviceWarp const warp = warp_of_threads(team);
    constexpr int of_warp = 32 / Threads;
    int const mine = warp.lane / Threads, thread = warp.lane % Threads;
    int const items = block.rows * block.chunks, step = plan_.threads / Threads;
    // A warp's threads exchange sums: they go on together.
    for (int first = team.team_rank() / 32 * of_warp; first < items; first += step) {
      int const item = first + mine < items ? first + mine : items - 1;
      int const row = item % block.rows, c = item / block.rows;
      Sum const sum =
          chunk_sum(warp, thread, block.member, block.first_row + row, block.first_chunk + c);
      if (thread == 0 && first + mine < items) block.sum(row, c) = sum;
    }
    block.finish(team, problem_, memory_);
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION Sum chunk_sum(DeviceWarp const& warp, int thread, int member, int row,
                                            int chunk) const {
    int const terms = problem_.terms_of(chunk), whole = terms / row_terms<T>;
    std::ptrdiff_t const first = std::ptrdiff_t{chunk} * chunk_terms + thread * Entries;
    int const existing = row < problem_.rows ? row : problem_.rows - 1;
    Some const a(problem_.row(member, existing) + first * problem_.term_stride,
                 problem_.term_stride);
    Some const x(problem_.vector(member) + first * problem_.x_stride, problem_.x_stride);
    Sum lanes[parts][Entries];
    int r = 0;
    for (; r + at_once <= whole; r += at_once) add_rows<at_once>(lanes, a, x, r);
    for (; r < whole; ++r) add_rows<1>(lanes, a, x, r);
    int const left = terms - whole * row_terms<T> - thread * Entries;
    CARROLL_UNROLL
    for (int p = 0; p < parts; ++p) CARROLL_UNROLL
    for (int v = 0; v < Entries; ++v) {
      int const j = whole * row_terms<T> + p * across + v;
      if (p * across + v < left) Problem::add_term(lanes[p][v], a.one(j), x.one(j));
    }
    return halved_lanes<Threads>(warp, lanes);
  }

  /// Rows r, r + 1, … of the tree.
  template <int Rows>
  KOKKOS_FORCEINLINE_FUNCTION static void add_rows(Sum (&lanes)[parts][Entries], Some const& a,
                                                   Some const& x, int r) {
    T entries[Rows][parts][Entries], factors[Rows][parts][Entries];
    CARROLL_UNROLL
    for (int k = 0; k < Rows; ++k) CARROLL_UNROLL
    for (int p = 0; p < parts; ++p) {
      int const j = (r + k) * row_terms<T> + p * across;
      a.load(entries[k][p], j);
      x.load(factors[k][p], j);
    }
    CARROLL_UNROLL
    for (int k = 0; k < Rows; ++k) CARROLL_UNROLL
    for (int p = 0; p < parts; ++p) CARROLL_UNROLL
    for (int v = 0; v < Entries; ++v)
      Problem::add_term(lanes[p][v], entries[k][p][v], factors[k][p][v]);
  }

  Problem problem_;
  MatrixVectorPlan plan_;
  MatrixVectorMemory<Sum> memory_;
};

}  // namespace carroll::detail
