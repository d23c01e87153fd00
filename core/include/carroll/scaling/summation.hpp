// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <bit>
#include <carroll/error.hpp>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>

/// A model of the time of sums: N numbers by p threads, with t_calc seconds for an addition and
/// t_com for handing a number from one thread to another. Each thread adds ⌈N/p⌉ numbers of its
/// own; how the p partial sums come together is the strategy.
namespace carroll {

enum class SummationStrategy {
  collect,   ///< I: one thread takes the partial sums of all others, in turn: p - 1 steps
  tree,      ///< II: in each step half of the threads hand theirs to the other half: ⌈log₂p⌉
  exchange,  ///< III: pairs exchange theirs, in as many steps, and every thread has the sum
};

[[nodiscard]] constexpr std::string_view to_string(SummationStrategy strategy) {
  switch (strategy) {
    case SummationStrategy::collect: return "collect";
    case SummationStrategy::tree: return "tree";
    case SummationStrategy::exchange: return "exchange";
  }
  return "unknown";
}

struct SummationModel {
  double calc_seconds = 0;  ///< t_calc
  double com_seconds = 0;   ///< t_com

  /// T_s = (N - 1)·t_calc
  [[nodiscard]] double sequential(std::int64_t n) const {
    check(n, 1);
    return static_cast<double>(n - 1) * calc_seconds;
  }

  /// T_p = (⌈N/p⌉ - 1)·t_calc + steps·(t_calc + t_com)
  [[nodiscard]] double parallel(SummationStrategy strategy, std::int64_t n, int threads) const {
    check(n, threads);
    std::int64_t const own = (n + threads - 1) / threads;
    return static_cast<double>(own - 1) * calc_seconds +
           steps(strategy, threads) * (calc_seconds + com_seconds);
  }

  [[nodiscard]] double speedup(SummationStrategy strategy, std::int64_t n, int threads) const {
    return sequential(n) / parallel(strategy, n, threads);
  }

  /// In which partial sums are handed on.
  [[nodiscard]] static int steps(SummationStrategy strategy, int threads) {
    check(1, threads);
    if (strategy == SummationStrategy::collect) return threads - 1;
    return static_cast<int>(std::bit_width(static_cast<unsigned>(threads - 1)));
  }

 private:
  static void check(std::int64_t n, int threads) {
    char const* const function = "carroll::SummationModel";
    detail::require(n >= 1, function,
                    [&] { return std::to_string(n) + " numbers, must be at least 1"; });
    detail::require(threads >= 1, function,
                    [&] { return std::to_string(threads) + " threads, must be at least 1"; });
  }
};

}  // namespace carroll
