// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/determinant/warp/pivots.hpp>
#include <cstddef>

namespace carroll::detail {

/// What a group leaves in scratch of a matrix for fewer lanes to go on with: the rows and columns
/// that held no pivot, and what the pivots so far tell.
template <class T, int Order>
struct alignas(16) RegisterRest {
  T entry[Order * Order];  ///< in chunks of columns
  int top[Order];          ///< magnitudes of the largest entries that the rows had
  T mantissa;  ///< the pivots' product in its first digits, with its sign; 0 if one was 0
  T growth;
  int exponent;
  int highest;  ///< magnitude of the largest pivot

  /// Entries (row … , col). Chunks of neighbouring columns are exchanged so that lanes which write
  /// one row of theirs do so to different banks.
  KOKKOS_FUNCTION RegisterChunk<T>& chunk(int row, int col) {
    constexpr int size = RegisterChunk<T>::size, chunks = Order / size;
    int const place = (row / size) ^ ((col * chunks / 8) % chunks);
    return *reinterpret_cast<RegisterChunk<T>*>(entry + col * Order + place * size);
  }
};
template <class T>
struct RegisterRest<T, 0> {};

/// An array of them, an odd number of chunks apart, so that lanes that hold a matrix each read
/// different banks. Each has room for `Least` bytes, which are the group's scratch until it leaves
/// its rest there.
template <class T, int Order, std::size_t Least>
class RegisterRests {
 public:
  using Rest = RegisterRest<T, Order>;
  static constexpr std::size_t stride =
      ((sizeof(Rest) > Least ? sizeof(Rest) : Least) / 16 | 1) * 16;

  KOKKOS_FUNCTION explicit RegisterRests(void* data) : data_(static_cast<char*>(data)) {}
  KOKKOS_FUNCTION Rest& operator[](int k) const {
    return *reinterpret_cast<Rest*>(data_ + k * stride);
  }
  KOKKOS_FUNCTION RegisterRests from(int k) const { return RegisterRests(data_ + k * stride); }

 private:
  char* data_;
};

}  // namespace carroll::detail
