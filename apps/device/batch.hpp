// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "device/matrix.hpp"
#include "files/batch_file.hpp"

/// Batches of the tool in the memory of the default execution space, member after member and row
/// after row.
namespace carroll::tool {

template <class Number>
using DeviceBatch = Kokkos::View<Number***, Kokkos::LayoutRight, ExecSpace>;
template <class Number>
using DeviceVectors = Kokkos::View<Number**, Kokkos::LayoutRight, ExecSpace>;

/// A copy that is enqueued: the batch must stay.
template <class Number>
DeviceBatch<Number> to_device(ExecSpace const& exec, std::string const& label,
                              HostBatch<Number> const& batch) {
  Kokkos::View<Number const***, Kokkos::LayoutRight, Kokkos::HostSpace,
               Kokkos::MemoryUnmanaged> const host(batch.values.data(), batch.members, batch.rows,
                                                   batch.cols);
  auto const device =
      uninitialized<DeviceBatch<Number>>(exec, label, batch.members, batch.rows, batch.cols);
  Kokkos::deep_copy(exec, device, host);
  return device;
}

/// All numbers of a contiguous View. Fences.
template <class View>
auto numbers_on_host(ExecSpace const& exec, View const& device) {
  using Number = typename View::non_const_value_type;
  std::vector<Number> values(device.span());
  Kokkos::deep_copy(
      exec,
      Kokkos::View<Number*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(values.data(),
                                                                        values.size()),
      Kokkos::View<Number const*, typename View::memory_space, Kokkos::MemoryUnmanaged>(
          device.data(), values.size()));
  exec.fence("carroll::tool: batch on the host");
  return values;
}

}  // namespace carroll::tool
