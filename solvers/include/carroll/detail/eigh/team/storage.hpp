// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/eigh/batch.hpp>
#include <carroll/detail/eigh/common/ql.hpp>
#include <carroll/detail/svd/problem.hpp>
#include <carroll/detail/team.hpp>
#include <cstdint>

namespace carroll::detail {

/// Where the team kernels have what they work on, and what one tells the next.
template <class Real>
struct EighStorage {
  enum Message { first, last, exponent, is_finite, steps, kept, messages };

  int n;
  Columns<Real> A;              ///< the matrix, both triangles, then the reflectors, then V
  Real *d, *e, *tau;            ///< the tridiagonal matrix, and the reflectors' factors
  Real* w;                      ///< of a reflector
  QlRotation<Real>* rotation;   ///< of a QL step
  QlRotation<Real>* rotations;  ///< of the steps that are kept, one behind the other
  int* message;
  EighBlock* blocks;  ///< of the steps that are kept

  static constexpr std::int64_t reals(std::int64_t n, bool vectors) {
    return whole_pairs(n * n + 4 * n) + 2 * n +
           (vectors ? 2 * (kept_rotations(n) + kept_steps(n)) : 0) + messages;
  }

  /// So many numbers, made even: rotations are read and written as pairs.
  KOKKOS_FUNCTION static constexpr std::int64_t whole_pairs(std::int64_t numbers) {
    return (numbers + 1) / 2 * 2;
  }

  KOKKOS_FUNCTION explicit EighStorage(EighProblem<Real> const& problem)
      : n(problem.n), A{problem.reals, problem.n} {
    d = problem.reals + static_cast<std::ptrdiff_t>(n) * n;
    e = d + n;
    tau = e + n;
    w = tau + n;
    rotation = reinterpret_cast<QlRotation<Real>*>(
        problem.reals + whole_pairs(std::int64_t{n} * n + 4 * std::int64_t{n}));
    rotations = rotation + n;
    message = reinterpret_cast<int*>(rotations + (problem.vectors() ? kept_rotations(n) : 0));
    blocks = reinterpret_cast<EighBlock*>(message + messages);
  }

  template <class ExecSpace>
  KOKKOS_FUNCTION auto chain() const -> QlChain<Real, lanes<ExecSpace> != 1> {
    return {n, d, e};
  }
};

}  // namespace carroll::detail
