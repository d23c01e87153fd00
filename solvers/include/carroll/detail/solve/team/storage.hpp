// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/field.hpp>
#include <carroll/detail/solve/batch.hpp>
#include <carroll/detail/svd/problem.hpp>
#include <cstdint>

namespace carroll::detail {

/// Columns that are eliminated together.
inline constexpr int solve_panel = 16;

/// Where the team kernel has what it works on.
template <class Value>
struct SolveStorage {
  using Real = RealOf<Value>;

  int n, columns;
  Columns<Value> A;         ///< then U, and below its diagonal the factors of L
  Columns<Value> Y;         ///< right-hand sides, then solutions
  Value* inverses;          ///< 1/u_kk
  Value *x, *signs;         ///< of the condition's estimate
  Real *in_cols, *in_rows;  ///< where these are, before that: sizes of columns and rows
  Real* sums;               ///< ‖Y(:, j)‖₁
  int* pivots;              ///< step k has exchanged row k and this one
  int *rows, *cols;         ///< of the powers of two that rows and columns have been multiplied by
  int* flags;               ///< of right-hand sides: SolveFlags

  static std::int64_t reals(std::int64_t n, std::int64_t columns) {
    constexpr int parts = is_complex<Value> ? 2 : 1;
    return parts * (n * (n + columns) + 3 * n) + 3 * n + 2 * columns;
  }

  KOKKOS_FUNCTION explicit SolveStorage(SolveProblem<Value> const& problem)
      : n(problem.n), columns(problem.columns), A{reinterpret_cast<Value*>(problem.reals), n} {
    Y = {A.col(n), n};
    inverses = Y.col(columns);
    x = inverses + n;
    signs = x + n;
    in_cols = reinterpret_cast<Real*>(x);
    in_rows = reinterpret_cast<Real*>(signs);
    sums = reinterpret_cast<Real*>(signs + n);
    pivots = reinterpret_cast<int*>(sums + columns);
    rows = pivots + n;
    cols = rows + n;
    flags = cols + n;
  }
};

}  // namespace carroll::detail
