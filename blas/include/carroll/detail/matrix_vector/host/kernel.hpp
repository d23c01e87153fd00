// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/signals.hpp>
#include <carroll/detail/matrix_vector/device/block.hpp>
#include <carroll/detail/matrix_vector/dispatch.hpp>
#include <carroll/detail/matrix_vector/host/columns.hpp>
#include <carroll/detail/matrix_vector/problem.hpp>
#include <carroll/detail/reduction/pair_tree.hpp>
#include <carroll/detail/reduction/thread/host_chunk.hpp>
#include <carroll/detail/reduction/thread/side_by_side.hpp>
#include <carroll/detail/simd/choice.hpp>
#include <cstddef>
#include <cstdint>

namespace carroll::detail {

/// A host's product of a matrix and a vector: a thread for each block of rows and group of chunks;
/// who comes last of a block adds what its groups have. 2 flops a real product and 1 read of A, in
/// vector registers.
template <class ExecSpace, class T>
class HostMatrixVectorKernel {
  using Problem = MatrixVector<T>;
  using Op = typename Problem::Op;
  using Sum = typename Problem::Sum;

 public:
  using Policy = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>;

  HostMatrixVectorKernel(Problem const& problem, MatrixVectorPlan const& plan,
                         MatrixVectorMemory<Sum> const& memory)
      : problem_(problem), plan_(plan), memory_(memory) {}

  KOKKOS_FUNCTION void operator()(std::int64_t task) const {
    KOKKOS_IF_ON_HOST((run_task(task);))
    KOKKOS_IF_ON_DEVICE((static_cast<void>(task);))
  }

 private:
  static constexpr int most_rows = 256;

  struct Task {
    int member, block, group;
    int first_row, rows;  ///< that exist
    int first_chunk, chunks;
  };

  struct Body {
    HostMatrixVectorKernel const& kernel;
    Task const& task;
    Sum* sums;
    template <int Bytes>
    void run() const {
      by_itself<Bytes>([this] { kernel.template group_sums<Bytes>(task, sums); });
    }
  };

  void run_task(std::int64_t number) const {
    Task task;
    task.block = static_cast<int>(number % plan_.blocks);
    task.group = static_cast<int>(number / plan_.blocks % plan_.groups);
    task.member = static_cast<int>(number / plan_.blocks / plan_.groups);
    task.first_row = task.block * plan_.block_rows;
    task.rows = Kokkos::min(plan_.block_rows, problem_.rows - task.first_row);
    task.first_chunk = task.group * plan_.group_chunks;
    task.chunks = Kokkos::min(plan_.group_chunks, problem_.chunks() - task.first_chunk);

    alignas(64) Sum sums[most_rows];
    choose_host_vectors(Body{*this, task, sums});
    if (plan_.groups > 1) {
      std::int64_t const of_member = std::int64_t{task.member} * plan_.groups;
      Sum* const partials = memory_.partials + of_member * problem_.rows + task.first_row;
      for (int r = 0; r < task.rows; ++r)
        partials[std::int64_t{task.group} * problem_.rows + r] = sums[r];
      if (!is_last_arriver(memory_.arrived + std::int64_t{task.member} * plan_.blocks + task.block,
                           plan_.groups))
        return;
      for (int r = 0; r < task.rows; ++r) {
        PairTree<Sum> tree;
        for (int g = 0; g < plan_.groups; ++g)
          tree.add(partials[std::int64_t{g} * problem_.rows + r]);
        sums[r] = tree.total();
      }
    }
    for (int r = 0; r < task.rows; ++r) problem_.store(task.member, task.first_row + r, sums[r]);
  }

  template <int Bytes>
  void group_sums(Task const& task, Sum* sums) const {
    if (plan_.kernel == GemvKernel::host_columns)
      return HostColumns<T, Bytes>(problem_, task.member, task.first_row, task.rows)
          .sum(task.first_chunk, task.chunks, sums);
    PairTree<Sum> trees[16];
    for (int chunk = task.first_chunk; chunk < task.first_chunk + task.chunks; ++chunk) {
      int const terms = problem_.terms_of(chunk);
      std::int64_t const begin = std::int64_t{chunk} * chunk_terms;
      EntriesSideBySide<T> const x(problem_.vector(task.member), problem_.x_stride, begin, terms);
      for (int r = 0; r < task.rows; ++r) {
        EntriesSideBySide<T> const a(problem_.row(task.member, task.first_row + r),
                                     problem_.term_stride, begin, terms);
        Sum const sum = HostChunk<Op, Bytes>::sum(a.data(), x.data(), terms);
        if (task.chunks == 1)
          sums[r] = sum;
        else
          trees[r].add(sum);
      }
    }
    if (task.chunks > 1)
      for (int r = 0; r < task.rows; ++r) sums[r] = trees[r].total();
  }

  Problem problem_;
  MatrixVectorPlan plan_;
  MatrixVectorMemory<Sum> memory_;
};

}  // namespace carroll::detail
