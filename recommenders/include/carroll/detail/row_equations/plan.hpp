// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <carroll/detail/row_equations/problem.hpp>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

namespace carroll::detail {

/// A row, or a segment of one whose sums go to a slot.
struct RowItem {
  std::int32_t row = 0;
  std::int32_t segment = -1;  ///< -1: all of the row, which is then solved
  std::int32_t slot = 0;
};

/// The sums of a long row's segments, or of some of them, in slots first, …, first + count - 1.
struct RowSum {
  std::int32_t row = 0;
  std::int32_t first = 0;
  std::int32_t count = 0;
  std::int32_t carry_from = -1;  ///< the slot with those of earlier waves
  std::int32_t carry_to = -1;    ///< the slot for those of later ones; -1: the row is solved
};

/// Who does what for the rows of one side: long rows by segments, in waves for which there are
/// slots, all others in one piece, the longest first. Neither slots nor waves leave a trace in the
/// sums.
struct RowPlan {
  struct Wave {
    std::int64_t first_item, items, first_sum, sums;
  };
  std::vector<RowItem> items;
  std::vector<RowSum> sums;
  std::vector<Wave> waves;
  std::int64_t slots = 0;  ///< wanted
  std::int64_t cold = 0;   ///< rows without ratings

  RowPlan() = default;
  /// `most_slots` >= 3.
  RowPlan(std::span<std::int64_t const> offsets, std::int64_t most_slots) {
    auto const rows = static_cast<std::int32_t>(offsets.size() - 1);
    auto const count = [&](std::int32_t r) {
      return offsets[static_cast<std::size_t>(r) + 1] - offsets[static_cast<std::size_t>(r)];
    };
    std::vector<std::int32_t> order(static_cast<std::size_t>(rows));
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::int32_t a, std::int32_t b) { return count(a) > count(b); });
    waves.push_back({0, 0, 0, 0});
    std::int32_t next_slot = 2;  // 0 and 1 are for what is carried, by turns
    std::size_t r = 0;
    for (; r < order.size() && count(order[r]) > row_segment; ++r) {
      std::int32_t const row = order[r];
      auto const segments = static_cast<std::int32_t>((count(row) + row_segment - 1) / row_segment);
      bool carried = false;
      for (std::int32_t s = 0; s < segments;) {
        auto const room = static_cast<std::int32_t>(most_slots) - next_slot;
        if (room == 0) {
          end_wave();
          next_slot = 2;
          continue;
        }
        std::int32_t const some = std::min(room, segments - s);
        for (std::int32_t i = 0; i < some; ++i) items.push_back({row, s + i, next_slot + i});
        bool const last = s + some == segments;
        auto const turn = static_cast<std::int32_t>(waves.size() % 2);
        sums.push_back({row, next_slot, some, carried ? turn : -1, last ? -1 : 1 - turn});
        slots = std::max<std::int64_t>(slots, next_slot + some);
        next_slot += some;
        s += some;
        carried = !last;
      }
    }
    for (; r < order.size(); ++r) {
      items.push_back({order[r], -1, 0});
      if (count(order[r]) == 0) ++cold;
    }
    end_wave();
    waves.pop_back();
  }

 private:
  void end_wave() {
    Wave& wave = waves.back();
    wave.items = static_cast<std::int64_t>(items.size()) - wave.first_item;
    wave.sums = static_cast<std::int64_t>(sums.size()) - wave.first_sum;
    waves.push_back(
        {static_cast<std::int64_t>(items.size()), 0, static_cast<std::int64_t>(sums.size()), 0});
  }
};

}  // namespace carroll::detail
