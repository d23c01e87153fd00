// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/qr/batch.hpp>
#include <carroll/detail/svd/problem.hpp>
#include <cstdint>

namespace carroll::detail {

/// Where the team kernel has what it works on.
template <class Real>
struct QrStorage {
  int m, n, k;
  Columns<Real> A;  ///< R's strict upper triangle; below the diagonal the reflectors' tails
  Columns<Real> Q;
  Real *beta, *tau;       ///< R's diagonal, and the reflectors' factors
  Real *norms, *weights;  ///< of columns: squares of what is left, and what makes them comparable
  int *exponents, *order;

  static std::int64_t reals(QrExtents const& extents) {
    return extents.rows * (extents.cols + extents.q_cols()) + 6 * extents.cols;
  }

  KOKKOS_FUNCTION explicit QrStorage(QrProblem<Real> const& problem)
      : m(problem.m), n(problem.n), k(problem.reflectors()), A{problem.reals, m} {
    Q = {A.col(n), m};
    beta = Q.col(problem.q_cols);
    tau = beta + n;
    norms = tau + n;
    weights = norms + n;
    exponents = reinterpret_cast<int*>(weights + n);
    order = exponents + n;
  }
};

}  // namespace carroll::detail
