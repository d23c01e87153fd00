// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/detail/device/vendor/dense_library.hpp>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>
#include <vector>

#include "support/random.hpp"

/// A library of eigenvectors and products for tests on a host, which can be told to do badly.
namespace carroll::test {

/// What the library is to do wrong, and what it was asked.
struct Script {
  int calls = 0;
  int complaint = 0;
  double error = 0;  ///< of the entries of eigenvectors, which stay orthonormal to first order
  bool dependent = false;  ///< two eigenvectors are the same
};
inline Script script;

/// The interface of carroll::detail::DenseLibrary, by two-sided Jacobi and loops.
class ScriptedLibrary {
 public:
  using execution_space = Kokkos::DefaultHostExecutionSpace;
  using Exec = execution_space;
  explicit ScriptedLibrary(Exec const&) {}

  [[nodiscard]] detail::LibraryBytes eigenvector_bytes(int n) const {
    return {static_cast<std::size_t>(100 * n), static_cast<std::size_t>(n)};
  }
  void product(Exec const& exec, int n, double const* A, double const* B, double beta,
               double* C) const {
    exec.fence();
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i) {
        double sum = 0;
        for (int k = 0; k < n; ++k) sum += A[i + k * n] * B[k + j * n];
        C[i + j * n] = beta == 0 ? sum : sum + beta * C[i + j * n];
      }
  }
  void gram(Exec const& exec, int n, double const* A, double* C) const {
    exec.fence();
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i) {
        double sum = 0;
        for (int k = 0; k < n; ++k) sum += A[k + i * n] * A[k + j * n];
        C[i + j * n] = i <= j ? sum : std::numeric_limits<double>::quiet_NaN();
      }
  }
  void eigenvectors(Exec const& exec, int n, double* A, double* W, int* info,
                    detail::LibraryBuffers const& lent) const {
    exec.fence();
    ++script.calls;
    EXPECT_EQ(lent.bytes.device, eigenvector_bytes(n).device);
    std::memset(lent.device, 0xff, lent.bytes.device);
    std::memset(lent.host, 0xff, lent.bytes.host);
    *info = script.complaint;
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < j; ++i) A[j + i * n] = A[i + j * n];
    std::vector<double> V = decompose(n, A);
    for (int j = 0; j < n; ++j) W[j] = A[j + j * n];
    Random random(5);
    if (script.error > 0)
      for (int j = 0; j < n; ++j)
        for (int i = 0; i < j; ++i) turn(n, V, i, j, script.error * random.symmetric());
    if (script.dependent) std::copy_n(V.begin(), n, V.begin() + n);
    std::copy(V.begin(), V.end(), A);
  }

 private:
  static void turn(int n, std::vector<double>& V, int p, int q, double angle) {
    double const c = std::cos(angle), s = std::sin(angle);
    for (int i = 0; i < n; ++i) {
      double& x = V[static_cast<std::size_t>(i + p * n)];
      double& y = V[static_cast<std::size_t>(i + q * n)];
      double const old = x;
      x = c * x - s * y;
      y = s * old + c * y;
    }
  }
  /// Cyclic Jacobi; A becomes diagonal.
  static std::vector<double> decompose(int n, double* A) {
    std::vector<double> V(static_cast<std::size_t>(n) * static_cast<std::size_t>(n), 0.0);
    for (int i = 0; i < n; ++i) V[static_cast<std::size_t>(i + i * n)] = 1;
    for (int sweep = 0; sweep < 12; ++sweep)
      for (int q = 1; q < n; ++q)
        for (int p = 0; p < q; ++p) {
          double const off = A[q + p * n];
          if (off == 0) continue;
          double const angle = std::atan2(2 * off, A[q + q * n] - A[p + p * n]) / 2;
          double const c = std::cos(angle), s = std::sin(angle);
          for (int i = 0; i < n; ++i) {
            double const x = A[i + p * n], y = A[i + q * n];
            A[i + p * n] = c * x - s * y;
            A[i + q * n] = s * x + c * y;
          }
          for (int i = 0; i < n; ++i) {
            double const x = A[p + i * n], y = A[q + i * n];
            A[p + i * n] = c * x - s * y;
            A[q + i * n] = s * x + c * y;
          }
          turn(n, V, p, q, angle);
        }
    return V;
  }
};

}  // namespace carroll::test
