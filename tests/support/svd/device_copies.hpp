// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <vector>

#include "support/copy.hpp"

/// Host data where the default execution space works, and back: what drivers.cpp and
/// truncated_drivers.cpp put between host matrices and the solvers.
namespace carroll::test {

using Exec = Kokkos::DefaultExecutionSpace;
using Memory = typename Exec::memory_space;

template <class Real>
using Vector = Kokkos::View<Real*, Kokkos::LayoutLeft, Memory>;
template <class Real>
using Matrix = Kokkos::View<Real**, Kokkos::LayoutLeft, Memory>;

/// What outputs hold before a call; a result that still has it was not written.
template <class Real>
constexpr Real marker = static_cast<Real>(-77.25);

template <class Real>
auto wrap(std::vector<Real>& data) {
  return Kokkos::View<Real*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(
      data.data(), data.size());
}

template <class Real>
Vector<Real> to_device(Exec const& exec, std::vector<Real> data) {
  Vector<Real> device("carroll_test::vector", data.size());
  carroll::test::deep_copy(exec, device, wrap(data));
  exec.fence("carroll_test: host data copied");
  return device;
}

template <class Real>
Vector<Real> marked(Exec const& exec, std::size_t size) {
  Vector<Real> device("carroll_test::output", size);
  carroll::test::deep_copy(exec, device, marker<Real>);
  return device;
}

template <class View>
auto to_host(Exec const& exec, View const& device) {
  std::vector<typename View::non_const_value_type> data(device.extent(0));
  carroll::test::deep_copy(exec, wrap(data), device);
  exec.fence("carroll_test: results copied");
  return data;
}

}  // namespace carroll::test
