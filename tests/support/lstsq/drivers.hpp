// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/lstsq/types.hpp>
#include <vector>

#include "support/host_matrix.hpp"
#include "support/view_layout.hpp"

namespace carroll::test {

/// Calls of `lstsq` and `pinv` with host matrices in and out, on the default execution space,
/// compiled once.

template <class Real>
struct HostLstsq {
  LstsqInfo<Real> info;
  HostMatrix<Real> X;
  bool guarded = true;  ///< nothing was written beside the output
};

struct LstsqCall {
  LstsqOptions options;
  ViewLayout layout = ViewLayout::left;
  bool workspace = false;  ///< one that has served another call before
  bool vectors = false;    ///< B and X without a dimension for columns: they have one
};

/// A problem; without B its solution is the pseudoinverse of A.
template <class Real>
struct LstsqProblem {
  HostMatrix<Real> A, B;
};

/// Problems of equal extents as one uniform batch; all or none of them have right-hand sides.
template <class Real>
[[nodiscard]] std::vector<HostLstsq<Real>> run_lstsq_batch(
    std::vector<LstsqProblem<Real>> const& problems, bool inverse, LstsqCall const& call = {},
    Kokkos::DefaultExecutionSpace const& exec = {});

/// One problem, Views of rank 2; with call.vectors B and X of rank 1.
template <class Real>
[[nodiscard]] HostLstsq<Real> run_lstsq(HostMatrix<Real> const& A, HostMatrix<Real> const& B,
                                        LstsqCall const& call = {},
                                        Kokkos::DefaultExecutionSpace const& exec = {});
template <class Real>
[[nodiscard]] HostLstsq<Real> run_pinv(HostMatrix<Real> const& A, LstsqCall const& call = {},
                                       Kokkos::DefaultExecutionSpace const& exec = {});

/// The bits of X and everything that LstsqInfo reports.
template <class Real>
[[nodiscard]] bool same_result(HostLstsq<Real> const& a, HostLstsq<Real> const& b) {
  std::vector<Real> const of_a{a.info.sigma_max, a.info.sigma_min},
      of_b{b.info.sigma_max, b.info.sigma_min};
  return same_bits(a.X, b.X) && same_bits(of_a, of_b) && a.info.status == b.info.status &&
         a.info.rank == b.info.rank && a.info.sweeps == b.info.sweeps;
}

}  // namespace carroll::test
