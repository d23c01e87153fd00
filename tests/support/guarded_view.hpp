// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "support/copy.hpp"
#include "support/host_matrix.hpp"

namespace carroll::test {

/// An extent as a View takes it.
inline std::size_t size(int extent) {
  return static_cast<std::size_t>(extent);
}

using Exec = Kokkos::DefaultExecutionSpace;
using Memory = typename Exec::memory_space;

template <class Layout>
inline constexpr char const* layout_name = "LayoutStride";
template <>
inline constexpr char const* layout_name<Kokkos::LayoutLeft> = "LayoutLeft";
template <>
inline constexpr char const* layout_name<Kokkos::LayoutRight> = "LayoutRight";

/// A device View of the given rank and layout, surrounded by memory that nobody may write: before
/// the first entry, behind the last, and, with LayoutStride, between all entries (no stride is
/// contiguous). Host code sets and reads entries in `image`; `to_device` and `to_host` move all of
/// it.
template <class Real, int Rank, class Layout>
class GuardedView {
  template <class T>
  struct Pointer {
    using type = std::conditional_t<Rank == 1, T*, std::conditional_t<Rank == 2, T**, T***>>;
  };

 public:
  using ViewType = Kokkos::View<typename Pointer<Real>::type, Layout, Memory,
                                Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  using Index = std::array<std::size_t, Rank>;

  /// A value that no solver computes by accident.
  static constexpr Real guard = static_cast<Real>(-77.25);

  explicit GuardedView(Index extents)
      : extents_(extents),
        strides_(strides_of(extents)),
        image_(size_of(extents, strides_), guard),
        buffer_(Kokkos::view_alloc(Kokkos::WithoutInitializing, "carroll_test::guarded"),
                image_.size()) {
    to_device();
  }

  [[nodiscard]] ViewType view() const { return view_of(buffer_.data() + margin, extents_); }

  /// Entries first … first+count-1 of the first extent, where they lie.
  [[nodiscard]] ViewType part(std::size_t first, std::size_t count) const
      requires(Rank > 1 && !std::is_same_v<Layout, Kokkos::LayoutLeft>) {
    Index extents = extents_;
    extents[0] = count;
    return view_of(buffer_.data() + margin + first * strides_[0], extents);
  }

  [[nodiscard]] Index const& extents() const { return extents_; }

  [[nodiscard]] Real& operator()(Index index) { return image_[offset(index)]; }
  [[nodiscard]] Real const& operator()(Index index) const { return image_[offset(index)]; }

  void to_device() { carroll::test::deep_copy(buffer_, host_view()); }
  void to_host() { carroll::test::deep_copy(host_view(), buffer_); }

  /// After to_host(): is everything that is no entry as it was?
  [[nodiscard]] bool guards_intact() const {
    auto const intact = [](Real const& value) { return value == guard; };
    if constexpr (!std::is_same_v<Layout, Kokkos::LayoutStride>) {
      // Entries leave no gaps: around them are the guards.
      auto const first = image_.begin() + margin;
      return std::all_of(image_.begin(), first, intact) &&
             std::all_of(first + static_cast<std::ptrdiff_t>(entries()), image_.end(), intact);
    } else {
      std::vector<char> is_entry(image_.size(), 0);
      for_each_index([&](Index index) { is_entry[offset(index)] = 1; });
      for (std::size_t k = 0; k < image_.size(); ++k)
        if (is_entry[k] == 0 && !intact(image_[k])) return false;
      return true;
    }
  }

  /// After to_host(): has no entry been written since construction?
  [[nodiscard]] bool untouched() const {
    return std::all_of(image_.begin(), image_.end(), [](Real value) { return value == guard; });
  }

  template <class Function>
  void for_each_index(Function const& function) const {
    if (entries() == 0) return;
    Index index{};
    for (std::size_t d = 0; d < Rank;) {
      function(index);
      for (d = 0; d < Rank && ++index[d] == extents_[d]; ++d) index[d] = 0;
    }
  }

 private:
  static constexpr std::size_t margin = 8;

  [[nodiscard]] std::size_t entries() const {
    std::size_t count = 1;
    for (std::size_t const extent : extents_) count *= extent;
    return count;
  }

  [[nodiscard]] ViewType view_of(Real* data, Index const& n) const {
    if constexpr (!std::is_same_v<Layout, Kokkos::LayoutStride>) {
      if constexpr (Rank == 1) return ViewType(data, n[0]);
      if constexpr (Rank == 2) return ViewType(data, n[0], n[1]);
      if constexpr (Rank == 3) return ViewType(data, n[0], n[1], n[2]);
    } else {
      if constexpr (Rank == 1) return ViewType(data, Layout(n[0], strides_[0]));
      if constexpr (Rank == 2) return ViewType(data, Layout(n[0], strides_[0], n[1], strides_[1]));
      if constexpr (Rank == 3)
        return ViewType(data, Layout(n[0], strides_[0], n[1], strides_[1], n[2], strides_[2]));
    }
  }

  static Index strides_of(Index const& extents) {
    Index strides{};
    constexpr bool right = std::is_same_v<Layout, Kokkos::LayoutRight>;
    constexpr bool padded = std::is_same_v<Layout, Kokkos::LayoutStride>;
    std::size_t stride = padded ? 2 : 1;
    for (std::size_t k = 0; k < Rank; ++k) {
      std::size_t const d = right ? Rank - 1 - k : k;
      strides[d] = stride;
      stride = stride * std::max<std::size_t>(extents[d], 1) + (padded ? 3 : 0);
    }
    return strides;
  }
  static std::size_t size_of(Index const& extents, Index const& strides) {
    std::size_t last = 0;
    for (std::size_t d = 0; d < Rank; ++d)
      last += (std::max<std::size_t>(extents[d], 1) - 1) * strides[d];
    return last + 1 + 2 * margin;
  }
  [[nodiscard]] std::size_t offset(Index const& index) const {
    std::size_t position = margin;
    for (std::size_t d = 0; d < Rank; ++d) position += index[d] * strides_[d];
    return position;
  }
  [[nodiscard]] auto host_view() {
    return Kokkos::View<Real*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(
        image_.data(), image_.size());
  }

  Index extents_;
  Index strides_;
  std::vector<Real> image_;
  Kokkos::View<Real*, Memory> buffer_;
};

template <class Real, class Layout>
[[nodiscard]] GuardedView<Real, 2, Layout> guarded_from(HostMatrix<Real> const& A) {
  GuardedView<Real, 2, Layout> guarded(
      {static_cast<std::size_t>(A.rows), static_cast<std::size_t>(A.cols)});
  guarded.for_each_index([&](std::array<std::size_t, 2> index) {
    guarded(index) = A(static_cast<int>(index[0]), static_cast<int>(index[1]));
  });
  guarded.to_device();
  return guarded;
}

template <class Real, class Layout>
[[nodiscard]] HostMatrix<Real> to_host_matrix(GuardedView<Real, 2, Layout> const& guarded, int rows,
                                              int cols) {
  HostMatrix<Real> A(rows, cols);
  guarded.for_each_index([&](std::array<std::size_t, 2> index) {
    A(static_cast<int>(index[0]), static_cast<int>(index[1])) = guarded(index);
  });
  return A;
}

}  // namespace carroll::test
