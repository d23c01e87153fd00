// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string_view>
#include <vector>

namespace carroll::tool {

using Bytes = std::vector<std::uint8_t>;

/// Bytes that are no compressed picture; what() says why.
class BadPicture : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Appends `count` bytes of `value`, the lowest first.
inline void put_number(Bytes& to, std::uint64_t value, int count) {
  for (int byte = 0; byte < count; ++byte)
    to.push_back(static_cast<std::uint8_t>(value >> (8 * byte)));
}

/// Takes bytes from the front of a range that outlives it.
class ByteReader {
 public:
  ByteReader(std::uint8_t const* bytes, std::size_t count) : next_(bytes), left_(count) {}

  std::uint8_t const* take(std::size_t count) {
    if (count > left_) throw BadPicture("ends too early");
    auto const* const taken = next_;
    next_ += count;
    left_ -= count;
    return taken;
  }
  std::uint64_t number(int count) {
    auto const* const bytes = take(static_cast<std::size_t>(count));
    std::uint64_t value = 0;
    for (int byte = 0; byte < count; ++byte) value |= std::uint64_t{bytes[byte]} << (8 * byte);
    return value;
  }
  [[nodiscard]] std::size_t left() const { return left_; }

 private:
  std::uint8_t const* next_;
  std::size_t left_;
};

/// Bits in a sequence of bytes, the lowest bit of the first byte first.
class BitWriter {
 public:
  void put(std::uint32_t value, int count) {
    held_ |= std::uint64_t{value} << filled_;
    for (filled_ += count; filled_ >= 8; filled_ -= 8) {
      bytes_.push_back(static_cast<std::uint8_t>(held_));
      held_ >>= 8;
    }
  }
  /// All bits, the last byte filled up with zeros.
  Bytes finish() {
    if (filled_ > 0) bytes_.push_back(static_cast<std::uint8_t>(held_));
    held_ = 0;
    filled_ = 0;
    return std::move(bytes_);
  }

 private:
  Bytes bytes_;
  std::uint64_t held_ = 0;
  int filled_ = 0;
};

class BitReader {
 public:
  explicit BitReader(Bytes const& bytes) : bytes_(bytes) {}

  std::uint32_t take(int count) {
    while (filled_ < count) {
      if (next_ == bytes_.size()) throw BadPicture("has fewer bits than it says");
      held_ |= std::uint64_t{bytes_[next_++]} << filled_;
      filled_ += 8;
    }
    auto const value = static_cast<std::uint32_t>(held_ & ((std::uint64_t{1} << count) - 1));
    held_ >>= count;
    filled_ -= count;
    return value;
  }
  /// Is nothing left but what fills up the last byte?
  [[nodiscard]] bool finished() const {
    return next_ == bytes_.size() && filled_ < 8 && held_ == 0;
  }

 private:
  Bytes const& bytes_;
  std::size_t next_ = 0;
  std::uint64_t held_ = 0;
  int filled_ = 0;
};

/// How many bits the size of a number has.
inline int bits_of(std::uint32_t size) {
  return static_cast<int>(std::bit_width(size));
}

}  // namespace carroll::tool
