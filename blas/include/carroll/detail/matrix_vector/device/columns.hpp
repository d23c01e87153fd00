// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/matrix_vector/device/block.hpp>
#include <carroll/detail/matrix_vector/dispatch.hpp>
#include <carroll/detail/matrix_vector/problem.hpp>
#include <carroll/detail/team.hpp>
#include <carroll/detail/unroll.hpp>
#include <carroll/occupancy/residency.hpp>
#include <cstddef>

namespace carroll::detail {

/// Rows that lie side by side, by teams of devices. A thread has a row and, of the lanes of the
/// tree, one class: every Classes-th lane, whose halving leaves one of the first Classes lanes. A
/// team has all classes of a block of rows, and goes through the chunks of a group; the class sums
/// of a chunk go through scratch, where one thread a row halves them, by turns, while the others go
/// on.
///
/// 2 flops a real product and 1 read of A, x from the cache: the time is that of memory.
/// Neighbouring threads read neighbouring rows, then the next terms: with 8 rows without gaps all
/// of a chunk is read in order. 64 bytes of A for each thread are on their way together.
template <class ExecSpace, class T, int Classes>
class ColumnsKernel {
  using Problem = MatrixVector<T>;
  using Sum = typename Problem::Sum;
  static constexpr int own = row_terms<T> / Classes;  ///< lanes of a class
  /// Rows of the tree.
  static constexpr int wanted = 64 / (own * int(sizeof(T)));
  static constexpr int at_once = wanted > 1 ? wanted : 1;

 public:
  using Policy = BoundedTeams<ExecSpace, 512, 2, most_lent_scratch>;

  static std::size_t scratch_bytes(MatrixVectorPlan const& plan) {
    return TeamBlock<T>::scratch_bytes(plan) + class_bytes(plan) + 16;
  }

  ColumnsKernel(Problem const& problem, MatrixVectorPlan const& plan,
                MatrixVectorMemory<Sum> const& memory)
      : problem_(problem), plan_(plan), memory_(memory) {}

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    TeamBlock<T> const block(team, problem_, plan_);
    auto* const classes =
        static_cast<Sum*>(team.team_scratch(0).get_shmem(std::size_t{class_bytes(plan_)}));
    int const side = plan_.threads / Classes;  // rows of neighbouring threads
    int const row = team.team_rank() % side, which = team.team_rank() / side;
    int const i = Kokkos::min(block.first_row + row, problem_.rows - 1);
    int const waiting = waiting_chunks(plan_);
    for (int first = 0; first < block.chunks; first += waiting) {
      int const count = Kokkos::min(waiting, block.chunks - first);
      if (first > 0) team.team_barrier();  // the ones before are read
      for (int c = 0; c < count; ++c)
        classes[(c * Classes + which) * side + row] =
            class_sum(block.member, i, block.first_chunk + first + c, which);
      team.team_barrier();
      for (int item = team.team_rank(); item < count * side; item += plan_.threads) {
        int const c = item / side, r = item % side;
        block.sum(r, first + c) = halved_classes(classes + c * Classes * side + r, side);
      }
    }
    block.finish(team, problem_, memory_);
  }

 private:
  /// Chunks whose class sums fit 16 KiB.
  KOKKOS_FUNCTION static int waiting_chunks(MatrixVectorPlan const& plan) {
    int const most = 16 * 1024 / (plan.threads * int(sizeof(Sum)));
    return most < plan.group_chunks ? most : plan.group_chunks;
  }
  KOKKOS_FUNCTION static std::size_t class_bytes(MatrixVectorPlan const& plan) {
    return std::size_t(waiting_chunks(plan)) * std::size_t(plan.threads) * sizeof(Sum);
  }

  /// Of a row, `step` apart.
  KOKKOS_FORCEINLINE_FUNCTION static Sum halved_classes(Sum const* of_row, int step) {
    constexpr int quarter = Classes / 4;
    Sum sums[quarter];
    CARROLL_UNROLL
    for (int q = 0; q < quarter; ++q) {
      sums[q] = of_row[q * step];
      sums[q].join(of_row[(q + 2 * quarter) * step]);
      Sum other = of_row[(q + quarter) * step];
      other.join(of_row[(q + 3 * quarter) * step]);
      sums[q].join(other);
    }
    return halved_sums(sums);
  }

  /// Of one chunk and one class.
  KOKKOS_FORCEINLINE_FUNCTION Sum class_sum(int member, int i, int chunk, int which) const {
    int const terms = problem_.terms_of(chunk), whole = terms / row_terms<T>;
    std::ptrdiff_t const first = std::ptrdiff_t{chunk} * chunk_terms + which;
    T const* const a = problem_.row(member, i) + first * problem_.term_stride;
    T const* const x = problem_.vector(member) + first * problem_.x_stride;
    Sum lanes[own];
    int r = 0;
    for (; r + at_once <= whole; r += at_once) add_rows<at_once>(lanes, a, x, r);
    for (; r < whole; ++r) add_rows<1>(lanes, a, x, r);
    int const left = terms - whole * row_terms<T> - which;
    CARROLL_UNROLL
    for (int t = 0; t < own; ++t) {
      std::ptrdiff_t const j = whole * row_terms<T> + t * Classes;
      if (t * Classes < left)
        Problem::add_term(lanes[t], a[j * problem_.term_stride], x[j * problem_.x_stride]);
    }
    return halved_sums(lanes);
  }

  /// Rows r, r + 1, … of the tree.
  template <int Rows>
  KOKKOS_FORCEINLINE_FUNCTION void add_rows(Sum (&lanes)[own], T const* a, T const* x,
                                            int r) const {
    T entries[Rows][own], factors[Rows][own];
    CARROLL_UNROLL
    for (int k = 0; k < Rows; ++k) CARROLL_UNROLL
    for (int t = 0; t < own; ++t) {
      std::ptrdiff_t const j = (r + k) * row_terms<T> + t * Classes;
      entries[k][t] = a[j * problem_.term_stride];
      factors[k][t] = x[j * problem_.x_stride];
    }
    CARROLL_UNROLL
    for (int k = 0; k < Rows; ++k) CARROLL_UNROLL
    for (int t = 0; t < own; ++t) Problem::add_term(lanes[t], entries[k][t], factors[k][t]);
  }

  Problem problem_;
  MatrixVectorPlan plan_;
  MatrixVectorMemory<Sum> memory_;
};

}  // namespace carroll::detail
