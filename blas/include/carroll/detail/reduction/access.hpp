// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/allocate.hpp>
#include <carroll/detail/copy.hpp>
#include <carroll/detail/quotient.hpp>
#include <carroll/detail/reduction/launch.hpp>
#include <carroll/detail/reduction/stamp.hpp>
#include <carroll/detail/workspace.hpp>
#include <carroll/error.hpp>
#include <carroll/reduction/workspace.hpp>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>

/// What AccessTo<ReductionWorkspace> declares.
namespace carroll::detail {

/// Infos up to so many are written where the host reads them: a copy takes longer.
inline constexpr std::int64_t infos_on_host = 1024;

/// The plan with the most groups, of those that kernels make.
template <class T, class ExecSpace>
ReductionPlan reduction_plan([[maybe_unused]] ExecSpace const& exec, std::int64_t length) {
  if constexpr (has_warps<ExecSpace>)
    return device_reduction_plan(length);
  else
    return host_reduction_plan(length, sizeof(T), exec.concurrency());
}

template <class ExecSpace, class T>
auto AccessTo<ReductionWorkspace<ExecSpace, T>>::make(ExecSpace const& exec, char const* function,
                                                      ReductionExtents const& extents,
                                                      ReductionOptions const& options)
    -> Workspace {
  require_usable(function, extents, options);
  Workspace w;
  w.options_ = options;
  w.extents_ = extents;
  w.plan_ = reduction_plan<T>(exec, extents.length);
  require(extents.batch * w.plan_.groups <= std::numeric_limits<int>::max(), function, [&] {
    return "a batch of " + std::to_string(extents.batch) + " vectors of length " +
           std::to_string(extents.length) + " has more pieces than a launch can count";
  });
  bool const exact = options.summation == Summation::exact;
  // A digit has room for 2^31 terms, of which a complex entry is two.
  constexpr std::int64_t longest = std::int64_t{1} << 30;
  require(!exact || !is_complex<T> || extents.length <= longest, function, [&] {
    return "the length is " + std::to_string(extents.length) + ", must be at most " +
           std::to_string(longest) + " for exact sums of complex numbers";
  });
  // A partial of a complex product by compensated sums is the largest of all.
  constexpr std::int64_t partial_bytes = 8 * sizeof(RealOf<T>);
  w.bytes_ = allocate_arena(exec, "carroll::reduction::workspace", [&](Arena& arena) {
    bool const groups = w.plan_.groups > 1;
    // max_abs has no digits.
    w.memory_.partials =
        arena.take_if<std::byte>(groups, extents.batch * w.plan_.groups * partial_bytes);
    w.memory_.arrived = arena.take_if<int>(groups, extents.batch);
    w.memory_.digits = arena.take_if<std::int64_t>(exact && groups, extents.batch * exact_words<T>);
    w.memory_.infos = arena.take_if<ReductionInfo<T>>(extents.batch > infos_on_host, extents.batch);
  });
  if (w.memory_.arrived) set_to_zero(exec, w.memory_.arrived, extents.batch);
  if (w.memory_.digits) set_to_zero(exec, w.memory_.digits, extents.batch * exact_words<T>);
  // Pinned. That needs an instance to be made on; nothing is launched or waited for.
  w.host_infos_ = allocate<decltype(w.host_infos_)>(
      Kokkos::DefaultHostExecutionSpace(), "carroll::reduction::host_infos",
      HostStamp::bytes + extents.batch * static_cast<std::int64_t>(sizeof(ReductionInfo<T>)));
  new (w.host_infos_.data()) HostStamp();
  return w;
}

template <class ExecSpace, class T>
template <Reduction R, class Value>
void AccessTo<ReductionWorkspace<ExecSpace, T>>::enqueue(ExecSpace const& exec,
                                                         ReductionBatch<T, Value> const& batch,
                                                         Workspace& w) {
  enqueue_reduction<R>(exec, batch, w.plan_, w.memory_, w.options_.summation);
}

template <class ExecSpace, class T>
template <Reduction R, class Value>
void AccessTo<ReductionWorkspace<ExecSpace, T>>::enqueue_part(ExecSpace const& exec,
                                                              ReductionBatch<T, Value> const& batch,
                                                              Workspace& w) {
  ReductionPlan plan = w.plan_;
  plan.chunks = quotient_up(batch.length, chunk_terms);
  plan.groups = quotient_up(plan.chunks, plan.group_chunks);
  enqueue_reduction<R>(exec, batch, plan, w.memory_, w.options_.summation);
}

template <class ExecSpace, class T>
template <Reduction R, class Value>
std::span<ReductionInfo<Value> const> AccessTo<ReductionWorkspace<ExecSpace, T>>::call(
    ExecSpace const& exec, ReductionBatch<T, Value> batch, Workspace& w) {
  auto const count = static_cast<std::size_t>(batch.members);
  if (count == 0) return {};
  auto& stamp = *reinterpret_cast<HostStamp*>(w.host_infos_.data());
  auto* const host =
      reinterpret_cast<ReductionInfo<Value>*>(w.host_infos_.data() + HostStamp::bytes);
  bool const on_host = batch.members <= infos_on_host;
  batch.infos = on_host ? host : static_cast<ReductionInfo<Value>*>(w.memory_.infos);
  batch.info_stride = 1;
  if (count == 1 && has_warps<ExecSpace>) {
    batch.stamp = &stamp.done;
    batch.call = ++stamp.calls;
  }
  enqueue<R>(exec, batch, w);
  if (!on_host) {
    copy_objects<Kokkos::SharedHostPinnedSpace, typename ExecSpace::memory_space>(
        exec, host, batch.infos, count);
  }
  if (!batch.stamp || !is_stamped(batch.stamp, batch.call)) exec.fence(reduction_label(R));
  return {host, count};
}

template <class ExecSpace, class T>
template <Reduction R, class Value>
bool AccessTo<ReductionWorkspace<ExecSpace, T>>::done_by_caller(
    ExecSpace const& exec, ReductionBatch<T, Value> const& batch, ReductionOptions const& options) {
  if constexpr (lanes<ExecSpace> == 1) {
    if (batch.members != 1 || batch.length > entries_of_caller) return false;
    enqueue_reduction<R>(exec, batch, host_reduction_plan(batch.length, sizeof(T), 1), {},
                         options.summation);
    return true;
  }
  return false;
}

}  // namespace carroll::detail
