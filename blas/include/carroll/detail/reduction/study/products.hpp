// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/reduction/study/vector.hpp>
#include <cstdint>

namespace carroll::detail {

/// The first strategy of an inner product (seeds/numerical-methods-course, section 4.8): a thread
/// for each product, which goes to memory. The host fetches all of them and adds them up.
///
/// N multiplications, 2N numbers read, N written; then N go to the host, and N - 1 additions there.
template <class ExecSpace, class T>
class ProductsKernel {
 public:
  using Policy = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>;

  ProductsKernel(StudyVector<T> const& x, StudyVector<T> const& y, T* products)
      : x_(x), y_(y), products_(products) {}

  KOKKOS_FUNCTION void operator()(std::int64_t i) const { products_[i] = x_[i] * y_[i]; }

 private:
  StudyVector<T> x_, y_;
  T* products_;
};

}  // namespace carroll::detail
