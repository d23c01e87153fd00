// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/matrix_product/views.hpp>
#include <carroll/distributed/blas/gemm/workspace.hpp>
#include <carroll/distributed/blas/grid.hpp>
#include <type_traits>

/// C := alpha·op(A)·op(B) + beta·C, with all three on one grid of ranks.
///
///   carroll::distributed::Grid const grid(comm, 2, 3);
///   carroll::distributed::GemmLayouts const layouts{{rows, terms_by_column},
///                                                   {terms_by_row, columns}, {rows, columns}};
///   carroll::distributed::gemm(grid, layouts, 1.0, A, B, 0.0, C);   // this rank's blocks
///
/// A and B are distributed as they are stored, so that a rank's block of A is of k×m where op_a
/// transposes. Rows of op(A) = A are shared out as C's, columns of op(B) = B as C's; all else may
/// be in any way, and ranks may have nothing. Views are of rank 2, in any strided layout, over
/// float, double or complex numbers of these; C must overlap neither A nor B.
///
/// Panels of terms, one after the other (SUMMA: van de Geijn and Watts, Concurrency: Pract. Exper.
/// 9(4), 1997): who has terms of op(A) broadcasts them along its row of the grid, who has some of
/// op(B) along its column, and each rank adds their product to its block of C by carroll::gemm's
/// kernels. A transposed side is gathered along its row or column first and dealt out along the
/// other. Panels are as long as the number of terms and the kind of device say, and sums within
/// them are not cut, so that C has the same bits on every grid and with every layout; but those of
/// complex double products on devices with tensor cores, which add complex numbers otherwise than
/// registers do and are used for blocks of C beyond 32×32. On hosts they are carroll::gemm's;
/// devices of one rank may cut sums otherwise.
///
/// 2mnk/P flops and some k·(m/rows + n/columns) entries received on each of P ranks, which holds
/// two panels beside its blocks; products and messages follow each other. One rank alone copies
/// nothing.
///
/// Collective. Fences the communicator's instance. With alpha = 0 on one rank it must be on all.
/// Misuse on one rank throws on all: there std::invalid_argument, elsewhere RankError.
namespace carroll::distributed {

/// Without allocations of device memory.
template <ExecutionSpace ExecSpace, class AView, class BView, class CView, class T>
void gemm(Grid<ExecSpace> const& grid, std::type_identity_t<T> const& alpha, AView const& A,
          BView const& B, std::type_identity_t<T> const& beta, CView const& C,
          GemmWorkspace<ExecSpace, T> const& workspace) {
  carroll::detail::assert_gemm_views<ExecSpace, AView, BView, CView, T>();
  static_assert(carroll::detail::rank_of<CView>() == 2,
                "carroll::distributed::gemm: C must be of rank 2");
  GemmAccess<ExecSpace, T>::call("carroll::distributed::gemm", grid, alpha, A, B, beta, C,
                                 workspace);
}

/// The same with a workspace of its own.
template <ExecutionSpace ExecSpace, class AView, class BView, class CView>
void gemm(Grid<ExecSpace> const& grid, GemmLayouts const& layouts,
          typename CView::non_const_value_type const& alpha, AView const& A, BView const& B,
          typename CView::non_const_value_type const& beta, CView const& C,
          GemmOptions const& options = {}) {
  using T = typename CView::non_const_value_type;
  auto const workspace =
      GemmAccess<ExecSpace, T>::make("carroll::distributed::gemm", grid, layouts, options);
  gemm(grid, alpha, A, B, beta, C, workspace);
}

}  // namespace carroll::distributed
