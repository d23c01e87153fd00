// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/als/types.hpp>
#include <carroll/concepts.hpp>
#include <carroll/detail/als/checks.hpp>
#include <carroll/detail/als/memory.hpp>
#include <carroll/detail/als/solve.hpp>
#include <carroll/detail/als/start.hpp>
#include <carroll/factor_model.hpp>
#include <carroll/ratings/rows.hpp>
#include <cstdint>

/// Factors of new users by what they have rated, those of the items staying as they are.
///
///   auto info = carroll::fold_in(exec, V, rows, U_new, options);
///   auto info = carroll::fold_in(exec, model, rows, U_new, bias_new, options);
///
///   V       n×k, or a model with it, from `als` with the same options
///   rows    carroll::RatingRows: a row for each of m new users, columns are the n items
///   U_new   m×k, overwritten
///   bias_new   m, overwritten; empty unless the options have biases
///
/// Each row is what a step of `als` would make of it, bit for bit, whatever rows are beside it;
/// with a solver that is not exact, from 0. For new items give U in the place of V, and the rows by
/// item; of a model, one with users and items exchanged.
///
/// Work: as of one side of an iteration of `als`; with implicit feedback n·k² flops besides.
/// Allocates; fences `exec` four times. Throws std::invalid_argument for wrong extents, and for
/// ratings that are not finite or of columns that are not there, before anything is written.
namespace carroll {

struct FoldInInfo {
  /// non_finite: V is not finite, or factors have overflowed, and U_new is NaN; singular: see
  /// AlsInfo.
  Status status = Status::success;
  std::int64_t cold_rows = 0;  ///< without ratings: 0
  std::int64_t singular_rows = 0;
};

namespace detail {

template <class ExecSpace, class Real, class VView, class UView>
FoldInInfo run_fold_in(ExecSpace const& exec, VView const& V, Real* item_bias, Real mean,
                       RatingRows<Real, typename ExecSpace::memory_space> const& rows,
                       UView const& U, Real* user_bias, AlsOptions const& options) {
  constexpr char const* function = "carroll::fold_in";
  auto const k = static_cast<std::int64_t>(V.extent(1));
  require_usable<Real>(function, k, options);
  require_factor_rows(function, "V", V, rows.column_count, k);
  require_factor_rows(function, "U_new", U, rows.row_count, k);
  require_ratings(function, exec, rows);
  FactorSide<Real> const users{U.data(), static_cast<std::ptrdiff_t>(U.stride(0)), user_bias};
  FactorSide<Real> const items{const_cast<Real*>(V.data()),
                               static_cast<std::ptrdiff_t>(V.stride(0)), item_bias};
  AlsMemory<ExecSpace, Real> memory;
  bool const grams = options.feedback == Feedback::implicit;
  memory.template make<RatingRows<Real, typename ExecSpace::memory_space>>(
      exec, "carroll::fold_in::workspace", rows, nullptr, static_cast<int>(k), grams, options);
  set_to_zero(exec, memory.rows.findings, 1);
  FoldInInfo info;
  info.cold_rows = memory.by_user.plan.cold;
  if (grams)
    enqueue_gram<ExecSpace, Real>(exec, memory.all_items, items.x, items.pitch, memory.factors,
                                  memory.item_gram, nullptr, memory.rows);
  auto problem = row_equations(rows, users, items, memory.factors, mean, options,
                               static_cast<Real const*>(memory.item_gram));
  if (options.biases == AlsBiases::fixed) {
    RowEquations<Real> means = problem;
    means.fixed_bias = nullptr;
    launch_row_teams<Real>("carroll::fold_in::biases", exec,
                           MeanRow<Real>{means, options.user_damping, user_bias, nullptr});
  }
  if (options.solver != AlsSolver::cholesky) {
    enqueue_fill(exec, users.x, users.pitch, rows.row_count, k, Real(0));
    if (problem.x_bias) enqueue_fill(exec, problem.x_bias, 1, rows.row_count, 1, Real(0));
  }
  enqueue_side(exec, problem, options, memory.by_user, memory);
  RowFindings found{};
  using Host = Kokkos::View<RowFindings, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;
  using Device =
      Kokkos::View<RowFindings const, typename ExecSpace::memory_space, Kokkos::MemoryUnmanaged>;
  Kokkos::deep_copy(exec, Host(&found), Device(memory.rows.findings));
  exec.fence("carroll::fold_in");
  info.singular_rows = static_cast<std::int64_t>(found.singular);
  if (found.singular > 0) info.status = Status::singular;
  if (found.not_finite > 0) {
    info.status = Status::non_finite;
    Real const nan = Kokkos::Experimental::quiet_NaN_v<Real>;
    enqueue_fill(exec, users.x, users.pitch, rows.row_count, k, nan);
    if (user_bias) enqueue_fill(exec, user_bias, 1, rows.row_count, 1, nan);
    exec.fence("carroll::fold_in");
  }
  return info;
}

template <class ExecSpace, class Real, class VView, class UView>
consteval void assert_fold_in_views() {
  static_assert(is_factor_view<VView, ExecSpace, Real>,
                "carroll::fold_in: V must be a View of the ratings' type, of rank 2, in memory "
                "that the execution space can access");
  static_assert(
      is_factor_view<UView, ExecSpace, Real> && !std::is_const_v<typename UView::value_type>,
      "carroll::fold_in: U_new must be a writable View of the ratings' type, of rank 2, "
      "in memory that the execution space can access");
}

}  // namespace detail

template <ExecutionSpace ExecSpace, class VView, class Real, class UView>
FoldInInfo fold_in(ExecSpace const& exec, VView const& V,
                   RatingRows<Real, typename ExecSpace::memory_space> const& rows,
                   UView const& U_new, AlsOptions const& options = {}) {
  detail::assert_fold_in_views<ExecSpace, Real, VView, UView>();
  detail::require(options.biases == AlsBiases::zero, "carroll::fold_in", [&] {
    return "options.biases is " + std::string(to_string(options.biases)) +
           ", which takes a FactorModel, must be none";
  });
  return detail::run_fold_in<ExecSpace, Real>(exec, V, nullptr, Real(0), rows, U_new, nullptr,
                                              options);
}

template <ExecutionSpace ExecSpace, class Real, class UView>
FoldInInfo fold_in(ExecSpace const& exec,
                   FactorModel<Real, typename ExecSpace::memory_space> const& model,
                   RatingRows<Real, typename ExecSpace::memory_space> const& rows,
                   UView const& U_new,
                   typename FactorModel<Real, typename ExecSpace::memory_space>::Biases const& bias,
                   AlsOptions const& options = {}) {
  detail::assert_fold_in_views<ExecSpace, Real, decltype(model.V), UView>();
  bool const wanted = options.biases >= AlsBiases::fixed;
  detail::require_extents("carroll::fold_in", "model.item_bias",
                          {static_cast<long long>(model.item_bias.extent(0))},
                          {wanted ? rows.column_count : 0});
  detail::require_extents("carroll::fold_in", "bias_new", {static_cast<long long>(bias.extent(0))},
                          {wanted ? rows.row_count : 0});
  return detail::run_fold_in<ExecSpace, Real>(exec, model.V,
                                              wanted ? model.item_bias.data() : nullptr, model.mean,
                                              rows, U_new, wanted ? bias.data() : nullptr, options);
}

}  // namespace carroll
