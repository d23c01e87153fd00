// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/allocate.hpp>
#include <carroll/detail/eigh/launch.hpp>
#include <carroll/detail/eigh/ragged.hpp>
#include <carroll/detail/field.hpp>
#include <carroll/detail/workspace.hpp>
#include <carroll/eigh/workspace.hpp>
#include <carroll/error.hpp>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

/// What AccessTo<EighWorkspace> declares.
namespace carroll::detail {

inline void require_usable(char const* function, EighOptions const& options) {
  require(options.max_sweeps >= 1, function, [&] {
    return "options.max_sweeps is " + std::to_string(options.max_sweeps) + ", must be at least 1";
  });
}

template <class ExecSpace, class T>
auto AccessTo<EighWorkspace<ExecSpace, T>>::uniform(ExecSpace const& exec, char const* function,
                                                    EighExtents const& extents,
                                                    EighOptions const& options) -> Workspace {
  require_usable(function, options);
  require_size(function, "the batch", extents.batch);
  require_size(function, "the order", extents.n);
  require_addressable(
      function, {extents.batch, extents.n, extents.n},
      double(extents.batch) * (16 * double(extents.n) + 4000) * double(extents.n) * sizeof(T));
  Workspace w;
  start(w, extents, options);
  w.family_ = eigh_family(eigh_backend<ExecSpace>, options, extents.n, is_complex<T>);
  w.plan_ =
      EighPlan::uniform(w.family_, {static_cast<int>(extents.batch), static_cast<int>(extents.n)});
  w.batch_.distance = eigh_reals<T>(w.family_, extents.n, extents.vectors);
  allocate_parts(exec, w, extents.batch * w.batch_.distance);
  if (w.plan_.bounds(EighPlan::jacobi).members > 0) {
    w.factor_views_ = uniform_factors(w.batch_, extents);
    w.factors_ = AccessTo<SvdWorkspace<ExecSpace, T>>::uniform(
        exec, function, factor_extents<T>(extents), factor_options(options));
  }
  return w;
}

template <class ExecSpace, class T>
auto AccessTo<EighWorkspace<ExecSpace, T>>::ragged(ExecSpace const& exec, char const* function,
                                                   std::span<EighMember const> members,
                                                   bool vectors, EighOptions const& options)
    -> Workspace requires(!is_complex<T>) {
  require_usable(function, options);
  auto const count = static_cast<std::int64_t>(members.size());
  require_size(function, "the number of members", count);
  Workspace w;
  w.ragged_ = true;
  start(w, {count, 0, vectors}, options);
  EighPlaces places(function, vectors);
  std::int64_t reals = 0;
  std::vector<EighSlot> slots;
  for (EighMember const& at : members) {
    places.add(at);
    EighFamily const family = eigh_family(eigh_backend<ExecSpace>, options, at.n);
    w.plan_.add(family, static_cast<int>(at.n));
    slots.push_back({at, reals});
    reals += eigh_reals<T>(family, at.n, vectors);
  }
  places.require_disjoint();
  w.packed_sizes_ = places.sizes();
  EighSlot* device_slots = nullptr;
  int* sorted = nullptr;
  allocate_parts(exec, w, reals, &device_slots, &sorted);
  w.batch_.slots = device_slots;
  w.plan_.set_sorted(sorted);
  copy_from_host<EighSlot>(exec, device_slots, slots);
  std::vector<int> const in_order = w.plan_.sort();
  copy_from_host<int>(exec, sorted, in_order);
  if (int const last = w.plan_.bounds(EighPlan::jacobi).members; last > 0) {
    std::vector<EighSlot> by_svd;  // in the order in which kernels are given them
    for (int const b : std::span(in_order).last(static_cast<std::size_t>(last)))
      by_svd.push_back(slots[static_cast<std::size_t>(b)]);
    w.factor_views_ = packed_factors(w.batch_, reals);
    w.factors_ = AccessTo<SvdWorkspace<ExecSpace, T>>::ragged(
        exec, function, factor_members(std::span<EighSlot const>(by_svd), vectors),
        factor_extents<T>(w.extents_).u, SvdVectors::none, factor_options(options));
  }
  exec.fence("carroll::eigh::ragged_workspace");  // the host's copies end with this scope
  return w;
}

template <class ExecSpace, class T>
EighBatch<T> AccessTo<EighWorkspace<ExecSpace, T>>::batch(Workspace const& w,
                                                          EighViews<T> const& views) {
  EighBatch<T> batch = w.batch_;
  static_cast<EighViews<T>&>(batch) = views;
  return batch;
}

template <class ExecSpace, class T>
void AccessTo<EighWorkspace<ExecSpace, T>>::enqueue(ExecSpace const& exec,
                                                    EighBatch<T> const& batch, Workspace const& w) {
  if (w.plan_.all().members == 0) return;
  enqueue_eigh(exec, batch, w.plan_, w.options_);
  enqueue_eigh_jacobi(exec, batch, w.plan_, w.options_.method, w.factor_views_, w.factors_);
}

template <class ExecSpace, class T>
void AccessTo<EighWorkspace<ExecSpace, T>>::start(Workspace& w, EighExtents const& extents,
                                                  EighOptions const& options) {
  w.options_ = options;
  w.extents_ = extents;
  w.batch_.triangle = options.triangle;
  w.batch_.info_stride = 1;
}

template <class ExecSpace, class T>
void AccessTo<EighWorkspace<ExecSpace, T>>::allocate_parts(ExecSpace const& exec, Workspace& w,
                                                           std::int64_t reals, EighSlot** slots,
                                                           int** sorted) {
  std::int64_t const members = w.plan_.all().members;
  w.bytes_ = allocate_arena(exec, "carroll::eigh::workspace", [&](Arena& arena) {
    w.batch_.reals = arena.take<RealOf<T>>(reals);
    w.infos_.lay_out(arena, members);
    if (slots) *slots = arena.take<EighSlot>(members);
    if (sorted) *sorted = arena.take<int>(members);
  });
  w.batch_.infos = w.infos_.data();
  w.infos_.allocate_host("carroll::eigh::host_infos", members);
}

}  // namespace carroll::detail
