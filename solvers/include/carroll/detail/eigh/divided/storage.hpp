// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/eigh/batch.hpp>
#include <carroll/detail/eigh/divided/reduce/work.hpp>
#include <carroll/detail/svd/problem.hpp>
#include <cstddef>
#include <cstdint>

namespace carroll::detail {

/// Where the kernels of `divided` have what they work on, and what one tells the next: a matrix's
/// slice of the workspace, which begins at a multiple of 128 bytes, as do its three squares.
///
///   reduce   A = Q·T·Qᵀ         A in both triangles, then reflectors; d, e, tau
///   divide   T = S·diag(d)·Sᵀ   S; d then has the eigenvalues, ascending
///   back     V = Q·S
template <class Real>
struct DividedStorage {
  /// is_finite: 0 tells later steps to leave the matrix alone. exponent: A is scaled by
  /// 2^-exponent. steps: of iterations in divide, EighInfo::sweeps. done: 0 where something has not
  /// converged. All are set by reduce, to 0 steps and done = 1; divide changes the last two.
  enum Message { is_finite, exponent, steps, done, messages };

  int n;
  Columns<Real> A;  ///< A, then of Q = H_0·H_1⋯ the v of H_k = I - tau_k·v·vᵀ, in rows k + 1 and
                    ///< later of column k < n - 1, its 1 written out
  Columns<Real> S;    ///< orthonormal eigenvectors of T, column j to d[j]
  Columns<Real> P;    ///< scratch of every step, ReduceWork<Real>::reals(n) numbers at least
  Real *d, *e, *tau;  ///< n each, of which e and tau use n - 1
  Real* reals;        ///< 8·n, scratch of every step
  int* integers;      ///< 8·n, scratch of every step
  int* message;
  /// Of teams of reduce: 0 when they begin.
  enum Signal { begun, met, signals_of_reduce };
  int* signals;

  /// Numbers of an n×n problem's slice: a multiple of 128 bytes of them.
  KOKKOS_FUNCTION static constexpr std::int64_t reals_of(std::int64_t n) {
    return lines(2 * lines(n * n) + lines(scratch(n)) + 11 * n +
                 (8 * n + messages + signals_of_reduce) / ints_per_real + 1);
  }

  KOKKOS_FUNCTION explicit DividedStorage(EighProblem<Real> const& problem) : n(problem.n) {
    std::ptrdiff_t const size = lines(std::int64_t{n} * n);
    A = {problem.reals, n};
    S = {problem.reals + size, n};
    P = {problem.reals + 2 * size, n};
    d = problem.reals + 2 * size + lines(scratch(n));
    e = d + n;
    tau = e + n;
    reals = tau + n;
    integers = reinterpret_cast<int*>(reals + 8 * static_cast<std::ptrdiff_t>(n));
    message = integers + 8 * static_cast<std::ptrdiff_t>(n);
    signals = message + messages;
  }

 private:
  KOKKOS_FUNCTION static constexpr std::int64_t scratch(std::int64_t n) {
    std::int64_t const reduce = ReduceWork<Real>::reals(n);
    return n * n > reduce ? n * n : reduce;
  }

  static constexpr std::int64_t ints_per_real = sizeof(Real) / sizeof(int);

  KOKKOS_FUNCTION static constexpr std::int64_t lines(std::int64_t numbers) {
    constexpr std::int64_t line = 128 / sizeof(Real);
    return (numbers + line - 1) / line * line;
  }
};

}  // namespace carroll::detail
