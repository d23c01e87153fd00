// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/concepts.hpp>
#include <carroll/detail/als/checks.hpp>
#include <carroll/detail/gibbs/driver.hpp>
#include <carroll/factor_model.hpp>
#include <carroll/gibbs/types.hpp>
#include <carroll/none.hpp>
#include <carroll/ratings.hpp>
#include <cmath>
#include <cstdint>
#include <string>

/// Bayesian matrix factorisation by Gibbs sampling (Salakhutdinov and Mnih, ICML 2008).
///
///   auto info = carroll::gibbs(exec, ratings, U, V, {.precision = 2},
///                              carroll::GibbsPairs{users, items, mean, variance});
///
///   ratings   carroll::Ratings, of m users and n items, explicit feedback
///   U, V      m×k and n×k, rows' entries side by side: the chain's last sample, or means
///   users, items     p pairs whose ratings are to be predicted
///   mean, variance   p, overwritten: the prediction and its variance; carroll::none for either
///
/// A rating is normal about mean + u·v with variance 1/α; rows of U are normal with a mean and a
/// precision of their own, which have a Gaussian–Wishart prior, and so are those of V. In turn each
/// is drawn given all others: a row's precision is Λ + α·Σ v·vᵀ, the same matrices as those of
/// `als`, and a triangular solve with normal numbers makes a sample of the solution. Predictions
/// are means over the samples; nothing has to be tuned but α, the inverse of the noise's variance.
///
/// Random numbers are functions of (seed, sweep, row, factor), so that samples are the same bits
/// for any number of threads. The work of a sweep is that of an iteration of `als` by Cholesky, and
/// 2·p·k for predictions.
///
/// Allocates; fences `exec` twice a sweep, when the priors are drawn by a thread of the host in k³
/// operations. Misuse throws std::invalid_argument before anything is written, a pair that is not
/// there, too.
namespace carroll {

namespace detail {

/// How many pairs there are, all of which must be.
template <class ExecSpace, class Pairs>
std::int64_t require_pairs(char const* function, ExecSpace const& exec, Pairs const& pairs,
                           std::int32_t users, std::int32_t items);

template <class Users, class Items>
struct FindBadPair {
  Users users;
  Items items;
  std::int32_t user_count, item_count;
  KOKKOS_FUNCTION void operator()(std::int64_t p, std::int64_t& bad) const {
    bool const good =
        users(p) >= 0 && users(p) < user_count && items(p) >= 0 && items(p) < item_count;
    if (!good) ++bad;
  }
};

template <class ExecSpace, class Pairs>
std::int64_t require_pairs(char const* function, ExecSpace const& exec, Pairs const& pairs,
                           std::int32_t users, std::int32_t items) {
  auto const count = static_cast<long long>(pairs.users.extent(0));
  require_extents(function, "pairs.items", {static_cast<long long>(pairs.items.extent(0))},
                  {count});
  auto const same = [&](char const* name, auto const& view) {
    if constexpr (Kokkos::is_view_v<std::remove_cvref_t<decltype(view)>>)
      require_extents(function, name, {static_cast<long long>(view.extent(0))}, {count});
  };
  same("pairs.mean", pairs.mean);
  same("pairs.variance", pairs.variance);
  std::int64_t bad = 0;
  Kokkos::parallel_reduce(
      "carroll::gibbs::check",
      Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>(exec, 0, count),
      FindBadPair<decltype(pairs.users), decltype(pairs.items)>{pairs.users, pairs.items, users,
                                                                items},
      bad);
  exec.fence("carroll::gibbs: check");
  require(bad == 0, function, [&] {
    return std::to_string(bad) + " of the " + std::to_string(count) +
           " pairs are of users or items that are not below " + extents_text({users, items});
  });
  return count;
}

inline void require_usable(char const* function, GibbsOptions const& options) {
  require(std::isfinite(options.precision) && options.precision > 0 &&
              std::isfinite(options.mean_weight) && options.mean_weight > 0 &&
              std::isfinite(options.scale) && options.scale > 0,
          function, [&] {
            return "options.precision, mean_weight and scale are " +
                   std::to_string(options.precision) + ", " + std::to_string(options.mean_weight) +
                   " and " + std::to_string(options.scale) + ", must be finite and above 0";
          });
  require_number(function, "extra_freedom", options.extra_freedom);
  require_number(function, "start_scale", options.start_scale);
  require(options.burn_in >= 0 && options.sweeps >= 1, function, [&] {
    return "options.burn_in and sweeps are " + std::to_string(options.burn_in) + " and " +
           std::to_string(options.sweeps) + ", must be at least 0 and 1";
  });
}

}  // namespace detail

template <ExecutionSpace ExecSpace, class Real, class UView, class VView, class Pairs = None>
GibbsInfo gibbs(ExecSpace const& exec,
                Ratings<Real, typename ExecSpace::memory_space> const& ratings, UView const& U,
                VView const& V, GibbsOptions const& options = {}, Pairs const& pairs = {}) {
  static_assert(detail::is_factor_view<UView, ExecSpace, Real> &&
                    detail::is_factor_view<VView, ExecSpace, Real> &&
                    !std::is_const_v<typename UView::value_type> &&
                    !std::is_const_v<typename VView::value_type>,
                "carroll::gibbs: U and V must be writable Views of the ratings' type, of rank 2, "
                "in memory that the execution space can access");
  constexpr char const* function = "carroll::gibbs";
  auto const k = static_cast<std::int64_t>(V.extent(1));
  detail::require_factors<Real>(function, k);
  detail::require_usable(function, options);
  detail::require_factor_rows(function, "U", U, ratings.users(), k);
  detail::require_factor_rows(function, "V", V, ratings.items(), k);
  std::int64_t pair_count = 0;
  if constexpr (!std::same_as<Pairs, None>)
    pair_count = detail::require_pairs(function, exec, pairs, ratings.users(), ratings.items());
  detail::GibbsCall<ExecSpace, Real, Pairs> call(
      exec, ratings, {U.data(), static_cast<std::ptrdiff_t>(U.stride(0)), nullptr},
      {V.data(), static_cast<std::ptrdiff_t>(V.stride(0)), nullptr}, static_cast<int>(k), options,
      pairs, pair_count);
  if (options.start == GibbsStart::given &&
      !(detail::all_finite(exec, U) && detail::all_finite(exec, V))) {
    GibbsInfo info;
    call.refuse(info);
    return info;
  }
  return call.run();
}

/// The same into a model, whose mean is set and whose biases must be empty.
template <ExecutionSpace ExecSpace, class Real, class Pairs = None>
GibbsInfo gibbs(ExecSpace const& exec,
                Ratings<Real, typename ExecSpace::memory_space> const& ratings,
                FactorModel<Real, typename ExecSpace::memory_space>& model,
                GibbsOptions const& options = {}, Pairs const& pairs = {}) {
  detail::require_extents("carroll::gibbs", "the model's biases",
                          {static_cast<long long>(model.user_bias.extent(0)),
                           static_cast<long long>(model.item_bias.extent(0))},
                          {0, 0});
  GibbsInfo const info = gibbs(exec, ratings, model.U, model.V, options, pairs);
  model.mean = static_cast<Real>(info.mean);
  return info;
}

}  // namespace carroll
