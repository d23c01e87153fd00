// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/reduction/types.hpp>
#include <cstddef>
#include <cstdint>

namespace carroll::detail {

/// A batch of vectors to reduce, or of pairs of them, and where the results go.
template <class T, class Value>
struct ReductionBatch {
  T const* x = nullptr;
  T const* y = nullptr;
  std::ptrdiff_t x_stride = 1, y_stride = 1;      ///< from entry to entry
  std::ptrdiff_t x_distance = 0, y_distance = 0;  ///< from vector to vector
  std::int64_t length = 0, members = 1;
  bool conjugate = false;  ///< x, in a product

  ReductionInfo<Value>* infos = nullptr;
  /// In place of the infos: what each member has before it is rounded, an Operation's Partial or
  /// digits of ExactTerms; else null.
  void* sums = nullptr;
  std::ptrdiff_t info_stride = 1;
  /// Where the host waits for this number, once the info of a batch of one is there; else null.
  std::uint64_t* stamp = nullptr;
  std::uint64_t call = 0;
};

/// What the kernels of a call share, made once.
struct ReductionMemory {
  void* partials = nullptr;        ///< sums of groups
  int* arrived = nullptr;          ///< groups that have come, of each vector; 0 between calls
  std::int64_t* digits = nullptr;  ///< of exact sums; 0 between calls
  void* infos = nullptr;           ///< of calls with many vectors, for the host
};

}  // namespace carroll::detail
