// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <bit>
#include <carroll/detail/random.hpp>
#include <carroll/detail/strided.hpp>
#include <carroll/detail/team.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

namespace carroll::detail {

/// squares[i] = ‖row i‖₂² and squares[n + j] = ‖column j‖₂², up to rounding. One team per line, its
/// lanes along the line; 4n² flops, A read twice.
template <class ExecSpace, class Entry>
struct LineNormsKernel {
  StridedMatrix<Entry const> a;
  int n;
  double* squares;

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    int const line = team.league_rank();
    auto const entries = line < n ? a.transposed().col(line) : a.col(line - n);
    double const sum = lane_sum<double>(team, n, [&](int k) {
      auto const x = static_cast<double>(entries(k));
      return x * x;
    });
    once_per_thread(team, [&] { squares[line] = sum; });
  }
};

/// Hadamard's bound: log₂|det A| is at most this, the smaller of the sums of log₂‖·‖₂ over rows and
/// over columns; -infinity where a line is 0. Rounding is allowed for: a computed square is off by
/// n + 3 roundings at most, and the logarithms of integers, none negative, and their sum by n + 2.
inline double hadamard_bits(std::span<double const> squares) {
  std::size_t const n = squares.size() / 2;
  double const slack = (static_cast<double>(n) + 8) * std::numeric_limits<double>::epsilon();
  auto const bits = [&](std::span<double const> lines) {
    double sum = 0;
    for (double const square : lines) sum += std::log2(square * (1 + slack));
    return sum / 2 * (1 + slack);
  };
  return std::min(bits(squares.first(n)), bits(squares.last(n)));
}

/// 64 bits that depend on the seed and on all norms, by Philox, and are the same if rows and
/// columns change places, as they do with the layout.
inline std::uint64_t fingerprint(std::span<double const> squares, std::uint64_t seed) {
  std::size_t const n = squares.size() / 2;
  auto const of = [&](std::span<double const> lines) {
    std::uint64_t state = seed;
    for (double const square : lines) {
      auto const bits = std::bit_cast<std::uint64_t>(square);
      auto const mixed = philox(
          state, {static_cast<std::uint32_t>(bits), static_cast<std::uint32_t>(bits >> 32U), 0, 1});
      state = std::uint64_t{mixed[1]} << 32U | mixed[0];
    }
    return state;
  };
  return of(squares.first(n)) + of(squares.last(n));
}

}  // namespace carroll::detail
