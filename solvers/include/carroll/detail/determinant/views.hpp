// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/concepts.hpp>
#include <carroll/detail/bind.hpp>
#include <carroll/detail/determinant/square.hpp>
#include <carroll/detail/strided.hpp>
#include <carroll/determinant/workspace.hpp>
#include <carroll/error.hpp>
#include <concepts>
#include <string>
#include <type_traits>

/// From the caller's Views to a checked DeterminantBatch.
namespace carroll::detail {

template <class View, class ExecSpace>
inline constexpr bool is_field_matrix = false;
template <class View, class ExecSpace>
requires StridedView<View> && AccessibleView<View, ExecSpace>
inline constexpr bool is_field_matrix<View, ExecSpace> =
    (int(View::rank) == 2 || int(View::rank) == 3) &&
    FieldScalar<typename View::non_const_value_type>;

template <class ExecSpace, class AView, bool Overwrites>
consteval void assert_determinant_views() {
  static_assert(
      is_field_matrix<AView, ExecSpace>,
      "carroll::determinant: A must be a strided View of float, double or Kokkos::complex "
      "of one of them, of rank 2 (one matrix) or 3 (a batch), in memory that the "
      "execution space can access");
  static_assert(!Overwrites || !std::is_const_v<typename AView::value_type>,
                "carroll::determinant: A is overwritten and must not be a View of constants; "
                "carroll::determinant_of keeps it");
}

template <class ExecSpace, class InfoView, class T, int Rank>
consteval void assert_determinant_info() {
  static_assert(
      is_info_view<InfoView, ExecSpace, DeterminantInfo<T>, Rank>,
      "carroll::determinant_async: info must be a writable View of carroll::DeterminantInfo of A's "
      "scalar type, of rank 0 for one matrix and 1 for a batch, in memory that the execution space "
      "can access");
}

/// What a workspace for A has to be made for.
template <class AView>
DeterminantExtents determinant_extents(char const* function, AView const& A, bool keep) {
  auto const [batch, n] = square_extents(function, A);
  return {batch, n, keep};
}

/// The caller's matrices into a batch, checked against the workspace.
template <bool Overwrites, class ExecSpace, class T, class AView>
DeterminantBatch<T> bind_determinant(char const* function,
                                     DeterminantWorkspace<ExecSpace, T> const& workspace,
                                     AView const& A) {
  static_assert(std::same_as<typename AView::non_const_value_type, T>,
                "carroll::determinant: the workspace must have the scalar type of A");
  require_square(function, A, workspace.extents());
  require(Overwrites || workspace.extents().keep, function, [] {
    return std::string("the workspace was made without room for copies: extents.keep is false");
  });
  typename AView::const_type const read_only = A;
  T* overwritten = nullptr;
  if constexpr (Overwrites) overwritten = A.data();
  return AccessTo<DeterminantWorkspace<ExecSpace, T>>::batch(workspace, strided_batch(read_only),
                                                             overwritten);
}

}  // namespace carroll::detail
