// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/svd/common/shape_list.hpp>
#include <carroll/detail/svd/plan.hpp>
#include <carroll/detail/svd/team/fallback.hpp>

namespace carroll::detail {

/// The kernel of a class of shapes, of which the members are those of a bin, if there are any.
template <class Kernel, class ExecSpace, class Real>
void enqueue_class(char const* label, int bin, ExecSpace const& exec, SvdBatch<Real> const& batch,
                   SvdPlan const& plan, SvdOptions const& options) {
  int const count = plan.size(bin);
  if (count == 0) return;
  int const* const members = plan.members(bin);
  if (!members && !Kernel::is_alone(members, count)) enqueue_fallback_list(exec, batch, nullptr, 0);
  Kernel const kernel(batch, members, count, static_cast<Real>(options.tolerance),
                      options.max_sweeps);
  Kokkos::parallel_for(label, kernel.policy(exec, plan.bounds(bin).cols), kernel);
}

/// The kernels of all classes of shapes, the first of which has bin `first`.
template <template <class, class, class> class Kernel, class ExecSpace, class Real, bool by_team,
          class... Shapes>
void enqueue_classes(char const* label, ShapeList<by_team, Shapes...>, int first,
                     ExecSpace const& exec, SvdBatch<Real> const& batch, SvdPlan const& plan,
                     SvdOptions const& options) {
  int bin = first;
  (enqueue_class<Kernel<ExecSpace, Real, Shapes>>(label, bin++, exec, batch, plan, options), ...);
}

}  // namespace carroll::detail
