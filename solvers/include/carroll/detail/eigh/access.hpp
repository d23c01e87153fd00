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
#include <cstddef>
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

/// Of what is sorted by a plan, those of a bin.
inline std::span<EighSlot const> slots_of_bin(EighPlan const& plan,
                                              std::vector<EighSlot> const& in_order, int bin) {
  std::size_t after = 0;
  for (int k = bin + 1; k <= EighPlan::vendor; ++k)
    after += static_cast<std::size_t>(plan.bounds(k).members);
  auto const own = static_cast<std::size_t>(plan.bounds(bin).members);
  return std::span(in_order).last(after + own).first(own);
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
  prepare_factors(exec, function, w);
  if (w.plan_.bounds(EighPlan::vendor).members > 0)
    prepare_vendor(
        exec, w,
        std::vector<int>(static_cast<std::size_t>(extents.batch), static_cast<int>(extents.n)));
  return w;
}

template <class ExecSpace, class T>
auto AccessTo<EighWorkspace<ExecSpace, T>>::ragged(ExecSpace const& exec, char const* function,
                                                   std::span<EighMember const> members,
                                                   bool vectors, EighOptions const& options)
    -> Workspace {
  require_usable(function, options);
  auto const count = static_cast<std::int64_t>(members.size());
  require_size(function, "the number of members", count);
  Workspace w;
  w.ragged_ = true;
  start(w, {count, 0, vectors}, options);
  EighPlaces places(function, vectors);
  auto const family_of = [&](EighMember const& at) {
    return eigh_family(eigh_backend<ExecSpace>, options, at.n, is_complex<T>);
  };
  for (EighMember const& at : members) {
    places.add(at);
    w.plan_.add(family_of(at), static_cast<int>(at.n));
  }
  places.require_disjoint();
  w.packed_sizes_ = places.sizes();
  std::vector<int> const in_order = w.plan_.sort();
  std::vector<EighSlot> slots(members.size()), sorted_slots;
  std::int64_t reals = 0;
  for (int const b : in_order) {  // so that those of one order are equally far from each other
    EighMember const& at = members[static_cast<std::size_t>(b)];
    sorted_slots.push_back(slots[static_cast<std::size_t>(b)] = {at, reals});
    reals += eigh_reals<T>(family_of(at), at.n, vectors);
  }
  EighSlot* device_slots = nullptr;
  int* sorted = nullptr;
  allocate_parts(exec, w, reals, &device_slots, &sorted);
  w.batch_.slots = device_slots;
  w.plan_.set_sorted(sorted);
  copy_from_host<EighSlot>(exec, device_slots, slots);
  copy_from_host<int>(exec, sorted, in_order);
  prepare_factors(exec, function, w, sorted_slots, reals);
  std::vector<int> orders;
  for (auto const& slot : slots_of_bin(w.plan_, sorted_slots, EighPlan::vendor))
    orders.push_back(static_cast<int>(slot.member.n));
  prepare_vendor(exec, w, std::move(orders));
  exec.fence("carroll::eigh::ragged_workspace");  // the host's copies end with this scope
  return w;
}

template <class ExecSpace, class T>
void AccessTo<EighWorkspace<ExecSpace, T>>::prepare_factors(ExecSpace const& exec,
                                                            char const* function, Workspace& w) {
  auto const part_of = [&](int bin, SvdOptions const& how) {
    return EighJacobiPart<ExecSpace, T>{w.plan_.bounds(bin), 0,
                                        uniform_factors(w.batch_, w.extents_),
                                        AccessTo<SvdWorkspace<ExecSpace, T>>::uniform(
                                            exec, function, factor_extents<T>(w.extents_), how)};
  };
  if (w.plan_.bounds(EighPlan::jacobi).members > 0)
    w.factors_.push_back(part_of(EighPlan::jacobi, factor_options(w.options_)));
  if (w.plan_.bounds(EighPlan::vendor).members > 0)
    w.again_ = part_of(EighPlan::vendor, factor_options_again(w.options_));
}

template <class ExecSpace, class T>
void AccessTo<EighWorkspace<ExecSpace, T>>::prepare_factors(ExecSpace const& exec,
                                                            char const* function, Workspace& w,
                                                            std::vector<EighSlot> const& in_order,
                                                            std::int64_t reals) {
  using Factors = AccessTo<SvdWorkspace<ExecSpace, T>>;
  bool const vectors = w.extents_.vectors;
  if constexpr (is_complex<T>) {
    auto const slots = slots_of_bin(w.plan_, in_order, EighPlan::jacobi);
    for (std::size_t first = 0, past = 0; first < slots.size(); first = past) {
      std::int64_t const n = slots[first].member.n;
      while (past < slots.size() && slots[past].member.n == n) ++past;
      EighExtents const extents{static_cast<std::int64_t>(past - first), n, vectors};
      EighBatch<T> equal = w.batch_;
      equal.reals += slots[first].reals;
      equal.distance = past - first > 1 ? slots[first + 1].reals - slots[first].reals : 0;
      w.factors_.push_back({{static_cast<int>(extents.batch), static_cast<int>(n)},
                            static_cast<int>(first),
                            uniform_factors(equal, extents),
                            Factors::uniform(exec, function, factor_extents<T>(extents),
                                             factor_options(w.options_))});
    }
  } else {
    auto const part_of = [&](int bin, SvdOptions const& how) {
      return EighJacobiPart<ExecSpace, T>{
          w.plan_.bounds(bin), 0, packed_factors(w.batch_, reals),
          Factors::ragged(exec, function,
                          factor_members(slots_of_bin(w.plan_, in_order, bin), vectors),
                          factor_extents<T>(w.extents_).u, SvdVectors::none, how)};
    };
    if (w.plan_.bounds(EighPlan::jacobi).members > 0)
      w.factors_.push_back(part_of(EighPlan::jacobi, factor_options(w.options_)));
    if (w.plan_.bounds(EighPlan::vendor).members > 0)
      w.again_ = part_of(EighPlan::vendor, factor_options_again(w.options_));
  }
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
  auto const by_svd = [&](int bin, int const* done, EighJacobiPart<ExecSpace, T> const& part) {
    EighBatch<T> chosen = batch;
    int const* const members = w.plan_.members(bin);
    chosen.selection = members ? members + part.first : nullptr;
    enqueue_eigh_jacobi(exec, chosen, part, done, w.options_.method);
  };
  for (auto const& part : w.factors_) by_svd(EighPlan::jacobi, nullptr, part);
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
