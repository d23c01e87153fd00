// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/als/memory.hpp>
#include <carroll/detail/als/solve.hpp>
#include <carroll/detail/als/start.hpp>
#include <carroll/detail/copy.hpp>
#include <carroll/detail/gibbs/kernels.hpp>
#include <carroll/detail/gibbs/prior.hpp>
#include <carroll/gibbs/types.hpp>
#include <carroll/ratings.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace carroll::detail {

/// A call of `gibbs`.
template <class ExecSpace, class Real, class Pairs>
class GibbsCall {
  using MemorySpace = typename ExecSpace::memory_space;
  using Side = FactorSide<Real>;

 public:
  GibbsCall(ExecSpace const& exec, Ratings<Real, MemorySpace> const& ratings, Side const& users,
            Side const& items, int factors, GibbsOptions const& options, Pairs const& pairs,
            std::int64_t pair_count)
      : exec_(exec),
        ratings_(ratings),
        users_(users),
        items_(items),
        k_(factors),
        options_(options),
        pairs_(pairs),
        pair_count_(pair_count),
        prior_(factors) {
    memory_.make(exec, "carroll::gibbs::workspace", ratings.by_user(), &ratings.by_item(), k_, true,
                 AlsOptions{});
    std::int64_t const means = options.posterior_means ? k_ : 0;
    auto const lay_out = [&](Arena& arena) {
      precision_ = arena.take<Real>(std::int64_t{k_} * k_);
      rhs_ = arena.take<Real>(k_);
      sum_ = arena.take<Real>(k_);
      pair_sums_ = arena.take<double>(pair_count);
      pair_squares_ = arena.take<double>(pair_count);
      user_sums_ = arena.take<double>(memory_.users * means);
      item_sums_ = arena.take<double>(memory_.items * means);
    };
    bytes_ = allocate_arena(exec, "carroll::gibbs::workspace", lay_out);
    auto const k = static_cast<std::size_t>(k_);
    host_gram_.resize(k * k);
    host_sum_.resize(k);
  }

  GibbsInfo run() {
    GibbsInfo info;
    info.cold_users = memory_.by_user.plan.cold;
    info.cold_items = memory_.by_item.plan.cold;
    info.mean = begin();
    for (int sweep = 0; sweep < options_.burn_in + options_.sweeps; ++sweep) {
      auto const stream = static_cast<std::uint32_t>(2 * sweep);
      // The side that is drawn next: its prior given its rows, then its rows given the prior.
      if (sweep == 0) enqueue_start_of_users();
      draw_prior(memory_.all_users, users_, memory_.users, prior_stream + stream);
      draw_rows(ratings_.by_user(), users_, items_, memory_.by_user, stream, info.mean);
      draw_prior(memory_.all_items, items_, memory_.items, prior_stream + stream + 1);
      draw_rows(ratings_.by_item(), items_, users_, memory_.by_item, stream + 1, info.mean);
      if (sweep >= options_.burn_in) {
        ++info.sweeps;
        count_sweep(info.mean);
      }
    }
    conclude(info);
    return info;
  }

  void refuse(GibbsInfo& info) const {
    info.status = Status::non_finite;
    Real const nan = std::numeric_limits<Real>::quiet_NaN();
    enqueue_fill(exec_, users_.x, users_.pitch, memory_.users, k_, nan);
    enqueue_fill(exec_, items_.x, items_.pitch, memory_.items, k_, nan);
    summarise(std::numeric_limits<double>::quiet_NaN(), 1);
    exec_.fence("carroll::gibbs");
  }

 private:
  static constexpr std::uint32_t prior_stream = 1U << 31U, start_stream = 3U << 30U;

  [[nodiscard]] double begin() const {
    set_to_zero(exec_, memory_.rows.findings, 1);
    set_to_zero(exec_, pair_sums_, pair_count_);
    set_to_zero(exec_, pair_squares_, pair_count_);
    if (options_.posterior_means) {
      set_to_zero(exec_, user_sums_, memory_.users * k_);
      set_to_zero(exec_, item_sums_, memory_.items * k_);
    }
    if (options_.start == GibbsStart::random) start(items_, memory_.items, 0);
    if (memory_.ratings == 0) return 0;
    RowEquations<Real> p;
    p.offsets = ratings_.by_user().offsets.data();
    p.columns = ratings_.by_user().columns.data();
    p.values = ratings_.by_user().values.data();
    p.rows = ratings_.users();
    launch_row_teams<Real>("carroll::gibbs::mean", exec_,
                           MeanRow<Real>{p, 0, nullptr, memory_.of_rows});
    return static_cast<double>(static_cast<Real>(memory_.sum_of_rows(exec_, memory_.users) /
                                                 static_cast<double>(memory_.ratings)));
  }
  void start(Side const& side, std::int64_t rows, std::uint32_t stream) const {
    auto const scale = static_cast<Real>(options_.start_scale / std::sqrt(k_ + 1e-30));
    enqueue_start(exec_,
                  FactorStartKernel<ExecSpace, Real>{side.x, side.pitch, k_, scale, options_.seed,
                                                     start_stream + stream, nullptr},
                  rows);
  }
  void enqueue_start_of_users() const {
    if (options_.start == GibbsStart::random) start(users_, memory_.users, 1);
  }

  /// Fences: the prior is drawn on the host.
  void draw_prior(DenseRows const& all, Side const& side, std::int64_t rows, std::uint32_t stream) {
    if (k_ == 0) return;
    enqueue_gram<ExecSpace, Real>(exec_, all, side.x, side.pitch, k_, memory_.user_gram, sum_,
                                  memory_.rows);
    fetch(host_gram_, memory_.user_gram);
    fetch(host_sum_, sum_);
    exec_.fence("carroll::gibbs: prior");
    prior_.draw(host_gram_, host_sum_, static_cast<double>(rows), options_, stream);
    host_precision_.assign(prior_.precision.begin(), prior_.precision.end());
    host_rhs_.assign(prior_.rhs.begin(), prior_.rhs.end());
    copy_from_host<Real>(exec_, precision_, std::span<Real const>(host_precision_));
    copy_from_host<Real>(exec_, rhs_, std::span<Real const>(host_rhs_));
  }
  void fetch(std::vector<Real>& to, Real const* from) const {
    copy_objects<Kokkos::HostSpace, MemorySpace>(exec_, to.data(), from, to.size());
  }

  template <class Rows>
  void draw_rows(Rows const& rows, Side const& own, Side const& other, RowSchedule const& schedule,
                 std::uint32_t stream, double mean) const {
    AlsOptions none;
    none.regularization = 0;
    none.count_exponent = 0;
    Real const* const no_gram = nullptr;
    auto p = row_equations(rows, own, other, k_, static_cast<Real>(mean), none, no_gram);
    p.precision = static_cast<Real>(options_.precision);
    p.common = precision_;
    p.common_pitch = k_;
    p.common_rhs = rhs_;
    p.sampled = true;
    p.seed = options_.seed;
    p.stream = stream;
    enqueue_rows(exec_, p, schedule, memory_.rows);
  }

  void count_sweep(double mean) const {
    if (pair_count_ > 0) {
      if constexpr (!std::is_same_v<Pairs, None>) {
        using Kernel =
            PredictKernel<ExecSpace, Real, decltype(pairs_.users), decltype(pairs_.items)>;
        Kokkos::parallel_for(
            "carroll::gibbs::predict", typename Kernel::Policy(exec_, 0, pair_count_),
            Kernel{pairs_.users, pairs_.items, users_.x, items_.x, users_.pitch, items_.pitch, k_,
                   mean, options_.least, options_.most, pair_sums_, pair_squares_});
      }
    }
    if (options_.posterior_means) mean_factors(0);
  }
  void mean_factors(double count) const {
    using Kernel = MeanFactorsKernel<ExecSpace, Real>;
    auto const launch = [&](Side const& side, std::int64_t rows, double* sums) {
      if (rows > 0 && k_ > 0)
        Kokkos::parallel_for("carroll::gibbs::means", typename Kernel::Policy(exec_, 0, rows * k_),
                             Kernel{side.x, side.pitch, k_, sums, count});
    };
    launch(users_, memory_.users, user_sums_);
    launch(items_, memory_.items, item_sums_);
  }
  void summarise(double mean, double sweeps) const {
    if constexpr (!std::is_same_v<Pairs, None>) {
      using Kernel = SummariseKernel<ExecSpace, decltype(pairs_.mean), decltype(pairs_.variance)>;
      if (pair_count_ > 0)
        Kokkos::parallel_for(
            "carroll::gibbs::summarise", typename Kernel::Policy(exec_, 0, pair_count_),
            Kernel{pair_sums_, pair_squares_, sweeps, mean, 1 / options_.precision + 0 * mean,
                   options_.least, options_.most, pairs_.mean, pairs_.variance});
    }
  }
  void conclude(GibbsInfo& info) const {
    if (options_.posterior_means && info.sweeps > 0) mean_factors(info.sweeps);
    if (info.sweeps > 0) summarise(info.mean, info.sweeps);
    RowFindings found{};
    using Host = Kokkos::View<RowFindings, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;
    using Device = Kokkos::View<RowFindings const, MemorySpace, Kokkos::MemoryUnmanaged>;
    Kokkos::deep_copy(exec_, Host(&found), Device(memory_.rows.findings));
    exec_.fence("carroll::gibbs");
    if (found.not_finite > 0 || found.singular > 0) refuse(info);
  }

  ExecSpace exec_;
  Ratings<Real, MemorySpace> ratings_;
  Side users_, items_;
  int k_;
  GibbsOptions options_;
  Pairs pairs_;
  std::int64_t pair_count_;
  GibbsPrior prior_;
  AlsMemory<ExecSpace, Real> memory_;
  Kokkos::View<std::byte*, MemorySpace> bytes_;
  Real *precision_ = nullptr, *rhs_ = nullptr, *sum_ = nullptr;
  double *pair_sums_ = nullptr, *pair_squares_ = nullptr;
  double *user_sums_ = nullptr, *item_sums_ = nullptr;
  std::vector<Real> host_gram_, host_sum_, host_precision_, host_rhs_;
};

}  // namespace carroll::detail
