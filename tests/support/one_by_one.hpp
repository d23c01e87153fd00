// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstring>
#include <type_traits>
#include <vector>

#include "support/copy.hpp"
#include "support/guarded_view.hpp"

namespace carroll::test {

/// Can members of a batch of that layout be handed over by themselves, where they lie?
template <class Layout>
inline constexpr bool has_parts = !std::is_same_v<Layout, Kokkos::LayoutLeft>;

/// enqueue(b, info) for problems 0 … count-1, one after the other on `exec`, before the first of
/// them is waited for: `info` is a View of rank 1 for that problem's. Returns what was written
/// there; where nothing was, bytes that are no info.
template <class Info, class Enqueue>
std::vector<Info> infos_one_by_one(Exec const& exec, std::size_t count, Enqueue const& enqueue) {
  using Piece = Kokkos::View<Info*, Memory, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  using Image = Kokkos::View<Info*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  std::vector<Info> infos(count);
  if (count == 0) return infos;
  std::memset(static_cast<void*>(infos.data()), 0x5a, count * sizeof(Info));
  Kokkos::View<Info*, Memory> const told(
      Kokkos::view_alloc(Kokkos::WithoutInitializing, "carroll_test::infos"), count);
  Image const image(infos.data(), count);
  carroll::test::deep_copy(exec, told, image);
  for (std::size_t b = 0; b < count; ++b) enqueue(b, Piece(told.data() + b, 1));
  carroll::test::deep_copy(exec, image, told);
  exec.fence("carroll_test::one_by_one");
  return infos;
}

}  // namespace carroll::test
