// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>

namespace carroll::test {

/// The layouts that callers' Views may have.
enum class ViewLayout { left, right, stride };

/// call(layout) with the layout as Kokkos has it.
template <class Call>
auto with_layout(ViewLayout layout, Call const& call) {
  switch (layout) {
    case ViewLayout::left: return call(Kokkos::LayoutLeft());
    case ViewLayout::right: return call(Kokkos::LayoutRight());
    case ViewLayout::stride: break;
  }
  return call(Kokkos::LayoutStride());
}

}  // namespace carroll::test
