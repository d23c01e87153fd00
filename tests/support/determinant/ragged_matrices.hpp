// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <carroll/determinant_ragged.hpp>
#include <cstdint>
#include <utility>
#include <vector>

#include "determinant_instances.hpp"
#include "support/determinant/drivers.hpp"

namespace carroll::test {

/// Matrices of different orders in one guarded View, each row by row, with a gap after each.
template <class T>
struct RaggedMatrices {
  std::vector<HostMatrix<T>> matrices;
  std::vector<DeterminantMember> members;
  GuardedView<T, 1, Kokkos::LayoutRight> A;

  static constexpr std::int64_t gap = 3;

  explicit RaggedMatrices(std::vector<HostMatrix<T>> of)
      : matrices(std::move(of)), members(members_of(matrices)), A({size_of(matrices)}) {
    restore();
  }
  /// Random matrices of these orders.
  RaggedMatrices(std::vector<int> const& orders, std::uint64_t seed)
      : RaggedMatrices(random(orders, seed)) {}

  /// All matrices into A.
  void restore() {
    for_each_entry([&](auto index, T const& entry) { A(index) = entry; });
    A.to_device();
  }

  /// f(where it is in A, entry) for all entries of all matrices.
  template <class F>
  void for_each_entry(F const& f) const {
    for (std::size_t b = 0; b < matrices.size(); ++b) {
      HostMatrix<T> const& M = matrices[b];
      for (int i = 0; i < M.rows; ++i)
        for (int j = 0; j < M.cols; ++j)
          f(std::array{static_cast<std::size_t>(members[b].a + std::int64_t{i} * M.cols + j)},
            M(i, j));
    }
  }

 private:
  static std::vector<DeterminantMember> members_of(std::vector<HostMatrix<T>> const& matrices) {
    std::vector<DeterminantMember> members;
    std::int64_t first = 0;
    for (HostMatrix<T> const& M : matrices) {
      members.push_back({M.rows, first});
      first += std::int64_t{M.rows} * M.cols + gap;
    }
    return members;
  }
  static std::size_t size_of(std::vector<HostMatrix<T>> const& matrices) {
    std::size_t size = 0;
    for (HostMatrix<T> const& M : matrices)
      size += static_cast<std::size_t>(std::int64_t{M.rows} * M.cols + gap);
    return size;
  }
  static std::vector<HostMatrix<T>> random(std::vector<int> const& orders, std::uint64_t seed) {
    std::vector<HostMatrix<T>> matrices;
    for (int const n : orders) matrices.push_back(random_square<T>(n, seed++));
    return matrices;
  }
};

}  // namespace carroll::test
