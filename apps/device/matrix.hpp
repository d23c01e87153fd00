// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/copy.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "files/host_matrix.hpp"

/// Matrices of the tool in the memory of the default execution space.
namespace carroll::tool {

using ExecSpace = Kokkos::DefaultExecutionSpace;

template <class Number>
using DeviceMatrix = Kokkos::View<Number**, Kokkos::LayoutLeft, ExecSpace>;
template <class Number>
using DeviceVector = Kokkos::View<Number*, Kokkos::LayoutLeft, ExecSpace>;

/// A View that nothing is written to yet.
template <class View, class... Extents>
View uninitialized(ExecSpace const& exec, std::string const& label, Extents... extents) {
  return View(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, label),
              static_cast<std::size_t>(extents)...);
}

/// A copy that is enqueued: A must stay.
template <class Number>
DeviceMatrix<Number> to_device(ExecSpace const& exec, std::string const& label,
                               HostMatrix<Number> const& A) {
  auto const device = uninitialized<DeviceMatrix<Number>>(exec, label, A.rows, A.cols);
  detail::copy_to_device(exec, device.data(), A.values.data(), A.values.size());
  return device;
}

/// Fences.
template <class Number>
HostMatrix<Number> to_host(ExecSpace const& exec, DeviceMatrix<Number> const& device) {
  HostMatrix<Number> A{static_cast<std::int64_t>(device.extent(0)),
                       static_cast<std::int64_t>(device.extent(1)),
                       std::vector<Number>(device.size())};
  detail::copy_to_host(exec, A.values.data(), device.data(), A.values.size());
  exec.fence("carroll::tool: matrix on the host");
  return A;
}
template <class Number>
std::vector<Number> to_host(ExecSpace const& exec, DeviceVector<Number> const& device) {
  std::vector<Number> values(device.extent(0));
  detail::copy_to_host(exec, values.data(), device.data(), values.size());
  exec.fence("carroll::tool: vector on the host");
  return values;
}

}  // namespace carroll::tool
