// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/copies/async_copy.hpp>
#include <carroll/detail/device/warp.hpp>
#include <carroll/detail/pseudoinverse/problem.hpp>
#include <carroll/detail/unroll.hpp>
#include <cstddef>
#include <cstdint>

namespace carroll::detail {

/// Rows (u | B | r) of consecutive windows of a batch, of one problem after the other, in blocks: a
/// lane has rows (lane%4)·width, … of column lane/4 of a block. `blocks` of them are taken at a
/// time, and as many times `stages` - 1 are on their way to scratch. Behind a problem's last row
/// there are zeros. Rows are plain ones, those that a permutation names, 0 for a number that is
/// none, or a functor's, each of which one lane asks for; without weights.
template <class Real, int K, class Source, int blocks, int stages>
class RowStream {
 public:
  static_assert(Source::template has_entries_of<Real>);
  static constexpr int columns = K + 2;
  static_assert(columns <= 8 && (stages & (stages - 1)) == 0);
  static constexpr int width = 16 / sizeof(Real);
  static constexpr int block_rows = 4 * width;
  static constexpr int rows_at_once = blocks * block_rows;

  struct alignas(16) Block {
    Real part[width];
  };
  using Blocks = Block[blocks][32];
  using Ring = Blocks[stages];

  /// Windows first, …, stop - 1 of all problems. `passes`: rows are to leave the cache before what
  /// is written meanwhile.
  KOKKOS_FUNCTION RowStream(ArrowBatch<Real> const& batch, Source const& source,
                            DeviceWarp const& warp, int first, int stop, bool passes, Ring& ring)
      : batch_(batch),
        source_(source),
        warp_(warp),
        ring_(ring),
        stop_(stop),
        problem_(first / batch.windows),
        row_(first % batch.windows * batch.window_rows),
        passes_(passes) {
    begin_problem();
    CARROLL_NO_UNROLL
    for (int i = 0; i < stages - 1; ++i) fetch();
  }

  /// What is next, of all lanes; until the next call.
  KOKKOS_FUNCTION Blocks const& next() {
    wait_for_copy_groups<stages - 2>();
    warp_.sync();
    fetch();  // where no lane reads any more
    return ring_[slot_ % stages];
  }

 private:
  KOKKOS_FUNCTION int own_column() const { return warp_.lane / 4; }

  KOKKOS_FUNCTION void begin_problem() {
    std::int64_t const left =
        (stop_ - static_cast<std::int64_t>(problem_) * batch_.windows) * batch_.window_rows;
    end_ = static_cast<int>(Kokkos::min<std::int64_t>(left, batch_.n));
    if (end_ <= 0) return;
    if constexpr (Source::is_stored) {
      auto const rows = source_.of(batch_, problem_);
      auto const column = rows.column(Kokkos::min(own_column(), K + 1), K);
      data_ = column.data;
      stride_ = column.stride;
      bool const fits = Source::is_plain && stride_ == 1 &&
                        reinterpret_cast<std::uintptr_t>(data_) % sizeof(Block) == 0;
      aligned_ = warp_.ballot(!fits && own_column() < columns) == 0;
    }
  }

  KOKKOS_FUNCTION void fetch() {
    if (row_ >= end_ && end_ > 0) {
      ++problem_;
      row_ = 0;
      begin_problem();
    }
    int const row = row_ + warp_.lane % 4 * width;
    Blocks& to = ring_[slot_ % stages];
    if constexpr (!Source::is_stored) {
      if (row_ < end_) ask(to);
    } else if (row_ < end_ && (columns == 8 || own_column() < columns)) {
      if (aligned_ && row_ + rows_at_once <= batch_.n) {
        Real const* const from = data_ + row;
        if (passes_) {
          CARROLL_UNROLL
          for (int b = 0; b < blocks; ++b)
            copy_passing_row_async(&to[b][warp_.lane], from + b * block_rows);
        } else {
          CARROLL_UNROLL
          for (int b = 0; b < blocks; ++b)
            copy_row_async(&to[b][warp_.lane], from + b * block_rows, sizeof(Block));
        }
      } else {
        CARROLL_NO_UNROLL
        for (int b = 0; b < blocks; ++b) fetch(row + b * block_rows, to[b][warp_.lane]);
      }
    }
    end_copy_group();
    row_ += rows_at_once;
    ++slot_;
  }

  KOKKOS_FUNCTION void fetch(int row, Block& to) const {
    if (aligned_) {
      int const left = (batch_.n - row) * static_cast<int>(sizeof(Real));
      int const bytes = Kokkos::clamp(left, 0, 16);
      copy_row_async(&to, data_ + (bytes > 0 ? row : 0), bytes);
      return;
    }
    CARROLL_UNROLL
    for (int i = 0; i < width; ++i) {
      bool const exists = row + i < batch_.n;
      copy_async(&to.part[i], data_ + (exists ? row_at(row + i) : 0) * stride_,
                 exists ? static_cast<int>(sizeof(Real)) : 0);
    }
  }

  KOKKOS_FUNCTION int row_at(int place) const {
    if constexpr (Source::is_plain)
      return place;
    else
      return source_.of(batch_, problem_).row_at(place);
  }

  /// A functor's rows from `row_` on.
  KOKKOS_FUNCTION void ask(Blocks& to) const {
    auto const rows = source_.of(batch_, problem_);
    CARROLL_NO_UNROLL
    for (int r = warp_.lane; r < rows_at_once; r += 32) {
      Real held[columns] = {};
      if (row_ + r < batch_.n)
        rows.read(row_ + r, K, [&](int c, double value) { held[c] = static_cast<Real>(value); });
      Block* const first = to[r / block_rows] + r % block_rows / width;
      CARROLL_UNROLL
      for (int c = 0; c < columns; ++c) first[4 * c].part[r % width] = held[c];
    }
  }

  ArrowBatch<Real> const& batch_;
  Source const& source_;
  DeviceWarp const& warp_;
  Ring& ring_;
  int stop_, problem_, row_;
  int end_ = 0;  ///< row behind the last one that is wanted of the problem
  unsigned slot_ = 0;
  Real const* data_ = nullptr;
  std::ptrdiff_t stride_ = 0;
  bool aligned_ = false;
  bool passes_;
};

}  // namespace carroll::detail
