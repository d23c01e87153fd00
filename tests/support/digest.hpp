// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace carroll::test {

/// FNV-1a over bytes: equal bits give equal digests, on every machine.
class Digest {
 public:
  template <class T>
  void add(std::vector<T> const& values) {
    auto const* bytes = reinterpret_cast<unsigned char const*>(values.data());
    for (std::size_t k = 0; k < values.size() * sizeof(T); ++k) {
      state_ ^= bytes[k];
      state_ *= 0x100000001b3U;
    }
  }
  [[nodiscard]] std::uint64_t value() const { return state_; }

 private:
  std::uint64_t state_ = 0xcbf29ce484222325U;
};

}  // namespace carroll::test
