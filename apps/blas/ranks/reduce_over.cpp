// SPDX-License-Identifier: BSD-3-Clause
#include <Kokkos_Core.hpp>
#include <carroll/distributed/blas/asum.hpp>
#include <carroll/distributed/blas/dot.hpp>
#include <carroll/distributed/blas/max_abs.hpp>
#include <carroll/distributed/blas/norm2.hpp>
#include <carroll/distributed/blas/sum.hpp>
#include <cstdint>

#include "blas/ranks/over_ranks.hpp"
#include "blas/reductions.hpp"

namespace carroll::tool {

EntryRange terms_of(Ranks const& ranks, std::int64_t count) {
  auto const layout = distributed::reduction_layout(ranks.size(), count);
  return {layout.begin(ranks.rank()), layout.end(ranks.rank())};
}

namespace {

template <class T, class Real>
Reduced reduce_part(HostEntries<Real> const& host_x, HostEntries<Real> const& host_y,
                    ReductionWishes const& wishes, Progress& progress) {
  ExecSpace const exec;
  auto const comm = distributed::Communicator<ExecSpace>::duplicate_from_raw(MPI_COMM_WORLD, exec);
  std::int64_t const count = host_x.rows * host_x.cols;
  DeviceVector<Real> x_reals, y_reals;
  comm.agree("carroll", 0, [&] {
    x_reals = reals_on_device(exec, "carroll::tool::x", host_x.values);
    y_reals = reals_on_device(exec, "carroll::tool::y", host_y.values);
  });
  auto const x = entries_of<T>(x_reals), y = entries_of<T>(y_reals);
  auto workspace =
      distributed::reduction_workspace<T>(comm, distributed::reduction_layout(comm.size(), count),
                                          {.summation = summation_named(wishes.summation)});
  ReductionClock const clock(exec, count, progress);
  switch (wishes.kind) {
    case ReductionKind::sum: return clock.stop(distributed::sum(comm, x, workspace));
    case ReductionKind::dot:
      return clock.stop(distributed::dot(comm, x, y, workspace, wishes.conjugate));
    case ReductionKind::norm2: return clock.stop(distributed::norm2(comm, x, workspace));
    case ReductionKind::asum: return clock.stop(distributed::asum(comm, x, workspace));
    case ReductionKind::max_abs: return clock.stop(distributed::max_abs(comm, x, workspace));
  }
  return {};
}

}  // namespace

template <class Real>
Reduced reduce_over(Ranks const&, HostEntries<Real> const& x, HostEntries<Real> const& y,
                    ReductionWishes const& wishes, Progress& progress) {
  return x.is_complex ? reduce_part<Kokkos::complex<Real>>(x, y, wishes, progress)
                      : reduce_part<Real>(x, y, wishes, progress);
}

template Reduced reduce_over(Ranks const&, HostEntries<float> const&, HostEntries<float> const&,
                             ReductionWishes const&, Progress&);
template Reduced reduce_over(Ranks const&, HostEntries<double> const&, HostEntries<double> const&,
                             ReductionWishes const&, Progress&);

}  // namespace carroll::tool
