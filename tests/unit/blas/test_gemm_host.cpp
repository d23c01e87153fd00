// SPDX-License-Identifier: BSD-3-Clause
// A host's products: the same bits for every number of threads, and for every way in which C lies.
#include <gtest/gtest.h>

#include <carroll/detail/matrix_product/host/packed.hpp>
#include <cstddef>
#include <vector>

#include "support/guarded_view.hpp"
#include "support/random.hpp"

namespace {

using carroll::detail::HostProductKernel;
using carroll::detail::MatrixProduct;
using Host = Kokkos::DefaultHostExecutionSpace;

template <class T>
class HostGemmTest : public ::testing::Test {};
using HostScalars = ::testing::Types<float, double, Kokkos::complex<double>>;
TYPED_TEST_SUITE(HostGemmTest, HostScalars);

template <class T>
std::vector<T> product(int m, int n, int k, int workers, bool by_rows) {
  carroll::test::Random random(1);
  auto const random_matrix = [&](int rows, int cols) {
    std::vector<T> x(carroll::test::size(rows * cols));
    for (T& entry : x) entry = T(static_cast<carroll::detail::RealOf<T>>(random.symmetric()));
    return x;
  };
  std::vector<T> const a = random_matrix(m, k), b = random_matrix(k, n);
  std::vector<T> c = random_matrix(m, n), result(c.size());
  MatrixProduct<T> p;
  p.m = m;
  p.n = n;
  p.k = k;
  p.batch = 1;
  p.alpha = T(0.7F);
  p.beta = T(0.3F);
  p.a = {a.data(), 0, 1, m};
  p.b = {b.data(), 0, 1, k};
  std::vector<T> lying(c.size());
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < m; ++i)
      lying[carroll::test::size(by_rows ? i * n + j : i + j * m)] =
          c[carroll::test::size(i + j * m)];
  p.c = {lying.data(), 0, by_rows ? n : 1, by_rows ? 1 : m};
  using Kernel = HostProductKernel<Host, T>;
  Kokkos::View<Kokkos::complex<double>*, Kokkos::HostSpace> const memory(
      "carroll_test::packed",
      std::size_t(workers) * std::size_t(Kernel::bytes_per_worker(m, n, k)) / 16 + 8);
  auto const address = reinterpret_cast<std::uintptr_t>(memory.data());
  Kernel const kernel(p, workers, reinterpret_cast<std::byte*>((address + 127) / 128 * 128));
  for (int worker = kernel.workers() - 1; worker >= 0; --worker) kernel(worker);
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < m; ++i)
      result[carroll::test::size(i + j * m)] =
          lying[carroll::test::size(by_rows ? i * n + j : i + j * m)];
  return result;
}

TYPED_TEST(HostGemmTest, HasTheSameBitsForEveryNumberOfThreads) {
  using T = TypeParam;
  struct Extents {
    int m, n, k;
  };
  for (auto const& [m, n, k] :
       {Extents{300, 40, 50}, {257, 301, 129}, {64, 600, 500}, {5, 9, 800}}) {
    auto const one = product<T>(m, n, k, 1, false);
    for (int workers : {2, 3, 5, 16})
      EXPECT_EQ(one, product<T>(m, n, k, workers, false)) << workers;
    EXPECT_EQ(one, product<T>(m, n, k, 2, true));
  }
}

}  // namespace
