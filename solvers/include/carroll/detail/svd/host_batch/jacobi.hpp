// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <carroll/detail/svd/common/rotation.hpp>
#include <carroll/detail/svd/common/round_robin.hpp>
#include <carroll/detail/svd/host_batch/factor.hpp>
#include <carroll/detail/svd/host_batch/pack.hpp>
#include <carroll/detail/svd/host_batch/tile.hpp>
#include <carroll/detail/svd/problem.hpp>
#include <utility>

/// One-sided Jacobi on `width` triangular factors at once, and the rotations recovered from it.
namespace carroll::detail::simd {

/// Tiles without a column in common go together, so that the long chain of operations behind one
/// rotation overlaps with those of the others.
template <class Pack>
class TileSet {
 public:
  static constexpr int most = 4;

  /// Columns p, p + 1, q and q + 1; with `inner` also the pairs (p, p + 1) and (q, q + 1).
  void add(int p, int q, bool inner) { tiles_[count_++].take(p, q, inner); }
  /// A single pair, where there are not columns enough for a tile.
  void add_pair(int p, int q) {
    singles_[single_count_].p = p;
    singles_[single_count_++].q = q;
  }

  /// Makes the columns of each tile orthogonal and forgets them.
  void orthogonalise(PairRule<double> const& rule, Sweeping<Pack> const& at,
                     typename Pack::Mask const& active, SweepResult<Pack>& result) {
    for (int k = 0; k < count_; ++k) tiles_[k].form_products(at);
    for (int stage = 0; stage < 3; ++stage)
      for (int k = 0; k < count_; ++k)
        if (tiles_[k].has(stage)) tiles_[k].find_rotations(stage, rule, at, active, result);
    for (int k = 0; k < count_; ++k) tiles_[k].rotate(at);
    count_ = 0;
    for (int k = 0; k < single_count_; ++k) {
      PairRotation<Pack>& r = singles_[k];
      Pack *const x = at.X.col(r.p), *const y = at.X.col(r.q);
      r.product = dot(x, y, 0, at.n);
      if (!find_rotation(rule, at, active, result, r)) continue;
      for (int i = 0; i < at.n; ++i) shear(x[i], y[i], r.x_half, r.x_sine);
      for (int i = 0; at.J.data && i < at.n; ++i) shear(at.J(i, r.p), at.J(i, r.q), r.half, r.sine);
      if (!any(r.stale)) continue;
      refresh(at, r.p, r.stale);
      refresh(at, r.q, r.stale);
    }
    single_count_ = 0;
  }

 private:
  Tile<Pack> tiles_[most];
  int count_ = 0;
  PairRotation<Pack> singles_[3 * most];
  int single_count_ = 0;
};

/// f(set) for sets of tiles without a common column in which each pair of n columns occurs once:
/// block by block of eight columns, two of which a first-level cache holds.
template <class Pack, class F>
void for_tile_sets(int n, F const& f) {
  constexpr int block = 8, group = 2;
  TileSet<Pack> set;
  auto const meet = [&](int p, int q, bool inner) {
    if (q + 1 < n) return set.add(p, q, inner);
    if (inner && p + 1 < n) set.add_pair(p, p + 1);
    if (q >= n) return;
    set.add_pair(p, q);
    set.add_pair(p + 1, q);
  };
  // Within blocks, two at a time.
  for (int i = 0; i < n; i += 2 * block) {
    RoundRobin const schedule{block / group};
    for (int s = 0; s < schedule.sets(); ++s) {
      for (int b = i; b < n && b < i + 2 * block; b += block)
        for (int k = 0; k < schedule.pairs(); ++k) {
          auto const [p, q] = schedule.pair(s, k);
          if (b + p * group < n) meet(b + p * group, b + q * group, s == 0);
        }
      f(set);
    }
  }
  for (int i = 0; i < n; i += block)
    for (int j = i + block; j < n; j += block)
      for (int shift = 0; shift < block; shift += group) {
        for (int k = 0; k < block; k += group) meet(i + k, j + (k + shift) % block, false);
        f(set);
      }
}

/// Sweeps until the columns of X are orthogonal in every lane that is not in `excluded`. The
/// cosines that the rotations of a sweep leave behind are, to first order, sums of products of a
/// turn and a cosine, below √(Σ turns²·Σ cosines²): where that is small enough no sweep has to look
/// again. Lanes that have converged are let be while others go on. At most 8·n flops a pair and
/// lane, 2·n if it is not rotated; 6·n more with J.
template <class Pack>
SweepResult<Pack> sweep_all(PairRule<double> const& rule, int max_sweeps, Sweeping<Pack> const& at,
                            typename Pack::Mask const& excluded) {
  using Ints = typename Pack::Ints;
  using Mask = typename Pack::Mask;
  SweepResult<Pack> result;
  result.failed = excluded;
  by_itself<Pack::bytes>([&] {
    for (int sweep = 1; sweep <= max_sweeps; ++sweep) {
      Mask const active = ~(result.failed | result.converged);
      if (!any(active)) break;
      result.max_square_cosine = select(active, Pack(0.0), result.max_square_cosine);
      result.cosines = result.turns = 0.0;
      result.sweeps = select(active, Ints(sweep), result.sweeps);
      for (int j = 0; j < at.n; ++j) refresh(at, j, active);
      for_tile_sets<Pack>(at.n, [&](TileSet<Pack>& set) {
        by_itself<Pack::bytes>([&] { set.orthogonalise(rule, at, active, result); });
      });
      Pack const bound = min(result.max_square_cosine, result.cosines * result.turns);
      result.max_square_cosine = select(active, bound, result.max_square_cosine);
      result.converged =
          result.converged | (active & (bound <= Pack(rule.tolerance * rule.tolerance)));
    }
  });
  return result;
}

/// J from Rᵀ·J = W, as `carroll::detail::solve_rotations` finds it. n³ flops.
template <class Pack>
void solve_rotations(Factor<Pack> const& A, PackColumns<Pack> const& W,
                     typename Pack::Ints const* w_exponents, PackColumns<Pack> const& J) {
  int const n = A.cols;
  for (int j = 0; j < n; ++j) {
    Pack* const solution = J.col(j);
    for (int i = 0; i < n; ++i) {
      Pack const* const row = A.F.col(i);
      Pack const right = scale(W(i, j), w_exponents[j] - A.exponents[i]);
      solution[i] = (right - dot(row, solution, 0, i)) / row[i];
    }
  }
}

/// The lanes in which ‖JᵀJ - I‖₁ > limit. `sums` holds n packs of scratch. n³ flops.
template <class Pack>
typename Pack::Mask not_orthonormal(PackColumns<Pack> const& J, int n, double limit, Pack* sums) {
  using Mask = typename Pack::Mask;
  for (int j = 0; j < n; ++j) sums[j] = 0.0;
  for (int j = 0; j < n; ++j)
    for (int i = 0; i <= j; ++i) {
      Pack const deviation = abs(dot(J.col(i), J.col(j), 0, n, Pack(i == j ? -1.0 : 0.0)));
      sums[j] += deviation;
      if (i != j) sums[i] += deviation;
    }
  Mask fine = -1;
  for (int j = 0; j < n; ++j) fine = fine & (sums[j] <= Pack(limit));
  return ~fine;  // NaN is not fine
}

}  // namespace carroll::detail::simd
