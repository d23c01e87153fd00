// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/concepts.hpp>
#include <carroll/detail/baseline/kernels.hpp>
#include <carroll/detail/neighbours/levels.hpp>
#include <carroll/detail/svd_model/kernels.hpp>
#include <carroll/factor_model.hpp>
#include <carroll/ratings.hpp>
#include <carroll/ratings/truncated_svd.hpp>
#include <cmath>
#include <cstdint>

namespace carroll {

/// The recommender of the truncated SVD: ratings about their user's mean, 0 where there is none
/// (what is unknown is taken for the mean), and of that the nearest matrix of rank k:
///
///   r̂(u, i) = r̄_u + Σ_l σ_l·u_l(u)·v_l(i)
///
///   auto info = carroll::svd_model(exec, ratings, model);
///
///   model   U users × k: σ_l·u_l, and V items × k: v_l, which say what k is; user_bias users: the
///           user's mean less that of all ratings, which is `mean`; item_bias empty, or items: 0.
///           All are overwritten.
///
/// ‖A − A_k‖₂ = σ_(k+1) for the table A of what ratings are off their means: the info, which is
/// that of truncated_svd, measures it. Users without ratings have the mean of all. Allocates two
/// copies of the ratings and what truncated_svd takes. Fences `exec`. The same bits for any number
/// of threads. Misuse throws std::invalid_argument with actual and required sizes before anything
/// is written.
template <ExecutionSpace ExecSpace, class Real>
[[nodiscard]] TruncatedSvdInfo<Real> svd_model(
    ExecSpace const& exec, Ratings<Real, typename ExecSpace::memory_space> const& ratings,
    FactorModel<Real, typename ExecSpace::memory_space>& model,
    TruncatedSvdOptions const& options = {}) {
  using Memory = typename ExecSpace::memory_space;
  using Model = FactorModel<Real, Memory>;
  constexpr char const* function = "carroll::svd_model";
  long long const m = ratings.users(), n = ratings.items();
  auto const k = static_cast<long long>(model.U.extent(1));
  auto const item_biases = static_cast<long long>(model.item_bias.extent(0));
  detail::require_extents(function, "U", {static_cast<long long>(model.U.extent(0)), k}, {m, k});
  detail::require_extents(
      function, "V",
      {static_cast<long long>(model.V.extent(0)), static_cast<long long>(model.V.extent(1))},
      {n, k});
  detail::require_extents(function, "user_bias",
                          {static_cast<long long>(model.user_bias.extent(0))}, {m});
  if (item_biases > 0) detail::require_extents(function, "item_bias", {item_biases}, {n});
  auto users = ratings.by_user(), items = ratings.by_item();
  using Means = Kokkos::View<double*, Memory>;
  auto const means = detail::allocate<Means>(exec, "carroll::svd_model::means", m);
  double const mean = detail::mean_rating(exec, users, means);  // and sums of rows
  using Level = detail::RowLevelKernel<ExecSpace, Memory>;
  Kokkos::parallel_for("carroll::svd_model::means", typename Level::Policy(exec, 0, m),
                       Level{users.offsets.data(), true, mean, {}, means});
  auto const centre = [&](auto& rows, bool by_user) {
    auto const values = detail::allocate<Kokkos::View<Real*, Kokkos::LayoutRight, Memory>>(
        exec, "carroll::svd_model::values", rows.rating_count());
    Kokkos::parallel_for("carroll::svd_model::centre",
                         detail::Range<ExecSpace>(exec, 0, rows.row_count),
                         detail::CentreByUser<Real, Memory>{rows, means, by_user, values});
    rows.values = values;
  };
  centre(users, true);
  centre(items, false);
  auto const S =
      detail::allocate<Kokkos::View<Real*, Memory>>(exec, "carroll::svd_model::values", k);
  auto const info = truncated_svd(exec, users, items, model.U, S, model.V, options);
  using Finish =
      detail::FinishSvdModel<Real, Memory, typename Model::Factors, typename Model::Biases>;
  Kokkos::parallel_for("carroll::svd_model::finish", detail::Range<ExecSpace>(exec, 0, m),
                       Finish{model.U, S, means, model.user_bias, mean});
  if (item_biases > 0) Kokkos::deep_copy(exec, model.item_bias, Real(0));
  model.mean = static_cast<Real>(mean);
  exec.fence(function);
  return info;
}

}  // namespace carroll
