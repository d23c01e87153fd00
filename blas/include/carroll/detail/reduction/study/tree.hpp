// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>

namespace carroll::detail {

/// A step of the second strategy of a sum: of every 2·distance workers the first adds to its sum
/// that of the worker `distance` further on; the others rest.
///
/// log₂P steps, a launch each: half as many additions in each as in the one before, P - 1 in all.
template <class ExecSpace, class T>
class TreeStepKernel {
 public:
  using Policy = Kokkos::RangePolicy<ExecSpace>;

  TreeStepKernel(T* sums, int distance) : sums_(sums), distance_(distance) {}

  KOKKOS_FUNCTION void operator()(int worker) const {
    if (worker % (2 * distance_) == 0) sums_[worker] += sums_[worker + distance_];
  }

 private:
  T* sums_;
  int distance_;
};

}  // namespace carroll::detail
