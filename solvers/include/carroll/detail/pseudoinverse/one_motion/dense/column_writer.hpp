// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/device/warp.hpp>
#include <carroll/detail/pseudoinverse/common/stream.hpp>
#include <carroll/detail/pseudoinverse/one_motion/dense/columns.hpp>
#include <cstdint>

namespace carroll::detail {

/// Short columns that follow each other without a gap: one line of n·(1+m) entries, of which an
/// item is a piece. The factors of rows are in scratch once for every place of 16 bytes in which a
/// column can begin, so that they are loaded as they are stored.
template <class Real>
class OneMotionColumnWriter {
 public:
  /// Of a processor. 120 000 x 1024 in 132 and 242 us, float and double, for 136 and 248 with 4,
  /// for which registers do not do (H200, 2026-11-23).
  static constexpr int teams_at_once = 3;
  explicit OneMotionColumnWriter(ArrowBatch<Real> const& batch)
      : rows_(1 + batch.m),
        words_(Kokkos::min((threads - 4) * rows_ / (threads * width), most_words)),
        piece_(Kokkos::max(words_, 1) * threads * width),
        copy_((rows_ + 2 * width - 1) / width * width),
        columns_(piece_ / rows_ + 4),
        entries_(static_cast<std::int64_t>(batch.n) * rows_),
        items_(static_cast<int>((entries_ + width - 1 + piece_ - 1) / piece_)) {
    words_ = piece_ / (threads * width);
  }
  [[nodiscard]] KOKKOS_FUNCTION int items() const { return items_; }
  [[nodiscard]] std::size_t scratch_bytes() const {
    return static_cast<std::size_t>(width) * copy_ * sizeof(Real) +
           2 * static_cast<std::size_t>(columns_) * (sizeof(Column) + sizeof(Real));
  }

  template <class Member, class WaitForGroups, class Wait>
  KOKKOS_FUNCTION void operator()(Member const& team, DeviceWarp const& warp,
                                  ArrowBatch<Real> const& batch, DenseFactors<Real> const& factors,
                                  int frame, OneMotionItems items, int first, char* scratch,
                                  WaitForGroups const& wait_for_groups, Wait const& wait) const {
    bool const leads = team.team_rank() == 0 && warp.lane == 0;
    auto* const copies = reinterpret_cast<Real*>(scratch);
    auto* const column = reinterpret_cast<Column*>(copies + width * copy_);
    auto* const own = reinterpret_cast<Real*>(column + 2 * columns_);
    int const t = 32 * team.team_rank() + warp.lane;
    Real* const data = batch.inverse.data + frame * batch.inverse.strides[0];
    auto const past = static_cast<int>(reinterpret_cast<std::uintptr_t>(data) / sizeof(Real) %
                                       static_cast<unsigned>(width));
    std::int64_t begin = std::int64_t{first} * piece_ - past;
    auto before = static_cast<int>(Kokkos::max(begin, std::int64_t{0}) / rows_);  // columns
    OneMotionLoads<Real> const load(batch, factors, frame);
    OneMotionColumn<Real> loaded[1];
    load.early(loaded, Kokkos::min(before + t, batch.n - 1));
    wait_for_groups();
    load.complete(loaded, Kokkos::min(before + t, batch.n - 1));
    OneMotionFactors<Real> const early(batch, frame, 0);
    early.bring(loaded[0]);
    for (int x = t; x < copy_ + width - 1; x += threads) {
      Real const factor = early.row(x < rows_ ? x : x % rows_);
      CARROLL_UNROLL
      for (int c = 0; c < width; ++c)
        if (c <= x && x - c < copy_) copies[c * copy_ + x - c] = factor;
    }
    double const told = wait();
    if (wrote_entries(team, warp, batch, factors, frame, first, items.teams(), told)) return;
    OneMotionFactors<Real> const of(batch, frame, told);
    int side = 0;
    for (int item = first; item < items_; side = columns_ - side) {
      if (t < columns_) {
        auto const found = of.column(loaded[0]);
        column[side + t] = {found.eta, found.row < 0 ? -1 : t * rows_ + found.row};
        own[side + t] = found.own;
      }
      team.team_barrier();
      std::int64_t const at = begin;
      auto const start = static_cast<int>(begin - static_cast<std::int64_t>(before) * rows_);
      item = items.next(leads);
      if (item < items_) {
        begin = std::int64_t{item} * piece_ - past;
        before = static_cast<int>(begin / rows_);
        if (t < columns_) loaded[0] = load(Kokkos::min(before + t, batch.n - 1));
      }
      write(data, at, start, t, copies, column + side, own + side);
      items.advance(team, leads);
    }
  }

 private:
  static constexpr int width = StoredWord<Real>::width;
  static constexpr int threads = 32 * SegmentShares::warps;
  static constexpr int most_words = 8;

  struct Column {
    Real eta;
    int own_at;  ///< counted from where the item's first column begins
  };

  /// The piece from entry `begin` on, which is entry `start` of column[0].
  KOKKOS_FUNCTION void write(Real* data, std::int64_t begin, int start, int t, Real const* copies,
                             Column const* column, Real const* own) const {
    int rel = start + t * width;
    int c = Kokkos::max(rel, 0) / rows_;
    int i = rel - c * rows_;
    int const more_columns = threads * width / rows_, more_rows = threads * width % rows_;
    std::int64_t at = begin + t * width;
    for (int w = 0; w < words_ && at < entries_; ++w, at += threads * width) {
      if (at >= 0 && at + width <= entries_) {
        int const shift = i % width;
        auto word =
            *reinterpret_cast<StoredWord<Real> const*>(copies + shift * copy_ + (i - shift));
        Column const here = column[c], next = column[c + 1];
        CARROLL_UNROLL
        for (int e = 0; e < width; ++e) word.part[e] *= i + e < rows_ ? here.eta : next.eta;
        auto const mine = static_cast<unsigned>(here.own_at - rel);
        auto const others = static_cast<unsigned>(next.own_at - rel);
        if (Kokkos::min(mine, others) < unsigned{width}) {
          CARROLL_UNROLL
          for (unsigned e = 0; e < unsigned{width}; ++e) {
            if (mine == e) word.part[e] = own[c];
            if (others == e) word.part[e] = own[c + 1];
          }
        }
        stream_word(data + at, word);
      } else {
        for (int e = 0; e < width; ++e) {
          if (at + e < 0 || at + e >= entries_) continue;
          int const row = i + e < rows_ ? i + e : i + e - rows_;
          int const of_entry = i + e < rows_ ? c : c + 1;
          data[at + e] = column[of_entry].own_at == rel + e ? own[of_entry]
                                                            : copies[row] * column[of_entry].eta;
        }
      }
      rel += threads * width;
      c += more_columns;
      i += more_rows;
      if (i >= rows_) {
        i -= rows_;
        ++c;
      } else if (i < 0) {  // behind a word that begins before A⁺
        i += rows_;
        --c;
      }
    }
  }

  int rows_;
  int words_;    ///< of a lane in an item
  int piece_;    ///< entries of an item
  int copy_;     ///< entries of a copy of the rows' factors
  int columns_;  ///< that an item may have entries of
  std::int64_t entries_;
  int items_;
};

}  // namespace carroll::detail
