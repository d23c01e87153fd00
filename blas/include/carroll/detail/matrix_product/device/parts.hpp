// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/matrix_product/problem.hpp>
#include <cstddef>
#include <cstdint>

namespace carroll::detail {

/// The sums of parts, added in ascending order: a thread per entry of C.
template <class ExecSpace, class T>
class PartsKernel {
 public:
  using Policy = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>;

  PartsKernel(MatrixProduct<T> const& product, TermParts<T> const& parts)
      : product_(product), parts_(parts) {}
  [[nodiscard]] std::int64_t items() const {
    return std::int64_t{product_.m} * product_.n * product_.batch;
  }

  KOKKOS_FUNCTION void operator()(std::int64_t item) const {
    std::int64_t const distance = items_of_part();
    T sum = parts_.partial[item];
    for (int part = 1; part < parts_.parts; ++part) sum += parts_.partial[part * distance + item];
    std::int64_t const column = item / product_.m;
    product_.store(product_.c[static_cast<int>(column / product_.n)],
                   static_cast<int>(item % product_.m), static_cast<int>(column % product_.n), sum);
  }

 private:
  KOKKOS_FUNCTION std::int64_t items_of_part() const {
    return std::int64_t{product_.m} * product_.n * product_.batch;
  }

  MatrixProduct<T> product_;
  TermParts<T> parts_;
};

}  // namespace carroll::detail
