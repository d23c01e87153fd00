// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>

namespace carroll::detail {

/// A step of the third strategy of a sum: workers `distance` apart exchange their sums and both add
/// them, so that in the end every worker has the sum of all.
///
/// log₂P steps, a launch each, P additions in each; the time is that of the second strategy, if
/// messages both ways take no longer than one. What is read and what is written are apart.
template <class ExecSpace, class T>
class TreeToAllStepKernel {
 public:
  using Policy = Kokkos::RangePolicy<ExecSpace>;

  TreeToAllStepKernel(T const* sums, T* next, int distance)
      : sums_(sums), next_(next), distance_(distance) {}

  KOKKOS_FUNCTION void operator()(int worker) const {
    next_[worker] = sums_[worker] + sums_[worker ^ distance_];
  }

 private:
  T const* sums_;
  T* next_;
  int distance_;
};

}  // namespace carroll::detail
