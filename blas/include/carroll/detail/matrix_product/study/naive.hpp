// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/matrix_product/problem.hpp>
#include <cstdint>

namespace carroll::detail {

/// The first kernel of a course on GPU programming (seeds/cuda-matrix-product), which `tiled` is
/// better than: a thread per entry of C adds up its row of A times its column of B.
///
/// 2mnk flops and as many reads from memory, of which caches hold what neighbours share.
template <class ExecSpace, class T>
class NaiveProductKernel {
 public:
  using Policy = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>;

  explicit NaiveProductKernel(MatrixProduct<T> const& product) : product_(product) {}
  [[nodiscard]] std::int64_t items() const {
    return std::int64_t{product_.m} * product_.n * product_.batch;
  }

  KOKKOS_FUNCTION void operator()(std::int64_t item) const {
    std::int64_t const column = item / product_.m;
    int const i = static_cast<int>(item % product_.m), j = static_cast<int>(column % product_.n);
    int const member = static_cast<int>(column / product_.n);
    StridedMatrix<T const> const a = product_.a[member], b = product_.b[member];
    bool const conjugate = product_.conjugate_factor();
    T sum{};
    for (int p = 0; p < product_.k; ++p)
      sum = plus_product(a(i, p), conjugate_if(conjugate, b(p, j)), sum);
    product_.store(product_.c[member], i, j, sum);
  }

 private:
  MatrixProduct<T> product_;
};

}  // namespace carroll::detail
