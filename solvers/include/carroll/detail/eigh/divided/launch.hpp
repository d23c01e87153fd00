// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/eigh/batch.hpp>
#include <carroll/detail/eigh/divided/storage.hpp>

namespace carroll::detail {

/// The eigenvalues, vectors where `batch` has views of them, and infos of the first `members`
/// members of a batch, of order n at most: those of its selection, if it has one. Each has
/// DividedStorage<Real>::reals_of(its order) numbers of workspace, from a multiple of 128 bytes on.
/// Enqueues kernels on the caller's instance; never fences, never allocates.
template <class ExecSpace, class Real>
void enqueue_divided(ExecSpace const& exec, EighBatch<Real> const& batch, int members, int n);

}  // namespace carroll::detail
