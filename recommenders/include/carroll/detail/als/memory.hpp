// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/als/types.hpp>
#include <carroll/detail/copy.hpp>
#include <carroll/detail/row_equations/launch.hpp>
#include <carroll/detail/workspace.hpp>
#include <carroll/max_abs.hpp>
#include <carroll/ratings/rows.hpp>
#include <carroll/reduction/workspace.hpp>
#include <carroll/sum.hpp>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

namespace carroll::detail {

/// All rows of a factor matrix as the ratings of one row: for its Gram matrix.
struct DenseRows {
  RowSchedule schedule;
  std::int64_t* offsets = nullptr;
  std::int64_t host_offsets[2] = {0, 0};

  void plan(std::int64_t rows, std::int64_t most_slots) {
    host_offsets[1] = rows;
    schedule.plan = RowPlan(host_offsets, most_slots);
  }
  void lay_out(Arena& arena) {
    offsets = arena.take<std::int64_t>(2);
    schedule.lay_out(arena);
  }
  template <class ExecSpace>
  void copy(ExecSpace const& exec) const {
    schedule.copy(exec);
    copy_from_host<std::int64_t>(exec, offsets, std::span<std::int64_t const>(host_offsets));
  }
};

/// Memory of alternating least squares, and of what solves rows' equations as it does.
template <class ExecSpace, class Real>
struct AlsMemory {
  int factors = 0;
  int unknowns = 0;
  std::int64_t users = 0, items = 0, ratings = 0;
  RowSchedule by_user, by_item;
  DenseRows all_users, all_items;  ///< of implicit feedback
  RowMemory<ExecSpace, Real> rows;
  Real *user_gram = nullptr, *item_gram = nullptr;
  Real *user_bias = nullptr, *item_bias = nullptr;
  Real* scores = nullptr;
  double* of_rows = nullptr;  ///< numbers of rows, and k more: `row_numbers` in all
  std::int64_t row_numbers = 0;
  ReductionWorkspace<ExecSpace, double> reductions;  ///< of these, where there are two sides
  Kokkos::View<std::byte*, typename ExecSpace::memory_space> bytes;

  template <class Rows>
  void make(ExecSpace const& exec, char const* label, Rows const& user_rows, Rows const& item_rows,
            int k, AlsOptions const& options) {
    bool const implicit = options.feedback == Feedback::implicit;
    make(exec, label, user_rows, &item_rows, k, implicit, options);
  }

  /// `item_rows` may be null: one side only. Rows may be some of the users and of the items, whose
  /// numbers are those of the columns of the other side. `grams`: of the factors' Gram matrices.
  template <class Rows>
  void make(ExecSpace const& exec, char const* label, Rows const& user_rows, Rows const* item_rows,
            int k, bool grams, AlsOptions const& options) {
    factors = k;
    unknowns = k + (options.biases == AlsBiases::fitted ? 1 : 0);
    users = item_rows ? item_rows->column_count : user_rows.row_count;
    items = user_rows.column_count;
    ratings = std::max(user_rows.rating_count(), item_rows ? item_rows->rating_count() : 0);
    bool const in_blocks = options.solver == AlsSolver::block_coordinates;
    std::int64_t const most = RowMemory<ExecSpace, Real>::most_slots(exec, unknowns);
    by_user.plan = RowPlan(host_offsets(exec, user_rows), most);
    if (item_rows) by_item.plan = RowPlan(host_offsets(exec, *item_rows), most);
    if (grams) {
      all_users.plan(users, most);
      all_items.plan(items, most);
    }
    rows.slots = std::max({by_user.plan.slots, by_item.plan.slots, all_users.schedule.plan.slots,
                           all_items.schedule.plan.slots});
    row_numbers = std::max(users, items) + k;
    if (item_rows) reductions = reduction_workspace<double>(exec, {.length = row_numbers});
    std::int64_t const gram = grams ? std::int64_t{k} * k : 0;
    bytes = allocate_arena(exec, label, [&](Arena& arena) {
      by_user.lay_out(arena);
      by_item.lay_out(arena);
      all_users.lay_out(arena);
      all_items.lay_out(arena);
      rows.lay_out(arena, exec, unknowns);
      user_gram = arena.take<Real>(gram);
      item_gram = arena.take<Real>(gram);
      user_bias = arena.take<Real>(users);
      item_bias = arena.take<Real>(items);
      scores = arena.take<Real>(in_blocks ? ratings : 0);
      of_rows = arena.take<double>(row_numbers);
    });
    by_user.copy(exec);
    by_item.copy(exec);
    if (grams) {
      all_users.copy(exec);
      all_items.copy(exec);
    }
    exec.fence("carroll::row_equations: plans");
  }

  /// The sum of the first `count` numbers of rows, and their largest size. Each fences once.
  [[nodiscard]] double sum_of_rows(ExecSpace const& exec, std::int64_t count) const {
    auto workspace = reductions;
    return carroll::sum(exec, numbers_of_rows(exec, count), workspace).value;
  }
  [[nodiscard]] double largest_of_rows(ExecSpace const& exec, std::int64_t count) const {
    auto workspace = reductions;
    return carroll::max_abs(exec, numbers_of_rows(exec, count), workspace).value;
  }

 private:
  using RowNumbers =
      Kokkos::View<double const*, typename ExecSpace::memory_space, Kokkos::MemoryUnmanaged>;
  /// All of them, zeros behind the first `count`.
  RowNumbers numbers_of_rows(ExecSpace const& exec, std::int64_t count) const {
    set_to_zero(exec, of_rows + count, row_numbers - count);
    return RowNumbers(of_rows, static_cast<std::size_t>(row_numbers));
  }
  template <class Rows>
  static std::vector<std::int64_t> host_offsets(ExecSpace const& exec, Rows const& rows) {
    std::vector<std::int64_t> offsets(static_cast<std::size_t>(rows.row_count) + 1, 0);
    if (rows.row_count > 0)
      copy_view(exec,
                Kokkos::View<std::int64_t*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(
                    offsets.data(), offsets.size()),
                rows.offsets);
    exec.fence("carroll::row_equations: offsets");
    return offsets;
  }
};

}  // namespace carroll::detail
