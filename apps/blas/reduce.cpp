// SPDX-License-Identifier: BSD-3-Clause
#include "blas/reduce.hpp"

#include <Kokkos_Core.hpp>
#include <carroll/asum.hpp>
#include <carroll/dot.hpp>
#include <carroll/max_abs.hpp>
#include <carroll/norm2.hpp>
#include <carroll/sum.hpp>
#include <cstdint>

#include "blas/reductions.hpp"

namespace carroll::tool {

namespace {

template <class T, class Real>
Reduced reduce_entries(HostEntries<Real> const& host_x, HostEntries<Real> const& host_y,
                       ReductionWishes const& wishes, Progress& progress) {
  ExecSpace const exec;
  auto const x_reals = reals_on_device(exec, "carroll::tool::x", host_x.values);
  auto const y_reals = reals_on_device(exec, "carroll::tool::y", host_y.values);
  auto const x = entries_of<T>(x_reals), y = entries_of<T>(y_reals);
  auto workspace = reduction_workspace<T>(exec, {.length = static_cast<std::int64_t>(x.extent(0))},
                                          {.summation = summation_named(wishes.summation)});
  ReductionClock const clock(exec, static_cast<std::int64_t>(x.extent(0)), progress);
  switch (wishes.kind) {
    case ReductionKind::sum: return clock.stop(sum(exec, x, workspace));
    case ReductionKind::dot: return clock.stop(dot(exec, x, y, workspace, wishes.conjugate));
    case ReductionKind::norm2: return clock.stop(norm2(exec, x, workspace));
    case ReductionKind::asum: return clock.stop(asum(exec, x, workspace));
    case ReductionKind::max_abs: return clock.stop(max_abs(exec, x, workspace));
  }
  return {};
}

}  // namespace

template <class Real>
Reduced reduce(HostEntries<Real> const& x, HostEntries<Real> const& y,
               ReductionWishes const& wishes, Progress& progress) {
  return x.is_complex ? reduce_entries<Kokkos::complex<Real>>(x, y, wishes, progress)
                      : reduce_entries<Real>(x, y, wishes, progress);
}

template Reduced reduce(HostEntries<float> const&, HostEntries<float> const&,
                        ReductionWishes const&, Progress&);
template Reduced reduce(HostEntries<double> const&, HostEntries<double> const&,
                        ReductionWishes const&, Progress&);

}  // namespace carroll::tool
