// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "support/host_matrix.hpp"

namespace carroll::test {

/// FNV-1a over bytes: equal bits give equal hashes, on every machine.
class Hash {
 public:
  /// A number or an enumerator, as it lies in memory: it must have no padding.
  template <class T>
  requires(std::is_arithmetic_v<T> || std::is_enum_v<T>) Hash& add(T value) {
    for (auto const byte : std::bit_cast<std::array<unsigned char, sizeof(T)>>(value)) {
      state_ ^= byte;
      state_ *= 0x100000001b3U;
    }
    return *this;
  }
  template <class T>
  Hash& add(std::vector<T> const& values) {
    for (T const& value : values) add(value);
    return *this;
  }
  template <class T>
  Hash& add(HostMatrix<T> const& A) {
    return add(A.rows).add(A.cols).add(A.data);
  }
  [[nodiscard]] std::uint64_t value() const { return state_; }

 private:
  std::uint64_t state_ = 0xcbf29ce484222325U;
};

}  // namespace carroll::test
