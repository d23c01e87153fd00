// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/als/types.hpp>
#include <carroll/detail/als/checks.hpp>
#include <carroll/detail/als/memory.hpp>
#include <carroll/detail/als/solve.hpp>
#include <carroll/detail/als/start.hpp>
#include <carroll/ratings.hpp>
#include <cmath>
#include <cstdint>
#include <limits>

namespace carroll::detail {

/// A call of `als`.
template <class ExecSpace, class Real>
class AlsCall {
  using MemorySpace = typename ExecSpace::memory_space;
  using Rows = RatingRows<Real, MemorySpace>;
  using Side = FactorSide<Real>;

 public:
  /// The sides' biases are there where the options want them.
  AlsCall(ExecSpace const& exec, Ratings<Real, MemorySpace> const& ratings, Side const& users,
          Side const& items, AlsMemory<ExecSpace, Real> const& memory, AlsOptions const& options)
      : exec_(exec),
        by_user_(ratings.by_user()),
        by_item_(ratings.by_item()),
        users_(users),
        items_(items),
        memory_(memory),
        options_(options) {}

  /// `mean`: in for AlsStart::given with AlsBiases::fitted, out.
  AlsInfo run(Real& mean) {
    AlsInfo info;
    info.cold_users = memory_.by_user.plan.cold;
    info.cold_items = memory_.by_item.plan.cold;
    set_to_zero(exec_, memory_.rows.findings, 1);
    begin(mean);
    bool const grams = options_.feedback == Feedback::implicit;
    if (grams) gram_of_items();
    for (int i = 0; i < options_.iterations; ++i) {
      enqueue_side(exec_, user_equations(mean), options_, memory_.by_user, memory_);
      if (grams) gram_of_users();
      enqueue_side(exec_, item_equations(mean), options_, memory_.by_item, memory_);
      if (grams) gram_of_items();
      if (options_.objective) info.objectives.push_back(objective(mean));
      ++info.iterations;
    }
    if (options_.residual && options_.iterations > 0) info.residual = residual(mean);
    conclude(info);
    return info;
  }

 private:
  [[nodiscard]] RowEquations<Real> user_equations(Real mean) const {
    return row_equations(by_user_, users_, items_, memory_.factors, mean, options_,
                         static_cast<Real const*>(memory_.item_gram));
  }
  [[nodiscard]] RowEquations<Real> item_equations(Real mean) const {
    return row_equations(by_item_, items_, users_, memory_.factors, mean, options_,
                         static_cast<Real const*>(memory_.user_gram));
  }
  void gram_of_users() const {
    enqueue_gram<ExecSpace, Real>(exec_, memory_.all_users, users_.x, users_.pitch, memory_.factors,
                                  memory_.user_gram, nullptr, memory_.rows);
  }
  void gram_of_items() const {
    enqueue_gram<ExecSpace, Real>(exec_, memory_.all_items, items_.x, items_.pitch, memory_.factors,
                                  memory_.item_gram, nullptr, memory_.rows);
  }
  void begin(Real& mean) const {
    // Only biases that are unknowns can be given.
    bool const given = options_.start == AlsStart::given && options_.biases == AlsBiases::fitted;
    if (options_.biases != AlsBiases::none && !given) {
      mean = mean_rating();
      if (options_.biases >= AlsBiases::fixed) begin_biases(mean);
    }
    if (options_.start == AlsStart::given) return;
    Real* means = nullptr;
    if (options_.start == AlsStart::item_means) {
      // Of what the biases leave, if there are any; the room of the users' biases may be in use.
      means = memory_.item_bias;
      RowEquations<Real> p = item_equations(mean);
      p.is_implicit = false;
      launch_row_teams<Real>("carroll::als::means", exec_, MeanRow<Real>{p, 0, means, nullptr});
    }
    auto const scale = static_cast<Real>(options_.start_scale / std::sqrt(memory_.factors + 1e-30));
    enqueue_start(exec_,
                  StartKernel<ExecSpace, Real>{items_.x, items_.pitch, memory_.factors, scale,
                                               options_.seed, 0, means},
                  memory_.items);
    enqueue_start(exec_,
                  StartKernel<ExecSpace, Real>{users_.x, users_.pitch, memory_.factors, scale,
                                               options_.seed, 1, nullptr},
                  memory_.users);
  }
  [[nodiscard]] Real mean_rating() const {
    if (memory_.ratings == 0) return 0;
    RowEquations<Real> p;
    p.offsets = by_user_.offsets.data();
    p.columns = by_user_.columns.data();
    p.values = by_user_.values.data();
    p.rows = by_user_.row_count;
    launch_row_teams<Real>("carroll::als::mean", exec_,
                           MeanRow<Real>{p, 0, nullptr, memory_.of_rows});
    return static_cast<Real>(memory_.sum_of_rows(exec_, memory_.users) /
                             static_cast<double>(memory_.ratings));
  }
  void begin_biases(Real mean) const {
    AlsOptions static_ones = options_;
    static_ones.biases = AlsBiases::mean;
    Side const items = items_, users = users_;
    Real const* const no_gram = nullptr;
    RowEquations<Real> p =
        row_equations(by_item_, items, users, memory_.factors, mean, static_ones, no_gram);
    launch_row_teams<Real>("carroll::als::item_biases", exec_,
                           MeanRow<Real>{p, options_.item_damping, items.bias, nullptr});
    p = row_equations(by_user_, users, items, memory_.factors, mean, static_ones, no_gram);
    p.y_bias = items.bias;
    launch_row_teams<Real>("carroll::als::user_biases", exec_,
                           MeanRow<Real>{p, options_.user_damping, users.bias, nullptr});
  }

  /// Fences.
  [[nodiscard]] double objective(Real mean) const {
    launch_row_teams<Real>("carroll::als::losses", exec_,
                           LossRow<Real>{user_equations(mean), memory_.of_rows});
    double sum = memory_.sum_of_rows(exec_, memory_.users);
    launch_row_teams<Real>("carroll::als::norms", exec_,
                           LossRow<Real>{item_equations(mean), memory_.of_rows, true});
    std::int64_t terms = memory_.items;
    if (options_.feedback == Feedback::implicit && memory_.factors > 0) {
      using Kernel = GramProductKernel<ExecSpace, Real>;
      Kokkos::parallel_for("carroll::als::all_pairs",
                           typename Kernel::Policy(exec_, 0, memory_.factors),
                           Kernel{memory_.user_gram, memory_.item_gram, memory_.factors,
                                  options_.unobserved_weight, memory_.of_rows + memory_.items});
      terms += memory_.factors;
    }
    return sum + memory_.sum_of_rows(exec_, terms);
  }
  [[nodiscard]] double residual(Real mean) const {
    if (memory_.items == 0) return 0;
    launch_row_teams<Real>("carroll::als::residuals", exec_,
                           ResidualRow<Real>{item_equations(mean), memory_.of_rows});
    return memory_.largest_of_rows(exec_, memory_.items);
  }
  void conclude(AlsInfo& info) const {
    RowFindings found{};
    using Host = Kokkos::View<RowFindings, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;
    using Device = Kokkos::View<RowFindings const, MemorySpace, Kokkos::MemoryUnmanaged>;
    Kokkos::deep_copy(exec_, Host(&found), Device(memory_.rows.findings));
    exec_.fence("carroll::als");
    info.singular_rows = static_cast<std::int64_t>(found.singular);
    if (found.singular > 0) info.status = Status::singular;
    if (found.not_finite > 0) refuse(info);
  }

 public:
  /// Everything := NaN.
  void refuse(AlsInfo& info) const {
    info.status = Status::non_finite;
    info.residual = std::numeric_limits<double>::quiet_NaN();
    Real const nan = std::numeric_limits<Real>::quiet_NaN();
    enqueue_fill(exec_, users_.x, users_.pitch, memory_.users, memory_.factors, nan);
    enqueue_fill(exec_, items_.x, items_.pitch, memory_.items, memory_.factors, nan);
    if (users_.bias) enqueue_fill(exec_, users_.bias, 1, memory_.users, 1, nan);
    if (items_.bias) enqueue_fill(exec_, items_.bias, 1, memory_.items, 1, nan);
    exec_.fence("carroll::als");
  }

 private:
  ExecSpace exec_;
  Rows by_user_, by_item_;
  Side users_, items_;
  AlsMemory<ExecSpace, Real> const& memory_;
  AlsOptions options_;
};

}  // namespace carroll::detail
