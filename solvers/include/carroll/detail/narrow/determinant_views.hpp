// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/assert_views.hpp>
#include <carroll/detail/bind.hpp>
#include <carroll/detail/determinant/square.hpp>
#include <carroll/detail/determinant/views.hpp>
#include <carroll/detail/narrow/workspace.hpp>
#include <carroll/narrow/determinant_workspace.hpp>
#include <concepts>

/// From the caller's 16-bit Views to a checked call of `determinant` for floats.
namespace carroll::detail {

template <class ExecSpace, class AView>
consteval void assert_narrow_determinant_views() {
  constexpr int rank = int(AView::rank);
  static_assert(is_view_of<AView, ExecSpace, typename AView::non_const_value_type> &&
                    (rank == 2 || rank == 3),
                "carroll::determinant_of: a 16-bit A must be a strided View of rank 2 (one matrix) "
                "or 3 (a batch), in memory that the execution space can access");
}

template <class ExecSpace, class AView>
consteval void assert_narrow_packed_determinant_views() {
  static_assert(
      is_view_of<AView, ExecSpace, typename AView::non_const_value_type> && int(AView::rank) == 1,
      "carroll::determinant_of_ragged: a 16-bit A must be a strided View of rank 1, in "
      "memory that the execution space can access");
}

/// In the workspace's room, where the solver may write.
template <class ExecSpace, class T, class AView>
auto bind_narrow_determinant(char const* function,
                             DeterminantWorkspace<ExecSpace, T> const& workspace, AView const& A) {
  CARROLL_ASSERT_WORKSPACE("carroll::determinant_of", AView, T);
  require_square(function, A, workspace.extents());
  using Access = AccessTo<DeterminantWorkspace<ExecSpace, T>>;
  NarrowCall<DeterminantBatch<float>, 0> call{};
  auto const& [members, n, keep] = workspace.extents();
  Binder bind(function);
  bind_narrow(bind, call.a, "A", A, {members, n, n});
  place(call.a, Access::room(workspace).floats[0]);
  auto const& wide = call.a.wide;
  call.batch = Access::Wide::batch(Access::wide(workspace), {wide.data, wide.extents, wide.strides},
                                   wide.data);
  return call;
}

template <class ExecSpace, class T, class AView>
NarrowInput bind_narrow_packed_determinant(
    char const* function, DeterminantRaggedWorkspace<ExecSpace, T> const& workspace,
    AView const& A) {
  CARROLL_ASSERT_WORKSPACE("carroll::determinant_of_ragged", AView, T);
  auto const& room = AccessTo<DeterminantRaggedWorkspace<ExecSpace, T>>::room(workspace);
  NarrowInput a;
  Binder bind(function);
  bind_narrow_packed(bind, a, "A", A, workspace.entries());
  place(a, room.floats[0], room.pieces[0]);
  return a;
}

}  // namespace carroll::detail
