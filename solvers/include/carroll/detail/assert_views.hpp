// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/concepts.hpp>
#include <carroll/detail/bind.hpp>
#include <carroll/error.hpp>
#include <concepts>
#include <string>

/// What several entry points ask of their callers' Views in the same words. The sentence of a
/// static_assert is a literal, so that those with a function's name in them are macros, which are
/// used in carroll::detail.

/// A is one matrix or a batch.
#define CARROLL_ASSERT_MATRICES(function, AView, ExecSpace)                                      \
  static_assert(ReadableView<AView, ExecSpace, 2> || ReadableView<AView, ExecSpace, 3>, function \
                ": A must be a strided View of float or double, of rank 2 (one matrix) "         \
                "or 3 (a batch), in memory that the execution space can access")

/// A view that is written, of A's rank.
#define CARROLL_ASSERT_OUTPUT(function, name, View, ExecSpace, Real, rank)              \
  static_assert(is_output_of<View, ExecSpace, Real> && rank_of<View>() == rank,         \
                function ": " name                                                      \
                         " must be a writable strided View of A's rank and scalar type" \
                         ", in memory that the execution space can access")
#define CARROLL_ASSERT_OPTIONAL_OUTPUT(function, name, View, ExecSpace, Real, rank)      \
  static_assert(is_optional_output<View, ExecSpace, rank, Real>,                         \
                function ": " name                                                       \
                         " must be carroll::none or a writable strided View of A's rank" \
                         " and scalar type, in memory that the execution space can access")

/// Of ragged batches.
#define CARROLL_ASSERT_PACKED_MATRICES(function, AView, ExecSpace)     \
  static_assert(ReadableView<AView, ExecSpace, 1>, function            \
                ": A must be a View of rank 1 of float or double, in " \
                "memory that the execution space can access")
#define CARROLL_ASSERT_PACKED_OUTPUT(function, name, View, ExecSpace, Real)           \
  static_assert(is_output_of<View, ExecSpace, Real> && rank_of<View>() == 1,          \
                function ": " name                                                    \
                         " must be a writable View of rank 1 of A's scalar type, in " \
                         "memory that the execution space can access")
#define CARROLL_ASSERT_OPTIONAL_PACKED_OUTPUT(function, name, View, ExecSpace, Real)   \
  static_assert(is_optional_output<View, ExecSpace, 1, Real>,                          \
                function ": " name                                                     \
                         " must be carroll::none or a writable View of rank 1 of A's " \
                         "scalar type, in memory that the execution space can access")

/// `one`: what a single problem is called.
#define CARROLL_ASSERT_INFO_OF_REAL(function, View, ExecSpace, Info, Real, Rank, one) \
  static_assert(is_info_view<View, ExecSpace, Info<Real>, Rank>,                      \
                function ": info must be a writable View of carroll::" #Info          \
                         " of A's scalar "                                            \
                         "type, of rank 0 for one " one                               \
                         " and 1 for a batch, in memory that the "                    \
                         "execution space can access")

#define CARROLL_ASSERT_WORKSPACE(function, AView, Real)                   \
  static_assert(std::same_as<typename AView::non_const_value_type, Real>, \
                function ": the workspace must have the scalar type of A")

namespace carroll::detail {

/// carroll::none, or a View over Value of this rank that kernels can write.
template <class View, class ExecSpace, int Rank, class Value>
inline constexpr bool is_optional_output = is_absent<View> ||
                                           (is_output_of<View, ExecSpace, Value> &&
                                            rank_of<View>() == Rank);

/// Are both parts of an ArrowSolution Views over Value of this rank that kernels can write?
template <class Solution, class ExecSpace, class Value, int Rank>
inline constexpr bool is_step_of =
    is_output_of<decltype(Solution::motion), ExecSpace,
                 Value>&& is_output_of<decltype(Solution::depth), ExecSpace, Value>&&
    rank_of<decltype(Solution::motion)>() == Rank&& rank_of<decltype(Solution::depth)>() == Rank;

/// Is an output given, and was the workspace made for it?
template <class View>
void require_made_for(char const* function, char const* name, bool made_for) {
  require(is_absent<View> != made_for, function, [&] {
    return std::string(name) +
           (is_absent<View> ? " is carroll::none, but the workspace was made for it"
                            : " is given, but the workspace was made without it");
  });
}

/// The kind of batches that the workspace was made for.
template <class Workspace>
void require_uniform(char const* function, Workspace const& workspace) {
  require(!workspace.is_ragged(), function,
          [] { return std::string("the workspace was made for a ragged batch"); });
}
template <class Workspace>
void require_ragged(char const* function, Workspace const& workspace) {
  require(workspace.is_ragged(), function,
          [] { return std::string("the workspace was made for a uniform batch"); });
}

}  // namespace carroll::detail
