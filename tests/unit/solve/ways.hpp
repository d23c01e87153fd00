// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/solve/dispatch.hpp>
#include <carroll/solve/types.hpp>
#include <string>
#include <vector>

#include "support/complex_entries.hpp"
#include "support/random.hpp"
#include "support/solve/checks.hpp"
#include "support/solve/drivers.hpp"

namespace carroll::test {

inline SolveCall by(SolvePath path, bool inverse = false) {
  SolveCall call;
  call.options.path = path;
  call.inverse = inverse;
  return call;
}

/// All ways to solve a system.
inline std::vector<SolveCall> ways() {
  std::vector<SolveCall> all = {by(SolvePath::automatic), by(SolvePath::team),
                                by(SolvePath::automatic, true), by(SolvePath::team, true)};
  // Elsewhere there is none of its kernels.
  using detail::solve_backend, detail::SolveBackend;
  if (solve_backend<Kokkos::DefaultExecutionSpace> == SolveBackend::warps)
    for (bool const inverse : {false, true}) all.push_back(by(SolvePath::tiled, inverse));
  return all;
}

inline std::string name_of(SolveCall const& call) {
  return std::string(to_string(call.options.path)) + (call.inverse ? ", inverse" : "");
}

template <class T>
HostMatrix<T> drawn(Random& random, int rows, int cols) {
  HostMatrix<T> A(rows, cols);
  for (T& x : A.data) x = normal_entry<T>(random);
  return A;
}

/// With right-hand sides that the call wants.
template <class T>
HostSystem<T> system_of(HostMatrix<T> const& A, SolveCall const& call, int columns = 3) {
  Random random(17);
  int const n = A.rows;
  return {A, call.inverse ? identity_matrix<T>(n) : drawn<T>(random, n, columns)};
}

/// The first, the middle and the last column of the identity.
template <class Real>
HostMatrix<Real> columns_of_identity(int n) {
  HostMatrix<Real> B(n, 3);
  for (int c = 0; c < 3; ++c) B(c * (n - 1) / 2, c) = 1;
  return B;
}
/// Are solutions for them these columns of the inverse, bit by bit?
template <class Real>
bool are_columns_of(HostSolve<Real> const& solutions, HostSolve<Real> const& inverse) {
  int const n = solutions.X.rows;
  for (int c = 0; c < 3; ++c)
    for (int i = 0; i < n; ++i)
      if (solutions.X(i, c) != inverse.X(i, c * (n - 1) / 2)) return false;
  return solutions.guarded && inverse.guarded;
}

}  // namespace carroll::test
