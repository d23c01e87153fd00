// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/copy.hpp>
#include <carroll/detail/sgd/factors.hpp>
#include <carroll/detail/sgd/launch.hpp>
#include <carroll/detail/sgd/schedule.hpp>
#include <carroll/detail/workspace.hpp>
#include <carroll/factor_model.hpp>
#include <carroll/sgd/types.hpp>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

namespace carroll::detail {

/// A call: the schedule on the device, factors in its order, and the epochs.
template <class ExecSpace, class Real>
class SgdRun {
  using Memory = typename ExecSpace::memory_space;
  using Model = FactorModel<Real, Memory>;
  using Sums = SgdMeasureSums<ExecSpace>;

 public:
  SgdRun(ExecSpace const& exec, SgdSchedule<Real> const& schedule, Model const& model,
         SgdOptions const& options)
      : exec_(exec), model_(model), options_(options) {
    std::int64_t const m = model.users(), n = model.items(), k = model.factors();
    std::int64_t const count = static_cast<std::int64_t>(schedule.ratings.size());
    std::int64_t const all = static_cast<std::int64_t>(schedule.begins.size()) - 1;
    count_ = count;
    p_.chunks = static_cast<int>((k + 31) / 32);
    if constexpr (has_warps<ExecSpace>) {
      p_.chunks = chunks_of_kernel(p_.chunks);
      p_.layout.vector = SgdLayout::vector_of<Real>(p_.chunks);
    }
    p_.blocks = schedule.blocks;
    p_.with_biases = model.user_bias.extent(0) > 0;
    p_.mean = model.mean;
    p_.penalty = options.regularization;
    p_.bias_penalty = options.bias_regularization;
    Real *u = nullptr, *v = nullptr;
    SgdRating<Real>* ratings = nullptr;
    std::int64_t* begins = nullptr;
    memory_ = allocate_arena(exec, "carroll::sgd::workspace", [&](Arena& arena) {
      u = arena.take<Real>(m * p_.width());
      v = arena.take<Real>(n * p_.width());
      p_.user_bias = arena.take_if<Real>(p_.with_biases, m);
      p_.item_bias = arena.take_if<Real>(p_.with_biases, n);
      ratings = arena.take<SgdRating<Real>>(count);
      begins = arena.take<std::int64_t>(all + 1);
      user_places_ = arena.take<std::int32_t>(m);
      item_places_ = arena.take<std::int32_t>(n);
      turns_ = arena.take<std::uint64_t>(std::int64_t{schedule.blocks} + 1);
      p_.measures = arena.take<double>(2 * all);
      sums_[0] = arena.take<double>(2 * stretches(all));
      sums_[1] = arena.take<double>(2 * stretches(stretches(all)));
    });
    p_.u = u;
    p_.v = v;
    p_.ratings = ratings;
    p_.begins = begins;
    copy_from_host<SgdRating<Real>>(exec, ratings, schedule.ratings);
    copy_from_host<std::int64_t>(exec, begins, schedule.begins);
    copy_from_host<std::int32_t>(exec, user_places_, schedule.users.place);
    copy_from_host<std::int32_t>(exec, item_places_, schedule.items.place);
    exec.fence("carroll::sgd: schedule");
  }

  [[nodiscard]] std::size_t bytes() const { return memory_.span(); }

  void load() {
    load(model_.U, user_places_, p_.u, 11);
    load(model_.V, item_places_, p_.v, 12);
    exchange_biases(true, true);
  }
  void store(bool finite) {
    using Kernel = SgdFactorsOut<ExecSpace, Real, typename Model::Factors>;
    auto const out = [&](Real const* from, std::int32_t const* places, auto const& to) {
      enqueue("carroll::sgd::store", static_cast<std::int64_t>(to.size()),
              Kernel{from, places, to, p_.width(), p_.layout, finite});
    };
    out(p_.u, user_places_, model_.U);
    out(p_.v, item_places_, model_.V);
    exchange_biases(false, finite);
  }

  void epoch(int t, SgdPath path) {
    double const decay = options_.decay;
    double eta = options_.learning_rate;
    if (options_.schedule == LearningRate::inverse) eta /= 1 + decay * t;
    if (options_.schedule == LearningRate::linear) eta *= 1 - decay * t / options_.epochs;
    p_.step = static_cast<Real>(2 * eta);
    p_.keep = static_cast<Real>(1 - 2 * eta * options_.regularization);
    p_.bias_keep = static_cast<Real>(1 - 2 * eta * options_.bias_regularization);
    set_to_zero(exec_, turns_, std::int64_t{p_.blocks} + 1);
    enqueue_sgd_epoch(exec_, p_, turns_, path);
  }

  /// Fences once.
  SgdMeasure measure(SgdPath path) {
    SgdMeasure measured;
    if (count_ == 0) return measured;
    enqueue_sgd_measures(exec_, p_, path);
    double const* from = p_.measures;
    std::int64_t count = std::int64_t{p_.blocks} * p_.blocks;
    for (int turn = 0; count > 1; turn = 1 - turn) {
      enqueue("carroll::sgd::sums", 2 * stretches(count), Sums{from, count, sums_[turn]});
      from = sums_[turn];
      count = stretches(count);
    }
    double sums[2];
    copy_objects<Kokkos::HostSpace, Memory>(exec_, sums, from, 2);
    exec_.fence("carroll::sgd: measure");
    measured.rmse = std::sqrt(sums[0] / static_cast<double>(count_));
    measured.objective = sums[0] + sums[1];
    return measured;
  }

 private:
  static std::int64_t stretches(std::int64_t count) {
    return (count + Sums::length - 1) / Sums::length;
  }
  template <class Kernel>
  void enqueue(char const* label, std::int64_t count, Kernel const& kernel) const {
    if (count > 0) Kokkos::parallel_for(label, typename Kernel::Policy(exec_, 0, count), kernel);
  }
  void load(typename Model::Factors const& from, std::int32_t const* places, Real* to,
            std::uint32_t stream) const {
    using Kernel = SgdFactorsIn<ExecSpace, Real, typename Model::Factors>;
    auto const rows = static_cast<std::int64_t>(from.extent(0));
    // Uniform numbers up to √3 have the deviation 1.
    double const scale = options_.start_deviation *
                         std::sqrt(3.0 / std::max(1.0, static_cast<double>(model_.factors())));
    enqueue("carroll::sgd::load", rows * (p_.width() / 4),
            Kernel{from, places, to, p_.width(), p_.layout, options_.start == SgdStart::given,
                   static_cast<Real>(scale), options_.seed, stream});
  }
  void exchange_biases(bool in, bool finite) const {
    if (!p_.with_biases) return;
    using Kernel = SgdBiases<ExecSpace, Real, typename Model::Biases>;
    bool const given = options_.start == SgdStart::given;
    enqueue("carroll::sgd::biases", model_.users(),
            Kernel{model_.user_bias, user_places_, p_.user_bias, in, given, finite});
    enqueue("carroll::sgd::biases", model_.items(),
            Kernel{model_.item_bias, item_places_, p_.item_bias, in, given, finite});
  }

  ExecSpace exec_;
  Model model_;
  SgdOptions options_;
  SgdProblem<Real> p_{};
  std::int64_t count_ = 0;
  std::int32_t *user_places_ = nullptr, *item_places_ = nullptr;
  std::uint64_t* turns_ = nullptr;
  double* sums_[2] = {};
  Kokkos::View<std::byte*, Memory> memory_;
};

}  // namespace carroll::detail
