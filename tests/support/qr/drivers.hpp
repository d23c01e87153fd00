// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/qr/types.hpp>
#include <cstring>
#include <vector>

#include "support/host_matrix.hpp"
#include "support/view_layout.hpp"

namespace carroll::test {

/// Calls of `qr` and `pivoted_qr` with host matrices in and out, on the default execution space,
/// compiled once.

template <class Real>
struct HostQr {
  QrInfo info;
  HostMatrix<Real> Q;  ///< empty where not wanted
  HostMatrix<Real> R;
  std::vector<int> P;   ///< empty without pivoting
  bool guarded = true;  ///< nothing was written beside the outputs
};

struct QrCall {
  QrOptions options;
  QrMode mode = QrMode::thin;
  bool pivoted = false;
  ViewLayout layout = ViewLayout::left;
  bool workspace = false;  ///< one that has served another call before
};

/// Matrices of equal extents as one uniform batch.
template <class Real>
[[nodiscard]] std::vector<HostQr<Real>> run_qr_batch(
    std::vector<HostMatrix<Real>> const& matrices, QrCall const& call = {},
    Kokkos::DefaultExecutionSpace const& exec = {});

/// One matrix, Views of rank 2.
template <class Real>
[[nodiscard]] HostQr<Real> run_qr(HostMatrix<Real> const& A, QrCall const& call = {},
                                  Kokkos::DefaultExecutionSpace const& exec = {});

/// Matrices of any extents as one ragged batch.
template <class Real>
[[nodiscard]] std::vector<HostQr<Real>> run_qr_ragged(
    std::vector<HostMatrix<Real>> const& matrices, QrCall const& call = {},
    Kokkos::DefaultExecutionSpace const& exec = {});

/// Bits of R, and of Q, of the rows and columns that both have; P, and what the infos say.
template <class Real>
[[nodiscard]] bool same_result(HostQr<Real> const& a, HostQr<Real> const& b) {
  auto const same = [](HostMatrix<Real> const& x, HostMatrix<Real> const& y, int rows, int cols) {
    for (int j = 0; j < cols; ++j)
      for (int i = 0; i < rows; ++i)
        if (std::memcmp(&x(i, j), &y(i, j), sizeof(Real)) != 0) return false;
    return true;
  };
  int const rows = a.R.rows < b.R.rows ? a.R.rows : b.R.rows;
  int const cols = a.Q.cols < b.Q.cols ? a.Q.cols : b.Q.cols;
  return a.R.cols == b.R.cols && same(a.R, b.R, rows, a.R.cols) &&
         (cols == 0 || (a.Q.rows == b.Q.rows && same(a.Q, b.Q, a.Q.rows, cols))) && a.P == b.P &&
         a.info.status == b.info.status && a.info.rank == b.info.rank;
}

}  // namespace carroll::test
