// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/als.hpp>
#include <carroll/concepts.hpp>
#include <carroll/distributed/als/layout.hpp>
#include <carroll/distributed/als/workspace.hpp>
#include <carroll/distributed/communicator.hpp>
#include <carroll/distributed/detail/als/access.hpp>
#include <carroll/distributed/detail/als/checks.hpp>
#include <carroll/factor_model.hpp>
#include <carroll/ratings/row_range.hpp>
#include <carroll/ratings/rows.hpp>
#include <cstddef>
#include <cstdint>
#include <string>

/// Factors of users and items by alternating least squares, users and items being shared out to
/// ranks in blocks.
///
///   auto const layout = carroll::distributed::als_layout(comm.size(), user_offsets, item_offsets,
///                                                        k);
///   auto info = carroll::distributed::als(comm, layout, by_user, by_item, U, V, options);
///   auto info = carroll::distributed::als(comm, layout, by_user, by_item, model, options);
///
///   by_user   carroll::RatingRows, the ratings of this rank's users: as many rows as the layout
///             has them for it, with all n items as columns
///   by_item   those of this rank's items, with all m users as columns
///   U         m×k, V n×k: Views of rank 2 in memory of the ranks' instances, LayoutRight without
///             gaps; all of both on every rank
///   model     carroll::FactorModel with such factors; biases that the options want are allocated
///             where they are empty, and its mean is set
///
/// The rows come out of `carroll::Ratings` of the triples that a rank has, users, or items, counted
/// from its first one: Ratings(exec, users - first, items, …, {.users = own, .items = n}).by_user()
/// and Ratings(exec, users, items - first, …, {.users = m, .items = own}).by_item(); or, where all
/// ratings are at hand, by row_range(exec, ratings.by_user(), begin, end).
///
/// What is said of carroll::als holds of the objective, options, statuses and info, which all ranks
/// have alike, and the bits of everything are those of carroll::als for all ratings on one rank,
/// for every number of ranks and any layout: a rank solves its own rows by the same kernels, and
/// sums over rows (mean, objective) are taken of all rows' numbers, in the tree of one device, by
/// every rank. Of factors and biases with AlsStart::given those count that are of a rank's own
/// rows; its `mean` must be the same on all.
///
/// Work of a rank: its share of what is said there; with implicit feedback every rank forms both
/// Gram matrices, 2·(m + n)·k² flops an iteration. Sent in an iteration: (m + n)·k numbers, all
/// rows to all ranks after their half of it, and m + n more with fitted biases and with the
/// objective each. There are m·k + n·k numbers of factors on every rank, and the ratings of its own
/// rows twice, by user and by item.
///
/// Fences as carroll::als does; and where messages go by MPI, for each of them.
///
/// Collective. Misuse on one rank throws std::invalid_argument there and RankError on the others,
/// before anything is written.
namespace carroll::distributed {

namespace detail {

template <class ExecSpace, class Real, class UView, class VView>
consteval void assert_als_views() {
  static_assert(carroll::detail::is_factor_view<UView, ExecSpace, Real> &&
                    !std::is_const_v<typename UView::value_type>,
                "carroll::distributed::als: U must be a writable View of the ratings' type, of "
                "rank 2, in memory that the execution space can access");
  static_assert(carroll::detail::is_factor_view<VView, ExecSpace, Real> &&
                    !std::is_const_v<typename VView::value_type>,
                "carroll::distributed::als: V must be a writable View of the ratings' type, of "
                "rank 2, in memory that the execution space can access");
}

/// Both sides of a call, checked against the workspace's layout.
template <class Real, class UView, class VView>
auto als_sides(char const* function, AlsLayout const& layout, std::int64_t factors, UView const& U,
               VView const& V, Real* user_bias, Real* item_bias) {
  require_whole_factors(function, "U", U, layout.users.length(), factors);
  require_whole_factors(function, "V", V, layout.items.length(), factors);
  return AlsAccess::Sides<Real>{{U.data(), static_cast<std::ptrdiff_t>(factors), user_bias},
                                {V.data(), static_cast<std::ptrdiff_t>(factors), item_bias}};
}

}  // namespace detail

/// With a workspace that was made for these rows: no allocation on the device. Without biases.
template <ExecutionSpace ExecSpace, class Real, class UView, class VView>
AlsInfo als(Communicator<ExecSpace> const& comm,
            RatingRows<Real, typename ExecSpace::memory_space> const& by_user,
            RatingRows<Real, typename ExecSpace::memory_space> const& by_item, UView const& U,
            VView const& V, AlsWorkspace<ExecSpace, Real> const& workspace) {
  detail::assert_als_views<ExecSpace, Real, UView, VView>();
  constexpr char const* function = "carroll::distributed::als";
  Real mean = 0;
  return detail::AlsAccess::run(function, comm, by_user, by_item, workspace, mean, [&] {
    auto const biases = workspace.options().biases;
    carroll::detail::require(biases == AlsBiases::zero, function, [&] {
      return "options.biases is " + std::string(to_string(biases)) +
             ", which takes a FactorModel, must be none";
    });
    return detail::als_sides<Real>(function, workspace.layout(), workspace.factors(), U, V, nullptr,
                                   nullptr);
  });
}

/// The same without a workspace: makes one, and frees it.
template <ExecutionSpace ExecSpace, class Real, class UView, class VView>
AlsInfo als(Communicator<ExecSpace> const& comm, AlsLayout const& layout,
            RatingRows<Real, typename ExecSpace::memory_space> const& by_user,
            RatingRows<Real, typename ExecSpace::memory_space> const& by_item, UView const& U,
            VView const& V, AlsOptions const& options = {}) {
  detail::assert_als_views<ExecSpace, Real, UView, VView>();
  return als(comm, by_user, by_item, U, V,
             detail::AlsAccess::make("carroll::distributed::als", comm, layout, by_user, by_item,
                                     static_cast<std::int64_t>(V.extent(1)), options));
}

/// With biases and mean, into the model.
template <ExecutionSpace ExecSpace, class Real>
AlsInfo als(Communicator<ExecSpace> const& comm,
            RatingRows<Real, typename ExecSpace::memory_space> const& by_user,
            RatingRows<Real, typename ExecSpace::memory_space> const& by_item,
            FactorModel<Real, typename ExecSpace::memory_space>& model,
            AlsWorkspace<ExecSpace, Real> const& workspace) {
  constexpr char const* function = "carroll::distributed::als";
  auto const& options = workspace.options();
  auto const& layout = workspace.layout();
  auto biased = model;
  if (options.biases == AlsBiases::zero) biased.mean = 0;
  auto info = detail::AlsAccess::run(function, comm, by_user, by_item, workspace, biased.mean, [&] {
    auto const bind = [&](char const* name, auto& bias, std::int64_t rows) {
      carroll::detail::bind_bias(function, comm.exec(), name, bias, rows, options);
      return carroll::detail::has_biases(options) ? bias.data() : nullptr;
    };
    return detail::als_sides<Real>(
        function, layout, workspace.factors(), biased.U, biased.V,
        bind("model.user_bias", biased.user_bias, layout.users.length()),
        bind("model.item_bias", biased.item_bias, layout.items.length()));
  });
  model = biased;
  return info;
}

template <ExecutionSpace ExecSpace, class Real>
AlsInfo als(Communicator<ExecSpace> const& comm, AlsLayout const& layout,
            RatingRows<Real, typename ExecSpace::memory_space> const& by_user,
            RatingRows<Real, typename ExecSpace::memory_space> const& by_item,
            FactorModel<Real, typename ExecSpace::memory_space>& model,
            AlsOptions const& options = {}) {
  return als(comm, by_user, by_item, model,
             detail::AlsAccess::make("carroll::distributed::als", comm, layout, by_user, by_item,
                                     model.factors(), options));
}

}  // namespace carroll::distributed
