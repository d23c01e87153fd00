// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/random.hpp>
#include <cstddef>
#include <cstdint>

namespace carroll::detail {

/// Where factors begin: normal numbers by (seed, stream, row, factor); with means, these as the
/// first factor.
template <class ExecSpace, class Real>
struct FactorStartKernel {
  using Policy = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>;
  Real* x;
  std::ptrdiff_t pitch;
  int factors;
  Real scale;
  std::uint64_t seed;
  std::uint32_t stream;
  Real const* means;

  KOKKOS_FUNCTION void operator()(std::int64_t entry) const {
    std::int64_t const row = entry / factors;
    int const i = static_cast<int>(entry % factors);
    x[row * pitch + i] =
        i == 0 && means ? means[row]
                        : scale * random_normal<Real>(seed, stream,
                                                      (static_cast<std::uint64_t>(row) << 32U) |
                                                          static_cast<std::uint32_t>(i));
  }
};

template <class ExecSpace, class Real>
void enqueue_start(ExecSpace const& exec, FactorStartKernel<ExecSpace, Real> const& kernel,
                   std::int64_t rows) {
  if (rows > 0 && kernel.factors > 0)
    Kokkos::parallel_for(
        "carroll::row_equations::start",
        typename FactorStartKernel<ExecSpace, Real>::Policy(exec, 0, rows * kernel.factors),
        kernel);
}

/// Every entry := value.
template <class ExecSpace, class Real>
struct FillKernel {
  using Policy = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>;
  Real* x;
  std::ptrdiff_t pitch;
  std::int64_t columns;
  Real value;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    x[i / columns * pitch + i % columns] = value;
  }
};

template <class ExecSpace, class Real>
void enqueue_fill(ExecSpace const& exec, Real* x, std::ptrdiff_t pitch, std::int64_t rows,
                  std::int64_t columns, Real value) {
  using Kernel = FillKernel<ExecSpace, Real>;
  if (rows > 0 && columns > 0)
    Kokkos::parallel_for("carroll::row_equations::fill",
                         typename Kernel::Policy(exec, 0, rows * columns),
                         Kernel{x, pitch, columns, value});
}

/// sums[first + j] := scale·Σ a(i, j)·b(i, j), of two k×k matrices.
template <class ExecSpace, class Real>
struct GramInnerProducts {
  using Policy = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<int>>;
  Real const *a, *b;
  int k;
  double scale;
  double* sums;
  KOKKOS_FUNCTION void operator()(int j) const {
    double sum = 0;
    for (int i = 0; i < k; ++i) {
      std::ptrdiff_t const at = static_cast<std::ptrdiff_t>(i) * k + j;
      sum += static_cast<double>(a[at]) * static_cast<double>(b[at]);
    }
    sums[j] = scale * sum;
  }
};

}  // namespace carroll::detail
