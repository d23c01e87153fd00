// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/determinant.hpp>
#include <carroll/distributed/batch/types.hpp>
#include <carroll/distributed/block_layout.hpp>
#include <carroll/distributed/communicator.hpp>
#include <carroll/distributed/detail/batch/solve.hpp>
#include <carroll/none.hpp>
#include <carroll/pseudoinverse.hpp>
#include <carroll/svd.hpp>
#include <cstdint>

/// Batches of small problems over ranks: each works on members of its own, which needs no word from
/// another one.
///
///   auto const layout = carroll::distributed::block_layout(comm.size(), 10'000);
///   // A: this rank's layout.count(comm.rank()) matrices; U, S, V those of all ranks
///   auto const info = carroll::distributed::svd_batch(
///       comm, layout, A, U, S, V, {}, {.gather = carroll::distributed::Gather::all});
///
/// `layout` tells how many members each rank has. Inputs are of the rank's own members; so are
/// outputs, unless it is to get the results of all members (Gather): then they are of all. Views
/// are those of carroll::svd, carroll::determinant and carroll::apply_pseudoinverse for batches, in
/// any strided layout. Results and infos are the same bits as theirs, whoever computes them and
/// wherever they go.
///
/// In place of the solver's options there may be a workspace of it, made for this rank's members;
/// then only what is moved is allocated. Collective: an MPI_Allreduce of 24 bytes before, which
/// tells of misuse and of want of memory on any rank, to all of them (there the solver's exception,
/// elsewhere RankError); with a gathering one message for each output and one for the infos after.
/// BatchInfo tells the time of computing and of moving apart. Fences the communicator's instance.
namespace carroll::distributed {

namespace detail {

/// The options, of a workspace or themselves.
template <class How>
auto const& options_of(How const& how) {
  if constexpr (requires { how.options(); })
    return how.options();
  else
    return how;
}

/// Both entry points for determinants, whose results are all in the infos.
template <class ExecSpace, class AView, class How>
auto determinants(char const* function, Communicator<ExecSpace> const& comm,
                  BlockLayout const& layout, AView const& A, How& how, BatchOptions const& options,
                  bool overwrites, auto const& solve) {
  static_assert(carroll::detail::rank_of<AView>() == 3,
                "carroll::distributed::determinant_batch: A must be a View of rank 3, the member "
                "first");
  using Info = carroll::DeterminantInfo<typename AView::non_const_value_type>;
  auto const& chosen = options_of(how);
  return solve_batch<Info>(
      function, comm, layout, options,
      Signature().with(chosen.method).with(chosen.path).with(overwrites), 1,
      [&](std::int64_t count) { require_members(function, "A", A, count); }, solve);
}

}  // namespace detail

/// Singular values and, unless carroll::none stands for them, vectors of the members: carroll::svd.
/// `how`: SvdOptions, or an SvdWorkspace for this rank's members.
template <ExecutionSpace ExecSpace, class AView, class UView, class SView, class VView,
          class How = SvdOptions>
[[nodiscard]] BatchInfo<SvdInfo<typename AView::non_const_value_type>> svd_batch(
    Communicator<ExecSpace> const& comm, BlockLayout const& layout, AView const& A, UView const& U,
    SView const& S, VView const& V, How&& how = {}, BatchOptions const& options = {}) {
  static_assert(carroll::detail::rank_of<AView>() == 3,
                "carroll::distributed::svd_batch: A must be a View of rank 3, the member first");
  constexpr char const* function = "carroll::distributed::svd_batch";
  auto const& chosen = detail::options_of(how);
  return detail::solve_batch<SvdInfo<typename AView::non_const_value_type>>(
      function, comm, layout, options,
      detail::Signature()
          .with(chosen.method)
          .with(chosen.path)
          .with(chosen.placement)
          .with(chosen.max_sweeps)
          .with(chosen.tolerance)
          .with(static_cast<std::int64_t>(A.extent(1)))
          .with(static_cast<std::int64_t>(A.extent(2))),
      1, [&](std::int64_t count) { detail::require_members(function, "A", A, count); },
      [&](auto const& u, auto const& s, auto const& v) {
        return carroll::svd(comm.exec(), A, u, s, v, how);
      },
      detail::NamedResult{"U", U}, detail::NamedResult{"S", S}, detail::NamedResult{"V", V});
}

/// Determinants of the members, which are overwritten: carroll::determinant. `how`:
/// carroll::DeterminantOptions, or a DeterminantWorkspace for this rank's members.
template <ExecutionSpace ExecSpace, class AView, class How = carroll::DeterminantOptions>
[[nodiscard]] BatchInfo<carroll::DeterminantInfo<typename AView::non_const_value_type>>
determinant_batch(Communicator<ExecSpace> const& comm, BlockLayout const& layout, AView const& A,
                  How&& how = {}, BatchOptions const& options = {}) {
  return detail::determinants("carroll::distributed::determinant_batch", comm, layout, A, how,
                              options, true,
                              [&] { return carroll::determinant(comm.exec(), A, how); });
}

/// The same without overwriting them: carroll::determinant_of.
template <ExecutionSpace ExecSpace, class AView, class How = carroll::DeterminantOptions>
[[nodiscard]] BatchInfo<carroll::DeterminantInfo<typename AView::non_const_value_type>>
determinant_of_batch(Communicator<ExecSpace> const& comm, BlockLayout const& layout, AView const& A,
                     How&& how = {}, BatchOptions const& options = {}) {
  return detail::determinants("carroll::distributed::determinant_of_batch", comm, layout, A, how,
                              options, false,
                              [&] { return carroll::determinant_of(comm.exec(), A, how); });
}

/// Steps x = A⁺d of frames, or of windows that are each a frame: carroll::apply_pseudoinverse. `A`
/// and `d` are of this rank's frames; offsets, rows and damping that all frames share are the same
/// on all ranks. `how`: PseudoinverseOptions, or a PseudoinverseWorkspace for this rank's frames.
template <ExecutionSpace ExecSpace, class Arrow, class RhsView, class Solution,
          class How = PseudoinverseOptions>
[[nodiscard]] BatchInfo<PseudoinverseInfo<typename Arrow::value_type>> apply_pseudoinverse_batch(
    Communicator<ExecSpace> const& comm, BlockLayout const& layout, Arrow const& A,
    RhsView const& d, Solution const& x, How&& how = {}, BatchOptions const& options = {}) {
  static_assert(carroll::detail::rank_of<decltype(Arrow::motion)>() == 3,
                "carroll::distributed::apply_pseudoinverse_batch: A.motion must be a View of rank "
                "3, the frame first");
  constexpr char const* function = "carroll::distributed::apply_pseudoinverse_batch";
  auto const& chosen = detail::options_of(how);
  std::int64_t right_hand_sides = 1;
  if constexpr (int(RhsView::rank) == 3) right_hand_sides = static_cast<std::int64_t>(d.extent(2));
  return detail::solve_batch<PseudoinverseInfo<typename Arrow::value_type>>(
      function, comm, layout, options,
      detail::Signature()
          .with(chosen.method)
          .with(chosen.path)
          .with(chosen.weight)
          .with(chosen.weight_scale)
          .with(chosen.damping)
          .with(chosen.cutoff),
      right_hand_sides,
      [&](std::int64_t count) {
        detail::require_members(function, "A.motion", A.motion, count);
        detail::require_members(function, "d", d, count);
      },
      [&](auto const& y, auto const& xi, auto const& covariance, auto const& variances) {
        return carroll::apply_pseudoinverse(comm.exec(), A, d,
                                            ArrowSolution{y, xi, covariance, variances}, how);
      },
      detail::NamedResult{"x.motion", x.motion}, detail::NamedResult{"x.depth", x.depth},
      detail::NamedResult{"x.motion_covariance", x.motion_covariance},
      detail::NamedResult{"x.depth_variances", x.depth_variances});
}

/// A⁺ of frames: carroll::pseudoinverse. `how` as for the step; a workspace with extents.dense.
template <ExecutionSpace ExecSpace, class Arrow, class InverseView,
          class How = PseudoinverseOptions>
[[nodiscard]] BatchInfo<PseudoinverseInfo<typename Arrow::value_type>> pseudoinverse_batch(
    Communicator<ExecSpace> const& comm, BlockLayout const& layout, Arrow const& A,
    InverseView const& inverse, How&& how = {}, BatchOptions const& options = {}) {
  static_assert(carroll::detail::rank_of<decltype(Arrow::motion)>() == 3,
                "carroll::distributed::pseudoinverse_batch: A.motion must be a View of rank 3, the "
                "frame first");
  constexpr char const* function = "carroll::distributed::pseudoinverse_batch";
  auto const& chosen = detail::options_of(how);
  return detail::solve_batch<PseudoinverseInfo<typename Arrow::value_type>>(
      function, comm, layout, options,
      detail::Signature()
          .with(chosen.method)
          .with(chosen.path)
          .with(chosen.writer)
          .with(chosen.damping)
          .with(chosen.cutoff),
      1,
      [&](std::int64_t count) { detail::require_members(function, "A.motion", A.motion, count); },
      [&](auto const& whole) { return carroll::pseudoinverse(comm.exec(), A, whole, how); },
      detail::NamedResult{"the inverse", inverse});
}

}  // namespace carroll::distributed
