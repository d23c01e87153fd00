// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <carroll/detail/svd/common/rotation.hpp>
#include <carroll/detail/svd/host_batch/factor.hpp>
#include <carroll/detail/svd/host_batch/pack.hpp>
#include <utility>

/// Four columns of each of `width` matrices made orthogonal.
namespace carroll::detail::simd {

/// What became of the sweeps, lane by lane.
template <class Pack>
struct SweepResult {
  using Mask = typename Pack::Mask;
  using Ints = typename Pack::Ints;
  Mask failed = 0;     ///< left to the team kernels: a column vanished, or two are parallel
  Mask converged = 0;  ///< else the limit of sweeps was met
  Ints sweeps = 0;
  Ints rotations = 0;
  Pack max_square_cosine = 0.0;  ///< of the last sweep
  Pack cosines = 0.0;            ///< Σ of squares, of the last sweep
  Pack turns = 0.0;              ///< Σ of squared ways of columns, in units of their lengths
};

/// The matrices of a group while Jacobi works on them. J, if it is not null, takes the rotations.
template <class Pack>
struct Sweeping {
  PackColumns<Pack> X;
  int n;
  typename Pack::Ints* exponents;
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
template <class Pack>
struct PairRotation {
  int p, q;
  Pack product;
  Pack x_half, x_sine, half, sine;
  typename Pack::Mask stale;  ///< lanes in which the shorter column has lost most of its length
};

/// Sums up the squared length of a column in the lanes of a mask, and takes powers of two out of
/// the column where that has left [2^-16, 2^16], unless it is negligible.
template <class Pack>
void refresh(Sweeping<Pack> const& at, int j, typename Pack::Mask const& lanes) {
  using Ints = typename Pack::Ints;
  using Mask = typename Pack::Mask;
  by_itself<Pack::bytes>([&] {
    Pack* const x = at.X.col(j);
    Pack square = dot(x, x, 0, at.n);
    Mask const off = lanes & ((square < Pack(0x1p-16)) | (square > Pack(0x1p16))) &
                     (square > Pack(negligible_square()));
    if (any(off)) {
      Ints const e = off & Ints(exponent_of(square) >> 1);
      Scaling<Pack> const down(-e);
      for (int i = 0; i < at.n; ++i) x[i] = down(x[i]);
      square = down(down(square));
      at.exponents[j] = at.exponents[j] + e;
    }
    at.squares[j] = select(lanes, square, at.squares[j]);
  });
}

/// The rotation from the product and the squared lengths. With a and b the squared lengths of the
/// longer and the shorter column and d their product, all as if both had the longer one's exponent
/// (see `make_rotation`), t the tangent:
///
///   root = k + √(k² + d²),  k = (a - b)/2,  t = d/root
///   hypotenuse = √(root² + d²),  sine = d/hypotenuse,  half = d/(root + hypotenuse)
///
/// in one division. The angle turns the other way where y is the longer one. Lengths follow without
/// being summed up again: a + t·d and b - t·d. Without a lane that rotates all coefficients are 0,
/// and it returns false.
template <class Pack>
[[gnu::always_inline]] inline bool find_rotation(PairRule<double> const& rule,
                                                 Sweeping<Pack> const& at,
                                                 typename Pack::Mask const& lanes,
                                                 SweepResult<Pack>& result,
                                                 PairRotation<Pack>& pair) {
  using Ints = typename Pack::Ints;
  using Mask = typename Pack::Mask;
  Pack const x_square = at.squares[pair.p], y_square = at.squares[pair.q];
  Mask const vanished =
      lanes & ~((x_square > Pack(negligible_square())) & (y_square > Pack(negligible_square())));
  result.failed = result.failed | vanished;
  Mask const active = lanes & ~vanished;
  Pack const squares = select(active, x_square * y_square, Pack(1.0));
  Pack const square_cosine = select(active, pair.product * pair.product / squares, Pack(0.0));
  result.max_square_cosine = max(square_cosine, result.max_square_cosine);
  result.cosines += square_cosine;
  Mask const rotated = square_cosine > Pack(rule.rotate_above * rule.rotate_above);
  if (!any(rotated)) {
    pair.x_half = pair.x_sine = pair.half = pair.sine = 0.0;
    pair.stale = 0;
    return false;
  }
  constexpr double parallel = 1 - 16 * Kokkos::Experimental::epsilon_v<double>;
  result.failed = result.failed | (rotated & (square_cosine > Pack(parallel)));
  result.rotations = result.rotations - rotated;

  constexpr int far = 500;  // 2^-500 of a column is nothing to the other one
  Ints const apart = max(min(at.exponents[pair.q] - at.exponents[pair.p], Ints(far)), Ints(-far));
  Pack const y_up = Pack::power_of_two(apart);
  Mask const x_longer = y_square * y_up * y_up <= x_square;
  Pack const up = select(x_longer, y_up, Pack::power_of_two(-apart));  // of the shorter column
  Pack const a = select(x_longer, x_square, y_square);
  Pack const b = select(x_longer, y_square, x_square);
  Pack const d = pair.product * up;
  Pack const k = (a - b * up * up) * Pack(0.5);
  Pack const root = select(rotated, k + sqrt(accumulate(k * k, d, d)), Pack(1.0));
  Pack const hypotenuse = sqrt(accumulate(root * root, d, d));
  Pack const sum = root + hypotenuse;
  Pack const share = select(rotated, Pack(1.0) / (root * hypotenuse * sum), Pack(0.0));
  Pack const by_root = hypotenuse * sum * share;  // 1/root
  Pack const sine_by_d = root * sum * share, half_by_d = root * hypotenuse * share;
  Pack const t = d * by_root;
  Pack const t_over_up = pair.product * by_root;
  Pack const to_x = select(x_longer, d * up, -pair.product);
  Pack const to_y = select(x_longer, pair.product, -(d * up));
  Pack const signed_d = select(x_longer, d, -d);
  pair.x_half = half_by_d * to_x;
  pair.x_sine = sine_by_d * to_y;
  pair.half = half_by_d * signed_d;
  pair.sine = sine_by_d * signed_d;

  Pack const longer = accumulate(a, t, d);
  Pack const shorter = accumulate(b, -t_over_up, pair.product);
  Pack const way = a * by_root;
  result.turns += square_cosine * way * way;
  pair.stale = rotated & ~(shorter > b * Pack(0x1p-8));
  at.squares[pair.p] = select(x_longer, longer, shorter);
  at.squares[pair.q] = select(x_longer, shorter, longer);
  return true;
}

/// x += half·y, y -= sine·x, x += half·y.
template <class Pack>
void shear(Pack& x, Pack& y, Pack const& half, Pack const& sine) {
  x = accumulate(x, half, y);
  y = accumulate(y, -sine, x);
  x = accumulate(x, half, y);
}

/// Four columns, two groups of two, at work. Their products are formed once; those that later
/// rotations need follow from them, so that a column is read once and written once for its two
/// rotations, or three where the groups themselves are made orthogonal too.
template <class Pack>
class Tile {
 public:
  using Mask = typename Pack::Mask;

  /// Columns p, p + 1, q and q + 1.
  void take(int p, int q, bool inner) {
    for (int c = 0; c < 4; ++c) columns_[c] = (c < 2 ? p : q) + c % 2;
    first_ = inner ? 0 : 1;
  }

  void form_products(Sweeping<Pack> const& at) {
    Pack const* x[4];
    for (int c = 0; c < 4; ++c) x[c] = at.X.col(columns_[c]);
    Pack sums[6] = {};
    for (int i = 0; i < at.n; ++i) {
      Pack const a = x[0][i], b = x[1][i], c = x[2][i], d = x[3][i];
      sums[0].add_product(a, b);
      sums[1].add_product(c, d);
      sums[2].add_product(a, c);
      sums[3].add_product(b, d);
      sums[4].add_product(a, d);
      sums[5].add_product(b, c);
    }
    products_[0][1] = products_[1][0] = sums[0];
    products_[2][3] = products_[3][2] = sums[1];
    products_[0][2] = products_[2][0] = sums[2];
    products_[1][3] = products_[3][1] = sums[3];
    products_[0][3] = products_[3][0] = sums[4];
    products_[1][2] = products_[2][1] = sums[5];
    stale_ = 0;
    rotates_ = false;
  }

  bool has(int stage) const { return stage >= first_; }

  /// The angles of a stage's two pairs, (0, 1) and (2, 3), then (0, 2) and (1, 3), then (0, 3) and
  /// (1, 2). Lanes in which a column has lost most of its length wait for the next sweep.
  void find_rotations(int stage, PairRule<double> const& rule, Sweeping<Pack> const& at,
                      Mask const& lanes, SweepResult<Pack>& result) {
    Mask active = lanes;
    if (any(active & stale_)) {
      result.max_square_cosine = select(active & stale_, max(result.max_square_cosine, Pack(1.0)),
                                        result.max_square_cosine);
      active = active & ~stale_;
    }
    auto const [a, b, c, d] = pairs[stage];
    PairRotation<Pack>&first = rotations_[stage][0], &second = rotations_[stage][1];
    first.p = columns_[a];
    first.q = columns_[b];
    first.product = products_[a][b];
    second.p = columns_[c];
    second.q = columns_[d];
    second.product = products_[c][d];
    bool const rotates = int(find_rotation(rule, at, active, result, first)) +
                             int(find_rotation(rule, at, active, result, second)) >
                         0;
    rotates_ = rotates_ || rotates;
    if (!rotates) return;
    stale_ = stale_ | first.stale | second.stale;
    if (stage == 2) return;
    // The products between the pairs, turned on both sides.
    Turn const left(first), right(second);
    Pack const ac = products_[a][c], ad = products_[a][d], bc = products_[b][c],
               bd = products_[b][d];
    auto const [a_c, b_c] = left(ac, bc);
    auto const [a_d, b_d] = left(ad, bd);
    auto const [to_ac, to_ad] = right(a_c, a_d);
    auto const [to_bc, to_bd] = right(b_c, b_d);
    products_[a][c] = products_[c][a] = to_ac;
    products_[a][d] = products_[d][a] = to_ad;
    products_[b][c] = products_[c][b] = to_bc;
    products_[b][d] = products_[d][b] = to_bd;
  }

  void rotate(Sweeping<Pack> const& at) const {
    if (!rotates_) return;
    for (bool const of_X : {true, false}) {
      PackColumns<Pack> const& M = of_X ? at.X : at.J;
      if (!M.data) continue;
      Pack half[3][2], sine[3][2];
      for (int s = first_; s < 3; ++s)
        for (int k = 0; k < 2; ++k) {
          PairRotation<Pack> const& r = rotations_[s][k];
          half[s][k] = of_X ? r.x_half : r.half;
          sine[s][k] = of_X ? r.x_sine : r.sine;
        }
      first_ == 0 ? shear_rows<0>(M, at.n, half, sine) : shear_rows<1>(M, at.n, half, sine);
    }
    if (any(stale_))
      for (int const c : columns_) refresh(at, c, stale_);
  }

 private:
  struct Four {
    int a, b, c, d;
  };
  static constexpr Four pairs[3] = {{0, 1, 2, 3}, {0, 2, 1, 3}, {0, 3, 1, 2}};

  /// A rotation as a matrix: what becomes of p and q.
  struct Turn {
    Pack cosine, to_p, to_q;
    explicit Turn(PairRotation<Pack> const& r)
        : cosine(Pack(1.0) - r.x_half * r.x_sine),
          to_p(r.x_half * (Pack(1.0) + cosine)),
          to_q(-r.x_sine) {}
    std::pair<Pack, Pack> operator()(Pack const& p, Pack const& q) const {
      return {cosine * p + to_p * q, to_q * p + cosine * q};
    }
  };

  template <int first>
  void shear_rows(PackColumns<Pack> const& M, int n, Pack const (&half)[3][2],
                  Pack const (&sine)[3][2]) const {
    Pack* const x[4] = {M.col(columns_[0]), M.col(columns_[1]), M.col(columns_[2]),
                        M.col(columns_[3])};
    for (int i = 0; i < n; ++i) {
      Pack a = x[0][i], b = x[1][i], c = x[2][i], d = x[3][i];
      if constexpr (first == 0) {
        shear(a, b, half[0][0], sine[0][0]);
        shear(c, d, half[0][1], sine[0][1]);
      }
      shear(a, c, half[1][0], sine[1][0]);
      shear(b, d, half[1][1], sine[1][1]);
      shear(a, d, half[2][0], sine[2][0]);
      shear(b, c, half[2][1], sine[2][1]);
      x[0][i] = a;
      x[1][i] = b;
      x[2][i] = c;
      x[3][i] = d;
    }
  }

  int columns_[4];
  int first_;
  bool rotates_;
  Mask stale_;
  Pack products_[4][4];
  PairRotation<Pack> rotations_[3][2];
};

}  // namespace carroll::detail::simd
