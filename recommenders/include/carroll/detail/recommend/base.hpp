// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/allocate.hpp>
#include <carroll/detail/bind.hpp>
#include <carroll/detail/ratings/triples.hpp>
#include <carroll/detail/recommend/problem.hpp>
#include <carroll/error.hpp>
#include <carroll/factor_model.hpp>
#include <carroll/ratings/rows.hpp>
#include <cstdint>
#include <string>

/// What the callers of top-N functions hand over, and what is known of items before the product.
namespace carroll::detail {

template <class ExecSpace, class Real, class Ids, class Scores>
consteval void assert_best() {
  static_assert(is_output_of<Ids, ExecSpace, std::int32_t> && rank_of<Ids>() == 2,
                "carroll::recommend: ids must be a writable strided View of std::int32_t, of rank "
                "2, in memory that the execution space can access");
  static_assert(is_output_of<Scores, ExecSpace, Real> && rank_of<Scores>() == 2,
                "carroll::recommend: scores must be a writable strided View of the model's scalar "
                "type, of rank 2, in memory that the execution space can access");
}

template <class Real, class MemorySpace, class Rows, class Ids, class Scores>
void bind_best(char const* function, BestProblem<Real, MemorySpace>& problem, Rows const& rows,
               Ids const& ids, Scores const& scores, std::int64_t items) {
  auto const count = static_cast<std::int64_t>(rows.extent(0));
  auto const wanted = static_cast<std::int64_t>(ids.extent(1));
  require(wanted <= items, function, [&] {
    return "ids is for the " + std::to_string(wanted) + " best, must be at most for the " +
           std::to_string(items) + " items";
  });
  StridedBatch<std::int32_t const> row_batch;
  StridedBatch<std::int32_t> id_batch;
  StridedBatch<Real> score_batch;
  Binder bind(function);
  bind.input(row_batch, "users", rows, {1, count});
  bind.output(id_batch, "ids", ids, {1, count, wanted});
  bind.output(score_batch, "scores", scores, {1, count, wanted});
  problem.rows = {row_batch.data, row_batch.strides[1]};
  problem.row_count = count;
  problem.ids = {id_batch.data, id_batch.strides[1], id_batch.strides[2]};
  problem.scores = {score_batch.data, score_batch.strides[1], score_batch.strides[2]};
  problem.wanted = static_cast<std::int32_t>(wanted);
}

/// Rows without ratings, ascending.
template <class Offsets, class Indices>
struct ListColdRows {
  Offsets offsets;
  Indices cold;
  KOKKOS_FUNCTION void operator()(std::int64_t r, std::int64_t& place, bool final) const {
    if (offsets(r) != offsets(r + 1)) return;
    if (final && cold.extent(0) > 0) cold(place) = static_cast<std::int32_t>(r);
    ++place;
  }
};

/// Waits.
template <class ExecSpace, class Real>
auto cold_rows(ExecSpace const& exec,
               RatingRows<Real, typename ExecSpace::memory_space> const& rows) {
  using Indices =
      Kokkos::View<std::int32_t*, Kokkos::LayoutRight, typename ExecSpace::memory_space>;
  using List = ListColdRows<decltype(rows.offsets), Indices>;
  std::int64_t count = 0;
  Range<ExecSpace> const all(exec, 0, rows.row_count);
  Kokkos::parallel_scan("carroll::recommend::cold", all, List{rows.offsets, {}}, count);
  exec.fence("carroll::recommend: cold");
  auto const cold = allocate<Indices>(exec, "carroll::recommend::cold", count);
  if (count > 0) Kokkos::parallel_scan("carroll::recommend::cold", all, List{rows.offsets, cold});
  return cold;
}

/// mean + the item's bias, if it has one.
template <class Real, class MemorySpace>
struct AddItemBias {
  FactorModel<Real, MemorySpace> model;
  Kokkos::View<std::int64_t const*, Kokkos::LayoutRight, MemorySpace> offsets;
  Kokkos::View<Real*, Kokkos::LayoutRight, MemorySpace> base;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    bool const known = model.item_bias.extent(0) > 0 && offsets(i) != offsets(i + 1);
    base(i) = known ? model.mean + model.item_bias(i) : model.mean;
  }
};

template <class ExecSpace, class Real>
auto item_base(ExecSpace const& exec,
               FactorModel<Real, typename ExecSpace::memory_space> const& model,
               RatingRows<Real, typename ExecSpace::memory_space> const& by_item) {
  using Memory = typename ExecSpace::memory_space;
  auto const base = allocate<Kokkos::View<Real*, Kokkos::LayoutRight, Memory>>(
      exec, "carroll::recommend::base", model.items());
  Kokkos::parallel_for("carroll::recommend::base", Range<ExecSpace>(exec, 0, model.items()),
                       AddItemBias<Real, Memory>{model, by_item.offsets, base});
  return base;
}

}  // namespace carroll::detail
