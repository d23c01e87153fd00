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
/// compiled once. Value: float, double or Kokkos::complex of these.

template <class Value>
struct HostQr {
  QrInfo info;
  HostMatrix<Value> Q;  ///< empty where not wanted
  HostMatrix<Value> R;
  std::vector<int> P;   ///< empty without pivoting
  bool guarded = true;  ///< nothing was written beside the outputs
};

struct QrCall {
  QrOptions options;
  QrMode mode = QrMode::thin;
  bool pivoted = false;
  ViewLayout layout = ViewLayout::left;
  bool workspace = false;  ///< one that has served another call before
  /// Each member of a batch by itself, where it lies, all enqueued before one is waited for; not
  /// with ViewLayout::left.
  bool one_by_one = false;
};

/// Matrices of equal extents as one uniform batch.
template <class Value>
[[nodiscard]] std::vector<HostQr<Value>> run_qr_batch(
    std::vector<HostMatrix<Value>> const& matrices, QrCall const& call = {},
    Kokkos::DefaultExecutionSpace const& exec = {});

/// One matrix, Views of rank 2.
template <class Value>
[[nodiscard]] HostQr<Value> run_qr(HostMatrix<Value> const& A, QrCall const& call = {},
                                   Kokkos::DefaultExecutionSpace const& exec = {});

/// Matrices of any extents as one ragged batch.
template <class Value>
[[nodiscard]] std::vector<HostQr<Value>> run_qr_ragged(
    std::vector<HostMatrix<Value>> const& matrices, QrCall const& call = {},
    Kokkos::DefaultExecutionSpace const& exec = {});

/// Bits of R, and of Q, of the rows and columns that both have; P, and what the infos say.
template <class Value>
[[nodiscard]] bool same_result(HostQr<Value> const& a, HostQr<Value> const& b) {
  auto const same = [](HostMatrix<Value> const& x, HostMatrix<Value> const& y, int rows, int cols) {
    for (int j = 0; j < cols; ++j)
      for (int i = 0; i < rows; ++i)
        if (std::memcmp(static_cast<void const*>(&x(i, j)), static_cast<void const*>(&y(i, j)),
                        sizeof(Value)) != 0)
          return false;
    return true;
  };
  int const rows = a.R.rows < b.R.rows ? a.R.rows : b.R.rows;
  int const cols = a.Q.cols < b.Q.cols ? a.Q.cols : b.Q.cols;
  return a.R.cols == b.R.cols && same(a.R, b.R, rows, a.R.cols) &&
         (cols == 0 || (a.Q.rows == b.Q.rows && same(a.Q, b.Q, a.Q.rows, cols))) && a.P == b.P &&
         a.info.status == b.info.status && a.info.rank == b.info.rank;
}

}  // namespace carroll::test
