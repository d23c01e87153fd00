// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/certified_determinant/factor.hpp>
#include <carroll/detail/certified_determinant/problem.hpp>

namespace carroll::detail {

/// The two products of split.hpp by one team, three products of matrices in one pass each: a row of
/// the results at a time, the sums in registers. `Second`: W·Y, with Y upper triangular; otherwise
/// X·C, with X lower triangular. 3n³ flops each.
template <class ExecSpace, bool Second, class Member>
KOKKOS_INLINE_FUNCTION void multiply_split(Member const& team, CertifiedMemory const& w) {
  auto const head = w.matrix(CertifiedMatrix::factors);
  auto const tail = w.matrix(CertifiedMatrix::left);
  auto const a = Second ? head : head.transposed();
  auto const a_tail = Second ? tail : tail.transposed();
  auto const b = w.matrix(Second ? CertifiedMatrix::right : CertifiedMatrix::balanced);
  auto const b_head = w.matrix(CertifiedMatrix::right_head);
  auto const b_tail = w.matrix(CertifiedMatrix::right_tail);
  auto const leading = w.matrix(CertifiedMatrix::leading);
  auto const trailing = w.matrix(CertifiedMatrix::trailing);
  thread_for(team, w.n, [&](int i) {
    for_row_tiles<ExecSpace>(team, 0, w.n, [&](auto tile, int j) {
      constexpr int width = decltype(tile)::value;
      int const end = Second ? Kokkos::min(w.n, j + width) : i + 1;
      auto const of_head = [&](int k) { return a(i, k); };
      double heads[width] = {}, rest[width] = {};
      add_rows(heads, of_head, b_head, 0, end, j);
      add_rows(rest, of_head, b_tail, 0, end, j);
      add_rows(
          rest, [&](int k) { return a_tail(i, k); }, b, 0, end, j);
      for (int u = 0; u < width; ++u) {
        leading(i, j + u) = heads[u];
        trailing(i, j + u) = rest[u];
      }
    });
  });
}

}  // namespace carroll::detail
