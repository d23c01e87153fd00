// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <stdexcept>
#include <type_traits>

/// Copies of what lies in one piece. Kokkos::deep_copy compiles ten kernels for each pair of types
/// of Views, for layouts that differ, which takes a third of a second to a second; where nothing
/// differs it copies bytes. Here all types are bytes, of which it compiles one pair for each pair
/// of memory spaces.
namespace carroll::detail {

/// `count` objects, behind what the instance has been given. Waits where Kokkos::deep_copy does,
/// which is nowhere between a host's and a device's memory that are pinned.
template <class ToSpace, class FromSpace, class T, class ExecSpace>
void copy_objects(ExecSpace const& exec, T* to, T const* from, std::size_t count) {
  static_assert(std::is_trivially_copyable_v<T>);
  using To = Kokkos::View<std::byte*, Kokkos::LayoutRight, ToSpace, Kokkos::MemoryUnmanaged>;
  using From =
      Kokkos::View<std::byte const*, Kokkos::LayoutRight, FromSpace, Kokkos::MemoryUnmanaged>;
  Kokkos::deep_copy(exec, To(reinterpret_cast<std::byte*>(to), count * sizeof(T)),
                    From(reinterpret_cast<std::byte const*>(from), count * sizeof(T)));
}

/// to := from, Views without gaps, of the same extents and layout, which may be in two memory
/// spaces; the same.
template <class ExecSpace, class To, class From>
void copy_view(ExecSpace const& exec, To const& to, From const& from) {
  using T = typename To::value_type;
  static_assert(std::is_same_v<T, typename From::non_const_value_type>);
  static_assert(
      To::rank() == From::rank() &&
      (To::rank() < 2 || std::is_same_v<typename To::array_layout, typename From::array_layout>));
  static_assert(To::rank() < 2 || !std::is_same_v<typename To::array_layout, Kokkos::LayoutStride>);
  bool fits = to.span_is_contiguous() && from.span_is_contiguous();
  for (std::size_t r = 0; r < To::rank(); ++r) fits = fits && to.extent(r) == from.extent(r);
  if (!fits)
    throw std::logic_error("carroll::detail::copy_view: Views have gaps, or not the same extents");
  copy_objects<typename To::memory_space, typename From::memory_space>(exec, to.data(), from.data(),
                                                                       to.size());
}

/// `count` objects of the instance's memory := what the host holds, which must stay until the
/// instance has come that far.
template <class T, class ExecSpace>
void copy_to_device(ExecSpace const& exec, T* to, T const* from, std::size_t count) {
  copy_objects<typename ExecSpace::memory_space, Kokkos::HostSpace>(exec, to, from, count);
}

/// The other way.
template <class T, class ExecSpace>
void copy_to_host(ExecSpace const& exec, T* to, T const* from, std::size_t count) {
  copy_objects<Kokkos::HostSpace, typename ExecSpace::memory_space>(exec, to, from, count);
}

}  // namespace carroll::detail
