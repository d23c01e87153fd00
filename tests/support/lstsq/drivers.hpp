// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/lstsq/types.hpp>
#include <vector>

#include "support/complex_entries.hpp"
#include "support/host_matrix.hpp"
#include "support/view_layout.hpp"

namespace carroll::test {

/// Calls of `lstsq` and `pinv` with host matrices in and out, on the default execution space,
/// compiled once, for float, double and Kokkos::complex of these.

template <class T>
struct HostLstsq {
  LstsqInfo<RealOf<T>> info;
  HostMatrix<T> X;
  bool guarded = true;  ///< nothing was written beside the output
};

struct LstsqCall {
  LstsqOptions options;
  ViewLayout layout = ViewLayout::left;
  bool workspace = false;  ///< one that has served another call before
  bool vectors = false;    ///< B and X without a dimension for columns: they have one
  /// Each member of a batch by itself, where it lies, all enqueued before one is waited for; not
  /// with ViewLayout::left.
  bool one_by_one = false;
};

/// A problem; without B its solution is the pseudoinverse of A.
template <class T>
struct LstsqProblem {
  HostMatrix<T> A, B;
};

/// Problems of equal extents as one uniform batch; all or none of them have right-hand sides.
template <class T>
[[nodiscard]] std::vector<HostLstsq<T>> run_lstsq_batch(
    std::vector<LstsqProblem<T>> const& problems, bool inverse, LstsqCall const& call = {},
    Kokkos::DefaultExecutionSpace const& exec = {});

/// One problem, Views of rank 2; with call.vectors B and X of rank 1.
template <class T>
[[nodiscard]] HostLstsq<T> run_lstsq(HostMatrix<T> const& A, HostMatrix<T> const& B,
                                     LstsqCall const& call = {},
                                     Kokkos::DefaultExecutionSpace const& exec = {});
template <class T>
[[nodiscard]] HostLstsq<T> run_pinv(HostMatrix<T> const& A, LstsqCall const& call = {},
                                    Kokkos::DefaultExecutionSpace const& exec = {});

/// The bits of X and everything that LstsqInfo reports.
template <class T>
[[nodiscard]] bool same_result(HostLstsq<T> const& a, HostLstsq<T> const& b) {
  std::vector<RealOf<T>> const of_a{a.info.sigma_max, a.info.sigma_min},
      of_b{b.info.sigma_max, b.info.sigma_min};
  return same_bits(a.X, b.X) && same_bits(of_a, of_b) && a.info.status == b.info.status &&
         a.info.rank == b.info.rank && a.info.sweeps == b.info.sweeps;
}

}  // namespace carroll::test
