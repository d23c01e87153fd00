// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/concepts.hpp>
#include <carroll/detail/biases/kernel.hpp>
#include <carroll/error.hpp>
#include <carroll/factor_model.hpp>
#include <carroll/ratings.hpp>
#include <carroll/sum.hpp>
#include <cstdint>
#include <string>

/// The least that a recommender has to beat: mean + what a user and an item add to it,
///
///   min Σ (r(u, i) − mean − user_bias(u) − item_bias(i))²
///         + item_damping·Σ item_bias² + user_damping·Σ user_bias²,
///
/// by turns exactly for all items and exactly for all users (the "baseline estimates" of Koren,
/// KDD 2008).
///
///   auto model = carroll::fit_biases(exec, ratings);    // a FactorModel with k = 0
///
/// `mean` is the mean of all ratings. A user or an item without ratings has the bias 0. 4·count
/// flops a sweep; sums are taken in double precision and a fixed order: the same bits for any
/// number of threads and on hosts and devices. Fences `exec`. Misuse throws std::invalid_argument,
/// want of memory AllocationError.
namespace carroll {

struct BiasOptions {
  double user_damping = 5;  ///< as if so many ratings of each user were the mean, from 0
  double item_damping = 5;  ///< the same of each item
  int sweeps = 10;          ///< over items and users, from 1
};

template <ExecutionSpace ExecSpace, class Real, class MemorySpace>
[[nodiscard]] FactorModel<Real, MemorySpace> fit_biases(ExecSpace const& exec,
                                                        Ratings<Real, MemorySpace> const& ratings,
                                                        BiasOptions const& options = {}) {
  constexpr char const* function = "carroll::fit_biases";
  detail::require(options.user_damping >= 0 && options.item_damping >= 0, function, [&] {
    return "the dampings are " + std::to_string(options.user_damping) + " and " +
           std::to_string(options.item_damping) + ", must not be negative";
  });
  detail::require(options.sweeps >= 1, function, [&] {
    return "sweeps is " + std::to_string(options.sweeps) + ", must be 1 or more";
  });
  auto const users = static_cast<std::size_t>(ratings.users());
  auto const items = static_cast<std::size_t>(ratings.items());
  using Model = FactorModel<Real, MemorySpace>;
  using Factors = typename Model::Factors;
  using Biases = typename Model::Biases;
  Model model;
  model.U = detail::allocate_matrix<Factors>(exec, "carroll::fit_biases::U", users, 0);
  model.V = detail::allocate_matrix<Factors>(exec, "carroll::fit_biases::V", items, 0);
  model.user_bias = detail::allocate<Biases>(exec, "carroll::fit_biases::users", ratings.users());
  model.item_bias = detail::allocate<Biases>(exec, "carroll::fit_biases::items", ratings.items());
  Kokkos::deep_copy(exec, model.user_bias, Real(0));
  Kokkos::deep_copy(exec, model.item_bias, Real(0));
  if (ratings.count() > 0)
    model.mean = sum(exec, ratings.by_user().values).value / static_cast<Real>(ratings.count());
  using Kernel = detail::FitBiases<Real, MemorySpace>;
  auto const fit = [&](auto const& rows, auto const& others, auto const& own, double damping) {
    Kokkos::parallel_for("carroll::fit_biases", detail::Range<ExecSpace>(exec, 0, rows.row_count),
                         Kernel{rows, others, own, static_cast<double>(model.mean), damping});
  };
  for (int sweep = 0; sweep < options.sweeps; ++sweep) {
    fit(ratings.by_item(), model.user_bias, model.item_bias, options.item_damping);
    fit(ratings.by_user(), model.item_bias, model.user_bias, options.user_damping);
  }
  exec.fence(function);
  return model;
}

}  // namespace carroll
