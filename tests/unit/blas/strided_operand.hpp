// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "support/copy.hpp"
#include "support/guarded_view.hpp"

namespace carroll::test {

/// How a batch of matrices lies in memory.
enum class Lie { left, right, left_padded, right_padded, apart, members_inside };
inline constexpr Lie all_lies[] = {Lie::left,         Lie::right, Lie::left_padded,
                                   Lie::right_padded, Lie::apart, Lie::members_inside};

/// A batch of matrices on the host and on the device, with entries of a kind between its own.
template <class T>
struct StridedOperand {
  using View = Kokkos::View<T***, Kokkos::LayoutStride, Memory, Kokkos::MemoryUnmanaged>;
  using Matrix = Kokkos::View<T**, Kokkos::LayoutStride, Memory, Kokkos::MemoryUnmanaged>;

  int batch, rows, cols;
  std::size_t strides[3];
  std::vector<T> image;
  Kokkos::View<T*, Memory> buffer;

  StridedOperand(int members, int m, int n, Lie lie) : batch(members), rows(m), cols(n) {
    auto const at_least_1 = [](int x) { return size(std::max(x, 1)); };
    std::size_t const height = at_least_1(m), width = at_least_1(n);
    switch (lie) {
      case Lie::left: set(height * width, 1, height); break;
      case Lie::right: set(height * width, width, 1); break;
      case Lie::left_padded: set((height + 8) * width + 16, 1, height + 8); break;
      case Lie::right_padded: set(height * (width + 3) + 1, width + 3, 1); break;
      case Lie::apart: set(2 * height * (3 * width + 1), 3 * width + 1, 3); break;
      case Lie::members_inside: set(1, at_least_1(batch), at_least_1(batch) * height); break;
    }
    std::size_t const last =
        (at_least_1(batch) - 1) * strides[0] + (height - 1) * strides[1] + (width - 1) * strides[2];
    image.assign(last + 1 + 2 * margin, T(-77));
    buffer = Kokkos::View<T*, Memory>("carroll_test::operand", image.size());
  }

  T& operator()(int b, int i, int j) { return image[offset(b, i, j)]; }
  T const& operator()(int b, int i, int j) const { return image[offset(b, i, j)]; }

  template <class F>
  void fill(F const& f) {
    for (int b = 0; b < batch; ++b)
      for (int j = 0; j < cols; ++j)
        for (int i = 0; i < rows; ++i) (*this)(b, i, j) = f();
    carroll::test::deep_copy(buffer, host());
  }
  void to_host() { carroll::test::deep_copy(host(), buffer); }
  void to_device() { carroll::test::deep_copy(buffer, host()); }

  View view() const {
    return View(buffer.data() + margin, Kokkos::LayoutStride(size(batch), strides[0], size(rows),
                                                             strides[1], size(cols), strides[2]));
  }
  Matrix matrix(int member) const {
    return Matrix(buffer.data() + margin + size(member) * strides[0],
                  Kokkos::LayoutStride(size(rows), strides[1], size(cols), strides[2]));
  }

  /// After to_host(): is everything between the entries as it was?
  bool rest_untouched() const {
    std::vector<char> is_entry(image.size(), 0);
    for (int b = 0; b < batch; ++b)
      for (int j = 0; j < cols; ++j)
        for (int i = 0; i < rows; ++i) is_entry[offset(b, i, j)] = 1;
    for (std::size_t k = 0; k < image.size(); ++k)
      if (is_entry[k] == 0 && !(image[k] == T(-77))) return false;
    return true;
  }

 private:
  static constexpr std::size_t margin = 16;
  void set(std::size_t member, std::size_t row, std::size_t col) {
    strides[0] = member;
    strides[1] = row;
    strides[2] = col;
  }
  [[nodiscard]] std::size_t offset(int b, int i, int j) const {
    return margin + size(b) * strides[0] + size(i) * strides[1] + size(j) * strides[2];
  }
  [[nodiscard]] auto host() {
    return Kokkos::View<T*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(image.data(), image.size());
  }
};

}  // namespace carroll::test
