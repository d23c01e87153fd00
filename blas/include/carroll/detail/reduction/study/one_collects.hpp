// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>

namespace carroll::detail {

/// The first strategy of a sum: one worker collects the parts of all others, one after the other.
///
/// P - 1 steps of a read and an addition, in one launch of one thread.
template <class ExecSpace, class T>
class OneCollectsKernel {
 public:
  using Policy = Kokkos::RangePolicy<ExecSpace>;

  OneCollectsKernel(T* parts, int workers) : parts_(parts), workers_(workers) {}

  KOKKOS_FUNCTION void operator()(int) const {
    T sum = parts_[0];
    for (int worker = 1; worker < workers_; ++worker) sum += parts_[worker];
    parts_[0] = sum;
  }

 private:
  T* parts_;
  int workers_;
};

}  // namespace carroll::detail
