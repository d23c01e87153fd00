// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/concepts.hpp>
#include <carroll/detail/svd/views.hpp>
#include <carroll/distributed/tall_qr.hpp>
#include <carroll/none.hpp>
#include <cstdint>
#include <optional>

/// Singular value decomposition A = U·diag(S)·Vᵀ of a tall matrix whose rows are dealt out to
/// ranks.
///
///   auto const layout = carroll::distributed::tall_layout<double>(comm.size(), m, n);
///   auto const info = carroll::distributed::tall_svd(comm, layout, A, U, S, V);
///
/// With m×n A, m >= n, of which a rank has rows layout.begin(rank) to layout.end(rank) - 1:
///
///   A   this rank's rows × n   read only
///   U   this rank's rows × n   orthonormal columns (over all ranks), or carroll::none
///   S   n                      descending, >= 0, on every rank
///   V   n × n                  or carroll::none; V itself, not its transpose, on every rank
///
/// Views, layouts of ranks and of memory, and messages are as with `tall_qr`, whose R every rank
/// decomposes by `svd`, on the same bits: so S and V have the same bits on all ranks, for every
/// number of them and of threads and whichever vectors are wanted, and so has each row of U.
///
/// Accuracy: backward stable, and every singular value of A = B·D, D diagonal, has a relative error
/// of order eps·cond(B), whatever D is, as with `svd`. A scaling of rows is not so forgiving: small
/// rows have errors of the size of large ones. U is orthonormal to rounding, columns of singular
/// values that are zero included. Multiplying A by a power of two multiplies S by it, bit by bit,
/// as long as neither an entry of A nor a singular value leaves the range of normal numbers.
///
/// Cost: that of `tall_qr`, whose Q is never formed, U = Q·U_R taking its place, and that of `svd`
/// of an n×n matrix, on every rank.
///
/// Collective. Numerical trouble is told by TallSvdInfo::status, the same on all ranks; a NaN or an
/// infinity anywhere in A makes all outputs NaN on all ranks. Misuse on one rank throws
/// std::invalid_argument there and RankError on the others, before anything is written.
namespace carroll::distributed {

namespace detail {

template <class ExecSpace, class AView, class UView, class SView, class VView>
consteval void assert_tall_svd_views() {
  assert_tall_views<ExecSpace, AView, UView>();
  using Real = typename AView::non_const_value_type;
  static_assert(carroll::detail::is_output_of<SView, ExecSpace, Real> &&
                    carroll::detail::rank_of<SView>() == 1,
                "carroll::distributed::tall_svd: S must be a writable strided View of rank 1 of "
                "A's scalar type, in memory that the communicator's execution space can access");
  static_assert(carroll::detail::is_vectors<VView, ExecSpace, 2, Real>,
                "carroll::distributed::tall_svd: V must be carroll::none or a writable strided "
                "View of rank 2 of A's scalar type, in memory that the communicator's execution "
                "space can access");
}

template <class ExecSpace, class Real, class AView, class UView, class SView, class VView>
void bind_tall_svd(char const* function, TallProblem<Real>& p, AView const& A, UView const& U,
                   SView const& S, VView const& V) {
  carroll::detail::Binder bind(function);
  carroll::detail::StridedBatch<Real const> a;
  carroll::detail::StridedBatch<Real> u, s, v;
  bind.input(a, "A", A, {1, p.rows, p.cols});
  bind.output(u, "U", U, {1, p.rows, p.cols});
  bind.output(s, "S", S, {1, p.cols});
  bind.output(v, "V", V, {1, p.cols, p.cols});
  p.a = matrix_of(a);
  p.q = matrix_of(u);
}

/// Enqueued and waited for.
template <class Ranks, class ExecSpace, class Real, class SView, class VView>
TallSvdInfo<Real> run_tall_svd(Ranks const& comm, TallProblem<Real> const& p, SView const& S,
                               VView const& V, TallWorkspace<ExecSpace, Real>& w) {
  using Access = TallAccess<TallWorkspace<ExecSpace, Real>>;
  if (p.cols == 0) return {};
  ExecSpace const& exec = comm.exec();
  Access::reduce(comm, p, w);
  enqueue_triangle(exec, p, Access::nodes(w), {p.R, 1, p.cols}, false);
  Access::decompose(exec, p, S, V, w);
  if (w.options().left) enqueue_expand(exec, p, Access::nodes(w));
  return Access::fetch_info(exec, p, {S.data(), static_cast<std::ptrdiff_t>(S.stride(0))}, w);
}

template <class UView, class VView>
inline constexpr TallOptions wanted_of{!carroll::detail::is_absent<UView>,
                                       !carroll::detail::is_absent<VView>};

}  // namespace detail

/// A workspace for `tall_svd` of matrices of such a layout and so many columns, with or without U
/// and V. Collective. Allocates, and fences the instance. Throws as `tall_qr_workspace` does.
template <class Real, ExecutionSpace ExecSpace>
[[nodiscard]] TallWorkspace<ExecSpace, Real> tall_svd_workspace(Communicator<ExecSpace> const& comm,
                                                                BlockLayout const& layout,
                                                                std::int64_t cols,
                                                                TallOptions const& options = {}) {
  static_assert(RealScalar<Real>, "carroll::distributed::tall_svd_workspace: float or double");
  constexpr char const* function = "carroll::distributed::tall_svd_workspace";
  std::optional<TallWorkspace<ExecSpace, Real>> result;
  comm.agree(function, detail::tall_signature(layout, cols, options, 3).value(), [&] {
    result = detail::TallAccess<TallWorkspace<ExecSpace, Real>>::make(comm, function, layout, cols,
                                                                      options, true);
  });
  return *std::move(result);
}

/// Decomposes with a workspace made before: no allocation, one fence for the info besides those of
/// the messages.
template <ExecutionSpace ExecSpace, class AView, class UView, class SView, class VView, class Real>
[[nodiscard]] TallSvdInfo<Real> tall_svd(Communicator<ExecSpace> const& comm, AView const& A,
                                         UView const& U, SView const& S, VView const& V,
                                         TallWorkspace<ExecSpace, Real>& workspace) {
  constexpr char const* function = "carroll::distributed::tall_svd";
  detail::assert_tall_svd_views<ExecSpace, AView, UView, SView, VView>();
  auto const wanted = detail::wanted_of<UView, VView>;
  auto p = detail::TallAccess<TallWorkspace<ExecSpace, Real>>::problem(workspace);
  comm.agree(function,
             detail::tall_signature(workspace.layout(), workspace.cols(), wanted, 4).value(), [&] {
               detail::require_made_for(function, workspace, true, wanted);
               detail::bind_tall_svd<ExecSpace>(function, p, A, U, S, V);
             });
  return detail::run_tall_svd(comm, p, S, V, workspace);
}

/// Decomposes one matrix. Allocates a workspace and frees it.
template <ExecutionSpace ExecSpace, class AView, class UView, class SView, class VView>
[[nodiscard]] auto tall_svd(Communicator<ExecSpace> const& comm, BlockLayout const& layout,
                            AView const& A, UView const& U, SView const& S, VView const& V) {
  constexpr char const* function = "carroll::distributed::tall_svd";
  detail::assert_tall_svd_views<ExecSpace, AView, UView, SView, VView>();
  using Real = typename AView::non_const_value_type;
  using Access = detail::TallAccess<TallWorkspace<ExecSpace, Real>>;
  auto const wanted = detail::wanted_of<UView, VView>;
  std::optional<TallWorkspace<ExecSpace, Real>> workspace;
  detail::TallProblem<Real> p;
  auto const cols = static_cast<std::int64_t>(A.extent(1));
  comm.agree(function, detail::tall_signature(layout, cols, wanted, 5).value(), [&] {
    workspace = Access::make(comm, function, layout, cols, wanted, true);
    p = Access::problem(*workspace);
    detail::bind_tall_svd<ExecSpace>(function, p, A, U, S, V);
  });
  return detail::run_tall_svd(comm, p, S, V, *workspace);
}

}  // namespace carroll::distributed
