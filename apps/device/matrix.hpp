// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
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
  Kokkos::View<Number const**, Kokkos::LayoutLeft, Kokkos::HostSpace, Kokkos::MemoryUnmanaged> const
      host(A.values.data(), A.rows, A.cols);
  auto const device = uninitialized<DeviceMatrix<Number>>(exec, label, A.rows, A.cols);
  Kokkos::deep_copy(exec, device, host);
  return device;
}

/// Fences.
template <class Number>
HostMatrix<Number> to_host(ExecSpace const& exec, DeviceMatrix<Number> const& device) {
  HostMatrix<Number> A{static_cast<std::int64_t>(device.extent(0)),
                       static_cast<std::int64_t>(device.extent(1)),
                       std::vector<Number>(device.size())};
  Kokkos::View<Number**, Kokkos::LayoutLeft, Kokkos::HostSpace, Kokkos::MemoryUnmanaged> const host(
      A.values.data(), A.rows, A.cols);
  Kokkos::deep_copy(exec, host, device);
  exec.fence("carroll::tool: matrix on the host");
  return A;
}
template <class Number>
std::vector<Number> to_host(ExecSpace const& exec, DeviceVector<Number> const& device) {
  std::vector<Number> values(device.extent(0));
  Kokkos::View<Number*, Kokkos::LayoutLeft, Kokkos::HostSpace, Kokkos::MemoryUnmanaged> const host(
      values.data(), values.size());
  Kokkos::deep_copy(exec, host, device);
  exec.fence("carroll::tool: vector on the host");
  return values;
}

}  // namespace carroll::tool
