// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <carroll/detail/svd/common/rotation.hpp>
#include <carroll/detail/svd/host_block/jacobi.hpp>
#include <carroll/detail/svd/host_block/reflectors.hpp>
#include <carroll/detail/svd/host_block/storage.hpp>
#include <carroll/detail/svd/host_block/tiles.hpp>
#include <carroll/detail/svd/host_block/vectors.hpp>
#include <carroll/detail/svd/problem.hpp>

namespace carroll::detail::blocks {

/// X := X·J with a J that makes columns nearly orthogonal, found in single precision and made
/// orthonormal in double precision, as `find_rotations` does. The product disturbs X as much as a
/// QR without regard to columns would, hence only for columns of A of like length. Where single
/// precision does not get to the end X stays as it is. False if a column vanished.
///
/// 5n³ flops in double precision beside the sweeps.
template <int width, class Member>
bool start_in_single(Member const& team, Storage<double> const& at, int max_sweeps,
                     SvdInfo<float>& info) {
  int const n = at.n, whole = at.second_qr().end_row();
  Columns<float> const X{reinterpret_cast<float*>(at.Z.data), padded_rows<float>(n)};
  share_out(team, n, [&](int j) {
    std::copy(at.X.col(j), at.X.col(j) + n, X.col(j));
    std::fill(X.col(j) + n, X.col(j) + X.rows, 0.0f);
    at.order[j] = at.x_exponents[j];
  });
  team.team_barrier();
  PairRule<float> rule = PairRule<float>::of(0, n);
  rule.tolerance = 1e-5f;
  bool const swept = sweep_all<width>(team, X, n, whole_tiles_of<float>(n), at.x_exponents, rule,
                                      max_sweeps, reinterpret_cast<float*>(at.norms),
                                      reinterpret_cast<float*>(at.third_qr().T), info);
  if (swept)
    share_out(team, n, [&](int j) { std::copy(X.col(j), X.col(j) + n, at.X.col(j)); });
  else
    share_out(team, n, [&](int j) { at.x_exponents[j] = at.order[j]; });
  team.team_barrier();
  if (!swept) {
    info = {};
    return true;
  }
  if (!normalise(team, at) || !find_rotations(team, at, at.X)) return false;
  share_out(team, (n + panel - 1) / panel, [&](int g) {
    int const first = g * panel, count = std::min(panel, n - first);
    for (int c = first; c < first + count; ++c) {
      std::fill(at.X.col(c), at.X.col(c) + whole, 0.0);
      at.X(c, c) = 1;
      at.x_exponents[c] = at.inner_exponents[0];
    }
    apply_q(at.third_qr(), at.X, first, count, first + count);
  });
  team.team_barrier();
  // X·J = R₂ᵀ·J, product by product of columns.
  Columns<double> const R{at.spare.data, at.X.rows};
  share_out(team, (n + panel - 1) / panel, [&](int g) {
    int const first = g * panel, count = std::min(panel, n - first);
    ColumnList<double, panel> const J(at.X, first, count);
    alignas(64) double products[panel * panel];
    for (int i = 0; i < n; i += panel) {
      int const rows = std::min(panel, n - i);
      ColumnList<double, panel> const r(R, i, rows);
      with_packs<double>([&]<class V>() {
        dot_products<V>(r.at, panel, J.at, panel, whole_tiles_of<double>(i + rows), products,
                        panel);
      });
      for (int c = 0; c < count; ++c)
        std::copy(products + c * panel, products + c * panel + rows, at.Z.col(first + c) + i);
    }
  });
  team.team_barrier();
  share_out(team, n, [&](int j) {
    std::copy(at.Z.col(j), at.Z.col(j) + n, at.X.col(j));
    std::fill(at.X.col(j) + n, at.X.col(j) + whole, 0.0);
  });
  team.team_barrier();
  return true;
}

}  // namespace carroll::detail::blocks
