// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/eigh/batch.hpp>
#include <carroll/detail/svd/problem.hpp>
#include <cstdint>

namespace carroll::detail {

/// Rotations of QL steps, and steps, that are kept for the vectors of an n×n problem: all that
/// there usually are (some 0.9·n² and 1.8·n), none where that would be too much memory. What does
/// not fit is worked off by a team, step by step.
KOKKOS_INLINE_FUNCTION constexpr std::int64_t kept_rotations(std::int64_t n) {
  constexpr int most_order = 2048;
  return n <= most_order ? n * n : 0;
}
KOKKOS_INLINE_FUNCTION constexpr std::int64_t kept_steps(std::int64_t n) {
  return kept_rotations(n) > 0 ? 4 * n : 0;
}

/// Where the team kernels have what they work on, and what one tells the next.
template <class Real>
struct EighStorage {
  enum Message { first, last, exponent, is_finite, steps, kept, messages };

  int n;
  Columns<Real> A;    ///< the matrix, both triangles, then the reflectors, then V
  Real *d, *e, *tau;  ///< the tridiagonal matrix, and the reflectors' factors
  Real* w;            ///< of a reflector
  Real* rotation;     ///< of a QL step: cosines, then sines
  Real* rotations;    ///< of the steps that are kept, one behind the other
  int* message;
  int* blocks;  ///< of the steps that are kept, first and last row

  static constexpr std::int64_t reals(std::int64_t n, bool vectors) {
    return n * n + 6 * n + (vectors ? 2 * (kept_rotations(n) + kept_steps(n)) : 0) + messages;
  }

  KOKKOS_FUNCTION explicit EighStorage(EighProblem<Real> const& problem)
      : n(problem.n), A{problem.reals, problem.n} {
    d = problem.reals + static_cast<std::ptrdiff_t>(n) * n;
    e = d + n;
    tau = e + n;
    w = tau + n;
    rotation = w + n;
    rotations = rotation + 2 * n;
    message = reinterpret_cast<int*>(rotations + (problem.vectors() ? 2 * kept_rotations(n) : 0));
    blocks = message + messages;
  }
};

}  // namespace carroll::detail
