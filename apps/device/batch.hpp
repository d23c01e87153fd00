// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/copy.hpp>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "device/matrix.hpp"
#include "files/batch_file.hpp"
#include "files/complex_matrix.hpp"

/// Batches of the tool in the memory of the default execution space, member after member and row
/// after row.
namespace carroll::tool {

template <class Number>
using DeviceBatch = Kokkos::View<Number***, Kokkos::LayoutRight, ExecSpace>;
template <class Number>
using DeviceVectors = Kokkos::View<Number**, Kokkos::LayoutRight, ExecSpace>;

/// The type of a number where kernels work on it.
template <class Number>
using DeviceNumber =
    std::conditional_t<is_complex_number<Number>, Kokkos::complex<PartOf<Number>>, Number>;

/// A copy that is enqueued: the batch must stay. std::complex and Kokkos::complex are both two
/// parts.
template <class Number>
DeviceBatch<DeviceNumber<Number>> to_device(ExecSpace const& exec, std::string const& label,
                                            HostBatch<Number> const& batch) {
  using Value = DeviceNumber<Number>;
  auto const device =
      uninitialized<DeviceBatch<Value>>(exec, label, batch.members, batch.rows, batch.cols);
  detail::copy_to_device(exec, device.data(), reinterpret_cast<Value const*>(batch.values.data()),
                         device.size());
  return device;
}

/// All numbers of a contiguous View, as Number. Fences.
template <class Number, class View>
std::vector<Number> numbers_on_host_as(ExecSpace const& exec, View const& device) {
  using Value = typename View::non_const_value_type;
  std::vector<Number> values(device.span());
  detail::copy_objects<Kokkos::HostSpace, typename View::memory_space, Value>(
      exec, reinterpret_cast<Value*>(values.data()), device.data(), values.size());
  exec.fence("carroll::tool: batch on the host");
  return values;
}
template <class View>
auto numbers_on_host(ExecSpace const& exec, View const& device) {
  return numbers_on_host_as<typename View::non_const_value_type>(exec, device);
}

}  // namespace carroll::tool
