// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>
#include <random>
#include <utility>
#include <vector>

namespace carroll::test {

/// Seeded random numbers. The engine is fixed by the C++ standard; its distributions are not, so
/// the few that the tests need are written out here and give the same matrices with every library.
class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  /// Uniform in [0, 1).
  double uniform() { return static_cast<double>(engine_() >> 11U) * 0x1p-53; }
  /// Uniform in [−1, 1).
  double symmetric() { return 2 * uniform() - 1; }
  /// Standard normal (Box and Muller 1958).
  double normal() {
    double const radius = std::sqrt(-2 * std::log(1 - uniform()));
    return radius * std::cos(2 * std::numbers::pi * uniform());
  }
  /// Uniform in {0, …, count−1}.
  int index(int count) { return static_cast<int>(engine_() % static_cast<std::uint64_t>(count)); }
  double sign() { return index(2) == 0 ? 1.0 : -1.0; }
  bool chance(double probability) { return uniform() < probability; }

  template <class T>
  void shuffle(std::vector<T>& items) {
    for (int i = static_cast<int>(items.size()) - 1; i > 0; --i)
      std::swap(items[static_cast<std::size_t>(i)], items[static_cast<std::size_t>(index(i + 1))]);
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace carroll::test
