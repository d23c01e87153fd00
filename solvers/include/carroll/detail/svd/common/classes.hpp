// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/svd/common/shape_list.hpp>
#include <carroll/detail/svd/plan.hpp>
#include <carroll/detail/svd/team/fallback.hpp>

namespace carroll::detail {

/// The kernels of all classes of shapes that have members, the first of which has bin `first`.
template <template <class, class, class> class Kernel, class ExecSpace, class Real, bool by_team,
          class... Shapes>
void enqueue_classes(char const* label, ShapeList<by_team, Shapes...>, int first,
                     ExecSpace const& exec, SvdBatch<Real> const& batch, SvdPlan const& plan,
                     SvdOptions const& options) {
  auto const enqueue = [&]<class Shape>(int bin) {
    int const count = plan.size(bin);
    if (count == 0) return;
    using ShapeKernel = Kernel<ExecSpace, Real, Shape>;
    int const* const members = plan.members(bin);
    if (!members && !ShapeKernel::is_alone(members, count))
      enqueue_fallback_list(exec, batch, nullptr, 0);
    ShapeKernel const kernel(batch, members, count, static_cast<Real>(options.tolerance),
                             options.max_sweeps);
    Kokkos::parallel_for(label, kernel.policy(exec, plan.bounds(bin).cols), kernel);
  };
  int bin = first;
  (enqueue.template operator()<Shapes>(bin++), ...);
}

}  // namespace carroll::detail
