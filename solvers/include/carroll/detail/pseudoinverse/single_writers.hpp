// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/pseudoinverse/dense_factors.hpp>
#include <carroll/detail/pseudoinverse/multiply_add.hpp>
#include <carroll/detail/pseudoinverse/single_segments.hpp>
#include <carroll/detail/pseudoinverse/stream.hpp>
#include <carroll/detail/unroll.hpp>
#include <cstdint>

/// The second half of a dense A⁺ of one motion column: teams of SegmentShares::warps warps that
/// write A⁺ = [η; -βη], with `own` in place of its entries, each entry once, in stores of 16 bytes
/// wherever a line of A⁺ begins. As many as a GPU holds take items in turn, so that all write near
/// to each other, and load for the next one before they write. They are there before SingleSegments
/// is done, have their first loads behind them, and call `wait` for what it tells.
namespace carroll::detail {

/// The items of a frame that a team takes: its own two first, so that it never waits for one, then
/// whichever is next, for teams are not equally fast.
class SingleItems {
 public:
  /// `slots`: two numbers in scratch.
  KOKKOS_FUNCTION SingleItems(std::int64_t items, int team, int teams, int* taken,
                              std::int64_t* slots)
      : items_(items), next_(team + teams), teams_(teams), taken_(taken), slots_(slots) {}

  /// The item behind the present one; none if it is not less than the number of items. To be called
  /// by all threads before they write, and followed by advance() after that.
  KOKKOS_FUNCTION std::int64_t next(bool leads) {
    if (leads && next_ < items_) drawn_ = Kokkos::atomic_fetch_add(taken_, 1);
    return next_;
  }
  template <class Member>
  KOKKOS_FUNCTION void advance(Member const& team, bool leads) {
    if (leads && next_ < items_) {
      slots_[side_] = 2LL * teams_ + drawn_;
      if (drawn_ == items_ - teams_ - 1) *taken_ = 0;  // nobody draws after that
    }
    if (next_ >= items_) return;
    team.team_barrier();
    next_ = slots_[side_];
    side_ = 1 - side_;
  }

 private:
  std::int64_t items_, next_;
  int teams_, drawn_ = 0, side_ = 0;
  int* taken_;
  std::int64_t* slots_;
};

/// What tells one column of A⁺ from another, as it is loaded.
template <class Real>
struct SingleColumn {
  Real u, b;
  int segment;
};

/// η and `own` of columns of A⁺.
template <class Real>
class SingleFactors {
 public:
  struct Column {
    Real eta, own;
    int row;  ///< of `own`
  };

  KOKKOS_FUNCTION SingleFactors(ArrowBatch<Real> const& batch, int frame, double told)
      : batch_(batch), frame_(frame), told_(told) {}

  KOKKOS_FUNCTION Column column(SingleColumn<Real> const& loaded) const {
    constexpr Real nan = Kokkos::Experimental::quiet_NaN_v<Real>;
    if (Kokkos::isnan(told_)) return {nan, nan, -1};
    // A row that no place of a permutation names has no segment.
    int const s = Kokkos::min(Kokkos::max(loaded.segment, 0), batch_.m - 1);
    auto const u = static_cast<double>(loaded.u), b = static_cast<double>(loaded.b);
    double const beta = batch_.group(frame_, 2, s);
    double const share = u * batch_.group(frame_, 1, s);
    double const eta =
        told_ > 0 ? told_ * (told_ * multiply_add(-u, beta, b)) : -told_ * beta * share;
    auto const rounded = static_cast<Real>(eta);
    double own = multiply_add(-beta, static_cast<double>(rounded), share);
    if (sizeof(Real) < sizeof(double) && !(told_ > 0) && 4 * Kokkos::abs(own) < Kokkos::abs(share))
      own = from_null_vector(s, beta, static_cast<double>(rounded), own);
    return {rounded, static_cast<Real>(own), 1 + s};
  }

  /// What row i of A⁺ is of η.
  KOKKOS_FUNCTION Real row(int i) const {
    return i == 0 ? Real(1) : static_cast<Real>(-batch_.group(frame_, 2, i - 1));
  }

 private:
  /// See DenseFactorsKernel.
  KOKKOS_FUNCTION double from_null_vector(int s, double beta, double eta, double own) const {
    double const* const null = batch_.core(frame_);
    return s == static_cast<int>(null[0]) ? eta * null[1] / beta : own;
  }

  ArrowBatch<Real> const& batch_;
  int frame_;
  double told_;
};

/// Columns of a frame's A⁺ on their way.
template <class Real>
class SingleLoads {
 public:
  KOKKOS_FUNCTION SingleLoads(ArrowBatch<Real> const& batch, DenseFactors<Real> const& factors,
                              int frame)
      : batch_(batch),
        columns_(batch, frame),
        segment_(factors.segment + static_cast<std::ptrdiff_t>(frame) * batch.n),
        frame_(frame) {}

  /// Column p, or the first one where there is none.
  KOKKOS_FUNCTION SingleColumn<Real> operator()(int p) const {
    if (!columns_.valid(p)) p = 0;
    return {columns_.u(p), columns_.b(p), segment_[p]};
  }
  /// Columns p, p + 1, … before SingleSegments is done: without a permutation their segments can be
  /// searched, which takes long, but then there is time.
  template <int Count>
  KOKKOS_FUNCTION void early(SingleColumn<Real> (&loaded)[Count], int p) const {
    int segment = columns_.rows ? 0 : segment_at(batch_, frame_, p);
    CARROLL_UNROLL
    for (int e = 0; e < Count; ++e) {
      int const q = columns_.valid(p + e) ? p + e : 0;
      while (segment + 1 < batch_.m && batch_.offset(frame_, segment + 1) <= p + e) ++segment;
      loaded[e] = {columns_.u(q), columns_.b(q), segment};
    }
  }
  /// What was not known early.
  template <int Count>
  KOKKOS_FUNCTION void complete(SingleColumn<Real> (&loaded)[Count], int p) const {
    if (!columns_.rows) return;
    CARROLL_UNROLL
    for (int e = 0; e < Count; ++e) loaded[e].segment = segment_[columns_.valid(p + e) ? p + e : 0];
  }

 private:
  ArrowBatch<Real> const& batch_;
  SingleColumns<Real> columns_;
  int const* segment_;
  int frame_;
};

/// Rows that are contiguous. Lanes keep the factors of 16 bytes of places; their rows are those
/// that begin in the same place of 16 bytes.
template <class Real>
class SingleRowWriter {
 public:
  /// Of a processor, as for the other writers: with more of them registers would not do, and less
  /// wait too long for what they load (H200, 2026-11-22).
  static constexpr int teams_at_once = 3;
  static bool takes(ArrowBatch<Real> const& batch) { return batch.inverse.strides[2] == 1; }

  explicit SingleRowWriter(ArrowBatch<Real> const& batch)
      : tiles_((batch.n + width - 1 + tile - 1) / tile),
        apart_(batch.inverse.strides[1] % width == 0 ? 1 : width) {
    int const rows = rows_each * apart_;
    items_ = static_cast<std::int64_t>((1 + batch.m + rows - 1) / rows) * apart_ * tiles_;
  }
  [[nodiscard]] KOKKOS_FUNCTION std::int64_t items() const { return items_; }
  [[nodiscard]] static std::size_t scratch_bytes() { return 0; }

  template <class Member, class Wait>
  KOKKOS_FUNCTION void operator()(Member const& team, DeviceWarp const& warp,
                                  ArrowBatch<Real> const& batch, DenseFactors<Real> const& factors,
                                  int frame, SingleItems items, std::int64_t first, char*,
                                  Wait const& wait) const {
    int const rows = 1 + batch.m;
    bool const leads = team.team_rank() == 0 && warp.lane == 0;
    SingleLoads<Real> const load(batch, factors, frame);
    Item item = item_at(batch, frame, team.team_rank(), warp.lane, first);
    SingleColumn<Real> loaded[width];
    load.early(loaded, item.place);
    SingleFactors<Real> const of(batch, frame, wait());
    load.complete(loaded, item.place);
    auto const factor_of = [&] {  // each lane's for one row
      return of.row(Kokkos::min(item.row + warp.lane % rows_each * apart_, rows - 1));
    };
    Real factor = factor_of();
    for (std::int64_t i = first; i < items_;) {
      typename SingleFactors<Real>::Column column[width];
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
  static constexpr int tile = 32 * SegmentShares::warps * width;            ///< places
  static constexpr int rows_each = sizeof(Real) < sizeof(double) ? 16 : 8;  ///< of an item

  /// A lane's places in `rows_each` rows.
  struct Item {
    int place, row;
    Real* to;
  };
  KOKKOS_FUNCTION Item item_at(ArrowBatch<Real> const& batch, int frame, int w, int lane,
                               std::int64_t index) const {
    auto const tile_index = static_cast<int>(index % tiles_);
    auto const rest = static_cast<int>(index / tiles_);
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
                             typename SingleFactors<Real>::Column const (&column)[width],
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
  std::int64_t items_;
};

/// Short columns that follow each other without a gap: one line of n·(1+m) entries, of which an
/// item is a piece. The factors of rows are in scratch once for every place of 16 bytes in which a
/// column can begin, so that they are loaded as they are stored.
template <class Real>
class SingleColumnWriter {
 public:
  static constexpr int teams_at_once = 4;
  static bool takes(ArrowBatch<Real> const& batch) {
    return batch.inverse.strides[1] == 1 && batch.inverse.strides[2] == 1 + batch.m &&
           width <= 1 + batch.m && 1 + batch.m <= most_rows;
  }

  explicit SingleColumnWriter(ArrowBatch<Real> const& batch)
      : rows_(1 + batch.m),
        words_(Kokkos::min((threads - 4) * rows_ / (threads * width), most_words)),
        piece_(Kokkos::max(words_, 1) * threads * width),
        copy_((rows_ + 2 * width - 1) / width * width),
        columns_(piece_ / rows_ + 4),
        entries_(static_cast<std::int64_t>(batch.n) * rows_),
        items_((entries_ + width - 1 + piece_ - 1) / piece_) {
    words_ = piece_ / (threads * width);
  }
  [[nodiscard]] KOKKOS_FUNCTION std::int64_t items() const { return items_; }
  [[nodiscard]] std::size_t scratch_bytes() const {
    return static_cast<std::size_t>(width) * copy_ * sizeof(Real) +
           2 * static_cast<std::size_t>(columns_) * (sizeof(Column) + sizeof(Real));
  }

  template <class Member, class Wait>
  KOKKOS_FUNCTION void operator()(Member const& team, DeviceWarp const& warp,
                                  ArrowBatch<Real> const& batch, DenseFactors<Real> const& factors,
                                  int frame, SingleItems items, std::int64_t first, char* scratch,
                                  Wait const& wait) const {
    bool const leads = team.team_rank() == 0 && warp.lane == 0;
    auto* const copies = reinterpret_cast<Real*>(scratch);
    auto* const column = reinterpret_cast<Column*>(copies + width * copy_);
    auto* const own = reinterpret_cast<Real*>(column + 2 * columns_);
    int const t = 32 * team.team_rank() + warp.lane;
    Real* const data = batch.inverse.data + frame * batch.inverse.strides[0];
    auto const past = static_cast<int>(reinterpret_cast<std::uintptr_t>(data) / sizeof(Real) %
                                       static_cast<unsigned>(width));
    std::int64_t begin = first * piece_ - past;
    auto before = static_cast<int>(Kokkos::max(begin, std::int64_t{0}) / rows_);  // columns
    SingleLoads<Real> const load(batch, factors, frame);
    SingleColumn<Real> loaded[1];
    load.early(loaded, Kokkos::min(before + t, batch.n - 1));
    SingleFactors<Real> const of(batch, frame, wait());
    load.complete(loaded, Kokkos::min(before + t, batch.n - 1));
    for (int x = t; x < copy_ + width - 1; x += threads) {
      Real const factor = of.row(x < rows_ ? x : x % rows_);
      CARROLL_UNROLL
      for (int c = 0; c < width; ++c)
        if (c <= x && x - c < copy_) copies[c * copy_ + x - c] = factor;
    }
    int side = 0;
    for (std::int64_t item = first; item < items_; side = columns_ - side) {
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
        begin = item * piece_ - past;
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
  static constexpr int most_words = 8, most_rows = 2048;

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
  std::int64_t entries_, items_;
};

/// For other writers, behind this kernel: the factors into memory.
template <class Real>
class SingleFactorWriter {
 public:
  static constexpr int teams_at_once = 4;
  explicit SingleFactorWriter(ArrowBatch<Real> const& batch)
      : items_((Kokkos::max(batch.n, batch.m) + threads - 1) / threads) {}
  [[nodiscard]] KOKKOS_FUNCTION std::int64_t items() const { return items_; }
  [[nodiscard]] static std::size_t scratch_bytes() { return 0; }

  template <class Member, class Wait>
  KOKKOS_FUNCTION void operator()(Member const& team, DeviceWarp const& warp,
                                  ArrowBatch<Real> const& batch, DenseFactors<Real> const& factors,
                                  int frame, SingleItems items, std::int64_t first, char*,
                                  Wait const& wait) const {
    bool const leads = team.team_rank() == 0 && warp.lane == 0;
    SingleFactors<Real> const of(batch, frame, wait());
    SingleLoads<Real> const load(batch, factors, frame);
    for (std::int64_t item = first; item < items_;
         item = items.next(leads), items.advance(team, leads)) {
      auto const p = static_cast<int>(item * threads + 32 * team.team_rank() + warp.lane);
      if (p < batch.m)
        factors.beta[static_cast<std::ptrdiff_t>(frame) * batch.m + p] = of.row(1 + p);
      if (p >= batch.n) continue;
      auto const column = of.column(load(p));
      std::ptrdiff_t const at = static_cast<std::ptrdiff_t>(frame) * batch.n + p;
      factors.eta[at] = column.eta;
      factors.own[at] = column.own;
    }
  }

 private:
  static constexpr int threads = 32 * SegmentShares::warps;
  std::int64_t items_;
};

}  // namespace carroll::detail
