// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "support/blas/emulated_reductions.hpp"
#include "unit/reductions/drawn_vectors.hpp"

namespace carroll::test {

/// The same bits as the host's kernels, which others check.
template <class T>
void check_emulated(std::vector<std::vector<T>> const& xs, std::vector<std::vector<T>> const& ys,
                    int stride, int offset, bool all_summations_of_all) {
  int const n = static_cast<int>(xs.front().size());
  EmulatedReductions<T> emulated(xs, ys, stride, offset);
  PlacedVectors<T> const x(xs, Placement::rows(n)), y(ys, Placement::rows(n));
  auto const check = [&](auto chosen, Summation summation, bool conjugate) {
    SCOPED_TRACE(std::string(name_of(chosen())) + " " + name_of(summation));
    auto const found = emulated.template run<chosen()>(summation, conjugate);
    EXPECT_TRUE(emulated.is_tidy());
    auto const expected = reduced<chosen()>(Exec(), x.batch(), y.batch(), summation, conjugate);
    for (std::size_t b = 0; b < found.size(); ++b) {
      SCOPED_TRACE(b);
      expect_same(found[b], expected[b]);
    }
  };
  for_each_reduction([&](auto chosen) {
    for (Summation const summation : all_summations)
      if (all_summations_of_all || (int(chosen()) + int(summation)) % 3 == 0)
        check(chosen, summation, true);
  });
  check(Chosen<Reduction::dot>(), Summation::canonical, false);
  check(Chosen<Reduction::dot>(), Summation::exact, false);
}

template <class T>
void check_emulated_reductions() {
  constexpr int kinds = int(vector_kinds.size());
  for (auto const& [members, n, stride, offset] : {std::array{kinds, 0, 1, 0},
                                                   {kinds, 1, 1, 0},
                                                   {kinds, 64, 1, 1},
                                                   {kinds, 100, 2, 0},
                                                   {kinds, 1024, 1, 0},
                                                   {2, 1025, 1, 1},
                                                   {3, 5000, 1, 0}}) {
    SCOPED_TRACE(std::to_string(n) + ", stride " + std::to_string(stride) + " from " +
                 std::to_string(offset));
    DrawnBatch<T> const drawn(members, n, 30 + static_cast<std::uint64_t>(n));
    check_emulated(drawn.x, drawn.y, stride, offset, n != 1025);
  }
  // Several groups of chunks, and teams of which the last adds their sums.
  DrawnVectors<T> const drawn(VectorKind::wide, 40000, 31);
  check_emulated<T>({drawn.x}, {drawn.y}, 1, 0, false);
}

}  // namespace carroll::test
