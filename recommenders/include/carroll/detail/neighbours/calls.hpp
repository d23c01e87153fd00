// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/detail/copy.hpp>
#include <carroll/detail/host_copy.hpp>
#include <carroll/detail/neighbours/predict.hpp>
#include <carroll/detail/neighbours/rows.hpp>
#include <carroll/detail/neighbours/tables.hpp>
#include <carroll/error.hpp>
#include <carroll/neighbours/types.hpp>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

/// What calls on neighbours do before and after their kernels.
namespace carroll::detail {

inline void require_usable(char const* function, NeighbourOptions const& options) {
  require(std::isfinite(options.shrinkage) && options.shrinkage >= 0, function, [&] {
    return "shrinkage is " + std::to_string(options.shrinkage) + ", must not be negative";
  });
  require(options.nearest >= 0, function, [&] {
    return "nearest is " + std::to_string(options.nearest) + ", must not be negative";
  });
  require(options.lowest <= options.highest, function, [&] {
    return "predictions are to be from " + std::to_string(options.lowest) + " to " +
           std::to_string(options.highest) + ", which is nothing";
  });
}

/// Ratings to be compared, and what sums are made of.
template <class ExecSpace, class Real>
struct ComparedRatings {
  using MemorySpace = typename ExecSpace::memory_space;
  using Rows = RatingRows<Real, MemorySpace>;

  Rows rows, columns;
  RatingLevels<MemorySpace> levels;
  RatingNumber<MemorySpace> number;
  NeighbourProblem<Real> problem{};
  Real* deviations = nullptr;
  Kokkos::View<std::byte*, MemorySpace> memory;
  std::size_t bytes = 0;

  /// Levels and no more: fences.
  ComparedRatings(ExecSpace const& exec, Rows const& by_user, Rows const& by_item,
                  NeighbourOptions const& options)
      : rows(options.between == Between::users ? by_user : by_item),
        columns(options.between == Between::users ? by_item : by_user),
        levels(rating_levels(exec, rows, columns, options)),
        number{levels, {}, options.similarity},
        bytes((levels.row.span() + levels.column.span()) * sizeof(double)) {}

  [[nodiscard]] bool finite() const { return std::isfinite(levels.mean); }

  /// Tables of numbers.
  void prepare(ExecSpace const& exec, NeighbourOptions const& options, bool with_deviations) {
    std::int64_t const count = rows.rating_count();
    int const width = sums_of_pair(options.similarity);
    bool const facts_wanted = options.similarity == Similarity::pearson_corated ||
                              options.similarity == Similarity::cosine_rows;
    Real *numbers = nullptr, *terms = nullptr;
    double* facts = nullptr;
    memory = allocate_arena(exec, "carroll::neighbours::tables", [&](Arena& arena) {
      numbers = arena.take<Real>(count);
      terms = arena.take<Real>(count * width);
      deviations = arena.take_if<Real>(with_deviations, count);
      facts = arena.take_if<double>(facts_wanted, rows.row_count);
    });
    bytes += memory.span();
    auto const enqueue = [&]<class Kernel>(char const* label, std::int32_t n,
                                           Kernel const& kernel) {
      Kokkos::parallel_for(label, typename Kernel::Policy(exec, 0, n), kernel);
    };
    if (facts_wanted) {
      Kokkos::View<double*, MemorySpace> const of_rows(facts,
                                                       static_cast<std::size_t>(rows.row_count));
      enqueue("carroll::neighbours::facts", rows.row_count,
              RowFactsKernel<ExecSpace, Real, MemorySpace>{rows, options.similarity, of_rows});
      number.shifts = of_rows;
    }
    enqueue("carroll::neighbours::numbers", rows.row_count,
            RowNumbersKernel<ExecSpace, Real, MemorySpace>{rows, number, numbers});
    enqueue(
        "carroll::neighbours::terms", columns.row_count,
        ColumnTermsKernel<ExecSpace, Real, MemorySpace>{columns, number, width, terms, deviations});
    problem = {rows.offsets.data(),
               rows.columns.data(),
               numbers,
               columns.offsets.data(),
               columns.columns.data(),
               terms,
               facts,
               rows.row_count,
               columns.row_count,
               width,
               options.similarity,
               options.signed_weights,
               options.shrinkage,
               options.least_common};
  }
};

/// Memory of teams, with the ticket at 0.
template <class ExecSpace, class Real>
auto allocate_teams(ExecSpace const& exec, RowTeams<Real>& teams) {
  auto const memory = allocate_arena(exec, "carroll::neighbours::teams",
                                     [&](Arena& arena) { teams.lay_out(arena); });
  set_to_zero(exec, teams.ticket, 1);
  return memory;
}

/// Queries in the order of their rows, and what there is to be said of them.
struct SortedQueries {
  std::vector<std::int64_t> begins, order;
  std::int64_t cold_rows = 0, cold_columns = 0;

  template <class Offsets, class Indices>
  SortedQueries(Offsets const& row_offsets, Offsets const& column_offsets, Indices const& rows,
                Indices const& columns) {
    auto const cold = [](Offsets const& offsets, std::int32_t i) {
      return i < 0 || static_cast<std::size_t>(i) + 1 >= offsets.size() ||
             offsets[i] == offsets[i + 1];
    };
    std::size_t const count = row_offsets.empty() ? 0 : row_offsets.size() - 1;
    begins.assign(count + 1, 0);
    std::vector<char> answerable(rows.size());
    for (std::size_t q = 0; q < rows.size(); ++q) {
      bool const cold_row = cold(row_offsets, rows[q]),
                 cold_column = cold(column_offsets, columns[q]);
      cold_rows += cold_row;
      cold_columns += cold_column;
      answerable[q] = !cold_row && !cold_column;
      if (answerable[q]) ++begins[rows[q] + 1];
    }
    for (std::size_t i = 0; i < count; ++i) begins[i + 1] += begins[i];
    order.resize(static_cast<std::size_t>(begins[count]));
    auto next = begins;
    for (std::size_t q = 0; q < rows.size(); ++q)
      if (answerable[q]) order[next[rows[q]]++] = static_cast<std::int64_t>(q);
  }
};

/// The other way.
template <class Space, class ExecSpace, class T>
Kokkos::View<T const*, Space> on_device(ExecSpace const& exec, std::vector<T> const& host) {
  auto const view = allocate<Kokkos::View<T*, Space>>(exec, "carroll::neighbours::queries",
                                                      static_cast<std::int64_t>(host.size()));
  copy_objects<Space, Kokkos::HostSpace>(exec, view.data(), host.data(), host.size());
  return view;
}

}  // namespace carroll::detail
