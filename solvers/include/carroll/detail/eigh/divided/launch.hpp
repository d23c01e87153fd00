// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/launch.hpp>
#include <carroll/detail/device/warp.hpp>
#include <carroll/detail/eigh/batch.hpp>
#include <carroll/detail/eigh/divided/back.hpp>
#include <carroll/detail/eigh/divided/classes.hpp>
#include <carroll/detail/eigh/divided/divide.hpp>
#include <carroll/detail/eigh/divided/finish.hpp>
#include <carroll/detail/eigh/divided/reduce.hpp>
#include <carroll/detail/eigh/divided/storage.hpp>
#include <carroll/detail/eigh/plan.hpp>
#include <carroll/detail/team.hpp>

namespace carroll::detail {

/// Does it, where matrices of this order have room in the registers of such a shape.
template <class Shape, class ExecSpace, class T>
bool enqueue_back_if_fits(ExecSpace const& exec, EighBatch<T> const& batch, int members, int n) {
  if (n > Shape::order) return false;
  enqueue_divided_back_warps<Shape>(exec, batch, members, n);
  return true;
}

/// V := Q·S, signed, of a batch that has views of them.
template <class ExecSpace, class T>
void enqueue_divided_back(ExecSpace const& exec, EighBatch<T> const& batch, int members, int n) {
  if constexpr (has_warps<ExecSpace>) {
    auto const by_warps = [&]<class... Shapes>(DividedShapeList<Shapes...>) {
      bool done = false;
      ((done = done || enqueue_back_if_fits<Shapes>(exec, batch, members, n)), ...);
      return done;
    };
    if (by_warps(DividedShapes{})) return;
  }
  using Kernel = DividedColumnsKernel<ExecSpace, T>;
  int const teams_each = (n + Kernel::columns - 1) / Kernel::columns;
  launch_fitting_teams("carroll::eigh::divided_back", exec, Kernel(batch, teams_each),
                       {.count = members * teams_each, .threads = lanes<ExecSpace> == 1 ? 1 : 8});
}

/// What comes behind the reduction of enqueue_divided: from T and the reflectors on.
template <class ExecSpace, class T>
void enqueue_divided_reduced(ExecSpace const& exec, EighBatch<T> const& batch, int members, int n) {
  if (members == 0) return;
  enqueue_divided_steps(exec, tridiagonal_batch(batch), members, n);
  if (batch.v.data) enqueue_divided_back(exec, batch, members, n);
  enqueue_divided_finish(exec, batch, members);
}

/// The eigenvalues, vectors where `batch` has views of them, and infos of the first `members`
/// members of a batch, of order n at most: those of its selection, if it has one. Each has
/// DividedStorage<T>::reals_of(its order) real numbers of workspace, from a multiple of 128 bytes
/// on. Enqueues kernels on the caller's instance; never fences, never allocates.
template <class ExecSpace, class T>
void enqueue_divided(ExecSpace const& exec, EighBatch<T> const& batch, int members, int n) {
  if (members == 0) return;
  enqueue_divided_reduce(exec, batch, members, n);
  enqueue_divided_reduced(exec, batch, members, n);
}

/// The members that a plan has for it, class by class.
template <class ExecSpace, class T>
void enqueue_eigh_divided(ExecSpace const& exec, EighBatch<T> batch, EighPlan const& plan) {
  for (int k = 0; k < DividedShapes::classes; ++k) {
    auto const [members, n] = plan.bounds(EighPlan::divided + k);
    batch.selection = plan.members(EighPlan::divided + k);
    enqueue_divided(exec, batch, members, n);
  }
}

}  // namespace carroll::detail
