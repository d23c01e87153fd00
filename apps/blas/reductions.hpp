// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/copy.hpp>
#include <carroll/reduction/types.hpp>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "blas/reduce.hpp"
#include "device/matrix.hpp"
#include "files/limits.hpp"

/// What sums on one rank and on several have in common.
namespace carroll::tool {

[[nodiscard]] inline Summation summation_named(std::string const& name) {
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
  detail::copy_to_device(exec, device.data(), values.data(), values.size());
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

/// Runs from its construction to the result.
class ReductionClock {
 public:
  ReductionClock(ExecSpace const& exec, std::int64_t count, Progress& progress) {
    exec.fence("carroll::tool: start of the clock");
    progress.phase("adding " + count_text(count, "number"));
    timer_.reset();
  }

  template <class T>
  [[nodiscard]] Reduced stop(ReductionInfo<T> const& info) const {
    Reduced found;
    found.seconds = timer_.seconds();
    found.backend = ExecSpace::name();
    set_value(info, found);
    return found;
  }

 private:
  Kokkos::Timer timer_;
};

}  // namespace carroll::tool
