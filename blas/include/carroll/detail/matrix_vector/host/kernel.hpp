// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/signals.hpp>
#include <carroll/detail/matrix_vector/device/block.hpp>
#include <carroll/detail/matrix_vector/dispatch.hpp>
#include <carroll/detail/matrix_vector/host/columns.hpp>
#include <carroll/detail/matrix_vector/host/short_rows.hpp>
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
  static constexpr int most_rows = host_block_bytes / int(sizeof(Sum));

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

  struct Storing {
    HostMatrixVectorKernel const& kernel;
    Task const& task;
    Sum const* sums;
    template <int Bytes>
    void run() const {
      by_itself<Bytes>([this] { kernel.template store_rows<Bytes>(task, sums); });
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
    choose_host_vectors(Storing{*this, task, sums});
  }

  template <int Bytes>
  void group_sums(Task const& task, Sum* sums) const {
    if constexpr (!is_complex<T>)
      if (problem_.terms <= row_terms<T> && problem_.term_stride == 1)
        return HostShortRows<T, Bytes>(problem_, task.member, task.first_row).sum(task.rows, sums);
    if (plan_.kernel == GemvKernel::host_columns)
      return HostColumns<T, Bytes>(problem_, task.member, task.first_row, task.rows)
          .sum(task.first_chunk, task.chunks, sums);
    // A row in order or, if x has to be copied, a chunk of it for all rows.
    int const end = task.first_chunk + task.chunks;
    PairTree<Sum> trees[16];
    if (problem_.x_stride == 1)
      for (int r = 0; r < task.rows; ++r)
        for (int chunk = task.first_chunk; chunk < end; ++chunk)
          trees[r].add(chunk_sum<Bytes>(
              task, r, chunk, problem_.vector(task.member) + std::ptrdiff_t{chunk} * chunk_terms));
    else
      for (int chunk = task.first_chunk; chunk < end; ++chunk) {
        EntriesSideBySide<T> const x(problem_.vector(task.member), problem_.x_stride,
                                     std::int64_t{chunk} * chunk_terms, problem_.terms_of(chunk));
        for (int r = 0; r < task.rows; ++r)
          trees[r].add(chunk_sum<Bytes>(task, r, chunk, x.data()));
      }
    for (int r = 0; r < task.rows; ++r) sums[r] = trees[r].total();
  }
  template <int Bytes>
  Sum chunk_sum(Task const& task, int r, int chunk, T const* x) const {
    int const terms = problem_.terms_of(chunk);
    EntriesSideBySide<T> const a(problem_.row(task.member, task.first_row + r),
                                 problem_.term_stride, std::int64_t{chunk} * chunk_terms, terms);
    return HostChunk<Op, Bytes>::sum(a.data(), x, terms);
  }

  /// y's entries from sums that are there: real ones side by side in registers.
  template <int Bytes>
  void store_rows(Task const& task, Sum const* sums) const {
    int r = 0;
    if constexpr (!is_complex<T>) {
      using P = Pack<T, Bytes>;
      static_assert(sizeof(Sum) == sizeof(T));
      P const nan(Kokkos::Experimental::quiet_NaN_v<T>), zero(T(0));
      auto const one_nan = [&](P const& x) { return select(x <= x, x, nan); };
      T* const y = problem_.y + task.member * problem_.y_distance + task.first_row;
      if (problem_.y_stride == 1 && !problem_.sums)
        for (; r + P::width <= task.rows; r += P::width) {
          P value = one_nan(P::load(reinterpret_cast<T const*>(sums + r))) + zero;
          value = rounded_product(P(problem_.alpha), value);
          value =
              value +
              (problem_.beta == T(0) ? zero : rounded_product(P(problem_.beta), P::load(y + r)));
          store(y + r, one_nan(value));
        }
    }
    for (; r < task.rows; ++r) problem_.store(task.member, task.first_row + r, sums[r]);
  }

  Problem problem_;
  MatrixVectorPlan plan_;
  MatrixVectorMemory<Sum> memory_;
};

}  // namespace carroll::detail
