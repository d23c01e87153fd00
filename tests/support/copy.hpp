// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>

#include <array>
#include <cstddef>
#include <stdexcept>

namespace carroll::test {

namespace copying {

/// Extents of up to four dimensions, 1 where there are fewer, and how many elements are from one
/// index to the next.
struct Elements {
  std::array<std::size_t, 4> extents{1, 1, 1, 1};
  std::array<std::size_t, 4> strides{0, 0, 0, 0};
};

template <class View>
Elements elements_of(View const& view) {
  static_assert(View::rank() <= 4);
  Elements all;
  for (std::size_t d = 0; d < View::rank(); ++d) {
    all.extents[d] = view.extent(d);
    all.strides[d] = view.stride(d);
  }
  return all;
}

/// to(i, j, k, l) = from(i, j, k, l) for all indices.
template <class To, class From>
void copy_elements(To* to, std::array<std::size_t, 4> const& step, From const* from,
                   Elements const& all) {
  auto const& n = all.extents;
  auto const& from_step = all.strides;
  for (std::size_t i = 0; i < n[0]; ++i) {
    for (std::size_t j = 0; j < n[1]; ++j) {
      for (std::size_t k = 0; k < n[2]; ++k) {
        for (std::size_t l = 0; l < n[3]; ++l) {
          to[i * step[0] + j * step[1] + k * step[2] + l * step[3]] =
              from[i * from_step[0] + j * from_step[1] + k * from_step[2] + l * from_step[3]];
        }
      }
    }
  }
}

template <class View>
inline constexpr bool host_reaches =
    Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename View::memory_space>::accessible;

/// to(i, j, k, l) = from(i, j, k, l), or = from, for Views that the host reaches.
template <class To, class From>
void copy_on_host(To const& to, From const& from) {
  auto const target = elements_of(to);
  if constexpr (Kokkos::is_view_v<From>) {
    static_assert(To::rank() == From::rank());
    auto const source = elements_of(from);
    if (target.extents != source.extents)
      throw std::runtime_error("carroll::test::deep_copy: extents differ");
    // A mirror of a host's View is that View.
    bool const same = static_cast<void const*>(to.data()) == static_cast<void const*>(from.data());
    if (!same || target.strides != source.strides)
      copy_elements(to.data(), target.strides, from.data(), source);
  } else {
    auto const value = static_cast<typename To::non_const_value_type>(from);
    copy_elements(to.data(), target.strides, &value, Elements{target.extents, {0, 0, 0, 0}});
  }
}

template <class To, class From>
constexpr bool host_copies() {
  if constexpr (Kokkos::is_view_v<From>) {
    return host_reaches<To> && host_reaches<From>;
  } else {
    return host_reaches<To>;
  }
}

}  // namespace copying

/// What Kokkos::deep_copy(to, from) does, `from` being a View or a value. Kokkos compiles ten
/// kernels of every pair of View types, which is a third of a second of a compiler's time, for
/// hosts, too, where the two are often one. Elements that the host reaches are copied by a loop of
/// their type here, whatever the Views; the others by Kokkos.
template <class To, class From>
void deep_copy(To const& to, From const& from) {
  if constexpr (copying::host_copies<To, From>()) {
    Kokkos::fence("carroll::test::deep_copy");
    copying::copy_on_host(to, from);
  } else {
    Kokkos::deep_copy(to, from);
  }
}

/// The same after all that `exec` has to do, for others to wait for as with Kokkos.
template <class ExecSpace, class To, class From>
void deep_copy(ExecSpace const& exec, To const& to, From const& from) {
  if constexpr (copying::host_copies<To, From>()) {
    exec.fence("carroll::test::deep_copy");
    copying::copy_on_host(to, from);
  } else {
    Kokkos::deep_copy(exec, to, from);
  }
}

}  // namespace carroll::test
