// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/concepts.hpp>
#include <carroll/detail/device/launch.hpp>
#include <carroll/detail/device/properties.hpp>
#include <carroll/detail/graph_filter/kernels.hpp>
#include <carroll/detail/ratings/triples.hpp>
#include <carroll/detail/sparse/multiply.hpp>
#include <carroll/detail/team.hpp>
#include <carroll/detail/workspace.hpp>
#include <carroll/factor_model.hpp>
#include <carroll/ratings.hpp>
#include <carroll/ratings/truncated_svd.hpp>
#include <carroll/recommend.hpp>
#include <cmath>
#include <cstdint>
#include <string>

/// Recommendations without training, by a filter of signals on the graph of users and items (GF-CF:
/// Shen, Wu, Zhang, Shan, Zhang, Letaief and Li, "How powerful is graph convolution for
/// recommendation?", CIKM 2021). With R̃ = D_U^(−1/2)·R·D_I^(−1/2), degrees being sums of ratings,
/// and the k leading right singular vectors V of R̃, items of a user's ratings r have the scores
///
///   r·R̃ᵀ·R̃ + α·r·D_I^(−1/2)·V·Vᵀ·D_I^(1/2).
///
///   auto filter = carroll::graph_filter(exec, ratings);
///   auto info = carroll::recommend(exec, filter, users, ids, scores);
namespace carroll {

struct GraphFilterOptions {
  int rank = 256;                ///< k; at most the number of users and of items
  double low_pass_weight = 0.3;  ///< α
  /// Of the singular vectors. No more steps than these are taken: the scores hardly need them.
  TruncatedSvdOptions svd = {.power_steps = 4, .max_power_steps = 4};
};

/// What `recommend` needs. Copies share the memory.
template <class Real, class MemorySpace>
struct GraphFilter {
  Ratings<Real, MemorySpace> ratings;                ///< R
  RatingRows<Real, MemorySpace> by_user, by_item;    ///< R̃
  FactorModel<Real, MemorySpace> low_pass;           ///< whose predictions are the second term
  Kokkos::View<Real*, MemorySpace> singular_values;  ///< of R̃, k
  TruncatedSvdInfo<Real> svd;  ///< of R̃; not_converged says how good, and is no failure here
};

/// Ratings are weights: none may be negative. Allocates what it returns and what the decomposition
/// takes, 2·nnz·k flops beside it. Fences `exec`. Throws std::invalid_argument for an unusable rank
/// or weight. The same bits for any number of threads.
template <ExecutionSpace ExecSpace, class Real>
[[nodiscard]] GraphFilter<Real, typename ExecSpace::memory_space> graph_filter(
    ExecSpace const& exec, Ratings<Real, typename ExecSpace::memory_space> const& ratings,
    GraphFilterOptions const& options = {}) {
  using Memory = typename ExecSpace::memory_space;
  using Matrix = typename FactorModel<Real, Memory>::Factors;
  using Roots = Kokkos::View<double*, Memory>;
  constexpr char const* function = "carroll::graph_filter";
  std::int64_t const users = ratings.users(), items = ratings.items();
  detail::require(options.rank >= 0 && options.rank <= std::min(users, items), function, [&] {
    return "the rank is " + std::to_string(options.rank) + ", must be from 0 to " +
           std::to_string(std::min(users, items)) + ", the smaller of users and items";
  });
  detail::require(std::isfinite(options.low_pass_weight), function,
                  [&] { return "low_pass_weight is " + std::to_string(options.low_pass_weight); });
  GraphFilter<Real, Memory> filter;
  filter.ratings = ratings;
  auto const roots_of = [&](auto const& rows) {
    auto const roots =
        detail::allocate<Roots>(exec, "carroll::graph_filter::roots", rows.row_count);
    Kokkos::parallel_for("carroll::graph_filter::roots",
                         detail::Range<ExecSpace>(exec, 0, rows.row_count),
                         detail::InverseRootSums<Real, Memory>{rows, roots});
    return roots;
  };
  Roots const user_roots = roots_of(ratings.by_user()), item_roots = roots_of(ratings.by_item());
  auto const normalised = [&](auto rows, Roots const& own, Roots const& others) {
    auto const values = detail::allocate<Kokkos::View<Real*, Kokkos::LayoutRight, Memory>>(
        exec, "carroll::graph_filter::values", rows.rating_count());
    Kokkos::parallel_for("carroll::graph_filter::normalise",
                         detail::Range<ExecSpace>(exec, 0, rows.row_count),
                         detail::NormaliseRatings<Real, Memory>{rows, own, others, values});
    rows.values = values;
    return rows;
  };
  filter.by_user = normalised(ratings.by_user(), user_roots, item_roots);
  filter.by_item = normalised(ratings.by_item(), item_roots, user_roots);

  auto const matrix = [&](std::int64_t rows) {
    return detail::allocate_matrix<Matrix>(exec, "carroll::graph_filter::factors",
                                           static_cast<std::size_t>(rows),
                                           static_cast<std::size_t>(options.rank));
  };
  Matrix const U = matrix(users), V = matrix(items), inner = matrix(items), outer = matrix(items);
  filter.singular_values = detail::allocate<Kokkos::View<Real*, Memory>>(
      exec, "carroll::graph_filter::singular_values", options.rank);
  filter.svd = truncated_svd(exec, filter.by_user, filter.by_item, U, filter.singular_values, V,
                             options.svd);
  filter.low_pass.U = U;
  filter.low_pass.V = outer;
  if (options.rank > 0 && items > 0) {
    Kokkos::parallel_for(
        "carroll::graph_filter::factors", detail::Range<ExecSpace>(exec, 0, items * options.rank),
        detail::FilterFactors<Real, Memory>{V, item_roots, inner, outer, options.low_pass_weight});
    // The users' singular vectors are not needed any more.
    using Multiply = detail::SparseMultiplyKernel<ExecSpace, Real, std::int64_t, std::int32_t>;
    auto const& rows = ratings.by_user();
    std::ptrdiff_t const k = options.rank;
    detail::launch_fitting_teams("carroll::graph_filter::users", exec,
                                 Multiply{rows.offsets.data(),
                                          rows.columns.data(),
                                          rows.values.data(),
                                          options.rank,
                                          {inner.data(), k, 1},
                                          {U.data(), k, 1}},
                                 {static_cast<int>(users), 1});
  }
  exec.fence(function);
  return filter;
}

namespace detail {

/// Adds the first term to a tile of scores.
template <class Real, class MemorySpace>
struct AddPaths {
  GraphFilter<Real, MemorySpace> const& filter;
  Real* shared;
  std::int64_t* ticket;
  int teams;

  template <class ExecSpace, class Problem, class Tile>
  void operator()(ExecSpace const& exec, Problem const& problem, Tile const& tile) const {
    using Kernel = AddPathsKernel<ExecSpace, Real>;
    set_to_zero(exec, ticket, 1);
    launch_teams(
        "carroll::graph_filter::paths", exec,
        Kernel{filter.ratings.by_user(), filter.by_user, filter.by_item,
               problem.rows.data + tile.begin * problem.rows.stride, problem.rows.stride,
               tile.end - tile.begin, tile.scores, shared, ticket},
        {.count = teams, .threads = lanes<ExecSpace> == 1 ? 1 : 4, .lanes = lanes<ExecSpace>});
  }
};

}  // namespace detail

/// The items with the largest scores for each of some users, those that they have rated left out:
/// arguments, order, cold users and misuse are those of carroll::recommend of a model. Beside what
/// that takes, Σ_v d_v steps for each user, over the users v who share an item with them.
template <ExecutionSpace ExecSpace, class Real, class MemorySpace, class Users, class Ids,
          class Scores>
[[nodiscard]] RecommendInfo recommend(ExecSpace const& exec,
                                      GraphFilter<Real, MemorySpace> const& filter,
                                      Users const& users, Ids const& ids, Scores const& scores,
                                      RecommendOptions const& options = {}) {
  std::int64_t const rows = std::max<std::int64_t>(filter.by_user.row_count, 1);
  constexpr std::int64_t budget = std::int64_t{1} << 31;
  std::int64_t const busy = detail::lanes<ExecSpace> == 1
                                ? std::int64_t{exec.concurrency()}
                                : std::int64_t{4} * detail::processors(exec);
  auto const teams = static_cast<int>(std::max<std::int64_t>(
      1, std::min<std::int64_t>(busy, budget / (rows * std::int64_t{sizeof(Real)}))));
  Real* shared = nullptr;
  std::int64_t* ticket = nullptr;
  auto const memory =
      detail::allocate_arena(exec, "carroll::graph_filter::teams", [&](detail::Arena& arena) {
        shared = arena.take<Real>(teams * rows);
        ticket = arena.take<std::int64_t>(1);
      });
  return detail::recommend_with(exec, filter.low_pass, filter.ratings, users, ids, scores, options,
                                detail::AddPaths<Real, MemorySpace>{filter, shared, ticket, teams});
}

}  // namespace carroll
