// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <array>
#include <carroll/als/types.hpp>
#include <carroll/detail/als/checks.hpp>
#include <carroll/detail/als/memory.hpp>
#include <carroll/detail/als/solve.hpp>
#include <carroll/detail/als/start.hpp>
#include <carroll/ratings/rows.hpp>
#include <cmath>
#include <cstdint>
#include <limits>

namespace carroll::detail {

/// How rows of users and of items are shared out to those who call together: one has all of them.
struct UndividedRows {
  std::int64_t ratings;  ///< of all

  [[nodiscard]] std::int64_t first_user() const { return 0; }
  [[nodiscard]] std::int64_t first_item() const { return 0; }
  /// `x`: `width` numbers of each user, of which everyone has those of its own rows. Enqueues that
  /// all have all.
  template <class T>
  void share_users(T*, std::int64_t) const {}
  template <class T>
  void share_items(T*, std::int64_t) const {}
  /// counts := their sums over everyone.
  void add(std::array<std::int64_t, 4>&) const {}
};

/// A call of `als`, for the rows of its ratings: in `users` and `items`, which are whole, and in
/// everything that is of all rows, they begin with row `first_user` and `first_item` of `sharing`.
/// All sums over rows are of all of them, in one order.
template <class ExecSpace, class Real, class Sharing = UndividedRows>
class AlsCall {
  using MemorySpace = typename ExecSpace::memory_space;
  using Rows = RatingRows<Real, MemorySpace>;
  using Side = FactorSide<Real>;

 public:
  /// The sides' biases are there where the options want them.
  AlsCall(ExecSpace const& exec, Rows const& by_user, Rows const& by_item, Side const& users,
          Side const& items, AlsMemory<ExecSpace, Real> const& memory, AlsOptions const& options,
          Sharing const& sharing)
      : exec_(exec),
        by_user_(by_user),
        by_item_(by_item),
        users_(users),
        items_(items),
        memory_(memory),
        options_(options),
        sharing_(sharing) {}

  /// What is given, from those who have the rows to all.
  void share_start() const {
    share_users();
    share_items();
  }

  /// `mean`: in for AlsStart::given with AlsBiases::fitted, out.
  AlsInfo run(Real& mean) {
    AlsInfo info;
    set_to_zero(exec_, memory_.rows.findings, 1);
    begin(mean);
    bool const grams = options_.feedback == Feedback::implicit;
    if (grams) gram_of_items();
    for (int i = 0; i < options_.iterations; ++i) {
      enqueue_side(exec_, user_equations(mean), options_, memory_.by_user, memory_);
      share_users();
      if (grams) gram_of_users();
      enqueue_side(exec_, item_equations(mean), options_, memory_.by_item, memory_);
      share_items();
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
    return row_equations(by_user_, users_.from(sharing_.first_user()), items_, memory_.factors,
                         mean, options_, static_cast<Real const*>(memory_.item_gram));
  }
  [[nodiscard]] RowEquations<Real> item_equations(Real mean) const {
    return row_equations(by_item_, items_.from(sharing_.first_item()), users_, memory_.factors,
                         mean, options_, static_cast<Real const*>(memory_.user_gram));
  }
  void share_users() const {
    sharing_.share_users(users_.x, memory_.factors);
    if (options_.biases == AlsBiases::fitted) sharing_.share_users(users_.bias, 1);
  }
  void share_items() const {
    sharing_.share_items(items_.x, memory_.factors);
    if (options_.biases == AlsBiases::fitted) sharing_.share_items(items_.bias, 1);
  }
  [[nodiscard]] double* of_own_users() const { return memory_.of_rows + sharing_.first_user(); }
  [[nodiscard]] double* of_own_items() const { return memory_.of_rows + sharing_.first_item(); }
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
    if (options_.biases != AlsBiases::zero && !given) {
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
      launch_row_teams<Real>("carroll::als::means", exec_,
                             MeanRow<Real>{p, 0, means + sharing_.first_item(), nullptr});
      sharing_.share_items(means, 1);
    }
    auto const scale = static_cast<Real>(options_.start_scale / std::sqrt(memory_.factors + 1e-30));
    enqueue_start(exec_,
                  FactorStartKernel<ExecSpace, Real>{items_.x, items_.pitch, memory_.factors, scale,
                                                     options_.seed, 0, means},
                  memory_.items);
    enqueue_start(exec_,
                  FactorStartKernel<ExecSpace, Real>{users_.x, users_.pitch, memory_.factors, scale,
                                                     options_.seed, 1, nullptr},
                  memory_.users);
  }
  [[nodiscard]] Real mean_rating() const {
    if (sharing_.ratings == 0) return 0;
    RowEquations<Real> p;
    p.offsets = by_user_.offsets.data();
    p.columns = by_user_.columns.data();
    p.values = by_user_.values.data();
    p.rows = by_user_.row_count;
    launch_row_teams<Real>("carroll::als::mean", exec_,
                           MeanRow<Real>{p, 0, nullptr, of_own_users()});
    sharing_.share_users(memory_.of_rows, 1);
    return static_cast<Real>(memory_.sum_of_rows(exec_, memory_.users) /
                             static_cast<double>(sharing_.ratings));
  }
  void begin_biases(Real mean) const {
    AlsOptions static_ones = options_;
    static_ones.biases = AlsBiases::mean;
    Side const items = items_.from(sharing_.first_item());
    Side const users = users_.from(sharing_.first_user());
    Real const* const no_gram = nullptr;
    RowEquations<Real> p =
        row_equations(by_item_, items, users_, memory_.factors, mean, static_ones, no_gram);
    launch_row_teams<Real>("carroll::als::item_biases", exec_,
                           MeanRow<Real>{p, options_.item_damping, items.bias, nullptr});
    sharing_.share_items(items_.bias, 1);
    p = row_equations(by_user_, users, items_, memory_.factors, mean, static_ones, no_gram);
    p.y_bias = items_.bias;
    launch_row_teams<Real>("carroll::als::user_biases", exec_,
                           MeanRow<Real>{p, options_.user_damping, users.bias, nullptr});
    sharing_.share_users(users_.bias, 1);
  }

  /// Fences.
  [[nodiscard]] double objective(Real mean) const {
    launch_row_teams<Real>("carroll::als::losses", exec_,
                           LossRow<Real>{user_equations(mean), of_own_users()});
    sharing_.share_users(memory_.of_rows, 1);
    double sum = memory_.sum_of_rows(exec_, memory_.users);
    launch_row_teams<Real>("carroll::als::norms", exec_,
                           LossRow<Real>{item_equations(mean), of_own_items(), true});
    sharing_.share_items(memory_.of_rows, 1);
    std::int64_t terms = memory_.items;
    if (options_.feedback == Feedback::implicit && memory_.factors > 0) {
      using Kernel = GramInnerProducts<ExecSpace, Real>;
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
                           ResidualRow<Real>{item_equations(mean), of_own_items()});
    sharing_.share_items(memory_.of_rows, 1);
    return memory_.largest_of_rows(exec_, memory_.items);
  }
  void conclude(AlsInfo& info) const {
    RowFindings found{};
    using Host = Kokkos::View<RowFindings, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;
    using Device = Kokkos::View<RowFindings const, MemorySpace, Kokkos::MemoryUnmanaged>;
    Kokkos::deep_copy(exec_, Host(&found), Device(memory_.rows.findings));
    exec_.fence("carroll::als");
    std::array<std::int64_t, 4> counts{memory_.by_user.plan.cold, memory_.by_item.plan.cold,
                                       static_cast<std::int64_t>(found.singular),
                                       static_cast<std::int64_t>(found.not_finite)};
    sharing_.add(counts);
    info.cold_users = counts[0];
    info.cold_items = counts[1];
    info.singular_rows = counts[2];
    if (info.singular_rows > 0) info.status = Status::singular;
    if (counts[3] > 0) refuse(info);
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
  Sharing sharing_;
};

}  // namespace carroll::detail
