// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/solve/types.hpp>
#include <cstring>
#include <vector>

#include "support/complex_entries.hpp"
#include "support/host_matrix.hpp"
#include "support/view_layout.hpp"

namespace carroll::test {

/// Calls of `solve` and `inverse` with host matrices in and out, on the default execution space,
/// compiled once. T: float, double or Kokkos::complex of these.

template <class T>
struct HostSolve {
  SolveInfo<RealOf<T>> info;
  HostMatrix<T> X;
  bool guarded = true;  ///< nothing was written beside the output
};

/// A·X = B; of inverses B is the identity, and not looked at.
template <class T>
struct HostSystem {
  HostMatrix<T> A, B;
};

struct SolveCall {
  SolveOptions options;
  bool inverse = false;
  ViewLayout layout = ViewLayout::left;
  bool workspace = false;  ///< one that has served another call before
  /// Each member of a batch by itself, where it lies, all enqueued before one is waited for; not
  /// with ViewLayout::left.
  bool one_by_one = false;
};

/// Systems of equal extents as one batch.
template <class T>
[[nodiscard]] std::vector<HostSolve<T>> run_solve_batch(
    std::vector<HostSystem<T>> const& systems, SolveCall const& call = {},
    Kokkos::DefaultExecutionSpace const& exec = {});

/// One system, Views of rank 2.
template <class T>
[[nodiscard]] HostSolve<T> run_solve(HostSystem<T> const& system, SolveCall const& call = {},
                                     Kokkos::DefaultExecutionSpace const& exec = {});

/// Bits of X, and what the infos say; the condition where both calls have asked for it.
template <class T>
[[nodiscard]] bool same_result(HostSolve<T> const& a, HostSolve<T> const& b) {
  using Real = RealOf<T>;
  auto const same = [](Real x, Real y) { return std::memcmp(&x, &y, sizeof(Real)) == 0; };
  bool const asked = a.info.rcond != Real(-1) && b.info.rcond != Real(-1);
  return same_bits(a.X, b.X) && a.info.status == b.info.status &&
         same(a.info.growth, b.info.growth) &&
         (!asked ||
          (same(a.info.rcond, b.info.rcond) && a.info.ill_conditioned == b.info.ill_conditioned));
}

}  // namespace carroll::test
