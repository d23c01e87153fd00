// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

#include "support/lanes.hpp"

namespace carroll::test {

/// What lanes that run on the host tell one another.
struct Exchange {
  Lanes lanes;
  std::array<std::array<unsigned char, 16>, Lanes::count> slot{};
};

/// DeviceWarp on the host: through memory.
struct HostWarp {
  int lane;
  Exchange* exchange;

  template <class T>
  T from(T x, int source) const {
    write(x);
    std::memcpy(&x, exchange->slot[static_cast<std::size_t>(source)].data(), sizeof x);
    exchange->lanes.wait();
    return x;
  }
  std::uint32_t ballot(bool yes) const {
    write(yes);
    std::uint32_t lanes = 0;
    for (std::size_t k = 0; k < 32; ++k) lanes |= exchange->slot[k][0] != 0 ? 1U << k : 0U;
    exchange->lanes.wait();
    return lanes;
  }
  int max(int x) const {
    write(x);
    for (auto const& slot : exchange->slot) {
      int other;
      std::memcpy(&other, slot.data(), sizeof other);
      x = std::max(x, other);
    }
    exchange->lanes.wait();
    return x;
  }
  void sync() const { exchange->lanes.wait(); }

 private:
  template <class T>
  void write(T const& x) const {
    std::memcpy(exchange->slot[static_cast<std::size_t>(lane)].data(), &x, sizeof x);
    exchange->lanes.wait();
  }
};

}  // namespace carroll::test
