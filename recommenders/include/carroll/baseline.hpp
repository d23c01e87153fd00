// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/concepts.hpp>
#include <carroll/detail/allocate.hpp>
#include <carroll/detail/baseline/kernels.hpp>
#include <carroll/error.hpp>
#include <carroll/ratings/rows.hpp>
#include <carroll/status.hpp>
#include <cmath>
#include <cstdint>
#include <string>

namespace carroll {

struct BaselineOptions {
  /// Added to a user's or an item's number of ratings where its bias is an average.
  double user_damping = 15;
  double item_damping = 10;
  int rounds = 10;  ///< of averages by item and then by user; 1 is the plain damped form
};

/// What is expected of a rating before anything is known but who rates what:
/// mean + user_bias(u) + item_bias(i).
template <class MemorySpace>
struct RatingBaseline {
  Status status = Status::success;  ///< or non_finite: a rating is, and so is everything here
  double mean = 0;
  Kokkos::View<double*, MemorySpace> user_bias;  ///< 0 without ratings
  Kokkos::View<double*, MemorySpace> item_bias;  ///< 0 without ratings
};

/// The damped biases of Koren (The BellKor solution to the Netflix grand prize, 2009), in rounds:
///
///   b_i := Σ_u (r_ui − mean − b_u) / (item_damping + n_i), then
///   b_u := Σ_i (r_ui − mean − b_i) / (user_damping + n_u), from b_u = 0,
///
/// which descends on Σ (r − mean − b_u − b_i)² + user_damping·Σ b_u² + item_damping·Σ b_i².
///
///   by_user, by_item   the same ratings both ways; read only
///
/// Sums are formed in double precision in the order of a row, by one thread each: the same bits for
/// every device and number of threads. 4·nnz flops a round. Allocates what it returns and
/// (users/256 + 1) numbers; fences `exec` once. Throws std::invalid_argument for negative dampings
/// or rounds, and for ratings that are not the same both ways as far as sizes say.
template <ExecutionSpace ExecSpace, class Real, class MemorySpace>
RatingBaseline<MemorySpace> rating_baseline(ExecSpace const& exec,
                                            RatingRows<Real, MemorySpace> const& by_user,
                                            RatingRows<Real, MemorySpace> const& by_item,
                                            BaselineOptions const& options = {}) {
  static_assert(
      bool(Kokkos::SpaceAccessibility<ExecSpace, MemorySpace>::accessible),
      "carroll::rating_baseline: ratings must be in memory that the execution space can access");
  constexpr char const* function = "carroll::rating_baseline";
  detail::require_transposed(function, by_user, by_item);
  detail::require(std::isfinite(options.user_damping) && std::isfinite(options.item_damping) &&
                      options.user_damping >= 0 && options.item_damping >= 0 && options.rounds >= 0,
                  function, [&] {
                    return "dampings are " + std::to_string(options.user_damping) + " and " +
                           std::to_string(options.item_damping) + " and rounds " +
                           std::to_string(options.rounds) + ", none may be negative";
                  });
  using Biases = Kokkos::View<double*, MemorySpace>;
  RatingBaseline<MemorySpace> result;
  result.user_bias = detail::allocate<Biases>(exec, "carroll::baseline::user", by_user.row_count);
  result.item_bias = detail::allocate<Biases>(exec, "carroll::baseline::item", by_item.row_count);
  result.mean = detail::mean_rating(exec, by_user, result.user_bias);
  if (!std::isfinite(result.mean)) result.status = Status::non_finite;
  double const start = std::isfinite(result.mean) ? 0 : result.mean;
  Kokkos::deep_copy(exec, result.user_bias, start);
  Kokkos::deep_copy(exec, result.item_bias, start);
  if (result.status != Status::success) return result;
  using Kernel = detail::BiasKernel<ExecSpace, Real, MemorySpace>;
  for (int round = 0; round < options.rounds; ++round) {
    Kokkos::parallel_for(
        "carroll::baseline::items", typename Kernel::Policy(exec, 0, by_item.row_count),
        Kernel{by_item, result.mean, options.item_damping, result.user_bias, result.item_bias});
    Kokkos::parallel_for(
        "carroll::baseline::users", typename Kernel::Policy(exec, 0, by_user.row_count),
        Kernel{by_user, result.mean, options.user_damping, result.item_bias, result.user_bias});
  }
  return result;
}

}  // namespace carroll
