// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/neighbours/problem.hpp>
#include <cstdint>

/// The first so many of neighbours, in the order of Neighbour::before, by one thread: a heap with
/// the last of them on top.
namespace carroll::detail {

template <class Real>
class NearestHeap {
 public:
  KOKKOS_FUNCTION NearestHeap(Neighbour<Real>* places, std::int32_t capacity)
      : heap_(places), capacity_(capacity) {}

  [[nodiscard]] KOKKOS_FUNCTION std::int32_t size() const { return size_; }
  /// Of those that are kept, the last one: there must be one.
  [[nodiscard]] KOKKOS_FUNCTION Neighbour<Real> const& last() const { return heap_[0]; }
  /// Would this one be kept?
  [[nodiscard]] KOKKOS_FUNCTION bool takes(Neighbour<Real> const& x) const {
    return size_ < capacity_ || (capacity_ > 0 && x.before(heap_[0]));
  }
  KOKKOS_FUNCTION void push(Neighbour<Real> const& x) {
    if (!takes(x)) return;
    if (size_ == capacity_) {
      sink(x, size_);
      return;
    }
    std::int32_t at = size_++;
    while (at > 0) {
      std::int32_t const above = (at - 1) / 2;
      if (!heap_[above].before(x)) break;
      heap_[at] = heap_[above];
      at = above;
    }
    heap_[at] = x;
  }
  /// Leaves the places in order, the first one first, and is not to be used after.
  KOKKOS_FUNCTION void sort() {
    for (std::int32_t left = size_ - 1; left > 0; --left) {
      Neighbour<Real> const last = heap_[left];
      heap_[left] = heap_[0];
      sink(last, left);
    }
  }

 private:
  /// Puts x in the place of the top of a heap of `size`.
  KOKKOS_FUNCTION void sink(Neighbour<Real> const& x, std::int32_t size) {
    std::int32_t at = 0;
    for (;;) {
      std::int32_t below = 2 * at + 1;
      if (below >= size) break;
      if (below + 1 < size && heap_[below].before(heap_[below + 1])) ++below;
      if (!x.before(heap_[below])) break;
      heap_[at] = heap_[below];
      at = below;
    }
    heap_[at] = x;
  }

  Neighbour<Real>* heap_;
  std::int32_t capacity_, size_ = 0;
};

}  // namespace carroll::detail
