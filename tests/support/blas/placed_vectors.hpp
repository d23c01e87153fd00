// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <vector>

#include "support/copy.hpp"
#include "support/guarded_view.hpp"

namespace carroll::test {

/// Where the vectors of a batch stand: entry i of member b at offset + b·distance + i·stride.
struct Placement {
  int offset = 0, distance = 0, stride = 1;
  /// One vector behind the other, with `gap` entries between them.
  static Placement rows(int length, int stride = 1, int gap = 0, int offset = 0) {
    return {offset, length * stride + gap, stride};
  }
  /// Entry by entry, of `members` vectors each.
  static Placement columns(int members, int gap = 0, int offset = 0) {
    return {offset, 1, members + gap};
  }
};

/// Vectors of one length in the memory of a device. What is between them is NaN.
template <class T>
class PlacedVectors {
 public:
  using Real = decltype(Kokkos::abs(T()));
  using Vector = Kokkos::View<T const*, Kokkos::LayoutStride, Memory>;
  using Batch = Kokkos::View<T const**, Kokkos::LayoutStride, Memory>;

  PlacedVectors(std::vector<std::vector<T>> const& members, Placement const& place)
      : length_(members.empty() ? 0 : members.front().size()),
        count_(members.size()),
        place_(place) {
    std::size_t const last = count_ == 0 || length_ == 0 ? 0 : at(count_ - 1, length_ - 1);
    std::vector<T> all(last + 1, T(Kokkos::Experimental::quiet_NaN_v<Real>));
    for (std::size_t b = 0; b < count_; ++b)
      for (std::size_t i = 0; i < length_; ++i) all[at(b, i)] = members[b][i];
    memory_ = Kokkos::View<T*, Memory>(
        Kokkos::view_alloc(Kokkos::WithoutInitializing, "carroll_test::vectors"), all.size());
    carroll::test::deep_copy(
        memory_,
        Kokkos::View<T const*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(all.data(), all.size()));
  }

  [[nodiscard]] Batch batch() const {
    return Batch(memory_.data() + place_.offset,
                 Kokkos::LayoutStride(count_, step(place_.distance), length_, step(place_.stride)));
  }
  [[nodiscard]] Vector member(std::size_t b) const {
    return Vector(memory_.data() + place_.offset + static_cast<std::ptrdiff_t>(b) * place_.distance,
                  Kokkos::LayoutStride(length_, step(place_.stride)));
  }
  /// For entries side by side, and members one behind the other or entry by entry.
  template <class Layout>
  [[nodiscard]] Kokkos::View<T const*, Layout, Memory> member_as(std::size_t b) const {
    using View = Kokkos::View<T const*, Layout, Memory>;
    return View(memory_.data() + place_.offset + static_cast<std::ptrdiff_t>(b) * place_.distance,
                length_);
  }
  template <class Layout>
  [[nodiscard]] Kokkos::View<T const**, Layout, Memory> batch_as() const {
    return Kokkos::View<T const**, Layout, Memory>(memory_.data() + place_.offset, count_, length_);
  }

 private:
  static std::size_t step(int stride) { return static_cast<std::size_t>(stride); }
  [[nodiscard]] std::size_t at(std::size_t b, std::size_t i) const {
    return step(place_.offset) + b * step(place_.distance) + i * step(place_.stride);
  }

  std::size_t length_, count_;
  Placement place_;
  Kokkos::View<T*, Memory> memory_;
};

}  // namespace carroll::test
