// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/pseudoinverse/dense_factors.hpp>
#include <carroll/detail/team.hpp>
#include <cstdint>

namespace carroll::detail {

/// Writes A⁺ = [η; -βη] of one motion column, with `own` in place of its entries, each entry once.
/// (1+m)·n entries written, a multiplication each. For GPUs, and contiguous rows (ByRows) or
/// columns.
///
/// Lines of A⁺, rows or columns, may begin anywhere in a cache line, but every 32nd begins in the
/// same place of one. A team's thread goes through such lines. Its lanes keep the factors of
/// `across` places in them, which they count from where a cache line begins, so that all stores are
/// of whole ones; the line brings the other factor.
template <class ExecSpace, class Real, bool ByRows>
class DenseProductsKernel {
 public:
  using Policy = Kokkos::TeamPolicy<ExecSpace>;
  using Member = typename Policy::member_type;

  static bool takes(ArrowBatch<Real> const& batch) {
    return batch.k == 1 && batch.inverse.strides[ByRows ? 2 : 1] == 1;
  }

  DenseProductsKernel(ArrowBatch<Real> const& batch, DenseFactors<Real> const& factors)
      : batch_(batch),
        factors_(factors),
        places_(ByRows ? batch.n : 1 + batch.m),
        lines_(ByRows ? 1 + batch.m : batch.n),
        line_stride_(batch.inverse.strides[ByRows ? 1 : 2]),
        tiles_((places_ + width - 1 + period - 1) / width) {
    int const turns = (lines_ + period - 1) / period;
    groups_ = (turns + most_turns - 1) / most_turns;
    turns_ = (turns + groups_ - 1) / groups_;
  }

  Policy policy(ExecSpace const& exec) const {
    std::int64_t const items = static_cast<std::int64_t>(batch_.frames) * groups_ * period * tiles_;
    return Policy(exec, static_cast<int>((items + threads - 1) / threads), threads,
                  lanes<ExecSpace>);
  }

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    std::int64_t const item =
        static_cast<std::int64_t>(team.league_rank()) * threads + team.team_rank();
    int const tile = static_cast<int>(item % tiles_);
    int const rest = static_cast<int>(item / tiles_);
    int const frame = rest / period / groups_;
    int const first = rest / period % groups_ * (turns_ * period) + rest % period;
    if (frame >= batch_.frames || first >= lines_) return;
    int const end = Kokkos::min(first + turns_ * period, lines_);
    FrameFactors<Real> const of(batch_, factors_, frame);
    Real* const line =
        batch_.inverse.data + frame * batch_.inverse.strides[0] + first * line_stride_;
    auto const past = static_cast<int>(reinterpret_cast<std::uintptr_t>(line) / sizeof(Real) %
                                       static_cast<unsigned>(period));
    lane_for(team, lanes<ExecSpace>, [&](int lane) {
      int const begin = tile * width + lane - past;
      Side place[across];
      bool exists[across];
      for (int c = 0; c < across; ++c) {
        int const i = begin + c * lanes<ExecSpace>;
        exists[c] = 0 <= i && i < places_;
        place[c] = side<ByRows>(of, exists[c] ? i : 0);
      }
      Real* target = line + begin;
      Side next = side<!ByRows>(of, first);
      for (int l = first; l < end; l += period, target += period * line_stride_) {
        Side const here = next;
        next = side<!ByRows>(of, l + period < end ? l + period : l);  // on its way meanwhile
        for (int c = 0; c < across; ++c) {
          Real const own = ByRows ? place[c].own : here.own;
          Real const value = place[c].row == here.row ? own : place[c].factor * here.factor;
          if (exists[c]) target[c * lanes<ExecSpace>] = value;
        }
      }
    });
  }

 private:
  static constexpr int threads = 4, across = 8, width = across * lanes<ExecSpace>;
  static constexpr int period = 32;
  static constexpr int most_turns = 16;

  /// What a row or a column brings with it.
  struct Side {
    Real factor;  ///< 1 or -β, or η
    Real own;     ///< of a column
    int row;      ///< the row itself, or that of `own`
  };

  template <bool Column>
  KOKKOS_FUNCTION static Side side(FrameFactors<Real> const& of, int i) {
    if constexpr (Column)
      return {of.bad ? of.nan() : of.eta[i], of.bad ? of.nan() : of.own[i], 1 + of.segment[i]};
    else
      return {i < 1 ? Real(1) : of.beta[i - 1], Real(0), i};
  }

  ArrowBatch<Real> batch_;
  DenseFactors<Real> factors_;
  int places_, lines_;
  std::ptrdiff_t line_stride_;
  int tiles_;           ///< of a line
  int turns_, groups_;  ///< lines that a thread goes through, and how many times as many there are
};

}  // namespace carroll::detail
