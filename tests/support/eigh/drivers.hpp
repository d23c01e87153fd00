// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/eigh/types.hpp>
#include <vector>

#include "support/complex_entries.hpp"
#include "support/host_matrix.hpp"
#include "support/view_layout.hpp"

namespace carroll::test {

/// Calls of `eigh` with host matrices in and out, on the default execution space, compiled once,
/// for float, double and Kokkos::complex of these.

using carroll::EighInfo;
using carroll::EighOptions;

template <class T>
struct HostEigh {
  EighInfo<RealOf<T>> info;
  std::vector<RealOf<T>> W;
  HostMatrix<T> V;      ///< empty where not wanted
  bool guarded = true;  ///< nothing was written beside W and V
};

struct EighCall {
  EighOptions options;
  bool vectors = true;
  ViewLayout layout = ViewLayout::left;
  bool workspace = false;  ///< one that has served another call before
  /// Each member of a batch by itself, where it lies, all enqueued before one is waited for; not
  /// with ViewLayout::left.
  bool one_by_one = false;
};

/// Matrices of equal order as one uniform batch. The triangle that is not to be read is NaN, and so
/// are imaginary parts on the diagonal.
template <class T>
[[nodiscard]] std::vector<HostEigh<T>> run_eigh_batch(
    std::vector<HostMatrix<T>> const& matrices, EighCall const& call = {},
    Kokkos::DefaultExecutionSpace const& exec = {});

/// One matrix, Views of rank 2.
template <class T>
[[nodiscard]] HostEigh<T> run_eigh(HostMatrix<T> const& A, EighCall const& call = {},
                                   Kokkos::DefaultExecutionSpace const& exec = {});

/// Matrices of any order as one ragged batch.
template <class T>
[[nodiscard]] std::vector<HostEigh<T>> run_eigh_ragged(
    std::vector<HostMatrix<T>> const& matrices, EighCall const& call = {},
    Kokkos::DefaultExecutionSpace const& exec = {});

/// Bits of W, and of V where both have it, and what the infos say.
template <class T>
[[nodiscard]] bool same_result(HostEigh<T> const& a, HostEigh<T> const& b) {
  return same_bits(a.W, b.W) && (a.V.cols == 0 || b.V.cols == 0 || same_bits(a.V, b.V)) &&
         a.info.status == b.info.status && a.info.sweeps == b.info.sweeps &&
         a.info.rank == b.info.rank && a.info.negative == b.info.negative;
}

}  // namespace carroll::test
