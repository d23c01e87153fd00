// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <concepts>
#include <type_traits>

/// Predicates on template arguments. Entry points assert them, so that a wrong type is answered by
/// a sentence that names the function and the argument instead of a page of substitution failures.
namespace carroll {

/// The scalar types that the solvers are written for.
template <class T>
concept RealScalar = std::same_as<T, float> || std::same_as<T, double>;

/// The real ones, and complex numbers made of them.
template <class T>
concept FieldScalar = RealScalar<T> || std::same_as<T, Kokkos::complex<float>> ||
    std::same_as<T, Kokkos::complex<double>>;

template <class T>
concept ExecutionSpace = Kokkos::is_execution_space_v<T>;

/// A View whose entries stand at fixed strides: LayoutLeft, LayoutRight or LayoutStride.
template <class T>
concept StridedView = Kokkos::is_view_v<T> &&
    (std::same_as<typename T::array_layout, Kokkos::LayoutLeft> ||
     std::same_as<typename T::array_layout, Kokkos::LayoutRight> ||
     std::same_as<typename T::array_layout, Kokkos::LayoutStride>);

/// Kernels of `Exec` can reach the View's memory.
template <class T, class Exec>
concept AccessibleView =
    bool(Kokkos::SpaceAccessibility<Exec, typename T::memory_space>::accessible);

/// A strided View of the given rank over float or double that kernels of `Exec` can read.
template <class T, class Exec, int Rank>
concept ReadableView = StridedView<T> &&(int(T::rank) == Rank) &&
                       RealScalar<typename T::non_const_value_type>&& AccessibleView<T, Exec>;

/// A readable View whose entries kernels of `Exec` may also write.
template <class T, class Exec, int Rank>
concept WritableView = ReadableView<T, Exec, Rank> && !std::is_const_v<typename T::value_type>;

namespace detail {

/// Is T a Template<…> of types?
template <class T, template <class...> class Template>
inline constexpr bool is_instance_of = false;
template <template <class...> class Template, class... Types>
inline constexpr bool is_instance_of<Template<Types...>, Template> = true;

}  // namespace detail
}  // namespace carroll
