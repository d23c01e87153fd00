// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/distributed/block_layout.hpp>
#include <carroll/distributed/communicator.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

/// Tall matrices over ranks, and what their factors have to be.
#include "distributed/packed.hpp"
#include "support/copy.hpp"
#include "support/host_matrix.hpp"

namespace carroll::test::tall {

using distributed::BlockLayout;
using test::same_bits;
using Exec = Kokkos::DefaultExecutionSpace;
using Communicator = carroll::distributed::Communicator<Exec>;

inline Communicator world() {
  return Communicator::duplicate_from_raw(MPI_COMM_WORLD);
}

template <class Real, class Layout = Kokkos::LayoutLeft>
using Matrix = Kokkos::View<Real**, Layout, Exec>;
template <class Real>
using Vector = Kokkos::View<Real*, Exec>;

/// Entry (i, j) of a test matrix is a function of its place alone.
inline double noise(std::uint64_t i, std::uint64_t j) {
  std::uint64_t x = (i * 1000003 + j + 1) * 0x9e3779b97f4a7c15;
  x ^= x >> 31;
  x *= 0xbf58476d1ce4e5b9;
  x ^= x >> 29;
  return static_cast<double>(x >> 11) * 0x1p-52 - 1;
}

template <class Real, class Layout = Kokkos::LayoutLeft, class Entry>
Matrix<Real, Layout> rows_of(BlockLayout const& layout, int rank, std::int64_t cols,
                             Entry const& entry) {
  auto const rows = static_cast<std::size_t>(layout.count(rank));
  Matrix<Real, Layout> A("A", rows, static_cast<std::size_t>(cols));
  auto const host = Kokkos::create_mirror_view(A);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < host.extent(1); ++j)
      host(i, j) = static_cast<Real>(
          entry(layout.begin(rank) + static_cast<std::int64_t>(i), static_cast<std::int64_t>(j)));
  carroll::test::deep_copy(A, host);
  return A;
}

template <class View>
auto on_host(View const& view) {
  return carroll::test::packed_on_host(view);
}

/// Sums over the ranks: one message.
inline std::vector<double> sums_over(Communicator const& comm, std::vector<double> const& mine) {
  std::vector<double> all(mine.size() * static_cast<std::size_t>(comm.size())), sums(mine.size());
  MPI_Allgather(mine.data(), static_cast<int>(mine.size()), MPI_DOUBLE, all.data(),
                static_cast<int>(mine.size()), MPI_DOUBLE, comm.raw());
  for (std::size_t k = 0; k < all.size(); ++k) sums[k % sums.size()] += all[k];
  return sums;
}

/// max |XᵀX - I| over all ranks' rows.
template <class View>
double orthogonality(Communicator const& comm, View const& X) {
  auto const x = on_host(X);
  std::size_t const n = x.extent(1);
  std::vector<long double> wide(n * n);  // equal terms round alike
  for (std::size_t i = 0; i < x.extent(0); ++i)
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t k = 0; k <= j; ++k) wide[j * n + k] += double(x(i, j)) * double(x(i, k));
  auto const gram = sums_over(comm, {wide.begin(), wide.end()});
  double worst = 0;
  for (std::size_t j = 0; j < n; ++j)
    for (std::size_t k = 0; k <= j; ++k)
      worst = std::max(worst, std::abs(gram[j * n + k] - (j == k ? 1 : 0)));
  return worst;
}

/// max over columns of ‖X·M - A‖/‖A‖, in the columns of A.
template <class AView, class XView, class Product>
double column_residual(Communicator const& comm, AView const& A, XView const& X,
                       Product const& product) {
  auto const a = on_host(A);
  auto const x = on_host(X);
  std::size_t const n = a.extent(1);
  std::vector<double> sums(2 * n);
  for (std::size_t j = 0; j < n; ++j)
    for (std::size_t i = 0; i < a.extent(0); ++i) {
      double sum = 0;
      for (std::size_t k = 0; k < n; ++k) sum += double(x(i, k)) * product(k, j);
      sums[j] += (sum - double(a(i, j))) * (sum - double(a(i, j)));
      sums[n + j] += double(a(i, j)) * double(a(i, j));
    }
  sums = sums_over(comm, sums);
  double worst = 0;
  for (std::size_t j = 0; j < n; ++j)
    if (sums[n + j] > 0) worst = std::max(worst, std::sqrt(sums[j] / sums[n + j]));
  return worst;
}

template <class View>
std::vector<typename View::non_const_value_type> entries(View const& view) {
  auto const host = on_host(view);
  std::vector<typename View::non_const_value_type> all;
  for (std::size_t i = 0; i < host.extent(0); ++i)
    if constexpr (int(View::rank) == 2)
      for (std::size_t j = 0; j < host.extent(1); ++j) all.push_back(host(i, j));
    else
      all.push_back(host(i));
  return all;
}

template <class Real>
constexpr double eps = std::numeric_limits<Real>::epsilon();

}  // namespace carroll::test::tall
