// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <array>
#include <carroll/detail/field.hpp>
#include <cstddef>
#include <cstring>
#include <vector>

#include "support/copy.hpp"
#include "support/guarded_view.hpp"
#include "support/random.hpp"

namespace carroll::test {

/// A batch of matrices on the host and on the device at any strides, among entries that nobody may
/// write.
template <class T>
struct StridedArray {
  template <class Data>
  using View = Kokkos::View<Data, Kokkos::LayoutStride, Memory, Kokkos::MemoryUnmanaged>;
  using Index = std::array<int, 3>;

  Index extents;
  std::array<std::size_t, 3> strides{};
  std::vector<T> image;
  Kokkos::View<T*, Memory> buffer;

  /// `order`: dimensions, that with the nearest entries first; `gap`: entries left out behind each
  /// run of these, `step` - 1 between two of them.
  StridedArray(Index const& all, Index const& order, int gap = 0, int step = 1) : extents(all) {
    std::size_t next = size(step);
    for (int d : order) {
      strides[size(d)] = next;
      next =
          next * std::max<std::size_t>(size(extents[size(d)]), 1) + size(d == order[0] ? gap : 0);
    }
    image.assign(next + 2 * margin, T(-77));
    buffer = Kokkos::View<T*, Memory>("carroll_test::array", image.size());
  }

  T& operator()(int b, int i, int j) { return image[place(b, i, j)]; }
  T const& operator()(int b, int i, int j) const { return image[place(b, i, j)]; }

  template <class F>
  void for_each(F const& f) const {
    for (int b = 0; b < extents[0]; ++b)
      for (int i = 0; i < extents[1]; ++i)
        for (int j = 0; j < extents[2]; ++j) f(b, i, j);
  }
  template <class F>
  void fill(F const& f) {
    for_each([&](int b, int i, int j) { (*this)(b, i, j) = f(); });
    to_device();
  }
  void to_host() { carroll::test::deep_copy(host(), buffer); }
  void to_device() { carroll::test::deep_copy(buffer, host()); }

  View<T***> view() const {
    return View<T***>(data(), Kokkos::LayoutStride(size(extents[0]), strides[0], size(extents[1]),
                                                   strides[1], size(extents[2]), strides[2]));
  }
  View<T**> matrix(int member = 0) const {
    return View<T**>(
        data() + size(member) * strides[0],
        Kokkos::LayoutStride(size(extents[1]), strides[1], size(extents[2]), strides[2]));
  }
  /// Without the last dimension, of extent 1.
  View<T**> vectors() const {
    return View<T**>(
        data(), Kokkos::LayoutStride(size(extents[0]), strides[0], size(extents[1]), strides[1]));
  }
  View<T*> vector(int member = 0) const {
    return View<T*>(data() + size(member) * strides[0],
                    Kokkos::LayoutStride(size(extents[1]), strides[1]));
  }

  /// After to_host(): is everything between the entries as it was?
  bool rest_untouched() const {
    std::vector<char> is_entry(image.size(), 0);
    for_each([&](int b, int i, int j) { is_entry[place(b, i, j)] = 1; });
    for (std::size_t k = 0; k < image.size(); ++k)
      if (is_entry[k] == 0 && !(image[k] == T(-77))) return false;
    return true;
  }

 private:
  static constexpr std::size_t margin = 16;
  T* data() const { return buffer.data() + margin; }
  std::size_t place(int b, int i, int j) const {
    return margin + size(b) * strides[0] + size(i) * strides[1] + size(j) * strides[2];
  }
  auto host() {
    return Kokkos::View<T*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(image.data(), image.size());
  }
};

/// From -0.5 to 0.5, in each part of a complex number.
template <class T>
T random_entry(Random& random) {
  using Real = carroll::detail::RealOf<T>;
  auto const part = [&] { return static_cast<Real>(random.uniform() - 0.5); };
  if constexpr (carroll::detail::is_complex<T>) {
    auto const re = part();
    return T(re, part());
  } else {
    return part();
  }
}

template <class T>
bool same_number(T const& a, T const& b) {
  return std::memcmp(static_cast<void const*>(&a), static_cast<void const*>(&b), sizeof(T)) == 0;
}

/// alpha·x, each product rounded, in plain words.
template <class T>
T plain_multiple(T const& a, T const& x) {
  if (a == T(1)) return x;
  if constexpr (carroll::detail::is_complex<T>) {
    using Real = carroll::detail::RealOf<T>;
    Real volatile const rr = a.real() * x.real(), ii = a.imag() * x.imag();
    Real volatile const ri = a.real() * x.imag(), ir = a.imag() * x.real();
    return T(rr - ii, ri + ir);
  } else {
    T volatile const product = a * x;
    return product;
  }
}

}  // namespace carroll::test
