// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>
#include <vector>

#include "support/guarded_view.hpp"
#include "support/host_matrix.hpp"

/// Orthogonal matrices of any order whose determinants' signs are known.
namespace carroll::test {

/// The discrete Hartley transform, which is symmetric and orthogonal: its eigenvalues are ±1, and
/// its trace tells how many are -1 (Bracewell, The Hartley Transform, 1986).
template <class T>
HostMatrix<T> hartley(int n) {
  HostMatrix<T> A(n, n);
  std::vector<T> cas(n);
  for (int k = 0; k < n; ++k) {
    double const angle = 2 * std::numbers::pi * k / n;
    cas[k] = static_cast<T>((std::cos(angle) + std::sin(angle)) / std::sqrt(double(n)));
  }
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i)
      A(i, j) = cas[static_cast<std::size_t>(static_cast<long long>(i) * j % n)];
  return A;
}
template <class T>
int sign_of_hartley(HostMatrix<T> const& A, int n) {
  double trace = 0;
  for (int i = 0; i < n; ++i) trace += A(i, i);
  return std::lround((n - trace) / 2) % 2 == 0 ? 1 : -1;
}

/// The discrete Hartley transform, with row i multiplied by 2^exponent(i).
template <class T>
struct ScaledHartley {
  Kokkos::View<T**, Kokkos::LayoutRight, Exec> A;
  Kokkos::View<T const*, Exec> cas;  ///< of multiples of 2π/n, divided by √n

  KOKKOS_FUNCTION static int exponent(std::int64_t i) { return static_cast<int>(i * 37 % 41 - 20); }
  KOKKOS_FUNCTION void operator()(int i, int j) const {
    std::int64_t const n = static_cast<std::int64_t>(A.extent(0));
    A(i, j) = cas(i * std::int64_t{j} % n) * Kokkos::exp2(T(exponent(i)));
  }
};

}  // namespace carroll::test
