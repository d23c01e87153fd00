// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/field.hpp>
#include <carroll/detail/qr/batch.hpp>
#include <carroll/detail/svd/problem.hpp>
#include <cstdint>

namespace carroll::detail {

/// Where the team kernel has what it works on.
template <class Value>
struct QrStorage {
  using Real = RealOf<Value>;
  static constexpr int parts = is_complex<Value> ? 2 : 1;

  int m, n, k;
  Columns<Value> A;  ///< R's strict upper triangle; below the diagonal the reflectors' tails
  Columns<Value> Q;
  Value* tau;             ///< the reflectors' factors
  Real* beta;             ///< R's diagonal, but for signs
  Real *norms, *weights;  ///< of columns: squares of what is left, and what makes them comparable
  int *exponents, *order;

  static std::int64_t reals(QrExtents const& extents) {
    return parts * (extents.rows * (extents.cols + extents.q_cols()) + extents.cols) +
           5 * extents.cols;
  }

  KOKKOS_FUNCTION explicit QrStorage(QrProblem<Value> const& problem)
      : m(problem.m),
        n(problem.n),
        k(problem.reflectors()),
        A{reinterpret_cast<Value*>(problem.reals), m} {
    Q = {A.col(n), m};
    tau = Q.col(problem.q_cols);
    beta = reinterpret_cast<Real*>(tau + n);
    norms = beta + n;
    weights = norms + n;
    exponents = reinterpret_cast<int*>(weights + n);
    order = exponents + n;
  }
};

}  // namespace carroll::detail
