// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/concepts.hpp>
#include <carroll/detail/baseline/kernels.hpp>
#include <carroll/detail/host_copy.hpp>
#include <carroll/detail/sgd/run.hpp>
#include <carroll/error.hpp>
#include <carroll/factor_model.hpp>
#include <carroll/ratings.hpp>
#include <carroll/ratings/rows.hpp>
#include <carroll/sgd/types.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

namespace carroll {

namespace detail {

template <class Real, class MemorySpace>
void require_usable(char const* function, RatingRows<Real, MemorySpace> const& by_user,
                    FactorModel<Real, MemorySpace> const& model, SgdOptions const& options) {
  long long const m = by_user.row_count, n = by_user.column_count;
  auto const k = static_cast<long long>(model.U.extent(1));
  require_extents(function, "U", {static_cast<long long>(model.U.extent(0)), k}, {m, k});
  require_extents(
      function, "V",
      {static_cast<long long>(model.V.extent(0)), static_cast<long long>(model.V.extent(1))},
      {n, k});
  auto const biases = static_cast<long long>(model.user_bias.extent(0));
  auto const item_biases = static_cast<long long>(model.item_bias.extent(0));
  require((biases == 0 && item_biases == 0) || (biases == m && item_biases == n), function, [&] {
    return "the model has " + std::to_string(biases) + " and " + std::to_string(item_biases) +
           " biases, must have " + std::to_string(m) + " and " + std::to_string(n) + ", or none";
  });
  auto const usable = [](double x) { return std::isfinite(x) && x >= 0; };
  require(usable(options.learning_rate) && usable(options.regularization) &&
              usable(options.bias_regularization) && usable(options.start_deviation) &&
              usable(options.decay) && options.epochs >= 0 && options.blocks >= 0,
          function, [&] {
            return "learning rate " + std::to_string(options.learning_rate) + ", decay " +
                   std::to_string(options.decay) + ", regularizations " +
                   std::to_string(options.regularization) + " and " +
                   std::to_string(options.bias_regularization) + ", start deviation " +
                   std::to_string(options.start_deviation) + ", epochs " +
                   std::to_string(options.epochs) + " and blocks " +
                   std::to_string(options.blocks) + ": none may be negative";
          });
  require(options.schedule != LearningRate::linear || options.decay <= 1, function, [&] {
    return "a linear decay is " + std::to_string(options.decay) + ", must be from 0 to 1";
  });
}

}  // namespace detail

/// Matrix factorisation by stochastic gradient descent on
///
///   Σ (r(u, i) − mean − user_bias(u) − item_bias(i) − U(u, :)·V(i, :))²
///     + λ Σ_(u, i) (‖U(u, :)‖² + ‖V(i, :)‖²) + the same of the biases,
///
/// sums over ratings; without biases, mean and λ the course's method (u += 2η·e·v, v += 2η·e·u with
/// the u from before).
///
///   auto info = carroll::sgd(exec, ratings.by_user(), model, {.epochs = 40, .seed = 1});
///
///   by_user   ratings, a row for each user; read only
///   model     U users × k, V items × k, overwritten, and read where the options say that they are
///             the start; biases likewise, or both empty: then there are none. `mean` is set.
///
/// Ratings are visited in one order, which the ratings, the seed and `options.blocks` decide, in
/// blocks of which those that are worked on side by side share no user and no item
/// (detail/sgd/schedule.hpp), and every rounding is written down: models are the same bits for any
/// number of threads, on hosts and on all devices.
///
/// 8k flops and 4k numbers read and written for each rating and epoch. Factors are filled up with
/// zeros to a multiple of 32, on devices to 32, 64, 128 or 256, for which there are kernels; a
/// larger k is slower by more than its size. Before, the host sorts the ratings, in time like that
/// of an epoch or two. A copy of the model and nnz·(8 + sizeof(Real)) bytes are allocated. Fences
/// `exec`: before the first epoch, after the last, and after each with `trace`. Misuse throws
/// std::invalid_argument with actual and required sizes before anything is written; want of memory
/// AllocationError.
///
/// Sources: Koren, Bell and Volinsky, "Matrix factorization techniques for recommender systems",
/// Computer 2009; Gemulla, Nijkamp, Haas and Sismanis, KDD 2011, for the blocks.
template <ExecutionSpace ExecSpace, class Real>
SgdInfo sgd(ExecSpace const& exec,
            RatingRows<Real, typename ExecSpace::memory_space> const& by_user,
            FactorModel<Real, typename ExecSpace::memory_space>& model,
            SgdOptions const& options = {}, detail::SgdPath path = detail::SgdPath::automatic) {
  static_assert(RealScalar<Real>, "carroll::sgd: Real must be float or double");
  using Memory = typename ExecSpace::memory_space;
  constexpr char const* function = "carroll::sgd";
  detail::require_usable(function, by_user, model, options);
  SgdInfo info;
  model.mean = 0;
  if (by_user.row_count == 0 || by_user.column_count == 0) return info;
  auto const sums = detail::allocate<Kokkos::View<double*, Memory>>(exec, "carroll::sgd::sums",
                                                                    by_user.row_count);
  double const mean = detail::mean_rating(exec, by_user, sums);
  bool const finite = std::isfinite(mean);
  model.mean = finite ? (options.subtract_mean ? static_cast<Real>(mean) : Real(0))
                      : std::numeric_limits<Real>::quiet_NaN();
  int const p = options.blocks > 0
                    ? options.blocks
                    : detail::SgdSchedule<Real>::blocks_for(
                          by_user.rating_count(), by_user.row_count, by_user.column_count);
  detail::SgdSchedule<Real> const schedule(
      detail::on_host(exec, by_user.offsets), detail::on_host(exec, by_user.columns),
      detail::on_host(exec, by_user.values), by_user.column_count, p, options.seed);
  detail::SgdRun<ExecSpace, Real> run(exec, schedule, model, options);
  info.blocks = p;
  info.balance = schedule.balance;
  info.bytes = run.bytes() + sums.span() * sizeof(double);
  if (finite) {
    run.load();
    for (; info.epochs < options.epochs && info.status == Status::success; ++info.epochs) {
      run.epoch(info.epochs, path);
      if (!options.trace) continue;
      info.last = run.measure(path);
      info.trace.push_back(info.last);
      if (!std::isfinite(info.last.objective)) info.status = Status::overflow;
    }
    if (info.trace.empty()) info.last = run.measure(path);
    if (!std::isfinite(info.last.objective)) info.status = Status::overflow;
  } else {
    info.status = Status::non_finite;
  }
  if (info.status != Status::success) model.mean = std::numeric_limits<Real>::quiet_NaN();
  run.store(info.status == Status::success);
  exec.fence(function);
  return info;
}

/// The same of carroll::Ratings.
template <ExecutionSpace ExecSpace, class Real>
SgdInfo sgd(ExecSpace const& exec, Ratings<Real, typename ExecSpace::memory_space> const& ratings,
            FactorModel<Real, typename ExecSpace::memory_space>& model,
            SgdOptions const& options = {}) {
  return sgd(exec, ratings.by_user(), model, options);
}

}  // namespace carroll
