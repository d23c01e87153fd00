// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/distributed/determinant.hpp>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "support/copy.hpp"
#include "support/random.hpp"

/// Determinants of matrices that all ranks know, each of which takes its rows.
namespace carroll::test::shared_rows {

using distributed::CyclicLayout;
using distributed::DeterminantEngine;
using Exec = Kokkos::DefaultExecutionSpace;
using Comm = distributed::Communicator<Exec>;
constexpr bool on_host = carroll::detail::lanes<Exec> == 1;
/// A multiple of all engines' panels.
constexpr std::int64_t some_rows = on_host ? 128 : 256;

template <class T>
using Host = Kokkos::View<T**, Kokkos::LayoutRight, Kokkos::HostSpace>;

inline Comm world() {
  return Comm::duplicate_from_raw(MPI_COMM_WORLD);
}

template <class T>
Host<T> random_matrix(std::int64_t n, std::uint64_t seed) {
  using Real = carroll::detail::RealOf<T>;
  Host<T> const A("A", n, n);
  carroll::test::Random random(seed);
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j < n; ++j) {
      auto const one = [&] { return static_cast<Real>(random.normal()); };
      if constexpr (carroll::detail::is_complex<T>) {
        Real const re = one();
        A(i, j) = T(re, one());
      } else {
        A(i, j) = one();
      }
    }
  return A;
}

/// A rank's rows, in memory of its device, rows `more` entries longer than they have to be.
template <class T, class Layout>
auto rows_of(Host<T> const& A, CyclicLayout const& layout, int rank, int more = 0) {
  auto const m = static_cast<std::size_t>(layout.rows(rank)), n = A.extent(1);
  Kokkos::View<T**, Layout, Exec> const padded("rows", m + static_cast<std::size_t>(more),
                                               n + static_cast<std::size_t>(more));
  auto const host = Kokkos::create_mirror_view(padded);
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < n; ++j)
      host(i, j) = A(layout.global_row(rank, static_cast<std::int64_t>(i)), j);
  carroll::test::deep_copy(padded, host);
  return Kokkos::subview(padded, std::pair<std::size_t, std::size_t>(0, m),
                         std::pair<std::size_t, std::size_t>(0, n));
}

template <class T, class Layout = Kokkos::LayoutRight>
auto determinant(Comm const& comm, Host<T> const& A, std::int64_t block, DeterminantEngine engine,
                 int more = 0) {
  auto const layout =
      distributed::cyclic_layout(static_cast<std::int64_t>(A.extent(0)), block, comm.size());
  auto const rows = rows_of<T, Layout>(A, layout, comm.rank(), more);
  return distributed::determinant(comm, rows, layout, {engine});
}

}  // namespace carroll::test::shared_rows
