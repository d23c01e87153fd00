// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/device/math.hpp>
#include <carroll/detail/device/signals.hpp>
#include <carroll/detail/device/warp.hpp>
#include <carroll/detail/pseudoinverse/common/multiply_add.hpp>
#include <carroll/detail/pseudoinverse/dense/factors.hpp>
#include <carroll/detail/pseudoinverse/one_motion/dense/segments.hpp>
#include <carroll/detail/unroll.hpp>
#include <cstdint>

/// The second half of a dense A⁺ of one motion column: teams of SegmentShares::warps warps that
/// write A⁺ = [η; -βη], with `own` in place of its entries, each entry once, in stores of 16 bytes
/// wherever a line of A⁺ begins. As many as a GPU holds take items in turn, so that all write near
/// to each other, and load for the next one before they write. They are there before
/// OneMotionSegments is done, have their first loads behind them, and call `wait` for what it
/// tells.
namespace carroll::detail {

/// The items of a frame that a team takes: its own two first, so that it never waits for one, then
/// whichever is next, for teams are not equally fast. No memory holds more items than an int
/// counts.
class OneMotionItems {
 public:
  /// `slots`: two numbers in scratch.
  KOKKOS_FUNCTION OneMotionItems(int items, int team, int teams, int* taken, int* slots)
      : items_(items), next_(team + teams), teams_(teams), taken_(taken), slots_(slots) {}

  /// The item behind the present one; none if it is not less than the number of items. To be called
  /// by all threads before they write, and followed by advance() after that.
  KOKKOS_FUNCTION int next(bool leads) {
    if (leads && next_ < items_) drawn_ = draw_ticket(taken_);
    return next_;
  }
  template <class Member>
  KOKKOS_FUNCTION void advance(Member const& team, bool leads) {
    if (leads && next_ < items_) {
      slots_[side_] = 2 * teams_ + drawn_;
      if (drawn_ == items_ - teams_ - 1) *taken_ = 0;  // nobody draws after that
    }
    if (next_ >= items_) return;
    team.team_barrier();
    next_ = slots_[side_];
    side_ = 1 - side_;
  }

  [[nodiscard]] KOKKOS_FUNCTION int teams() const { return teams_; }

 private:
  int items_, next_;
  int teams_, drawn_ = 0, side_ = 0;
  int* taken_;
  int* slots_;
};

/// What tells one column of A⁺ from another, as it is loaded.
template <class Real>
struct OneMotionColumn {
  Real u, b;
  int segment;
};

/// η and `own` of columns of A⁺.
template <class Real>
class OneMotionFactors {
 public:
  struct Column {
    Real eta, own;
    int row;  ///< of `own`
  };

  KOKKOS_FUNCTION OneMotionFactors(ArrowBatch<Real> const& batch, int frame, double told)
      : batch_(batch), frame_(frame), told_(told) {}

  KOKKOS_FUNCTION Column column(OneMotionColumn<Real> const& loaded) const {
    constexpr Real nan = Kokkos::Experimental::quiet_NaN_v<Real>;
    if (Kokkos::isnan(told_)) return {nan, nan, -1};
    // A row that no place of a permutation names has no segment.
    int const s = Kokkos::min(Kokkos::max(loaded.segment, 0), batch_.m - 1);
    auto const u = static_cast<double>(loaded.u), b = static_cast<double>(loaded.b);
    double const beta = batch_.group(frame_, 2, s);
    double const share = u * batch_.group(frame_, 1, s);
    double const eta =
        told_ > 0 ? told_ * (told_ * multiply_add(-u, beta, b)) : told_ * beta * (told_ * share);
    auto const rounded = static_cast<Real>(eta);
    double own = multiply_add(-beta, static_cast<double>(rounded), share);
    if (!(told_ > 0) && 4 * Kokkos::abs(own) < Kokkos::abs(share))
      own = from_null_vector(s, static_cast<double>(rounded), own);
    return {rounded, static_cast<Real>(own), 1 + s};
  }

  /// All entries of column p, in double precision: slowly. Where one exceeds the range it is told.
  KOKKOS_FUNCTION void write(OneMotionColumn<Real> const& loaded, int p) const {
    int const s = Kokkos::min(Kokkos::max(loaded.segment, 0), batch_.m - 1);
    auto const u = static_cast<double>(loaded.u), b = static_cast<double>(loaded.b);
    double const beta = batch_.group(frame_, 2, s), share = u * batch_.group(frame_, 1, s);
    double const eta =
        told_ > 0 ? told_ * (told_ * multiply_add(-u, beta, b)) : told_ * beta * (told_ * share);
    double own = multiply_add(-beta, eta, share);
    if (!(told_ > 0) && 4 * Kokkos::abs(own) < Kokkos::abs(share))
      own = from_null_vector(s, eta, own);
    auto const& A = batch_.inverse;
    Real* const column = A.data + frame_ * A.strides[0] + p * A.strides[2];
    bool fits = true;
    for (int i = 0; i <= batch_.m; ++i) {
      double const entry = i == 0 ? eta : i == 1 + s ? own : -batch_.group(frame_, 2, i - 1) * eta;
      auto const rounded = static_cast<Real>(entry);
      column[i * A.strides[1]] = rounded;
      fits = fits && Kokkos::isfinite(rounded);
    }
    if (!fits) Kokkos::atomic_store(&batch_.info_of(frame_).status, Status::overflow);
  }

  /// Has what column() reads of memory brought near.
  KOKKOS_FUNCTION void bring(OneMotionColumn<Real> const& loaded) const {
    if (batch_.m == 0) return;
    int const s = Kokkos::min(Kokkos::max(loaded.segment, 0), batch_.m - 1);
    opaque_register(Kokkos::bit_cast<std::uint64_t>(batch_.group(frame_, 1, s)));
    opaque_register(Kokkos::bit_cast<std::uint64_t>(batch_.group(frame_, 2, s)));
  }

  /// What row i of A⁺ is of η.
  KOKKOS_FUNCTION Real row(int i) const {
    return i == 0 ? Real(1) : static_cast<Real>(-batch_.group(frame_, 2, i - 1));
  }

 private:
  /// A depth can be all but the null vector z. Its u/d and βη then cancel, and its entry ξ is had
  /// from the others, to which it is as zᵀx = 0 says.
  KOKKOS_FUNCTION double from_null_vector(int s, double eta, double own) const {
    double const* const null = batch_.core(frame_);
    return s == static_cast<int>(null[0]) ? eta * null[1] : own;
  }

  ArrowBatch<Real> const& batch_;
  int frame_;
  double told_;
};

/// Columns of a frame's A⁺ on their way.
template <class Real>
class OneMotionLoads {
 public:
  KOKKOS_FUNCTION OneMotionLoads(ArrowBatch<Real> const& batch, DenseFactors<Real> const& factors,
                                 int frame)
      : batch_(batch),
        columns_(batch, frame),
        segment_(factors.segment + static_cast<std::ptrdiff_t>(frame) * batch.n),
        frame_(frame) {}

  /// Column p, or the first one where there is none.
  KOKKOS_FUNCTION OneMotionColumn<Real> operator()(int p) const {
    if (!columns_.valid(p)) p = 0;
    return {columns_.u(p), columns_.b(p), segment_[p]};
  }
  /// Columns p, p + 1, … before OneMotionSegments is done: without a permutation their segments can
  /// be searched, which takes long, but then there is time.
  template <int Count>
  KOKKOS_FUNCTION void early(OneMotionColumn<Real> (&loaded)[Count], int p) const {
    int segment = columns_.rows ? 0 : likely_segment(p);
    CARROLL_UNROLL
    for (int e = 0; e < Count; ++e) {
      int const q = columns_.valid(p + e) ? p + e : 0;
      while (!columns_.rows && segment + 1 < batch_.m &&
             batch_.offset(frame_, segment + 1) <= p + e)
        ++segment;
      loaded[e] = {columns_.u(q), columns_.b(q), segment};
    }
  }
  /// What was not known early.
  template <int Count>
  KOKKOS_FUNCTION void complete(OneMotionColumn<Real> (&loaded)[Count], int p) const {
    if (!columns_.rows) return;
    CARROLL_UNROLL
    for (int e = 0; e < Count; ++e) loaded[e].segment = segment_[columns_.valid(p + e) ? p + e : 0];
  }

 private:
  /// See segment_at(): sooner found where segments are about equally long.
  KOKKOS_FUNCTION int likely_segment(int p) const {
    int const m = batch_.m;
    if (m == 0) return 0;
    p = Kokkos::min(Kokkos::max(p, 0), batch_.n - 1);
    int low = Kokkos::min(static_cast<int>(static_cast<float>(p) * m / batch_.n), m - 1);
    int high = low, step = 1;
    CARROLL_NO_UNROLL
    while (high < m && batch_.offset(frame_, high) <= p) {
      low = high;
      high += step;
      step *= 2;
    }
    high = Kokkos::min(high, m);
    CARROLL_NO_UNROLL
    for (step = 1; low > 0 && batch_.offset(frame_, low) > p; step *= 2) {
      high = low;
      low = Kokkos::max(low - step, 0);
    }
    // Segment `low` begins at or before p, or is the first; segment `high` behind it, or is none.
    CARROLL_NO_UNROLL
    while (high - low > 1) {
      int const middle = low + (high - low) / 2;
      if (batch_.offset(frame_, middle) <= p)
        low = middle;
      else
        high = middle;
    }
    return Kokkos::max(low, 0);
  }

  ArrowBatch<Real> const& batch_;
  OneMotionColumns<Real> columns_;
  int const* segment_;
  int frame_;
};

/// Writes A⁺ by the writers' teams where it is wanted so; returns whether. `told` is what they have
/// waited for.
template <class Real, class Member>
KOKKOS_FUNCTION bool wrote_entries([[maybe_unused]] Member const& team,
                                   [[maybe_unused]] DeviceWarp const& warp,
                                   [[maybe_unused]] ArrowBatch<Real> const& batch,
                                   [[maybe_unused]] DenseFactors<Real> const& factors,
                                   [[maybe_unused]] int frame, [[maybe_unused]] int first,
                                   [[maybe_unused]] int teams, [[maybe_unused]] double told) {
  if constexpr (sizeof(Real) < sizeof(double)) {
    if (told != OneMotionVerdict<Real>::entries_are_wanted) return false;
    constexpr int threads = 32 * SegmentShares::warps;
    OneMotionFactors<Real> const of(batch, frame, batch.core(frame)[2]);
    OneMotionLoads<Real> const load(batch, factors, frame);
    for (std::int64_t p = std::int64_t{first} * threads + 32 * team.team_rank() + warp.lane;
         p < batch.n; p += std::int64_t{teams} * threads)
      of.write(load(static_cast<int>(p)), static_cast<int>(p));
    return true;
  } else {
    return false;
  }
}

/// What a writer without scratch is asked for.
class OneMotionWriterItems {
 public:
  [[nodiscard]] KOKKOS_FUNCTION int items() const { return items_; }
  [[nodiscard]] static std::size_t scratch_bytes() { return 0; }

 protected:
  explicit OneMotionWriterItems(int items) : items_(items) {}

  int items_;
};

/// For other writers, behind this kernel: the factors into memory.
template <class Real>
class OneMotionFactorWriter : public OneMotionWriterItems {
 public:
  static constexpr int teams_at_once = 4;
  explicit OneMotionFactorWriter(ArrowBatch<Real> const& batch)
      : OneMotionWriterItems((Kokkos::max(batch.n, batch.m) + threads - 1) / threads) {}

  template <class Member, class WaitForGroups, class Wait>
  KOKKOS_FUNCTION void operator()(Member const& team, DeviceWarp const& warp,
                                  ArrowBatch<Real> const& batch, DenseFactors<Real> const& factors,
                                  int frame, OneMotionItems items, int first, char*,
                                  WaitForGroups const& wait_for_groups, Wait const& wait) const {
    bool const leads = team.team_rank() == 0 && warp.lane == 0;
    wait_for_groups();
    double const told = wait();
    if (wrote_entries(team, warp, batch, factors, frame, first, items.teams(), told)) return;
    OneMotionFactors<Real> const of(batch, frame, told);
    OneMotionLoads<Real> const load(batch, factors, frame);
    for (int item = first; item < items_; item = items.next(leads), items.advance(team, leads)) {
      int const p = item * threads + 32 * team.team_rank() + warp.lane;
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
};

}  // namespace carroll::detail
