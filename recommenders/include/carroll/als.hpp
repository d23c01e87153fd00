// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/als/types.hpp>
#include <carroll/als/workspace.hpp>
#include <carroll/concepts.hpp>
#include <carroll/detail/als/driver.hpp>
#include <carroll/factor_model.hpp>
#include <carroll/ratings.hpp>
#include <cstdint>
#include <string>

/// Factors of users and items by alternating least squares.
///
///   auto info = carroll::als(exec, ratings, U, V, {.regularization = 0.05});
///   auto info = carroll::als(exec, ratings, model, {.biases = carroll::AlsBiases::fixed});
///
///   ratings   carroll::Ratings, of m users and n items
///   U         m×k, V n×k: Views of rank 2 in memory of `exec`, rows' entries side by side
///   model     carroll::FactorModel with such factors; biases that the options want are allocated
///             where they are empty, and its mean is set
///
/// In turn each row of U and each of V is made the minimiser of the objective, the other matrix
/// being fixed (Bell and Koren 2007; Hu, Koren and Volinsky 2008): of explicit feedback Σ (r - r̂)²
/// over the ratings, of implicit feedback Σ (1 + α·r)·(u·v - 1)² over the ratings + α₀·Σ (u·v)²
/// over all pairs, each with Σ λ‖u‖² + Σ λ‖v‖² added; AlsOptions says what λ is. A row without
/// ratings becomes 0. Users come first: of what is given, only V matters, unless the solver is not
/// exact.
///
/// Work of an iteration by Cholesky: 2·ratings·(k² + 3k) + (m + n)·(k³/3 + 2k²) flops. A row's
/// ratings are cut into pieces, whose size k and the kind of device say, and the sums of these are
/// added in ascending order: the bits depend on the ratings, k, options and device alone, not on
/// the number of threads.
///
/// Fences `exec` once at the end, and for what the options ask besides: once for the mean of the
/// ratings, twice for each objective, once for the residual, twice where factors are given, to look
/// at them. Misuse throws std::invalid_argument before anything is written. Given factors that are
/// not finite have Status::non_finite, and all outputs are NaN.
namespace carroll {

namespace detail {

template <class ExecSpace, class Real, class UView, class VView>
consteval void assert_als_views() {
  static_assert(
      is_factor_view<UView, ExecSpace, Real> && !std::is_const_v<typename UView::value_type>,
      "carroll::als: U must be a writable View of the ratings' type, of rank 2, in "
      "memory that the execution space can access");
  static_assert(
      is_factor_view<VView, ExecSpace, Real> && !std::is_const_v<typename VView::value_type>,
      "carroll::als: V must be a writable View of the ratings' type, of rank 2, in "
      "memory that the execution space can access");
}

/// Biases of users and items.
constexpr bool has_biases(AlsOptions const& options) {
  return options.biases >= AlsBiases::fixed;
}

/// Allocates a model's bias where the options want one and it is empty, checks it otherwise.
template <class ExecSpace, class Bias>
void bind_bias(char const* function, ExecSpace const& exec, char const* name, Bias& bias,
               std::int64_t rows, AlsOptions const& options) {
  bool const wanted = has_biases(options);
  if (wanted && bias.extent(0) == 0) {
    require(options.start != AlsStart::given || options.biases == AlsBiases::fixed, function,
            [&] { return std::string(name) + " is empty, must be given"; });
    bias = allocate<Bias>(exec, "carroll::als::biases", rows);
  }
  require_extents(function, name, {static_cast<long long>(bias.extent(0))}, {wanted ? rows : 0});
}

template <class ExecSpace, class Real, class UView, class VView>
AlsInfo run_als(char const* function, ExecSpace const& exec,
                Ratings<Real, typename ExecSpace::memory_space> const& ratings, UView const& U,
                VView const& V, Real* user_bias, Real* item_bias, Real& mean,
                AlsMemory<ExecSpace, Real> const& memory, AlsOptions const& options) {
  require(memory.users == ratings.users() && memory.items == ratings.items() &&
              memory.ratings == ratings.count(),
          function, [&] {
            return "the workspace is for " +
                   extents_text({memory.users, memory.items, memory.ratings}) +
                   " users, items and ratings, there are " +
                   extents_text({ratings.users(), ratings.items(), ratings.count()});
          });
  require_factor_rows(function, "U", U, ratings.users(), memory.factors);
  require_factor_rows(function, "V", V, ratings.items(), memory.factors);
  AlsCall<ExecSpace, Real> call(exec, ratings.by_user(), ratings.by_item(),
                                {U.data(), static_cast<std::ptrdiff_t>(U.stride(0)), user_bias},
                                {V.data(), static_cast<std::ptrdiff_t>(V.stride(0)), item_bias},
                                memory, options, {ratings.count()});
  if (options.start == AlsStart::given && (!all_finite(exec, U) || !all_finite(exec, V))) {
    AlsInfo info;
    call.refuse(info);
    return info;
  }
  return call.run(mean);
}

}  // namespace detail

/// With a workspace that was made for these ratings: no allocation. Without biases.
template <ExecutionSpace ExecSpace, class Real, class UView, class VView>
AlsInfo als(ExecSpace const& exec, Ratings<Real, typename ExecSpace::memory_space> const& ratings,
            UView const& U, VView const& V, AlsWorkspace<ExecSpace, Real> const& workspace) {
  detail::assert_als_views<ExecSpace, Real, UView, VView>();
  auto const& options = workspace.options();
  detail::require(options.biases == AlsBiases::zero, "carroll::als", [&] {
    return "options.biases is " + std::string(to_string(options.biases)) +
           ", which takes a FactorModel, must be zero";
  });
  Real mean = 0;
  return detail::run_als<ExecSpace, Real>("carroll::als", exec, ratings, U, V, nullptr, nullptr,
                                          mean, detail::AlsAccess::memory(workspace), options);
}

/// The same without a workspace: allocates one, and frees it, for which Kokkos waits for the whole
/// device on CUDA.
template <ExecutionSpace ExecSpace, class Real, class UView, class VView>
AlsInfo als(ExecSpace const& exec, Ratings<Real, typename ExecSpace::memory_space> const& ratings,
            UView const& U, VView const& V, AlsOptions const& options = {}) {
  detail::assert_als_views<ExecSpace, Real, UView, VView>();
  auto const k = static_cast<std::int64_t>(V.extent(1));
  detail::require_factor_rows("carroll::als", "U", U, ratings.users(), k);
  detail::require_factor_rows("carroll::als", "V", V, ratings.items(), k);
  return als(exec, ratings, U, V,
             detail::AlsAccess::make(exec, "carroll::als", ratings, k, options));
}

/// With biases and mean, into the model.
template <ExecutionSpace ExecSpace, class Real>
AlsInfo als(ExecSpace const& exec, Ratings<Real, typename ExecSpace::memory_space> const& ratings,
            FactorModel<Real, typename ExecSpace::memory_space>& model,
            AlsWorkspace<ExecSpace, Real> const& workspace) {
  constexpr char const* function = "carroll::als";
  auto const& options = workspace.options();
  detail::bind_bias(function, exec, "model.user_bias", model.user_bias, ratings.users(), options);
  detail::bind_bias(function, exec, "model.item_bias", model.item_bias, ratings.items(), options);
  if (options.biases == AlsBiases::zero) model.mean = 0;
  bool const wanted = detail::has_biases(options);
  return detail::run_als<ExecSpace, Real>(function, exec, ratings, model.U, model.V,
                                          wanted ? model.user_bias.data() : nullptr,
                                          wanted ? model.item_bias.data() : nullptr, model.mean,
                                          detail::AlsAccess::memory(workspace), options);
}

template <ExecutionSpace ExecSpace, class Real>
AlsInfo als(ExecSpace const& exec, Ratings<Real, typename ExecSpace::memory_space> const& ratings,
            FactorModel<Real, typename ExecSpace::memory_space>& model,
            AlsOptions const& options = {}) {
  return als(exec, ratings, model,
             detail::AlsAccess::make(exec, "carroll::als", ratings, model.factors(), options));
}

}  // namespace carroll
