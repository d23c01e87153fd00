// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/matrix_vector/problem.hpp>
#include <carroll/detail/reduction/pair_tree.hpp>
#include <carroll/detail/reduction/thread/device_chunk.hpp>
#include <cstdint>

namespace carroll::detail {

/// A thread an entry of y, for devices without a backend of their own. Right, and slow.
template <class ExecSpace, class T>
class ThreadMatrixVectorKernel {
  using Problem = MatrixVector<T>;

 public:
  using Policy = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>;

  explicit ThreadMatrixVectorKernel(Problem const& problem) : problem_(problem) {}

  KOKKOS_FUNCTION void operator()(std::int64_t item) const {
    auto const member = static_cast<int>(item / problem_.rows);
    auto const i = static_cast<int>(item % problem_.rows);
    PairTree<typename Problem::Sum> tree;
    for (int chunk = 0; chunk < problem_.chunks(); ++chunk) {
      std::ptrdiff_t const begin = std::ptrdiff_t{chunk} * chunk_terms;
      tree.add(ThreadChunk<typename Problem::Op>::sum(
          problem_.row(member, i) + begin * problem_.term_stride, problem_.term_stride,
          problem_.vector(member) + begin * problem_.x_stride, problem_.x_stride,
          problem_.terms_of(chunk)));
    }
    problem_.store(member, i, tree.total());
  }

 private:
  Problem problem_;
};

}  // namespace carroll::detail
