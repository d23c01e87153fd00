// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/concepts.hpp>
#include <carroll/detail/predict/dot.hpp>
#include <carroll/detail/predict/views.hpp>
#include <carroll/detail/recommend/base.hpp>
#include <carroll/detail/recommend/best.hpp>
#include <carroll/error.hpp>
#include <carroll/status.hpp>
#include <cstdint>
#include <limits>
#include <string>

/// The items whose factors point where those of an item do, by the cosine of the angle between:
///
///   auto info = carroll::similar_items(exec, model.V, items, ids, cosines);
///
///   V         n×k, any strided layout: factors, a row for each item (or user: then similar users)
///   items     q, std::int32_t: rows of V
///   ids       q×N, std::int32_t, written: best first, of equal cosines the lower index first
///   cosines   q×N, written; ids and cosines may have any strided layout
///
/// The item itself is not among them; N is anything below the number of items. A row of zeros has
/// the cosine 0 with all others. Rows are divided by their lengths before they are multiplied, so
/// that cosines may exceed 1 by some eps.
///
/// 2·q·n·k flops of `gemm`; takes a copy of V, and memory as `recommend` does. The same bits for
/// any number of threads and for each item whatever items are asked for. Fences `exec`. An index
/// outside of V gets −1 and −∞ and is counted, NaN and infinities in V lead to −1 and NaN and
/// Status::non_finite. Misuse throws std::invalid_argument before anything is written.
namespace carroll {

struct SimilarItemsInfo {
  Status status = Status::success;  ///< or non_finite
  std::int64_t unknown = 0;         ///< indices outside of V
};

namespace detail {

/// Rows := rows divided by their lengths, by way of the largest entry, so that no square over- or
/// underflows. A thread a row.
template <class Real, class MemorySpace, class Factors>
struct UnitRows {
  Factors factors;
  Kokkos::View<Real**, Kokkos::LayoutRight, MemorySpace> into;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    auto const count = static_cast<std::int64_t>(into.extent(1));
    if (count == 0) return;
    Real largest = 0;
    bool bad = false;
    for (std::int64_t l = 0; l < count; ++l) {
      largest = Kokkos::fmax(largest, Kokkos::fabs(factors(i, l)));
      bad = bad || !Kokkos::isfinite(factors(i, l));
    }
    for (std::int64_t l = 0; l < count; ++l)
      into(i, l) = largest > 0 ? factors(i, l) / largest : Real(0);
    Real const length = Kokkos::sqrt(factor_dot<Real>(&into(i, 0), &into(i, 0), count));
    for (std::int64_t l = 0; l < count; ++l) {
      if (largest > 0) into(i, l) /= length;
      if (bad) into(i, l) = Kokkos::Experimental::quiet_NaN_v<Real>;
    }
  }
};

}  // namespace detail

template <ExecutionSpace ExecSpace, class Factors, class Items, class Ids, class Cosines>
[[nodiscard]] SimilarItemsInfo similar_items(ExecSpace const& exec, Factors const& V,
                                             Items const& items, Ids const& ids,
                                             Cosines const& cosines) {
  constexpr char const* function = "carroll::similar_items";
  static_assert(ReadableView<Factors, ExecSpace, 2>,
                "carroll::similar_items: V must be a strided View of float or double, of rank 2, "
                "in memory that the execution space can access");
  using Real = typename Factors::non_const_value_type;
  using Memory = typename ExecSpace::memory_space;
  static_assert(detail::is_index_list<Items, ExecSpace>,
                "carroll::similar_items: items must be a strided View of std::int32_t, of rank 1, "
                "in memory that the execution space can access");
  detail::assert_best<ExecSpace, Real, Ids, Cosines>();
  auto const count = static_cast<std::int64_t>(V.extent(0));
  detail::require(count <= std::numeric_limits<std::int32_t>::max(), function,
                  [&] { return "V has " + std::to_string(count) + " rows"; });
  detail::BestProblem<Real, Memory> problem;
  detail::bind_best(function, problem, items, ids, cosines, count > 0 ? count - 1 : 0);
  using Unit = Kokkos::View<Real**, Kokkos::LayoutRight, Memory>;
  using Base = Kokkos::View<Real*, Kokkos::LayoutRight, Memory>;
  Unit const unit =
      detail::allocate_matrix<Unit>(exec, "carroll::similar_items::unit", V.extent(0), V.extent(1));
  auto const base = detail::allocate<Base>(exec, "carroll::similar_items::base", count);
  Kokkos::deep_copy(exec, base, Real(0));
  Kokkos::parallel_for("carroll::similar_items::unit", detail::Range<ExecSpace>(exec, 0, count),
                       detail::UnitRows<Real, Memory, typename Factors::const_type>{V, unit});
  problem.left = unit;
  problem.V = unit;
  problem.base = base;
  problem.not_itself = true;
  auto const counts = detail::find_best(exec, function, problem, {});
  return {counts[int(detail::BestCount::bad)] > 0 ? Status::non_finite : Status::success,
          counts[int(detail::BestCount::cold)]};
}

}  // namespace carroll
