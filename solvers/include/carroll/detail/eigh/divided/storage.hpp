// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/eigh/batch.hpp>
#include <carroll/detail/eigh/divided/reduce/work.hpp>
#include <carroll/detail/field.hpp>
#include <carroll/detail/svd/problem.hpp>
#include <cstddef>
#include <cstdint>

namespace carroll::detail {

/// Numbers of memory in whole cache lines.
template <class T>
KOKKOS_INLINE_FUNCTION constexpr std::int64_t whole_lines(std::int64_t numbers) {
  constexpr std::int64_t line = 128 / sizeof(T);
  return (numbers + line - 1) / line * line;
}

/// Where the kernels of `divided` have T, real whatever the matrix is, and what they make of it:
/// the beginning of the matrix's slice of the workspace, which begins at a multiple of 128 bytes,
/// as do its squares.
///
///   divide   T = S·diag(d)·Sᵀ   d then has the eigenvalues, ascending
template <class Real>
struct DividedTridiagonal {
  /// is_finite: 0 tells later steps to leave the matrix alone. exponent: A is scaled by
  /// 2^-exponent. steps: of iterations in divide, EighInfo::sweeps. done: 0 where something has not
  /// converged. All are set by reduce, to 0 steps and done = 1; divide changes the last two.
  enum Message { is_finite, exponent, steps, done, messages };

  int n;
  Columns<Real> S;  ///< orthonormal eigenvectors of T, column j to d[j]
  Columns<Real> P;  ///< scratch of every step, n² numbers for divide
  Real *d, *e;      ///< n each, of which e uses n - 1
  Real* reals;      ///< 8·n, scratch of every step
  int* integers;    ///< 8·n, scratch of every step
  int* message;
  /// Of teams of reduce: 0 when they begin.
  enum Signal { begun, met, signals_of_reduce };
  int* signals;

  KOKKOS_FUNCTION explicit DividedTridiagonal(EighProblem<Real> const& problem)
      : DividedTridiagonal(problem.n, problem.reals) {}
  KOKKOS_FUNCTION DividedTridiagonal(int order, Real* memory) : n(order) {
    auto const size = static_cast<std::ptrdiff_t>(n);
    S = {memory, n};
    d = memory + whole_lines<Real>(std::int64_t{n} * n);
    e = d + size;
    reals = e + size;
    integers = reinterpret_cast<int*>(reals + 8 * size);
    message = integers + 8 * size;
    signals = message + messages;
    P = {memory + before_scratch(n), n};
  }

 protected:
  /// Numbers before P.
  KOKKOS_FUNCTION static constexpr std::int64_t before_scratch(std::int64_t n) {
    constexpr std::int64_t ints_per_real = sizeof(Real) / sizeof(int);
    return whole_lines<Real>(n * n) +
           whole_lines<Real>(10 * n + (8 * n + messages + signals_of_reduce) / ints_per_real + 1);
  }
};

/// And behind it what is of the matrix's own type, real or complex:
///
///   reduce   A = Q·T·Qᴴ   A in both triangles, then reflectors; d, e, tau
///   back     V = Q·S
template <class T>
struct DividedStorage : DividedTridiagonal<RealOf<T>> {
  using Real = RealOf<T>;
  using DividedTridiagonal<Real>::n, DividedTridiagonal<Real>::P;

  Columns<T> A;  ///< A, then of Q = H_0·H_1⋯ the v of H_k = I - tau_k·v·vᴴ, in rows k + 1 and
                 ///< later of column k < n - 1, its 1 written out
  T* tau;  ///< n - 1

  /// Real numbers of an n×n problem's slice: a multiple of 128 bytes of them.
  KOKKOS_FUNCTION static constexpr std::int64_t reals_of(std::int64_t n) {
    return before_reflectors(n) + parts * (whole_lines<T>(n * n) + whole_lines<T>(n));
  }

  KOKKOS_FUNCTION explicit DividedStorage(EighProblem<T> const& problem)
      : DividedTridiagonal<Real>(problem.n, problem.reals) {
    A = {reinterpret_cast<T*>(problem.reals + before_reflectors(n)), n};
    tau = A.data + whole_lines<T>(std::int64_t{n} * n);
  }

  /// P, as reduce and back have it.
  KOKKOS_FUNCTION T* scratch() const { return reinterpret_cast<T*>(P.data); }

 private:
  static constexpr std::int64_t parts = sizeof(T) / sizeof(Real);

  KOKKOS_FUNCTION static constexpr std::int64_t before_reflectors(std::int64_t n) {
    std::int64_t const reduce = ReduceWork<T>::reals(n);
    return DividedTridiagonal<Real>::before_scratch(n) +
           parts * whole_lines<T>(n * n > reduce ? n * n : reduce);
  }
};

/// What divide sees of a batch: T is real. Its matrices and vectors are not there.
template <class T>
EighBatch<RealOf<T>> tridiagonal_batch(EighBatch<T> const& batch) {
  if constexpr (is_complex<T>) {
    EighBatch<RealOf<T>> real{};
    real.a.extents = batch.a.extents;
    real.w = batch.w;
    real.slots = batch.slots;
    real.reals = batch.reals;
    real.distance = batch.distance;
    real.infos = batch.infos;
    real.info_stride = batch.info_stride;
    real.selection = batch.selection;
    return real;
  } else {
    return batch;
  }
}

}  // namespace carroll::detail
