// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/concepts.hpp>
#include <carroll/detail/calls.hpp>
#include <carroll/detail/qr/views.hpp>
#include <carroll/none.hpp>
#include <carroll/qr/types.hpp>
#include <carroll/qr/workspace.hpp>
#include <span>
#include <vector>

/// QR factorisation A = Q·R, or A·P = Q·R, of one matrix or of a batch.
///
///   auto info = carroll::qr(exec, A, Q, R);
///   auto info = carroll::pivoted_qr(exec, A, Q, R, P);
///
///   A   m×n   any m and n, 0 included; k = min(m, n); read only
///   Q   m×k   orthonormal columns; or m×m, the whole basis; or carroll::none
///   R   k×n   upper triangular (trapezoidal), zeros below the diagonal; m×n where Q is m×m
///   P   n     int: column j of A·P, and of Q·R, is column P(j) of A
///
/// or, for a batch, Views with one dimension more, the batch index first. The Views may have any
/// strided layout, each its own, over one scalar type, float, double or Kokkos::complex of these.
/// Outputs are overwritten whole; they must not overlap A or each other.
///
/// R's diagonal is real and >= 0, so that the factorisation of a matrix of full column rank is
/// unique (as in `distributed::tall_qr`; LAPACK and NumPy, whose diagonal is real, too, leave the
/// signs to the reflectors: multiply row i of R and column i of Q by their sign of R(i, i) to
/// compare). With pivoting the column that is left longest goes first, the first of equals: the
/// diagonal falls to rounding.
///
/// Accuracy: Householder reflections (Golub and Van Loan, Matrix Computations, 5.2 and 5.4; pivots
/// by Businger and Golub, Numer. Math. 7, 1965): column j of Q·R - A is of order eps times the norm
/// of column j of A, whatever the scales of the columns are (parts of a column 2^48, in double
/// precision 2^400, times smaller than its largest entry count as zero, and columns 2^63, or 2^511,
/// times shorter than the longest may be taken in any order); Q is orthonormal to rounding whatever
/// A is. No scaling of A or its columns makes a step over- or underflow; multiplying a column by a
/// power of two multiplies that of R by it, bit by bit, and leaves Q, as long as nothing leaves the
/// range of normal numbers and no pivot changes. Results are the same bits for every batch size,
/// position in the batch, neighbours, layout, instance, team size and thread count of one build; R
/// is the same with thin Q and without Q.
///
/// Cost: 2mn² - 2n³/3 flops for R (m >= n), as many for thin Q, four times as many where A is
/// complex; A is read once, by devices where it fits no warp's registers twice, Q and R are written
/// once. With pivoting mn² more for the columns' norms, which are computed anew in every step.
///
/// Numerical trouble is told by QrInfo::status. Misuse throws std::invalid_argument with the actual
/// and the required sizes before anything is written.
namespace carroll {

namespace detail {

/// The entry points for uniform batches, each under the name that it was called by.
template <class ExecSpace, class AView, class QView, class RView, class PView, class InfoView,
          class Value>
void qr_async(char const* function, ExecSpace const& exec, AView const& A, QView const& Q,
              RView const& R, PView const& P, InfoView const& info,
              QrWorkspace<ExecSpace, Value>& workspace) {
  assert_qr_views<ExecSpace, AView, QView, RView, PView>();
  assert_qr_info<ExecSpace, InfoView, int(AView::rank) - 2>();
  auto batch = bind_qr_views(function, workspace, A, Q, R, P);
  bind_infos(function, batch, info, workspace);
  AccessTo<QrWorkspace<ExecSpace, Value>>::enqueue(exec, batch, workspace);
}

template <class ExecSpace, class AView, class QView, class RView, class PView, class Value>
auto qr(char const* function, ExecSpace const& exec, AView const& A, QView const& Q, RView const& R,
        PView const& P, QrWorkspace<ExecSpace, Value>& workspace) {
  assert_qr_views<ExecSpace, AView, QView, RView, PView>();
  return enqueue_and_fetch<int(AView::rank)>(exec, bind_qr_views(function, workspace, A, Q, R, P),
                                             workspace);
}

template <class ExecSpace, class AView, class QView, class RView, class PView>
auto qr(char const* function, ExecSpace const& exec, AView const& A, QView const& Q, RView const& R,
        PView const& P, QrOptions const& options) {
  assert_qr_views<ExecSpace, AView, QView, RView, PView>();
  using Value = typename AView::non_const_value_type;
  auto const extents = qr_extents<PView>(A, Q);
  auto const views = bind_qr_views(function, extents, A, Q, R, P);  // before memory is asked for
  using Access = AccessTo<QrWorkspace<ExecSpace, Value>>;
  auto const workspace = Access::uniform(exec, function, extents, options);
  return enqueue_and_copy<int(AView::rank)>(exec, Access::batch(workspace, views), workspace);
}

template <class ExecSpace, class AView, class QView, class RView, class PView, class InfoView,
          class Value>
void qr_ragged_async(char const* function, ExecSpace const& exec, AView const& A, QView const& Q,
                     RView const& R, PView const& P, InfoView const& info,
                     QrWorkspace<ExecSpace, Value>& workspace) {
  assert_ragged_qr_views<ExecSpace, AView, QView, RView, PView>();
  assert_qr_info<ExecSpace, InfoView, 1>();
  auto batch = bind_packed_qr(function, workspace, A, Q, R, P);
  bind_infos(function, batch, info, workspace);
  AccessTo<QrWorkspace<ExecSpace, Value>>::enqueue(exec, batch, workspace);
}

template <class ExecSpace, class AView, class QView, class RView, class PView, class Value>
std::span<QrInfo const> qr_ragged(char const* function, ExecSpace const& exec, AView const& A,
                                  QView const& Q, RView const& R, PView const& P,
                                  QrWorkspace<ExecSpace, Value>& workspace) {
  assert_ragged_qr_views<ExecSpace, AView, QView, RView, PView>();
  return enqueue_and_fetch<1>(exec, bind_packed_qr(function, workspace, A, Q, R, P), workspace);
}

template <class ExecSpace, class AView, class QView, class RView, class PView>
std::vector<QrInfo> qr_ragged(char const* function, ExecSpace const& exec,
                              std::span<QrMember const> members, QrMode mode, AView const& A,
                              QView const& Q, RView const& R, PView const& P,
                              QrOptions const& options) {
  assert_ragged_qr_views<ExecSpace, AView, QView, RView, PView>();
  using Value = typename AView::non_const_value_type;
  auto workspace = AccessTo<QrWorkspace<ExecSpace, Value>>::ragged(
      exec, function, members, is_absent<QView> ? QrMode::r : mode, !is_absent<PView>, options);
  auto const infos = qr_ragged(function, exec, A, Q, R, P, workspace);
  return {infos.begin(), infos.end()};
}

}  // namespace detail

/// Enqueues the factorisation on `exec` and returns; Q, R and `info` may be read by later work on
/// the same instance. Never fences, never allocates. `workspace` must have been made with the same
/// extents and mode, and must live, unused by others, until the work is done. `info` is a View of
/// QrInfo that kernels can write: of rank 0 for one matrix, of rank 1 for a batch.
template <ExecutionSpace ExecSpace, class AView, class QView, class RView, class InfoView,
          class Value>
void qr_async(ExecSpace const& exec, AView const& A, QView const& Q, RView const& R,
              InfoView const& info, QrWorkspace<ExecSpace, Value>& workspace) {
  detail::qr_async("carroll::qr_async", exec, A, Q, R, none, info, workspace);
}

/// Factorises with a workspace made before: no allocation, one fence of `exec`, to return the info.
/// Returns QrInfo for one matrix; for a batch a span of them, valid until the workspace is used
/// again.
template <ExecutionSpace ExecSpace, class AView, class QView, class RView, class Value>
[[nodiscard]] auto qr(ExecSpace const& exec, AView const& A, QView const& Q, RView const& R,
                      QrWorkspace<ExecSpace, Value>& workspace) {
  return detail::qr("carroll::qr", exec, A, Q, R, none, workspace);
}

/// Factorises one matrix or a batch; Q's columns say whether it is thin or full. Allocates a
/// workspace, fences `exec` once, to return the info, and frees the workspace, for which Kokkos
/// waits for the whole device on CUDA: who calls often, or has other instances at work, gives a
/// workspace. Returns QrInfo for one matrix; for a batch a std::vector of them, one per member.
template <ExecutionSpace ExecSpace, class AView, class QView, class RView>
[[nodiscard]] auto qr(ExecSpace const& exec, AView const& A, QView const& Q, RView const& R,
                      QrOptions const& options = {}) {
  return detail::qr("carroll::qr", exec, A, Q, R, none, options);
}

/// The same with column pivoting, A·P = Q·R, which reveals the rank: QrInfo::rank. The workspace
/// must have been made with `pivoted`.
template <ExecutionSpace ExecSpace, class AView, class QView, class RView, class PView,
          class InfoView, class Value>
void pivoted_qr_async(ExecSpace const& exec, AView const& A, QView const& Q, RView const& R,
                      PView const& P, InfoView const& info,
                      QrWorkspace<ExecSpace, Value>& workspace) {
  detail::qr_async("carroll::pivoted_qr_async", exec, A, Q, R, P, info, workspace);
}
template <ExecutionSpace ExecSpace, class AView, class QView, class RView, class PView, class Value>
[[nodiscard]] auto pivoted_qr(ExecSpace const& exec, AView const& A, QView const& Q, RView const& R,
                              PView const& P, QrWorkspace<ExecSpace, Value>& workspace) {
  return detail::qr("carroll::pivoted_qr", exec, A, Q, R, P, workspace);
}
template <ExecutionSpace ExecSpace, class AView, class QView, class RView, class PView>
[[nodiscard]] auto pivoted_qr(ExecSpace const& exec, AView const& A, QView const& Q, RView const& R,
                              PView const& P, QrOptions const& options = {}) {
  return detail::qr("carroll::pivoted_qr", exec, A, Q, R, P, options);
}

/// `qr_async` for a ragged batch: A, Q and R are contiguous Views of rank 1 that hold the members
/// where the list given to `qr_ragged_workspace` says, `info` a View of rank 1.
template <ExecutionSpace ExecSpace, class AView, class QView, class RView, class InfoView,
          class Value>
void qr_ragged_async(ExecSpace const& exec, AView const& A, QView const& Q, RView const& R,
                     InfoView const& info, QrWorkspace<ExecSpace, Value>& workspace) {
  detail::qr_ragged_async("carroll::qr_ragged_async", exec, A, Q, R, none, info, workspace);
}

/// `qr` for a ragged batch, with a workspace made before: no allocation, one fence of `exec`.
/// Returns a span of infos in the order of the members, valid until the workspace is used again.
template <ExecutionSpace ExecSpace, class AView, class QView, class RView, class Value>
[[nodiscard]] std::span<QrInfo const> qr_ragged(ExecSpace const& exec, AView const& A,
                                                QView const& Q, RView const& R,
                                                QrWorkspace<ExecSpace, Value>& workspace) {
  return detail::qr_ragged("carroll::qr_ragged", exec, A, Q, R, none, workspace);
}

/// Factorises matrices of different extents in one go: see `qr_members` for the list, which must
/// have been made for `mode`; with Q carroll::none that is QrMode::r, whatever it says. Allocates
/// and frees a workspace as `qr` does, fences `exec` twice. Returns the infos in the order of the
/// members.
template <ExecutionSpace ExecSpace, class AView, class QView, class RView>
[[nodiscard]] std::vector<QrInfo> qr_ragged(ExecSpace const& exec,
                                            std::span<QrMember const> members, QrMode mode,
                                            AView const& A, QView const& Q, RView const& R,
                                            QrOptions const& options = {}) {
  return detail::qr_ragged("carroll::qr_ragged", exec, members, mode, A, Q, R, none, options);
}

/// The same with column pivoting.
template <ExecutionSpace ExecSpace, class AView, class QView, class RView, class PView,
          class InfoView, class Value>
void pivoted_qr_ragged_async(ExecSpace const& exec, AView const& A, QView const& Q, RView const& R,
                             PView const& P, InfoView const& info,
                             QrWorkspace<ExecSpace, Value>& workspace) {
  detail::qr_ragged_async("carroll::pivoted_qr_ragged_async", exec, A, Q, R, P, info, workspace);
}
template <ExecutionSpace ExecSpace, class AView, class QView, class RView, class PView, class Value>
[[nodiscard]] std::span<QrInfo const> pivoted_qr_ragged(ExecSpace const& exec, AView const& A,
                                                        QView const& Q, RView const& R,
                                                        PView const& P,
                                                        QrWorkspace<ExecSpace, Value>& workspace) {
  return detail::qr_ragged("carroll::pivoted_qr_ragged", exec, A, Q, R, P, workspace);
}
template <ExecutionSpace ExecSpace, class AView, class QView, class RView, class PView>
[[nodiscard]] std::vector<QrInfo> pivoted_qr_ragged(ExecSpace const& exec,
                                                    std::span<QrMember const> members, QrMode mode,
                                                    AView const& A, QView const& Q, RView const& R,
                                                    PView const& P, QrOptions const& options = {}) {
  return detail::qr_ragged("carroll::pivoted_qr_ragged", exec, members, mode, A, Q, R, P, options);
}

}  // namespace carroll
