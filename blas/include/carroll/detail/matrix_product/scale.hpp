// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/matrix_product/problem.hpp>
#include <cstdint>

namespace carroll::detail {

/// C := beta·C, what a product without terms leaves: a thread per entry. With beta = 0, C is not
/// read.
template <class ExecSpace, class T>
class ScaleKernel {
 public:
  using Policy = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>;

  explicit ScaleKernel(MatrixProduct<T> const& product) : product_(product) {}
  [[nodiscard]] std::int64_t items() const {
    return std::int64_t{product_.m} * product_.n * product_.batch;
  }

  KOKKOS_FUNCTION void operator()(std::int64_t item) const {
    std::int64_t const column = item / product_.m;
    T& entry = product_.c[static_cast<int>(column / product_.n)](
        static_cast<int>(item % product_.m), static_cast<int>(column % product_.n));
    entry = product_.beta == T(0) ? T(0) : product_.beta * entry;
  }

 private:
  MatrixProduct<T> product_;
};

}  // namespace carroll::detail
