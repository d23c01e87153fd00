// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/detail/row_equations/device/launch.hpp>
#include <carroll/detail/row_equations/host/kernel.hpp>
#include <carroll/detail/row_equations/plan.hpp>
#include <carroll/detail/row_equations/problem.hpp>
#include <carroll/detail/team.hpp>
#include <carroll/detail/workspace.hpp>
#include <cstdint>
#include <span>
#include <vector>

/// Which kernels solve rows' equations, and in which order. Enqueued, without fences or
/// allocations.
namespace carroll::detail {

/// The plan of one side, on the device.
struct RowSchedule {
  RowPlan plan;
  RowItem* items = nullptr;
  RowSum* sums = nullptr;

  void lay_out(Arena& arena) {
    items = arena.take<RowItem>(static_cast<std::int64_t>(plan.items.size()));
    sums = arena.take<RowSum>(static_cast<std::int64_t>(plan.sums.size()));
  }
  /// The plan must stay until the instance has come that far.
  template <class ExecSpace>
  void copy(ExecSpace const& exec) const {
    if (!plan.items.empty())
      copy_from_host<RowItem>(exec, items, std::span<RowItem const>(plan.items));
    if (!plan.sums.empty()) copy_from_host<RowSum>(exec, sums, std::span<RowSum const>(plan.sums));
  }
};

/// Memory that all sides use in turn: slots of long rows' segments, and what threads or teams need
/// besides.
template <class ExecSpace, class Real>
struct RowMemory {
  std::int64_t slots = 0;  ///< of the schedule that wants most
  Real* slot_memory = nullptr;
  Real* own_memory = nullptr;
  RowFindings* findings = nullptr;

  void lay_out(Arena& arena, ExecSpace const& exec, int unknowns) {
    findings = arena.take<RowFindings>(1);
    if constexpr (lanes<ExecSpace> == 1) {
      HostRowNumbers<Real> const numbers(unknowns);
      slot_memory = arena.take<Real>(slots * numbers.slot);
      own_memory = arena.take<Real>(exec.concurrency() * numbers.thread);
    } else {
      auto const numbers = device_row_numbers<ExecSpace, Real>(exec, unknowns);
      slot_memory = arena.take<Real>(slots * numbers.slot);
      own_memory = arena.take<Real>(numbers.own);
    }
  }

  /// Slots that a budget of memory, 1 GiB on devices and 128 MiB on hosts, has room for.
  static std::int64_t most_slots(ExecSpace const& exec, int unknowns) {
    if constexpr (lanes<ExecSpace> == 1) {
      HostRowNumbers<Real> const numbers(unknowns);
      return slots_in(std::int64_t{128} << 20, numbers.slot);
    } else {
      return slots_in(std::int64_t{1} << 30,
                      device_row_numbers<ExecSpace, Real>(exec, unknowns).slot);
    }
  }

 private:
  static std::int64_t slots_in(std::int64_t budget, std::int64_t numbers) {
    std::int64_t const bytes = std::max<std::int64_t>(numbers * std::int64_t{sizeof(Real)}, 1);
    return std::clamp<std::int64_t>(budget / bytes, 10, 1 << 20);
  }
};

template <class Real, class Work, class ExecSpace>
void enqueue_host_rows(char const* label, ExecSpace const& exec, RowEquations<Real> const& problem,
                       Work const* work, std::int64_t count,
                       RowMemory<ExecSpace, Real> const& memory) {
  using Kernel = HostRowKernel<ExecSpace, Real, Work>;
  Kernel const kernel(problem, work, count, memory.slot_memory, memory.own_memory);
  set_to_zero(exec, &memory.findings->ticket, 1);
  auto const workers = static_cast<int>(std::min<std::int64_t>(exec.concurrency(), count));
  Kokkos::parallel_for(label, typename Kernel::Policy(exec, 0, workers, Kokkos::ChunkSize(1)),
                       kernel);
}

/// Enqueues the solution of all rows of a schedule. problem.findings are added to.
template <class ExecSpace, class Real>
void enqueue_rows(ExecSpace const& exec, RowEquations<Real> problem, RowSchedule const& schedule,
                  RowMemory<ExecSpace, Real> const& memory) {
  problem.findings = memory.findings;
  if (problem.unknowns() == 0) return;
  for (auto const& wave : schedule.plan.waves) {
    RowItem const* const items = schedule.items + wave.first_item;
    RowSum const* const sums = schedule.sums + wave.first_sum;
    if constexpr (lanes<ExecSpace> == 1) {
      if (wave.items > 0)
        enqueue_host_rows("carroll::row_equations::rows", exec, problem, items, wave.items, memory);
      if (wave.sums > 0)
        enqueue_host_rows("carroll::row_equations::sums", exec, problem, sums, wave.sums, memory);
    } else {
      enqueue_device_rows(exec, problem, items, wave.items, sums, wave.sums, memory.slot_memory,
                          memory.own_memory,
                          [&] { set_to_zero(exec, &memory.findings->ticket, 1); });
    }
  }
}

}  // namespace carroll::detail
