// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/eigh/batch.hpp>
#include <carroll/detail/eigh/dispatch.hpp>
#include <carroll/detail/eigh/divided/launch.hpp>
#include <carroll/detail/eigh/host_batch/kernel.hpp>
#include <carroll/detail/eigh/jacobi/launch.hpp>
#include <carroll/detail/eigh/plan.hpp>
#include <carroll/detail/eigh/team/kernel.hpp>
#include <carroll/detail/eigh/warp/launch.hpp>
#include <carroll/detail/field.hpp>
#include <cstdint>

namespace carroll::detail {

/// Workspace of an n×n problem for the kernels of its family; members begin at cache lines.
template <class T>
constexpr std::int64_t eigh_reals(EighFamily family, std::int64_t n, bool vectors) {
  switch (family) {
    case EighFamily::cholesky:
    case EighFamily::vendor:
    case EighFamily::shifted: return SvdWorkspaceSizes::round_up(FactorStorage<T>::reals(n));
    case EighFamily::team:
      return SvdWorkspaceSizes::round_up(EighStorage<RealOf<T>>::reals(n, vectors));
    case EighFamily::warp:
      return SvdWorkspaceSizes::round_up(EighWarpStorage<T>::reals(n, vectors));
    case EighFamily::divided: return DividedStorage<T>::reals_of(n);
    case EighFamily::host_batch: break;
  }
  return 0;
}

/// Enqueues every member on the kernels that the plan has for it, but those of `jacobi` and
/// `vendor`, which need a workspace of `svd`. Never fences, never allocates.
template <class ExecSpace, class T>
void enqueue_eigh(ExecSpace const& exec, EighBatch<T> const& batch, EighPlan const& plan,
                  EighOptions const& options) {
  if constexpr (eigh_backend<ExecSpace> == EighBackend::host)
    enqueue_eigh_host_batch(exec, batch, plan, options);
  if constexpr (has_backend(eigh_backend<ExecSpace>, EighBackend::warps))
    enqueue_eigh_warp(exec, batch, plan, options);
  if constexpr (!is_complex<T>) enqueue_eigh_team(exec, batch, plan, options);
  enqueue_eigh_divided(exec, batch, plan);
}

}  // namespace carroll::detail
