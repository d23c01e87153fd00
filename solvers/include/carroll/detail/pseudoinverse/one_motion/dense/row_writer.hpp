// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/device/warp.hpp>
#include <carroll/detail/pseudoinverse/common/stream.hpp>
#include <carroll/detail/pseudoinverse/one_motion/dense/columns.hpp>
#include <cstdint>

namespace carroll::detail {

/// Rows that are contiguous. Lanes keep the factors of 16 bytes of places; their rows are those
/// that begin in the same place of 16 bytes.
template <class Real>
class OneMotionRowWriter : public OneMotionWriterItems {
 public:
  /// Of a processor. With more of them what is being written is further apart: 120 000 x 1024 in
  /// 131 | 241 us, in float | double, for 135 | 242 with three and items of 12 | 8 rows (H200,
  /// 2026-11-23).
  static constexpr int teams_at_once = 2;

  explicit OneMotionRowWriter(ArrowBatch<Real> const& batch)
      : OneMotionWriterItems(0),
        tiles_((batch.n + width - 1 + tile - 1) / tile),
        apart_(batch.inverse.strides[1] % width == 0 ? 1 : width) {
    int const rows = rows_each * apart_;
    items_ = (1 + batch.m + rows - 1) / rows * apart_ * tiles_;
  }

  template <class Member, class WaitForGroups, class Wait>
  KOKKOS_FUNCTION void operator()(Member const& team, DeviceWarp const& warp,
                                  ArrowBatch<Real> const& batch, DenseFactors<Real> const& factors,
                                  int frame, OneMotionItems items, int first, char*,
                                  WaitForGroups const& wait_for_groups, Wait const& wait) const {
    int const rows = 1 + batch.m;
    bool const leads = team.team_rank() == 0 && warp.lane == 0;
    OneMotionLoads<Real> const load(batch, factors, frame);
    Item item = item_at(batch, frame, team.team_rank(), warp.lane, first);
    OneMotionColumn<Real> loaded[width];
    load.early(loaded, item.place);
    wait_for_groups();
    load.complete(loaded, item.place);
    auto const factor_of = [&] {  // each lane's for one row
      return OneMotionFactors<Real>(batch, frame, 0)
          .row(Kokkos::min(item.row + warp.lane % rows_each * apart_, rows - 1));
    };
    Real factor = factor_of();
    CARROLL_UNROLL
    for (int e = 0; e < width; ++e) OneMotionFactors<Real>(batch, frame, 0).bring(loaded[e]);
    double const told = wait();
    if (wrote_entries(team, warp, batch, factors, frame, first, items.teams(), told)) return;
    OneMotionFactors<Real> const of(batch, frame, told);
    for (int i = first; i < items_;) {
      typename OneMotionFactors<Real>::Column column[width];
      CARROLL_UNROLL
      for (int e = 0; e < width; ++e) column[e] = of.column(loaded[e]);
      Item const here = item;
      Real const factors_here = factor;
      i = items.next(leads);
      if (i < items_) {
        item = item_at(batch, frame, team.team_rank(), warp.lane, i);
        CARROLL_UNROLL
        for (int e = 0; e < width; ++e) loaded[e] = load(item.place + e);
        factor = factor_of();
      }
      write(batch, warp, here, column, factors_here);
      items.advance(team, leads);
    }
  }

 private:
  static constexpr int width = StoredWord<Real>::width;
  static constexpr int tile = 32 * SegmentShares::warps * width;  ///< places
  /// Of an item: its columns take time, and so do teams that wait for the last ones. 120 000 x 1024
  /// in float in 134 us with 24 (H200, 2026-11-23).
  static constexpr int rows_each = sizeof(Real) < sizeof(double) ? 16 : 12;

  /// A lane's places in `rows_each` rows.
  struct Item {
    int place, row;
    Real* to;
  };
  KOKKOS_FUNCTION Item item_at(ArrowBatch<Real> const& batch, int frame, int w, int lane,
                               int index) const {
    int const tile_index = index % tiles_, rest = index / tiles_;
    int const row = rest / apart_ * (rows_each * apart_) + rest % apart_;
    Real* const line =
        batch.inverse.data + frame * batch.inverse.strides[0] + row * batch.inverse.strides[1];
    auto const past = static_cast<int>(reinterpret_cast<std::uintptr_t>(line) / sizeof(Real) %
                                       static_cast<unsigned>(width));
    int const place = tile_index * tile - past + (32 * w + lane) * width;
    return {place, row, line + place};
  }

  KOKKOS_FUNCTION void write(ArrowBatch<Real> const& batch, DeviceWarp const& warp,
                             Item const& item,
                             typename OneMotionFactors<Real>::Column const (&column)[width],
                             Real factors) const {
    std::ptrdiff_t const stride = apart_ * batch.inverse.strides[1];
    int const place = item.place;
    bool const whole = place >= 0 && place + width <= batch.n;
    Real* to = item.to;
    CARROLL_UNROLL
    for (int r = 0; r < rows_each; ++r, to += stride) {
      Real const factor = warp.from(factors, r);
      int const row = item.row + r * apart_;
      if (row > batch.m) continue;
      StoredWord<Real> word;
      CARROLL_UNROLL
      for (int e = 0; e < width; ++e)
        word.part[e] = column[e].row == row ? column[e].own : factor * column[e].eta;
      if (whole) {
        stream_word(to, word);
      } else {
        CARROLL_UNROLL
        for (int e = 0; e < width; ++e)
          if (0 <= place + e && place + e < batch.n) to[e] = word.part[e];
      }
    }
  }

  int tiles_;
  int apart_;  ///< an item's rows
};

}  // namespace carroll::detail
