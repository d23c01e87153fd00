// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/integer_determinant.hpp>
#include <cstdint>
#include <random>

#include "support/guarded_view.hpp"
#include "support/host_matrix.hpp"

namespace carroll::test {

using IntegerMatrix = HostMatrix<std::int64_t>;

/// Entry (i, j) is f(i, j).
template <class F>
[[nodiscard]] IntegerMatrix make_integers(int n, F const& f) {
  IntegerMatrix A(n, n);
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) A(i, j) = static_cast<std::int64_t>(f(i, j));
  return A;
}

/// Uniform in the integers of so many bits, sign included.
[[nodiscard]] inline IntegerMatrix random_integers(int n, int bits, std::uint64_t seed) {
  std::mt19937_64 engine(seed);
  return make_integers(
      n, [&](int, int) { return static_cast<std::int64_t>(engine()) >> (64 - bits); });
}

/// carroll::integer_determinant of a host matrix, as entries of the given type and layout.
template <class Entry = std::int64_t, class Layout = Kokkos::LayoutRight>
[[nodiscard]] IntegerDeterminant run_integer_determinant(
    IntegerMatrix const& A, IntegerDeterminantOptions const& options = {}, Exec const& exec = {}) {
  HostMatrix<Entry> entries(A.rows, A.cols);
  for (std::size_t k = 0; k < A.data.size(); ++k) entries.data[k] = static_cast<Entry>(A.data[k]);
  auto const view = guarded_from<Entry, Layout>(entries);
  using ConstView = typename GuardedView<Entry, 2, Layout>::ViewType::const_type;
  return integer_determinant(exec, ConstView(view.view()), options);
}

}  // namespace carroll::test
