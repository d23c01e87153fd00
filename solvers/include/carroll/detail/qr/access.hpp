// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/allocate.hpp>
#include <carroll/detail/field.hpp>
#include <carroll/detail/qr/launch.hpp>
#include <carroll/detail/qr/ragged.hpp>
#include <carroll/detail/workspace.hpp>
#include <carroll/error.hpp>
#include <carroll/qr/workspace.hpp>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

/// What AccessTo<QrWorkspace> declares.
namespace carroll::detail {

inline void require_usable(char const* function, QrOptions const& options) {
  require(options.rank_tolerance < 1, function, [&] {
    return "options.rank_tolerance is " + std::to_string(options.rank_tolerance) +
           ", must be below 1";
  });
}

template <class ExecSpace, class Value>
auto AccessTo<QrWorkspace<ExecSpace, Value>>::uniform(ExecSpace const& exec, char const* function,
                                                      QrExtents const& extents,
                                                      QrOptions const& options) -> Workspace {
  require_usable(function, options);
  auto const& [batch, m, n, mode, pivoted] = extents;
  require_size(function, "the batch", batch);
  require_size(function, "the number of rows", m);
  require_size(function, "the number of columns", n);
  double const sides = double(m) + double(n) + 200;
  require_addressable(function, {batch, m, n}, double(batch) * 3 * sides * sides * sizeof(Value));
  Workspace w;
  start(w, extents, options);
  w.family_ = qr_family_on<Value>(exec, options, m, n, pivoted);
  w.plan_ =
      QrPlan::uniform(w.family_, static_cast<int>(batch), static_cast<int>(m), static_cast<int>(n));
  w.batch_.distance = qr_reals<Value>(w.family_, extents);
  allocate_parts(exec, w, batch * w.batch_.distance);
  return w;
}

template <class ExecSpace, class Value>
auto AccessTo<QrWorkspace<ExecSpace, Value>>::ragged(ExecSpace const& exec, char const* function,
                                                     std::span<QrMember const> members, QrMode mode,
                                                     bool pivoted, QrOptions const& options)
    -> Workspace {
  require_usable(function, options);
  auto const count = static_cast<std::int64_t>(members.size());
  require_size(function, "the number of members", count);
  Workspace w;
  w.ragged_ = true;
  start(w, {count, 0, 0, mode, pivoted}, options);
  QrPlaces places(function, mode, pivoted);
  std::int64_t reals = 0;
  std::vector<QrSlot> slots;
  for (QrMember const& at : members) {
    places.add(at);
    QrFamily const family = qr_family_on<Value>(exec, options, at.rows, at.cols, pivoted);
    w.plan_.add(family, static_cast<int>(at.rows), static_cast<int>(at.cols));
    slots.push_back({at, reals});
    reals += qr_reals<Value>(family, {1, at.rows, at.cols, mode, pivoted});
  }
  places.require_disjoint();
  w.packed_sizes_ = places.sizes();
  QrSlot* device_slots = nullptr;
  int* sorted = nullptr;
  allocate_parts(exec, w, reals, &device_slots, &sorted);
  w.batch_.slots = device_slots;
  w.plan_.set_sorted(sorted);
  copy_from_host<QrSlot>(exec, device_slots, slots);
  std::vector<int> const in_order = w.plan_.sort();
  copy_from_host<int>(exec, sorted, in_order);
  exec.fence("carroll::qr::ragged_workspace");  // the host's copies end with this scope
  return w;
}

template <class ExecSpace, class Value>
QrBatch<Value> AccessTo<QrWorkspace<ExecSpace, Value>>::batch(Workspace const& w,
                                                              QrViews<Value> const& views) {
  QrBatch<Value> batch = w.batch_;
  static_cast<QrViews<Value>&>(batch) = views;
  return batch;
}

template <class ExecSpace, class Value>
void AccessTo<QrWorkspace<ExecSpace, Value>>::enqueue(ExecSpace const& exec,
                                                      QrBatch<Value> const& batch,
                                                      Workspace const& w) {
  if (w.plan_.members() > 0) enqueue_qr(exec, batch, w.plan_);
}

template <class ExecSpace, class Value>
void AccessTo<QrWorkspace<ExecSpace, Value>>::start(Workspace& w, QrExtents const& extents,
                                                    QrOptions const& options) {
  w.options_ = options;
  w.extents_ = extents;
  w.batch_.mode = extents.mode;
  w.batch_.rank_tolerance = static_cast<RealOf<Value>>(options.rank_tolerance);
  w.batch_.info_stride = 1;
}

template <class ExecSpace, class Value>
void AccessTo<QrWorkspace<ExecSpace, Value>>::allocate_parts(ExecSpace const& exec, Workspace& w,
                                                             std::int64_t reals, QrSlot** slots,
                                                             int** sorted) {
  std::int64_t const members = w.plan_.members();
  w.bytes_ = allocate_arena(exec, "carroll::qr::workspace", [&](Arena& arena) {
    w.batch_.reals = arena.take<RealOf<Value>>(reals);
    w.infos_.lay_out(arena, members);
    if (slots) *slots = arena.take<QrSlot>(members);
    if (sorted) *sorted = arena.take<int>(members);
  });
  w.batch_.infos = w.infos_.data();
  w.infos_.allocate_host("carroll::qr::host_infos", members);
}

}  // namespace carroll::detail
