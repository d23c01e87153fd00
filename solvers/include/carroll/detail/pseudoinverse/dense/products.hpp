// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/device/launch.hpp>
#include <carroll/detail/device/threads.hpp>
#include <carroll/detail/device/warp.hpp>
#include <carroll/detail/pseudoinverse/common/multiply_add.hpp>
#include <carroll/detail/pseudoinverse/dense/factors.hpp>
#include <carroll/detail/team.hpp>
#include <carroll/detail/unroll.hpp>
#include <cstdint>

namespace carroll::detail {

/// Writes A⁺ = [η; -βη] of K motion columns, with `own` in place of its entries, each entry once.
/// (K+m)·n entries written, 2K - 1 flops each. For GPUs with warps, and contiguous rows (ByRows) or
/// columns.
///
/// Lines of A⁺, rows or columns, may begin anywhere in memory, but every `period`-th begins in the
/// same place of a sector of 32 bytes. A team's thread goes through such lines. Its lanes keep the
/// factors of `across` times 16 bytes of places in them, which they count from where a sector
/// begins, so that stores are of 16 bytes; the lines bring the other factors, of which each lane
/// reads those of one line before the first store.
template <class ExecSpace, class Real, int K, bool ByRows>
class DenseProductsKernel {
 public:
  DenseProductsKernel(ArrowBatch<Real> const& batch, DenseFactors<Real> const& factors)
      : batch_(batch),
        factors_(factors),
        places_(ByRows ? batch.n : K + batch.m),
        lines_(ByRows ? K + batch.m : batch.n),
        line_stride_(batch.inverse.strides[ByRows ? 1 : 2]),
        tiles_((places_ + period - 1 + tile_places - 1) / tile_places) {
    int const turns = (lines_ + period - 1) / period;
    groups_ = (turns + most_turns - 1) / most_turns;
    turns_ = (turns + groups_ - 1) / groups_;
  }

  [[nodiscard]] TeamLaunch teams(ExecSpace const& /*exec*/) const {
    std::int64_t const items = static_cast<std::int64_t>(batch_.frames) * groups_ * period * tiles_;
    return {.count = static_cast<int>((items + threads - 1) / threads),
            .threads = threads,
            .lanes = 32};
  }

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    std::int64_t const item =
        static_cast<std::int64_t>(team.league_rank()) * threads + team.team_rank();
    int const tile = static_cast<int>(item % tiles_);
    int const rest = static_cast<int>(item / tiles_);
    int const frame = rest / period / groups_;
    int const first = rest / period % groups_ * (turns_ * period) + rest % period;
    if (frame >= batch_.frames || first >= lines_) return;
    int const count = Kokkos::min(turns_, (lines_ - first + period - 1) / period);
    DeviceWarp const warp = warp_of_lanes(team);
    FrameFactors<Real> const of(batch_, factors_, frame);
    Real* const line =
        batch_.inverse.data + frame * batch_.inverse.strides[0] + first * line_stride_;
    auto const past = static_cast<int>(reinterpret_cast<std::uintptr_t>(line) / sizeof(Real) %
                                       static_cast<unsigned>(period));
    int const begin = tile * tile_places + warp.lane * width - past;
    Side const mine = side<!ByRows>(of, first + Kokkos::min(int{warp.lane}, count - 1) * period);
    Side place[across][width];
    CARROLL_UNROLL
    for (int a = 0; a < across; ++a) CARROLL_UNROLL
    for (int e = 0; e < width; ++e) {
      int const i = begin + a * (32 * width) + e;
      place[a][e] = side<ByRows>(of, 0 <= i && i < places_ ? i : 0);
    }
    if (of.written) return;  // known by now: what a side reads has not waited for it
    Real* target = line + begin;
    CARROLL_NO_UNROLL
    for (int t = 0; t < count; ++t, target += period * line_stride_) {
      Side here;
      CARROLL_UNROLL
      for (int j = 0; j < K; ++j) here.factor[j] = warp.from(mine.factor[j], t);
      here.own = ByRows ? mine.own : warp.from(mine.own, t);
      here.row = ByRows ? row_at(of, first + t * period) : warp.from(mine.row, t);
      CARROLL_UNROLL
      for (int a = 0; a < across; ++a) {
        int const i = begin + a * (32 * width);
        Word word;
        CARROLL_UNROLL
        for (int e = 0; e < width; ++e)
          word.part[e] = ByRows ? entry(here, place[a][e]) : entry(place[a][e], here);
        Real* const to = target + a * (32 * width);
        if (0 <= i && i + width <= places_) {
          *reinterpret_cast<Word*>(to) = word;
        } else {
          CARROLL_UNROLL
          for (int e = 0; e < width; ++e)
            if (0 <= i + e && i + e < places_) to[e] = word.part[e];
        }
      }
    }
  }

 private:
  static constexpr int width = 16 / sizeof(Real);
  static constexpr int threads = 4, across = K == 1 ? 2 : 1;
  static constexpr int tile_places = 32 * across * width;
  static constexpr int period = 32 / sizeof(Real);
  static constexpr int most_turns = K > 1 ? 16 : ByRows ? 4 : 6;  ///< 32 at most

  struct alignas(16) Word {
    Real part[width];
  };

  /// What a row or a column brings with it.
  struct Side {
    Real factor[K];  ///< -β, 1 for a motion, or η
    Real own;        ///< of a column
    int row;         ///< the row itself, -1 for a motion that is a sum, too; or that of `own`
  };

  template <bool Column>
  KOKKOS_FUNCTION Side side(FrameFactors<Real> const& of, int i) const {
    Side side{};
    CARROLL_UNROLL
    for (int j = 0; j < K; ++j)
      if constexpr (Column)
        side.factor[j] = of.bad ? of.nan() : of.eta[j * static_cast<std::ptrdiff_t>(batch_.n) + i];
      else
        side.factor[j] = i < K ? of.mix ? static_cast<Real>(of.mix[i * K + j]) : Real(i == j)
                               : of.beta[j * static_cast<std::ptrdiff_t>(batch_.m) + i - K];
    if constexpr (Column) side.own = of.bad ? of.nan() : of.own[i];
    side.row = Column ? K + of.segment[i] : row_at(of, i);
    return side;
  }

  KOKKOS_FUNCTION static int row_at(FrameFactors<Real> const& of, int i) {
    return K > 1 && i < K && of.mix ? -1 : i;
  }

  KOKKOS_FUNCTION static Real entry(Side const& row, Side const& column) {
    Real sum = row.factor[0] * column.factor[0];
    CARROLL_UNROLL
    for (int j = 1; j < K; ++j) sum = multiply_add(row.factor[j], column.factor[j], sum);
    if (K > 1 && static_cast<unsigned>(row.row) < unsigned{K}) {
      CARROLL_UNROLL
      for (int j = 0; j < K; ++j)
        if (row.row == j) sum = column.factor[j];
    }
    return row.row == column.row ? column.own : sum;
  }

  ArrowBatch<Real> batch_;
  DenseFactors<Real> factors_;
  int places_, lines_;
  std::ptrdiff_t line_stride_;
  int tiles_;           ///< of a line
  int turns_, groups_;  ///< lines that a thread goes through, and how many times as many there are
};

}  // namespace carroll::detail
