// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "support/copy.hpp"
#include "support/guarded_view.hpp"
#include "support/random.hpp"

namespace carroll::test {

/// How an array of three dimensions lies in memory.
struct Lie {
  std::array<int, 3> order{2, 1, 0};  ///< dimensions, that with the nearest entries first
  std::array<int, 2> gaps{0, 0};      ///< entries left out behind the first and second of these
  int step = 1;                       ///< from one entry of the first to the next
  int offset = 0;                     ///< of the first entry, so that it begins at no whole address
  bool repeated = false;              ///< one member stands for all of the first dimension

  /// As a View of LayoutLeft or LayoutRight lies.
  static Lie left(int offset) { return {{0, 1, 2}, {0, 0}, 1, offset, false}; }
  static Lie right(int offset) { return {{2, 1, 0}, {0, 0}, 1, offset, false}; }

  static Lie any(Random& random) {
    constexpr std::array<int, 3> orders[] = {{2, 1, 0}, {1, 2, 0}, {0, 1, 2},
                                             {0, 2, 1}, {2, 0, 1}, {1, 0, 2}};
    Lie lie;
    lie.order = orders[random.chance(0.7) ? random.index(2) : random.index(6)];
    for (int& gap : lie.gaps)
      if (random.chance(0.4)) gap = random.chance(0.3) ? 4 + 4 * random.index(3) : random.index(9);
    if (random.chance(0.15)) lie.step = 2 + random.index(3);
    lie.offset = random.chance(0.5) ? 0 : random.index(4);
    return lie;
  }
};

/// An array on the host and on the device. All that is no entry is NaN, which nobody may write, or
/// use. Arrays of fewer dimensions have 1 for the first ones.
template <class T>
class LaidArray {
  using Real = decltype(Kokkos::abs(T()));
  template <int Rank>
  using Data = std::conditional_t<Rank == 1, T*, std::conditional_t<Rank == 2, T**, T***>>;

 public:
  template <class Layout, int Rank>
  using View = Kokkos::View<Data<Rank>, Layout, Memory, Kokkos::MemoryUnmanaged>;

  LaidArray(std::array<int, 3> const& extents, Lie const& lie) : extents_(extents), lie_(lie) {
    std::size_t next = size(lie.step), last = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      auto const d = size(lie.order[k]);
      strides_[d] = next;
      next = next * size(std::max(extents[d], 1)) + (k < 2 ? size(lie.gaps[k]) : 0);
    }
    if (lie.repeated) strides_[0] = 0;
    for (std::size_t d = 0; d < 3; ++d) last += size(std::max(extents[d], 1) - 1) * strides_[d];
    image_.assign(begin() + last + 1 + margin, T(Kokkos::Experimental::quiet_NaN_v<Real>));
    allocate();
  }

  [[nodiscard]] int extent(int d) const { return extents_[size(d)]; }
  [[nodiscard]] std::size_t stride(int d) const { return strides_[size(d)]; }
  T& operator()(int b, int i, int j) { return image_[place(b, i, j)]; }
  T const& operator()(int b, int i, int j) const { return image_[place(b, i, j)]; }

  template <class F>
  void for_each(F const& f) const {
    for (int b = 0; b < extents_[0]; ++b)
      for (int i = 0; i < extents_[1]; ++i)
        for (int j = 0; j < extents_[2]; ++j) f(b, i, j);
  }

  /// On the device what is on the host, remembered as what it was.
  void to_device() {
    before_ = image_;
    carroll::test::deep_copy(buffer_, host());
  }
  void to_host() { carroll::test::deep_copy(host(), buffer_); }
  /// The same entries in memory of its own.
  [[nodiscard]] LaidArray copy() const {
    LaidArray other = *this;
    other.allocate();
    other.to_device();
    return other;
  }
  /// The same entries elsewhere.
  [[nodiscard]] LaidArray moved(Lie const& lie) const {
    LaidArray other(extents_, lie);
    for_each([&](int b, int i, int j) { other(b, i, j) = (*this)(b, i, j); });
    other.to_device();
    return other;
  }

  /// The last dimensions, of which there are several if `Rank` < 3: those with this index before.
  /// With LayoutLeft and LayoutRight of rank 2 there may be a gap behind columns, or rows.
  template <class Layout, int Rank>
  [[nodiscard]] View<Layout, Rank> view(int which = 0) const {
    T* data = buffer_.data() + begin();
    if constexpr (Rank < 3) data += size(which) * strides_[size(2 - Rank)];
    std::size_t const b = size(extents_[0]), m = size(extents_[1]), n = size(extents_[2]);
    if constexpr (std::is_same_v<Layout, Kokkos::LayoutStride>) {
      auto const [sb, sm, sn] = strides_;
      if constexpr (Rank == 1) return View<Layout, 1>(data, Layout(n, sn));
      if constexpr (Rank == 2) return View<Layout, 2>(data, Layout(m, sm, n, sn));
      if constexpr (Rank == 3) return View<Layout, 3>(data, Layout(b, sb, m, sm, n, sn));
    } else if constexpr (Rank == 1) {
      return View<Layout, 1>(data, n);
    } else if constexpr (Rank == 3) {
      return View<Layout, 3>(data, b, m, n);
    } else if constexpr (std::is_same_v<Layout, Kokkos::LayoutLeft>) {
      return Kokkos::subview(View<Layout, 2>(data, strides_[2], n), std::pair(size(0), m),
                             Kokkos::ALL);
    } else {
      return Kokkos::subview(View<Layout, 2>(data, m, strides_[1]), Kokkos::ALL,
                             std::pair(size(0), n));
    }
  }

  /// After to_host(): is everything as it was, other than entries?
  [[nodiscard]] bool rest_untouched() const {
    std::vector<char> is_entry(image_.size(), 0);
    for_each([&](int b, int i, int j) { is_entry[place(b, i, j)] = 1; });
    for (std::size_t k = 0; k < image_.size(); ++k)
      if (is_entry[k] == 0 && std::memcmp(bytes(image_, k), bytes(before_, k), sizeof(T)) != 0)
        return false;
    return true;
  }
  /// Are entries, too?
  [[nodiscard]] bool untouched() {
    to_host();
    return std::memcmp(bytes(image_, 0), bytes(before_, 0), image_.size() * sizeof(T)) == 0;
  }
  /// What an entry was.
  [[nodiscard]] T const& before(int b, int i, int j) const { return before_[place(b, i, j)]; }

  [[nodiscard]] std::string text() const {
    std::string text = "(strides";
    for (std::size_t const stride : strides_) text += " " + std::to_string(stride);
    return text + ", offset " + std::to_string(lie_.offset) + ")";
  }

 private:
  static constexpr std::size_t margin = 16;
  [[nodiscard]] std::size_t begin() const { return margin + size(lie_.offset); }
  [[nodiscard]] std::size_t place(int b, int i, int j) const {
    return begin() + size(b) * strides_[0] + size(i) * strides_[1] + size(j) * strides_[2];
  }
  static void const* bytes(std::vector<T> const& image, std::size_t k) { return image.data() + k; }
  void allocate() {
    buffer_ = Kokkos::View<T*, Memory>(
        Kokkos::view_alloc(Kokkos::WithoutInitializing, "carroll_test::array"), image_.size());
  }
  auto host() {
    return Kokkos::View<T*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(image_.data(),
                                                                        image_.size());
  }

  std::array<int, 3> extents_;
  Lie lie_;
  std::array<std::size_t, 3> strides_{};
  std::vector<T> image_, before_;
  Kokkos::View<T*, Memory> buffer_;
};

}  // namespace carroll::test
