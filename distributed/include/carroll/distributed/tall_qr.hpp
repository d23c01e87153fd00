// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/concepts.hpp>
#include <carroll/detail/bind.hpp>
#include <carroll/distributed/communicator.hpp>
#include <carroll/distributed/detail/signature.hpp>
#include <carroll/distributed/detail/tall_qr/access.hpp>
#include <carroll/distributed/tall_layout.hpp>
#include <carroll/distributed/tall_qr/types.hpp>
#include <carroll/distributed/tall_qr/workspace.hpp>
#include <carroll/none.hpp>
#include <cstdint>
#include <optional>

/// QR factorisation A = Q·R of a tall matrix whose rows are dealt out to ranks.
///
///   auto const layout = carroll::distributed::tall_layout<double>(comm.size(), m, n);
///   auto const info = carroll::distributed::tall_qr(comm, layout, A, Q, R);
///
/// With m×n A, m >= n, of which a rank has rows layout.begin(rank) to layout.end(rank) - 1:
///
///   A   this rank's rows × n   read only
///   Q   this rank's rows × n   orthonormal columns (over all ranks), or carroll::none
///   R   n × n                  upper triangular, diagonal >= 0, on every rank; zeros below
///
/// Views of float or double, one scalar type, any strided layout each, in memory that the
/// communicator's execution space can access. Q and R are overwritten whole; they must not overlap
/// A or each other. Ranks may have no rows. The layout must not cut a block of
/// `tall_block_rows<Real>(n)` rows; that of `tall_layout` does not.
///
/// Method: a Householder QR of each block of rows; their triangles meet in pairs in a binary tree
/// over the blocks of the whole matrix (Demmel, Grigori, Hoemmen and Langou, SIAM J. Sci. Comput.
/// 34(1), 2012), a rank those of its own blocks, and every rank, all in the same way, the few that
/// are left, which it has been sent. Q is what comes of walking the tree back. R, and each row of
/// Q, have the same bits for every number of ranks and of threads, layout in memory, and whether Q
/// is wanted or not.
///
/// Accuracy: backward stable in each column: column j of Q·R - A is of order eps times the norm of
/// column j of A, whatever the scales of the columns are (a part of a column that is 2^60, in
/// double precision 2^500, times smaller than its largest entry may count as zero). Rows are not
/// sorted: small rows have errors of the size of large ones. Q is orthonormal to rounding whatever
/// A is, of rank below n, too. No scaling of A or its columns makes a step over- or underflow.
///
/// Cost: 2mn² + 2n³/3 for each block's triangle to find R, 2mn² more for Q with up to 32 columns,
/// up to 4mn² with more; A is read once, Q written twice and read once. Over ranks: an
/// MPI_Allreduce, and two gathers of at most 2·log₂(blocks) triangles from each.
///
/// Collective. A NaN or an infinity anywhere is Status::non_finite: Q and R are NaN on all ranks.
/// Misuse on one rank throws std::invalid_argument there and RankError on the others, before
/// anything is written.
namespace carroll::distributed {

namespace detail {

template <class ExecSpace, class AView, class QView>
consteval void assert_tall_views() {
  static_assert(ReadableView<AView, ExecSpace, 2>,
                "carroll::distributed: A must be a strided View of float or double of rank 2, in "
                "memory that the communicator's execution space can access");
  using Real = typename AView::non_const_value_type;
  static_assert(
      carroll::detail::is_absent<QView> || (carroll::detail::is_output_of<QView, ExecSpace, Real> &&
                                            carroll::detail::rank_of<QView>() == 2),
      "carroll::distributed: Q or U must be carroll::none or a writable strided View of "
      "rank 2 of A's scalar type, in memory that the communicator's execution space can "
      "access");
}

template <class T>
StridedMatrix<T> matrix_of(carroll::detail::StridedBatch<T> const& x) {
  return {x.data, x.strides[1], x.strides[2]};
}

/// The caller's Views of a call, checked against what the workspace is for.
template <class ExecSpace, class Real, class AView, class QView, class RView>
void bind_tall_qr(char const* function, TallProblem<Real>& p, StridedMatrix<Real>& r,
                  AView const& A, QView const& Q, RView const& R) {
  carroll::detail::Binder bind(function);
  carroll::detail::StridedBatch<Real const> a;
  carroll::detail::StridedBatch<Real> q, r_batch;
  bind.input(a, "A", A, {1, p.rows, p.cols});
  bind.output(q, "Q", Q, {1, p.rows, p.cols});
  bind.output(r_batch, "R", R, {1, p.cols, p.cols});
  p.a = matrix_of(a);
  p.q = matrix_of(q);
  r = matrix_of(r_batch);
}

inline Signature tall_signature(BlockLayout const& layout, std::int64_t cols,
                                TallOptions const& options, std::uint64_t kind) {
  return Signature()
      .with(layout)
      .with(cols)
      .with(options.left)
      .with(options.right)
      .with(std::uint64_t{kind});
}

/// Is a workspace for such calls? Q or U, and V, are given by their types.
template <class ExecSpace, class Real>
void require_made_for(char const* function, TallWorkspace<ExecSpace, Real> const& workspace,
                      bool decomposes, TallOptions const& wanted) {
  using Access = TallAccess<TallWorkspace<ExecSpace, Real>>;
  auto const text = [](bool is) { return std::string(is ? "with" : "without"); };
  carroll::detail::require(
      Access::decomposes(workspace) == decomposes && workspace.options().left == wanted.left &&
          (!decomposes || workspace.options().right == wanted.right),
      function, [&] {
        return std::string("the workspace was made for ") +
               (Access::decomposes(workspace) ? "tall_svd " : "tall_qr ") +
               text(workspace.options().left) + " Q or U and " + text(workspace.options().right) +
               " V, the call is " + text(wanted.left) + " and " + text(wanted.right);
      });
}

/// Enqueued and waited for.
template <class Ranks, class ExecSpace, class Real>
TallQrInfo run_tall_qr(Ranks const& comm, TallProblem<Real> const& p, StridedMatrix<Real> const& r,
                       TallWorkspace<ExecSpace, Real> const& w) {
  using Access = TallAccess<TallWorkspace<ExecSpace, Real>>;
  if (p.cols == 0) return {};
  Access::reduce(comm, p, w);
  enqueue_triangle(comm.exec(), p, Access::nodes(w), r, true);
  if (p.q.data) enqueue_expand(comm.exec(), p, Access::nodes(w));
  return {Access::fetch_info(comm.exec(), p, {}, w).status};
}

}  // namespace detail

/// A workspace for `tall_qr` of matrices of such a layout and so many columns, with or without
/// options.left, Q. Collective. Allocates, and fences the instance. Throws std::invalid_argument
/// for unusable extents and layouts, AllocationError for want of memory; RankError if another rank
/// does.
template <class Real, ExecutionSpace ExecSpace>
[[nodiscard]] TallWorkspace<ExecSpace, Real> tall_qr_workspace(Communicator<ExecSpace> const& comm,
                                                               BlockLayout const& layout,
                                                               std::int64_t cols,
                                                               TallOptions options = {}) {
  static_assert(RealScalar<Real>, "carroll::distributed::tall_qr_workspace: float or double");
  constexpr char const* function = "carroll::distributed::tall_qr_workspace";
  options.right = false;
  std::optional<TallWorkspace<ExecSpace, Real>> result;
  comm.agree(function, detail::tall_signature(layout, cols, options, 0).value(), [&] {
    result = detail::TallAccess<TallWorkspace<ExecSpace, Real>>::make(comm, function, layout, cols,
                                                                      options, false);
  });
  return *std::move(result);
}

/// Factorises with a workspace made before: no allocation, one fence for the info besides those of
/// the messages.
template <ExecutionSpace ExecSpace, class AView, class QView, class RView, class Real>
[[nodiscard]] TallQrInfo tall_qr(Communicator<ExecSpace> const& comm, AView const& A,
                                 QView const& Q, RView const& R,
                                 TallWorkspace<ExecSpace, Real>& workspace) {
  constexpr char const* function = "carroll::distributed::tall_qr";
  detail::assert_tall_views<ExecSpace, AView, QView>();
  static_assert(WritableView<RView, ExecSpace, 2>,
                "carroll::distributed::tall_qr: R must be a writable strided View of rank 2");
  TallOptions const wanted{!carroll::detail::is_absent<QView>, false};
  auto p = detail::TallAccess<TallWorkspace<ExecSpace, Real>>::problem(workspace);
  detail::StridedMatrix<Real> r;
  comm.agree(function,
             detail::tall_signature(workspace.layout(), workspace.cols(), wanted, 1).value(), [&] {
               detail::require_made_for(function, workspace, false, wanted);
               detail::bind_tall_qr<ExecSpace>(function, p, r, A, Q, R);
             });
  return detail::run_tall_qr(comm, p, r, workspace);
}

/// Factorises one matrix. Allocates a workspace and frees it.
template <ExecutionSpace ExecSpace, class AView, class QView, class RView>
[[nodiscard]] TallQrInfo tall_qr(Communicator<ExecSpace> const& comm, BlockLayout const& layout,
                                 AView const& A, QView const& Q, RView const& R) {
  constexpr char const* function = "carroll::distributed::tall_qr";
  detail::assert_tall_views<ExecSpace, AView, QView>();
  using Real = typename AView::non_const_value_type;
  using Access = detail::TallAccess<TallWorkspace<ExecSpace, Real>>;
  TallOptions const wanted{!carroll::detail::is_absent<QView>, false};
  std::optional<TallWorkspace<ExecSpace, Real>> workspace;
  detail::TallProblem<Real> p;
  detail::StridedMatrix<Real> r;
  auto const cols = static_cast<std::int64_t>(A.extent(1));
  comm.agree(function, detail::tall_signature(layout, cols, wanted, 2).value(), [&] {
    workspace = Access::make(comm, function, layout, cols, wanted, false);
    p = Access::problem(*workspace);
    detail::bind_tall_qr<ExecSpace>(function, p, r, A, Q, R);
  });
  return detail::run_tall_qr(comm, p, r, *workspace);
}

}  // namespace carroll::distributed
