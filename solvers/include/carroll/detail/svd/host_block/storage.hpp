// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <carroll/detail/svd/host_block/reflectors.hpp>
#include <carroll/detail/svd/host_block/tiles.hpp>
#include <carroll/detail/svd/problem.hpp>

namespace carroll::detail::blocks {

/// A problem's slice of the workspace as the blocks use it: all columns padded.
template <class Real>
struct Storage {
  int m, n;
  Columns<Real> spare;  ///< m rows: scaled A; row by row R; R₂; what the reflectors are applied to
  Columns<Real> outer;  ///< m rows: the reflectors of A·P = Q·R
  Columns<Real> inner;  ///< those of Rᵀ·P₂ = Q₂·R₂
  Columns<Real> X;      ///< R; then the columns that Jacobi works on
  Columns<Real> Z;      ///< J·Σ, then the reflectors of its QR
  Real *T, *norms;
  Real* signs;  ///< of the diagonal of the third R
  int *exponents, *permutation, *inner_exponents, *inner_permutation, *x_exponents, *order, *flag;

  explicit Storage(SvdProblem<Real> const& problem) : m(problem.rows), n(problem.cols) {
    int const tall = padded_rows<Real>(m), square = padded_rows<Real>(n);
    Real* next = problem.reals;
    auto const take = [&](int rows) {
      Columns<Real> const taken{next, rows};
      next = taken.col(n);
      return taken;
    };
    spare = take(tall);
    outer = take(tall);
    inner = take(square);
    X = take(square);
    Z = take(square);
    T = next;
    norms = T + 3 * factor_size(n);
    signs = norms + n;
    int* ints = problem.ints;
    for (int** const place : {&exponents, &permutation, &inner_exponents, &inner_permutation,
                              &x_exponents, &order, &flag}) {
      *place = ints;
      ints += n;
    }
  }

  BlockReflectors<Real> first_qr() const { return {outer, m, n, T}; }
  BlockReflectors<Real> second_qr() const { return {inner, n, n, T + factor_size(n)}; }
  BlockReflectors<Real> third_qr() const { return {Z, n, n, T + 2 * factor_size(n)}; }

  /// What the workspace must hold for it.
  static SvdWorkspaceSizes sizes(std::int64_t rows, std::int64_t cols) {
    std::int64_t const tall = rows + 2 * tile_rows<Real>(), square = cols + 2 * tile_rows<Real>();
    return {(2 * tall + 3 * square + 2) * cols + 3 * factor_size(cols), 7 * cols};
  }

 private:
  static constexpr std::int64_t factor_size(std::int64_t n) {
    return (n + panel - 1) / panel * panel * panel;
  }
};

}  // namespace carroll::detail::blocks
