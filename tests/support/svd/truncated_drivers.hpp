// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/truncated_svd/types.hpp>
#include <cstring>
#include <vector>

#include "support/host_matrix.hpp"

namespace carroll::test {

using carroll::TruncatedSvdInfo;
using carroll::TruncatedSvdOptions;
using carroll::TruncatedSvdPath;

template <class Real>
struct HostTruncatedSvd {
  TruncatedSvdInfo<Real> info;
  HostMatrix<Real> U;
  std::vector<Real> S;
  HostMatrix<Real> V;
  /// Of the triplets; filled by run_truncated_svd_with_workspace.
  std::vector<Real> residuals;
};

/// The `rank` leading triplets, managed LayoutLeft Views. Outputs are filled with a marker before.
template <class Real>
[[nodiscard]] HostTruncatedSvd<Real> run_truncated_svd(
    HostMatrix<Real> const& A, int rank, TruncatedSvdOptions const& options = {},
    Kokkos::DefaultExecutionSpace const& exec = {});

/// The same through a workspace, that is with exactly options.power_steps.
template <class Real>
[[nodiscard]] HostTruncatedSvd<Real> run_truncated_svd_with_workspace(
    HostMatrix<Real> const& A, int rank, TruncatedSvdOptions const& options = {},
    Kokkos::DefaultExecutionSpace const& exec = {});

/// The bits of the factors are the same, and so is everything that the info reports.
template <class Real>
[[nodiscard]] bool same_result(HostTruncatedSvd<Real> const& a, HostTruncatedSvd<Real> const& b) {
  std::vector<Real> const x{a.info.residual, a.info.error};
  std::vector<Real> const y{b.info.residual, b.info.error};
  return same_bits(a.U, b.U) && same_bits(a.S, b.S) && same_bits(a.V, b.V) && same_bits(x, y) &&
         a.info.status == b.info.status && a.info.path == b.info.path &&
         a.info.power_steps == b.info.power_steps;
}

}  // namespace carroll::test
