// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <bit>
#include <carroll/distributed/block_layout.hpp>
#include <cstdint>
#include <type_traits>

namespace carroll::distributed::detail {

/// A number for what all ranks must give alike: FNV-1a, by whole numbers.
class Signature {
 public:
  Signature& with(std::uint64_t x) {
    for (int byte = 0; byte < 8; ++byte) value_ = (value_ ^ (x >> 8 * byte & 255)) * 0x100000001b3U;
    return *this;
  }
  Signature& with(std::int64_t x) { return with(static_cast<std::uint64_t>(x)); }
  Signature& with(int x) { return with(std::int64_t{x}); }
  Signature& with(bool x) { return with(std::int64_t{x}); }
  Signature& with(double x) { return with(std::bit_cast<std::uint64_t>(x)); }
  template <class Enumerator>
  requires std::is_enum_v<Enumerator> Signature& with(Enumerator x) {
    return with(static_cast<std::int64_t>(x));
  }
  Signature& with(BlockLayout const& layout) {
    for (auto offset : layout.offsets) with(offset);
    return *this;
  }
  [[nodiscard]] std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325U;
};

}  // namespace carroll::distributed::detail
