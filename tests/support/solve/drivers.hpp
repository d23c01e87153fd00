// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/solve/types.hpp>
#include <cstring>
#include <vector>

#include "support/host_matrix.hpp"
#include "support/view_layout.hpp"

namespace carroll::test {

/// Calls of `solve` and `inverse` with host matrices in and out, on the default execution space,
/// compiled once.

template <class Real>
struct HostSolve {
  SolveInfo<Real> info;
  HostMatrix<Real> X;
  bool guarded = true;  ///< nothing was written beside the output
};

/// A·X = B; of inverses B is the identity, and not looked at.
template <class Real>
struct HostSystem {
  HostMatrix<Real> A, B;
};

struct SolveCall {
  SolveOptions options;
  bool inverse = false;
  ViewLayout layout = ViewLayout::left;
  bool workspace = false;  ///< one that has served another call before
};

/// Systems of equal extents as one batch.
template <class Real>
[[nodiscard]] std::vector<HostSolve<Real>> run_solve_batch(
    std::vector<HostSystem<Real>> const& systems, SolveCall const& call = {},
    Kokkos::DefaultExecutionSpace const& exec = {});

/// One system, Views of rank 2.
template <class Real>
[[nodiscard]] HostSolve<Real> run_solve(HostSystem<Real> const& system, SolveCall const& call = {},
                                        Kokkos::DefaultExecutionSpace const& exec = {});

/// Bits of X, and what the infos say; the condition where both calls have asked for it.
template <class Real>
[[nodiscard]] bool same_result(HostSolve<Real> const& a, HostSolve<Real> const& b) {
  auto const same = [](Real x, Real y) { return std::memcmp(&x, &y, sizeof(Real)) == 0; };
  bool const asked = a.info.rcond != Real(-1) && b.info.rcond != Real(-1);
  return same_bits(a.X, b.X) && a.info.status == b.info.status &&
         same(a.info.growth, b.info.growth) &&
         (!asked ||
          (same(a.info.rcond, b.info.rcond) && a.info.ill_conditioned == b.info.ill_conditioned));
}

}  // namespace carroll::test
