// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <string>

#include "support/copy.hpp"

namespace carroll::test {

/// A View's entries on the host, row by row without gaps: no copy between two memories takes
/// strides.
template <class View>
auto packed_on_host(View const& view) {
  Kokkos::LayoutRight extents;
  for (int d = 0; d < int(View::rank); ++d) extents.dimension[d] = view.extent(d);
  Kokkos::View<typename View::non_const_data_type, Kokkos::LayoutRight,
               typename View::memory_space> const packed("packed", extents);
  carroll::test::deep_copy(packed, view);
  return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), packed);
}

/// What they are, bit by bit.
template <class View>
std::string packed_bytes(View const& view) {
  auto const host = packed_on_host(view);
  return {reinterpret_cast<char const*>(host.data()),
          host.size() * sizeof(typename View::value_type)};
}

}  // namespace carroll::test
