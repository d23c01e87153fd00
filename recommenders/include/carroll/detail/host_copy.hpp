// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/copy.hpp>
#include <vector>

namespace carroll::detail {

/// What a View without gaps holds, on the host. Fences.
template <class ExecSpace, class View>
auto on_host(ExecSpace const& exec, View const& view) {
  using Value = typename View::non_const_value_type;
  std::vector<Value> host(view.extent(0));
  copy_view(
      exec,
      Kokkos::View<Value*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(host.data(), host.size()),
      view);
  exec.fence("carroll::recommenders: copy to the host");
  return host;
}

}  // namespace carroll::detail
