// SPDX-License-Identifier: BSD-3-Clause
#include "blas/reduce.hpp"

#include <Kokkos_Core.hpp>
#include <carroll/asum.hpp>
#include <carroll/dot.hpp>
#include <carroll/max_abs.hpp>
#include <carroll/norm2.hpp>
#include <carroll/sum.hpp>
#include <cstddef>
#include <map>
#include <stdexcept>

#include "device/matrix.hpp"
#include "files/limits.hpp"

namespace carroll::tool {

namespace {

Summation summation_named(std::string const& name) {
  static std::map<std::string, Summation> const summations{{"canonical", Summation::canonical},
                                                           {"compensated", Summation::compensated},
                                                           {"exact", Summation::exact}};
  return summations.at(name);
}

template <class T>
using DeviceEntries =
    Kokkos::View<T const*, Kokkos::LayoutLeft, ExecSpace, Kokkos::MemoryUnmanaged>;

template <class T, class Real>
DeviceEntries<T> entries_of(DeviceVector<Real> const& reals) {
  // Views begin at multiples of 64 bytes, which is enough for complex numbers.
  return DeviceEntries<T>(reinterpret_cast<T const*>(reals.data()),
                          reals.size() * sizeof(Real) / sizeof(T));
}

template <class Real>
DeviceVector<Real> reals_on_device(ExecSpace const& exec, std::string const& label,
                                   std::vector<Real> const& values) {
  auto const device = uninitialized<DeviceVector<Real>>(exec, label, values.size());
  Kokkos::View<Real const*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged> const host(values.data(),
                                                                                   values.size());
  Kokkos::deep_copy(exec, device, host);
  return device;
}

template <class T>
void set_value(ReductionInfo<T> const& info, Reduced& found) {
  found.status = to_string(info.status);
  found.value = static_cast<double>(info.value);
}
template <class Real>
void set_value(ReductionInfo<Kokkos::complex<Real>> const& info, Reduced& found) {
  found.status = to_string(info.status);
  found.value = static_cast<double>(info.value.real());
  found.imaginary = static_cast<double>(info.value.imag());
  found.is_complex = true;
}

template <class T, class Real>
Reduced reduce_entries(HostEntries<Real> const& host_x, HostEntries<Real> const& host_y,
                       ReductionWishes const& wishes, Progress& progress) {
  ExecSpace const exec;
  auto const x_reals = reals_on_device(exec, "carroll::tool::x", host_x.values);
  auto const y_reals = reals_on_device(exec, "carroll::tool::y", host_y.values);
  auto const x = entries_of<T>(x_reals), y = entries_of<T>(y_reals);
  auto workspace = reduction_workspace<T>(exec, {.length = static_cast<std::int64_t>(x.extent(0))},
                                          {.summation = summation_named(wishes.summation)});
  exec.fence("carroll::tool: start of the clock");
  progress.phase("adding " + count_text(static_cast<std::int64_t>(x.extent(0)), "number"));
  Reduced found;
  Kokkos::Timer const timer;
  auto const finish = [&](auto const& info) {
    found.seconds = timer.seconds();
    set_value(info, found);
  };
  switch (wishes.kind) {
    case ReductionKind::sum: finish(sum(exec, x, workspace)); break;
    case ReductionKind::dot: finish(dot(exec, x, y, workspace, wishes.conjugate)); break;
    case ReductionKind::norm2: finish(norm2(exec, x, workspace)); break;
    case ReductionKind::asum: finish(asum(exec, x, workspace)); break;
    case ReductionKind::max_abs: finish(max_abs(exec, x, workspace)); break;
  }
  found.backend = ExecSpace::name();
  return found;
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
