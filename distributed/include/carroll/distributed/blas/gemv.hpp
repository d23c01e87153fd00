// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/matrix_vector/views.hpp>
#include <carroll/distributed/blas/gemv/workspace.hpp>
#include <carroll/distributed/blas/grid.hpp>
#include <type_traits>

/// y := alpha·op(A)·x + beta·y, with A on a grid of ranks: by rows, by columns, or by both.
///
///   carroll::distributed::Grid const grid(comm, 2, 3);
///   carroll::distributed::gemv(grid, layout, 1.0, A, x, 0.0, y);   // this rank's blocks
///
///   A   the block of this rank's rows and columns; read only
///   x   of the terms: without op the entries of its columns, the same on all ranks of a column;
///       where op transposes those of its rows, the same on all of a row; read only
///   y   the other way round; all that share its entries get the same
///
/// The bits of y are carroll::gemv's for the whole matrix on one rank, for any grid: ranks that
/// share sums send each other those of whole subtrees of the canonical tree, and add them alike.
/// Terms are shared in multiples of 1024, of which `reduction_layout` makes few subtrees; rows in
/// any way. Each rank reads its block once; messages of its rows times 2·log₂(terms/1024) sums at
/// most. Views are of rank 1 and 2, in any strided layout; y must overlap neither A nor x.
///
/// Collective. Fences the communicator's instance. Misuse on one rank throws on all: there
/// std::invalid_argument, elsewhere RankError.
namespace carroll::distributed {

template <ExecutionSpace ExecSpace, class AView, class XView, class YView, class T>
void gemv(Grid<ExecSpace> const& grid, std::type_identity_t<T> const& alpha, AView const& A,
          XView const& x, std::type_identity_t<T> const& beta, YView const& y,
          GemvWorkspace<ExecSpace, T> const& workspace) {
  carroll::detail::assert_gemv_views<ExecSpace, AView, XView, YView, T>();
  static_assert(carroll::detail::rank_of<YView>() == 1,
                "carroll::distributed::gemv: y must be of rank 1");
  GemvAccess<ExecSpace, T>::call("carroll::distributed::gemv", grid, alpha, A, x, beta, y,
                                 workspace);
}

/// The same with a workspace of its own.
template <ExecutionSpace ExecSpace, class AView, class XView, class YView>
void gemv(Grid<ExecSpace> const& grid, GridLayout const& layout,
          typename YView::non_const_value_type const& alpha, AView const& A, XView const& x,
          typename YView::non_const_value_type const& beta, YView const& y,
          GemvOptions const& options = {}) {
  using T = typename YView::non_const_value_type;
  auto const workspace =
      GemvAccess<ExecSpace, T>::make("carroll::distributed::gemv", grid, layout, options);
  gemv(grid, alpha, A, x, beta, y, workspace);
}

}  // namespace carroll::distributed
