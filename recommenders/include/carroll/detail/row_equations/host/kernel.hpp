// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/detail/row_equations/host/rows.hpp>
#include <carroll/detail/row_equations/plan.hpp>
#include <carroll/detail/row_equations/problem.hpp>
#include <carroll/detail/simd/choice.hpp>
#include <carroll/detail/simd/workers.hpp>
#include <cstddef>
#include <cstdint>

namespace carroll::detail {

/// Numbers of a slot, and of a thread's own memory, for the widest registers of this processor.
template <class Real>
struct HostRowNumbers {
  std::int64_t slot = 0, thread = 0;
  explicit HostRowNumbers(int unknowns) { choose_host_vectors(Body{*this, unknowns}); }

 private:
  struct Body {
    HostRowNumbers& numbers;
    int unknowns;
    template <int Bytes>
    void run() const {
      numbers.slot = aligned(HostSystem<Real, Bytes>::numbers(unknowns));
      numbers.thread = aligned(HostEquationRows<Real, Bytes>::numbers(unknowns));
    }
  };
  static std::int64_t aligned(std::int64_t numbers) { return (numbers + 31) / 32 * 32; }
};

/// Rows of a host, of which workers take items, or sums of long rows' segments.
template <class ExecSpace, class Real, class Work>
class HostRowKernel {
 public:
  using Policy = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<int>>;

  /// `work`: RowItem or RowSum, `count` of them; `slots` and `threads`: HostRowNumbers of each.
  HostRowKernel(RowEquations<Real> const& problem, Work const* work, std::int64_t count,
                Real* slots, Real* threads)
      : problem_(problem),
        work_(work),
        count_(count),
        slots_(slots),
        threads_(threads),
        numbers_(problem.unknowns()) {
    // Rows of few unknowns take less than a microsecond each.
    at_once_ = std::is_same_v<Work, RowItem> && problem.unknowns() <= 32 ? 8 : 1;
  }

  void operator()(int worker) const { run_host_worker(*this, worker); }

  template <int Bytes>
  void work(int worker) const {
    HostEquationRows<Real, Bytes> const rows(problem_, threads_ + worker * numbers_.thread);
    take_items<Bytes>(&problem_.findings->ticket, at_once_, count_,
                      [&](std::int64_t first, std::int64_t end) {
                        for (std::int64_t i = first; i < end; ++i) deal_with<Bytes>(rows, work_[i]);
                      });
  }

 private:
  template <int Bytes>
  void deal_with(HostEquationRows<Real, Bytes> const& rows, RowItem const& item) const {
    std::int64_t const begin = problem_.offsets[item.row], end = problem_.offsets[item.row + 1];
    if (item.segment < 0) {
      rows.accumulate(item.row, begin, end, rows.own());
      rows.finish(item.row, rows.own());
    } else {
      std::int64_t const from = begin + item.segment * row_segment;
      rows.accumulate(item.row, from, std::min(from + row_segment, end), slot<Bytes>(item.slot));
    }
  }
  template <int Bytes>
  void deal_with(HostEquationRows<Real, Bytes> const& rows, RowSum const& sum) const {
    bool const carried = sum.carry_from >= 0;
    std::int32_t const first = carried ? sum.carry_from : sum.first;
    auto const total = slot<Bytes>(first);
    for (int i = carried ? 0 : 1; i < sum.count; ++i) total.add(slot<Bytes>(sum.first + i));
    if (sum.carry_to < 0)
      rows.finish(sum.row, total);
    else
      std::copy_n(total.a, numbers_.slot, slot<Bytes>(sum.carry_to).a);
  }

  template <int Bytes>
  HostSystem<Real, Bytes> slot(std::int32_t number) const {
    return HostSystem<Real, Bytes>(slots_ + number * numbers_.slot, problem_.unknowns());
  }

  RowEquations<Real> problem_;
  Work const* work_;
  std::int64_t count_;
  Real *slots_, *threads_;
  HostRowNumbers<Real> numbers_;
  int at_once_ = 1;
};

}  // namespace carroll::detail
