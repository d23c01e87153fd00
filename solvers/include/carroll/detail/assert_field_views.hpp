// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/concepts.hpp>
#include <carroll/detail/assert_views.hpp>

/// What entry points for real and complex numbers ask of their callers' Views, as those for real
/// ones alone do in assert_views.hpp.

/// A is one matrix or a batch.
#define CARROLL_ASSERT_FIELD_MATRICES(function, AView, ExecSpace)                                  \
  static_assert(is_field_view<AView, ExecSpace, 2> || is_field_view<AView, ExecSpace, 3>, function \
                ": A must be a strided View of float, double or Kokkos::complex of these, of "     \
                "rank 2 (one matrix) or 3 (a batch), in memory that the execution space can "      \
                "access")
/// A has the members of a ragged batch.
#define CARROLL_ASSERT_PACKED_FIELD_MATRICES(function, AView, ExecSpace)                    \
  static_assert(is_field_view<AView, ExecSpace, 1>, function                                \
                ": A must be a View of rank 1 of float, double or Kokkos::complex of these" \
                ", in memory that the execution space can access")

namespace carroll::detail {

/// A strided View of real or complex numbers that kernels can read, of that rank.
template <class View, class ExecSpace, int Rank>
inline constexpr bool is_field_view = false;
template <class View, class ExecSpace, int Rank>
requires StridedView<View> && AccessibleView<View, ExecSpace>
inline constexpr bool is_field_view<View, ExecSpace, Rank> =
    FieldScalar<typename View::non_const_value_type> && int(View::rank) == Rank;

}  // namespace carroll::detail
