// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <carroll/detail/svd/pairing.hpp>
#include <carroll/detail/svd/problem.hpp>
#include <carroll/detail/svd/rotation.hpp>
#include <carroll/detail/svd/simd_factor.hpp>
#include <carroll/detail/svd/simd_pack.hpp>

/// One-sided Jacobi on `width` triangular factors at once, and the rotations recovered from it.
namespace carroll::detail::simd {

/// What became of the sweeps, lane by lane.
struct SweepResult {
  Mask failed = 0;     ///< left to the team kernels: a column vanished, or two are parallel
  Mask converged = 0;  ///< else the limit of sweeps was met
  Ints sweeps = 0;
  Ints rotations = 0;
  Pack max_square_cosine = 0.0;  ///< of the last sweep
};

/// The matrices of a group while Jacobi works on them. J, if it is not null, takes the rotations.
struct Sweeping {
  PackColumns<Pack> X;
  int n;
  Ints* exponents;
  Pack* squares;  ///< of the columns' lengths
  PackColumns<Pack> J;
};

/// Columns p and q, and the rotation that makes them orthogonal as three shears, `half` the tangent
/// of half the angle:
///
///   x += half·y,  y -= sine·x,  x += half·y
///
/// Each shear is undone exactly by its negative, so that no rounding of a coefficient stretches a
/// column. x_half and x_sine are meant for columns with their exponents, half and sine for J. Lanes
/// that let the pair be have zeros.
struct PairRotation {
  int p, q;
  Pack product;
  Pack x_half, x_sine, half, sine;
  Mask stale;  ///< lanes in which the shorter column has lost most of its length
};

/// Sums up the squared length of a column in the lanes of a mask, and takes powers of two out of
/// the column where that has left [2^-16, 2^16], unless it is negligible.
inline void refresh(Sweeping const& at, int j, Mask lanes) {
  Pack* const x = at.X.col(j);
  Pack square = dot(x, x, 0, at.n);
  Mask const off = lanes & ((square < Pack(0x1p-16)) | (square > Pack(0x1p16))) &
                   (square > Pack(negligible_square()));
  if (any(off)) {
    Ints const e = off & Ints(exponent_of(square).v >> 1);
    Scaling const down(-e);
    for (int i = 0; i < at.n; ++i) x[i] = down(x[i]);
    square = down(down(square));
    at.exponents[j] = at.exponents[j] + e;
  }
  at.squares[j] = select(lanes, square, at.squares[j]);
}

/// The rotation from the product and the squared lengths. With a and b the squared lengths of the
/// longer and the shorter column and d their product, all as if both had the longer one's exponent
/// (see `make_rotation`):
///
///   t = d / (k + √(k² + d²)),  k = (a - b)/2,  r = √(1 + t²),  sine = t/r,  half = t/(1 + r)
///
/// The angle turns the other way where y is the longer one. Lengths follow without being summed up
/// again: a + t·d and b - t·d. Returns false if no lane rotates.
inline bool find_rotation(PairRule<double> const& rule, Sweeping const& at, Mask active,
                          SweepResult& result, PairRotation& pair) {
  Pack const x_square = at.squares[pair.p], y_square = at.squares[pair.q];
  Mask const vanished =
      active & ~((x_square > Pack(negligible_square())) & (y_square > Pack(negligible_square())));
  result.failed = result.failed | vanished;
  active = active & ~vanished;
  Pack const squares = select(active, x_square * y_square, Pack(1.0));
  Pack const square_cosine = pair.product * pair.product / squares;
  result.max_square_cosine =
      select(active, max(square_cosine, result.max_square_cosine), result.max_square_cosine);
  Mask const rotated = active & (square_cosine > Pack(rule.rotate_above * rule.rotate_above));
  if (!any(rotated)) return false;
  constexpr double parallel = 1 - 16 * Kokkos::Experimental::epsilon_v<double>;
  result.failed = result.failed | (rotated & (square_cosine > Pack(parallel)));
  result.rotations = result.rotations - rotated;

  constexpr int far = 500;  // 2^-500 of a column is nothing to the other one
  Ints const apart = max(min(at.exponents[pair.q] - at.exponents[pair.p], Ints(far)), Ints(-far));
  Pack const y_up = power_of_two(apart);
  Mask const x_longer = y_square * y_up * y_up <= x_square;
  Pack const up = select(x_longer, y_up, power_of_two(-apart));  // of the shorter column
  Pack const a = select(x_longer, x_square, y_square);
  Pack const b = select(x_longer, y_square, x_square);
  Pack const d = pair.product * up;
  Pack const k = (a - b * up * up) * Pack(0.5);
  Pack const inverse = select(rotated, Pack(1.0) / (k + sqrt(accumulate(k * k, d, d))), Pack(0.0));
  Pack const t = d * inverse;
  Pack const t_over_up = pair.product * inverse;
  Pack const r = sqrt(accumulate(Pack(1.0), t, t));
  Pack const share = Pack(1.0) / (r * (Pack(1.0) + r));
  Pack const sine_by_t = (Pack(1.0) + r) * share, half_by_t = r * share;
  Pack const signed_t = select(x_longer, t, -t);
  pair.x_half = half_by_t * select(x_longer, t * up, -t_over_up);
  pair.x_sine = sine_by_t * select(x_longer, t_over_up, -(t * up));
  pair.half = half_by_t * signed_t;
  pair.sine = sine_by_t * signed_t;

  Pack const longer = accumulate(a, t, d);
  Pack const shorter = accumulate(b, -t_over_up, pair.product);
  pair.stale = rotated & ~(shorter > b * Pack(0x1p-8));
  at.squares[pair.p] = select(x_longer, longer, shorter);
  at.squares[pair.q] = select(x_longer, shorter, longer);
  return true;
}

inline void rotate(Pack* x, Pack* y, int n, Pack half, Pack sine) {
  Pack const back = -sine;
  for (int i = 0; i < n; ++i) {
    Pack const a = accumulate(x[i], half, y[i]);
    Pack const b = accumulate(y[i], back, a);
    x[i] = accumulate(a, half, b);
    y[i] = b;
  }
}

/// Disjoint pairs of columns go together, so that the long chain of operations behind one rotation
/// overlaps with those of the others.
class PairSet {
 public:
  /// Columns come in blocks of this many. Two blocks of 32 rows and 8 lanes are 32 KiB, which a
  /// first-level cache holds.
  static constexpr int block = 8;

  void add(int p, int q) {
    pairs_[count_].p = p;
    pairs_[count_++].q = q;
  }

  /// Makes the pairs orthogonal and forgets them.
  void orthogonalise(PairRule<double> const& rule, Sweeping const& at, Mask active,
                     SweepResult& result) {
    for (int k = 0; k < count_; ++k)
      pairs_[k].product = dot(at.X.col(pairs_[k].p), at.X.col(pairs_[k].q), 0, at.n);
    for (int k = 0; k < count_; ++k)
      rotates_[k] = find_rotation(rule, at, active, result, pairs_[k]);
    for (int k = 0; k < count_; ++k) {
      PairRotation const& r = pairs_[k];
      if (!rotates_[k]) continue;
      rotate(at.X.col(r.p), at.X.col(r.q), at.n, r.x_half, r.x_sine);
      if (at.J.data) rotate(at.J.col(r.p), at.J.col(r.q), at.n, r.half, r.sine);
      if (any(r.stale)) {
        refresh(at, r.p, r.stale);
        refresh(at, r.q, r.stale);
      }
    }
    count_ = 0;
  }

 private:
  PairRotation pairs_[block];
  bool rotates_[block];
  int count_ = 0;
};

/// f(set) for sets of disjoint pairs in which each pair of n columns occurs once: block by block,
/// round robin within a block, diagonal by diagonal between two.
template <class F>
void for_pair_sets(int n, F const& f) {
  constexpr int block = PairSet::block;
  PairSet set;
  for (int i = 0; i < n; i += block) {
    RoundRobin const schedule{std::min(block, n - i)};
    for (int s = 0; s < schedule.sets(); ++s) {
      for (int k = 0; k < schedule.pairs(); ++k) {
        auto const [p, q] = schedule.pair(s, k);
        if (q < schedule.columns) set.add(i + p, i + q);
      }
      f(set);
    }
    for (int j = i + block; j < n; j += block)
      for (int shift = 0; shift < block; ++shift) {
        for (int k = 0; k < block; ++k) {
          int const q = j + (k + shift) % block;
          if (q < n) set.add(i + k, q);
        }
        f(set);
      }
  }
}

/// Sweeps until the columns of X are orthogonal in every lane that is not in `excluded`. A lane
/// that has converged has no pair left that the rule would rotate, so that the sweeps other lanes
/// still need do not change it. At most 8·n flops a pair and lane, 2·n if it is not rotated; 6·n
/// more with J.
inline SweepResult sweep_all(PairRule<double> const& rule, int max_sweeps, Sweeping const& at,
                             Mask excluded) {
  SweepResult result;
  result.failed = excluded;
  for (int sweep = 1; sweep <= max_sweeps; ++sweep) {
    Mask const active = ~(result.failed | result.converged);
    if (!any(active)) break;
    result.max_square_cosine = select(active, Pack(0.0), result.max_square_cosine);
    result.sweeps = select(active, Ints(sweep), result.sweeps);
    for (int j = 0; j < at.n; ++j) refresh(at, j, active);
    for_pair_sets(at.n, [&](PairSet& set) { set.orthogonalise(rule, at, active, result); });
    result.converged =
        result.converged |
        (active & (result.max_square_cosine <= Pack(rule.tolerance * rule.tolerance)));
  }
  return result;
}

/// J from Rᵀ·J = W, as `carroll::detail::solve_rotations` finds it. n³ flops.
inline void solve_rotations(Factor<Pack> const& A, PackColumns<Pack> const& W,
                            Ints const* w_exponents, PackColumns<Pack> const& J) {
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
inline Mask not_orthonormal(PackColumns<Pack> const& J, int n, double limit, Pack* sums) {
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
