// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <bit>
#include <carroll/detail/allocate.hpp>
#include <carroll/detail/determinant/access.hpp>
#include <carroll/detail/determinant/dispatch.hpp>
#include <carroll/detail/device/properties.hpp>
#include <carroll/detail/workspace.hpp>
#include <carroll/determinant/ragged_workspace.hpp>
#include <carroll/error.hpp>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

/// What AccessTo<DeterminantRaggedWorkspace> declares.
namespace carroll::detail {

/// Members with the same key go into one launch: those of one family, and there, where a team takes
/// its matrix' own order, of the same power of two, elsewhere of the same order. What no family can
/// take is refused when its workspace is made.
template <class T>
std::pair<int, std::int64_t> determinant_size_class(DeterminantOptions const& options,
                                                    std::int64_t n,
                                                    DeterminantDevice const& device) {
  auto const plan = determinant_plan<T>(options, n, 1, device);
  if (!plan) return {-1, n};
  int const path = static_cast<int>(plan->path);
  switch (plan->path) {
    case DeterminantPath::closed_form: return {path, 0};
    case DeterminantPath::scratch: return {path, std::bit_width(static_cast<std::uint64_t>(n - 1))};
    default: return {path, n};
  }
}

template <class ExecSpace, class T>
auto AccessTo<DeterminantRaggedWorkspace<ExecSpace, T>>::make(
    ExecSpace const& exec, char const* function, std::span<DeterminantMember const> members,
    bool keep, DeterminantOptions const& options) -> Workspace {
  require_size(function, "the number of members", static_cast<std::int64_t>(members.size()));
  Workspace w;
  w.keep_ = keep;
  auto const device = DeterminantDevice::of<ExecSpace, T>(processors(exec));
  std::map<std::pair<int, std::int64_t>, std::vector<DeterminantSlot>> classes;
  for (std::size_t b = 0; b < members.size(); ++b) {
    DeterminantMember const& at = members[b];
    require_member(function, at, b);
    if (at.n > 0) w.entries_ = std::max(w.entries_, at.a + at.n * at.n);
    classes[determinant_size_class<T>(options, at.n, device)].push_back(
        {at.a, static_cast<int>(at.n), static_cast<int>(b)});
  }
  std::vector<DeterminantSlot>& slots = w.host_slots_;
  slots.reserve(members.size());
  for (auto const& [key, group] : classes) {
    DeterminantExtents extents{static_cast<std::int64_t>(group.size()), 0, keep};
    for (DeterminantSlot const& slot : group) extents.n = std::max(extents.n, std::int64_t{slot.n});
    w.classes_.push_back(
        {static_cast<std::int64_t>(slots.size()), Uniform::make(exec, function, extents, options)});
    slots.insert(slots.end(), group.begin(), group.end());
  }
  auto const count = static_cast<std::int64_t>(members.size());
  w.bytes_ = allocate_arena(exec, "carroll::determinant::slots", [&](Arena& arena) {
    w.slots_ = arena.take<DeterminantSlot>(count);
    w.infos_.lay_out(arena, count);
  });
  w.infos_.allocate_host("carroll::determinant::host_infos", count);
  copy_from_host<DeterminantSlot>(exec, w.slots_, slots);
  exec.fence("carroll::determinant::ragged_workspace");  // the host's copy may move
  w.overlap_ = overlap(slots);
  return w;
}

template <class ExecSpace, class T>
std::string const& AccessTo<DeterminantRaggedWorkspace<ExecSpace, T>>::overlap(Workspace const& w) {
  return w.overlap_;
}

template <class ExecSpace, class T>
void AccessTo<DeterminantRaggedWorkspace<ExecSpace, T>>::enqueue(ExecSpace const& exec,
                                                                 Workspace const& w, T const* A,
                                                                 T* overwritten,
                                                                 DeterminantInfo<T>* infos,
                                                                 std::ptrdiff_t info_stride) {
  for (auto const& one : w.classes_) {
    auto const& extents = one.workspace.extents();
    StridedBatch<T const> const source{A, {extents.batch, extents.n, extents.n}, {}};
    DeterminantBatch<T> batch = Uniform::batch(one.workspace, source, overwritten);
    batch.slots = w.slots_ + one.first;
    batch.host_slots = w.host_slots_.data() + one.first;
    batch.infos = infos ? infos : w.infos_.data();
    batch.info_stride = info_stride;
    Uniform::enqueue(exec, batch, one.workspace);
  }
}

template <class ExecSpace, class T>
void AccessTo<DeterminantRaggedWorkspace<ExecSpace, T>>::require_member(char const* function,
                                                                        DeterminantMember const& at,
                                                                        std::size_t b) {
  constexpr std::int64_t most = std::numeric_limits<int>::max();
  auto const name = [b] { return "members[" + std::to_string(b) + "]"; };
  require(0 <= at.n && at.n <= most, function, [&] {
    return name() + " has order " + std::to_string(at.n) + ", must be from 0 to " +
           std::to_string(most);
  });
  // An end that does not overflow: each matrix holds less than 2^62 entries.
  constexpr std::int64_t last = std::numeric_limits<std::int64_t>::max() / 2;
  require(0 <= at.a && at.a <= last, function, [&] {
    return name() + " begins at " + std::to_string(at.a) + ", must be from 0 to " +
           std::to_string(last);
  });
}

template <class ExecSpace, class T>
std::string AccessTo<DeterminantRaggedWorkspace<ExecSpace, T>>::overlap(
    std::vector<DeterminantSlot> slots) {
  std::erase_if(slots, [](DeterminantSlot const& slot) { return slot.n == 0; });
  std::ranges::sort(slots, {}, &DeterminantSlot::first);
  for (std::size_t k = 1; k < slots.size(); ++k) {
    DeterminantSlot const &one = slots[k - 1], &next = slots[k];
    if (one.first + std::int64_t{one.n} * one.n > next.first)
      return "members[" + std::to_string(std::min(one.member, next.member)) + "] and members[" +
             std::to_string(std::max(one.member, next.member)) + "] overlap";
  }
  return {};
}

}  // namespace carroll::detail
