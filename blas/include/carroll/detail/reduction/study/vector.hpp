// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/concepts.hpp>
#include <carroll/detail/bind.hpp>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace carroll::detail {

/// A strided vector as the studies read it.
template <class T>
struct StudyVector {
  T const* data = nullptr;
  std::ptrdiff_t stride = 1;

  KOKKOS_FUNCTION T operator[](std::int64_t i) const { return data[i * stride]; }
};

template <class View, class ExecSpace>
inline constexpr bool is_study_vector = false;
template <class View, class ExecSpace>
requires StridedView<View> && AccessibleView<View, ExecSpace>
inline constexpr bool is_study_vector<View, ExecSpace> =
    int(View::rank) == 1 && std::is_floating_point_v<typename View::non_const_value_type>;

/// The caller's vector, checked.
template <class View>
auto bind_study(char const* function, char const* name, View const& view, std::int64_t length) {
  using T = typename View::non_const_value_type;
  StridedBatch<T const> bound;
  Binder(function).input(bound, name, view, {1, length});
  return StudyVector<T>{bound.data, length > 1 ? bound.strides[1] : 1};
}

}  // namespace carroll::detail
