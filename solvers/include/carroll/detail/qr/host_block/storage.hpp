// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <carroll/detail/qr/batch.hpp>
#include <carroll/detail/svd/host_block/reflectors.hpp>
#include <cstdint>

namespace carroll::detail {

/// A problem's slice of the workspace as the blocks use it.
template <class Real>
struct QrBlockStorage {
  int m, n, k, q_cols;
  Columns<Real> A;  ///< padded; the reflectors, with their ones and zeros; A's columns behind them
  Columns<Real> Q;  ///< padded
  Columns<Real> R;  ///< k rows
  Real* T;
  Real *norms, *weights;  ///< with pivoting: of columns, squares of what is left, made comparable
  Real* column;           ///< k numbers
  int *exponents, *finite, *order;  ///< of each column

  explicit QrBlockStorage(QrProblem<Real> const& problem)
      : m(problem.m), n(problem.n), k(problem.reflectors()), q_cols(problem.q_cols) {
    int const pitch = blocks::padded_rows<Real>(m);
    A = {problem.reals, pitch};
    Q = {A.col(n), pitch};
    R = {Q.col(q_cols), k};
    T = R.col(n);
    norms = T + factor_size(k);
    weights = norms + n;
    column = weights + n;
    exponents = reinterpret_cast<int*>(column + n);
    finite = exponents + n;
    order = finite + n;
  }

  blocks::BlockReflectors<Real> reflectors() const { return {A, m, k, T}; }

  /// What the workspace must hold for it.
  static std::int64_t reals(QrExtents const& extents) {
    auto const& [batch, rows, cols, mode, pivoted] = extents;
    std::int64_t const pitch = rows + 2 * blocks::tile_rows<Real>(), k = std::min(rows, cols);
    return pitch * (cols + extents.q_cols()) + k * cols + factor_size(k) + 6 * cols;
  }

 private:
  static constexpr std::int64_t factor_size(std::int64_t k) {
    return (k + blocks::panel - 1) / blocks::panel * blocks::panel * blocks::panel;
  }
};

}  // namespace carroll::detail
