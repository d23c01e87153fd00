// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/eigh/batch.hpp>
#include <carroll/detail/svd/problem.hpp>
#include <cstdint>

namespace carroll::detail {

/// Where the team kernel has what it works on.
template <class Real>
struct EighStorage {
  static constexpr int vectors = 7;

  int n;
  Columns<Real> A;      ///< the matrix, both triangles, then the reflectors, then V
  Real *d, *e, *tau;    ///< the tridiagonal matrix, and the reflectors' factors
  Real* w;              ///< of a step
  Real *cosine, *sine;  ///< of a QL step
  int* ints;            ///< what one lane tells the others

  static constexpr std::int64_t reals(std::int64_t n) { return n * n + vectors * n + 8; }

  KOKKOS_FUNCTION explicit EighStorage(EighProblem<Real> const& problem)
      : n(problem.n), A{problem.reals, problem.n} {
    Real* const behind = problem.reals + static_cast<std::ptrdiff_t>(n) * n;
    d = behind;
    e = d + n;
    tau = e + n;
    w = tau + n;
    cosine = w + n;
    sine = cosine + n;
    ints = reinterpret_cast<int*>(sine + n);
  }
};

}  // namespace carroll::detail
