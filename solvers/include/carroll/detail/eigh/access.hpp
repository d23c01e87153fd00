// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/allocate.hpp>
#include <carroll/detail/eigh/launch.hpp>
#include <carroll/detail/eigh/ragged.hpp>
#include <carroll/detail/eigh/vendor/eigenpairs.hpp>
#include <carroll/detail/field.hpp>
#include <carroll/detail/workspace.hpp>
#include <carroll/eigh/workspace.hpp>
#include <carroll/error.hpp>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
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
  using Factors = AccessTo<SvdWorkspace<ExecSpace, T>>;
  w.factor_views_ = uniform_factors(w.batch_, extents);
  if (w.plan_.bounds(EighPlan::jacobi).members > 0)
    w.factors_ =
        Factors::uniform(exec, function, factor_extents<T>(extents), factor_options(options));
  if (w.plan_.bounds(EighPlan::vendor).members > 0) {
    w.again_ =
        Factors::uniform(exec, function, factor_extents<T>(extents), factor_options_again(options));
    prepare_vendor(
        exec, w,
        std::vector<int>(static_cast<std::size_t>(extents.batch), static_cast<int>(extents.n)));
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
  w.factor_views_ = packed_factors(w.batch_, reals);
  auto const members_of = [&](int bin) {  // in the order in which kernels are given them
    std::size_t after = 0;
    for (int k = bin + 1; k <= EighPlan::vendor; ++k)
      after += static_cast<std::size_t>(w.plan_.bounds(k).members);
    std::vector<EighSlot> chosen;
    auto const own = static_cast<std::size_t>(w.plan_.bounds(bin).members);
    for (int const b : std::span(in_order).last(after + own).first(own))
      chosen.push_back(slots[static_cast<std::size_t>(b)]);
    return chosen;
  };
  auto const decompositions = [&](std::vector<EighSlot> const& chosen, SvdOptions const& how) {
    return AccessTo<SvdWorkspace<ExecSpace, T>>::ragged(
        exec, function, factor_members(std::span<EighSlot const>(chosen), vectors),
        factor_extents<T>(w.extents_).u, SvdVectors::none, how);
  };
  if (auto const chosen = members_of(EighPlan::jacobi); !chosen.empty())
    w.factors_ = decompositions(chosen, factor_options(options));
  if (auto const chosen = members_of(EighPlan::vendor); !chosen.empty()) {
    w.again_ = decompositions(chosen, factor_options_again(options));
    std::vector<int> orders;
    for (auto const& slot : chosen) orders.push_back(static_cast<int>(slot.member.n));
    prepare_vendor(exec, w, std::move(orders));
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
  auto const by_svd = [&](int bin, int const* done, SvdWorkspace<ExecSpace, T> const& factors) {
    enqueue_eigh_jacobi(exec, batch, w.plan_, bin, done, w.options_.method, w.factor_views_,
                        factors);
  };
  by_svd(EighPlan::jacobi, nullptr, w.factors_);
  if constexpr (eigh_backend<ExecSpace> == EighBackend::library && !is_complex<T>) {
    if (!w.vendor_) return;
    EighBatch<T> chosen = batch;
    chosen.selection = w.plan_.members(EighPlan::vendor);
    if (!w.vendor_->run(exec, chosen)) by_svd(EighPlan::vendor, w.vendor_->done(), w.again_);
  }
}

template <class ExecSpace, class T>
void AccessTo<EighWorkspace<ExecSpace, T>>::prepare_vendor(
    [[maybe_unused]] ExecSpace const& exec, [[maybe_unused]] Workspace& w,
    [[maybe_unused]] std::vector<int> orders) {
  if constexpr (eigh_backend<ExecSpace> == EighBackend::library) {
    if (orders.empty()) return;
    w.vendor_ = std::make_shared<EighVendor<ExecSpace> const>(exec, std::move(orders));
    w.vendor_bytes_ = w.vendor_->bytes();
  }
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
