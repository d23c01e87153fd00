// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/device/collectives.hpp>
#include <carroll/detail/device/math.hpp>
#include <carroll/detail/device/warp.hpp>
#include <carroll/detail/power_of_two.hpp>
#include <carroll/detail/svd/common/rotation.hpp>
#include <carroll/detail/svd/problem.hpp>
#include <carroll/detail/svd/tiled/tile.hpp>
#include <carroll/detail/unroll.hpp>

/// One-sided Jacobi on the columns of a tile, all of them in registers.
namespace carroll::detail {

/// A rotation between two columns of the tile as they are stored: x' = x + (x_from_y·y - h·x),
/// y' = y + (y_from_x·x - h·y); see Rotation.
template <class Real>
struct TileRotation {
  Real h = 0, x_from_y = 0, y_from_x = 0;
};

/// 1/x and 1/√x, wrong by rounding errors only, for normal x > 0.
template <class Real>
KOKKOS_INLINE_FUNCTION Real reciprocal(Real x) {
  Real const y = rough_reciprocal(x);
  Real const e = Kokkos::fma(-x, y, Real(1));
  return Kokkos::fma(y * e, 1 + e, y);
}
template <class Real>
KOKKOS_INLINE_FUNCTION Real reciprocal_root(Real x) {
  return refined_rsqrt(x, rough_rsqrt(x));
}

/// make_rotation for tiles: the same formulas from squared norms, with reciprocals and reciprocal
/// roots in place of divisions and roots, of which double precision has none in hardware. `apart`
/// is y's exponent minus x's.
template <class Real>
KOKKOS_INLINE_FUNCTION TileRotation<Real> make_tile_rotation(Real x_norm, Real y_norm,
                                                             Real one_by_x, Real one_by_y,
                                                             int apart, Real cosine) {
  // 2^apart as two factors, so that it may be far outside the range of exponents.
  constexpr int most = 2 * (exponent_bias<Real> - 1);
  int const far = Kokkos::clamp(apart, -int{most}, int{most});
  int const half = far / 2;
  Real const up = power_of_two<Real>(half), up_rest = power_of_two<Real>(far - half);
  Real const y_by_x = y_norm * one_by_x;
  bool const x_longer = y_by_x * up * up_rest <= Real(1);
  Real const mantissas = x_longer ? y_by_x : x_norm * one_by_y;
  Real const shift = x_longer ? up : power_of_two<Real>(-half);
  Real const shift_rest = x_longer ? up_rest : power_of_two<Real>(half - far);
  Real const ratio = mantissas * shift * shift_rest;
  Real const k = (1 - ratio) * (1 + ratio) / 2;
  Real const gr = cosine * ratio;
  Real const squares = k * k + gr * gr;
  constexpr int least = sizeof(Real) == 4 ? -100 : -900;
  // Of equal columns the angle is 45°, also where the squares underflow.
  Real const root = squares > power_of_two<Real>(least)
                        ? k + squares * reciprocal_root(squares)
                        : Kokkos::max(Kokkos::abs(gr), k + Kokkos::abs(k));
  Real const one_by_root = reciprocal(root);
  Real const t = gr * one_by_root;
  Real const c = reciprocal_root(1 + t * t);
  Real const s = c * t;
  Real const to_longer = s * shift * shift_rest;
  Real const to_shorter = -c * (cosine * mantissas * one_by_root);
  return {.h = s * s * reciprocal(1 + c),
          .x_from_y = x_longer ? to_longer : to_shorter,
          .y_from_x = x_longer ? to_shorter : to_longer};
}

/// Squared norms below this are zero to the sweeps.
template <class Real>
inline constexpr Real negligible_square = sizeof(Real) == 4 ? Real(0x1p-100) : Real(0x1p-220);

/// What the two columns of a lane's pair are.
template <class Real>
struct TilePairState {
  Real x_square, y_square;  ///< squared norms of the stored columns
  int x_exponent, y_exponent;
};

/// The sweeps' work on one tile of 2·B columns, B of one block and B of another. Pair k of a step
/// is (x[k], x[B + k]); between steps the columns move round, within registers, and what is known
/// of them moves round with them, between lanes: lane l knows the columns of pair l / (32 / B).
///
/// A step of B rotations: 14·B·rows flops, one round of B sums, each lane works out one rotation.
/// Squared norms are summed at the start and updated from there; where a rotation cancels most of a
/// column they are summed again.
template <class Real, int R>
class TilePairs {
 public:
  static constexpr int B = tile_columns / 2;
  static constexpr int group = 32 / B;
  using Columns16 = Tile<Real, tile_columns, R>;

  KOKKOS_FUNCTION TilePairs(int lane, Real tolerance) : warp_{lane}, tolerance_(tolerance) {}

  /// Makes the columns of the tile orthogonal to each other: those of one block to those of the
  /// other, or, if `all`, also to those of their own block. `exponent` is the lane's column's
  /// (column lane / 2). Returns whether the tile has changed.
  KOKKOS_FUNCTION bool operator()(Columns16& tile, int exponent, bool all) {
    int const k = warp_.lane / group;
    pair_.x_exponent = warp_.from(exponent, 2 * k);
    pair_.y_exponent = warp_.from(exponent, 2 * (B + k));
    changed_ = false;
    bool stale = true;
    int const steps = all ? tile_columns - 1 : B;
    CARROLL_NO_UNROLL
    for (int step = 0; step < steps; ++step) {
      if (stale) sum_squares(tile);
      stale = rotate_pairs(tile);
      if (all)
        move_in_circle(tile);
      else
        move_second_block(tile);
    }
    return changed_;
  }

  KOKKOS_FUNCTION Real max_cosine() const { return max_cosine_; }
  /// Of the lane's pairs; each pair is counted by `group` lanes.
  KOKKOS_FUNCTION int rotations() const { return rotations_; }

 private:
  KOKKOS_FUNCTION Real squared_norm(Columns16 const& tile) {
    Real partial[tile_columns];
    CARROLL_UNROLL
    for (int c = 0; c < tile_columns; ++c) {
      partial[c] = 0;
      CARROLL_UNROLL
      for (int r = 0; r < R; ++r) partial[c] += tile.x[c][r] * tile.x[c][r];
    }
    return scattered_sums(warp_, partial);
  }

  /// Columns start with entries near 1. One of which less than about eps² is left is nothing but
  /// rounding errors, which would be parallel to another column after every further rotation, at
  /// ever smaller scale: it counts as zero from then on.
  KOKKOS_FUNCTION void sum_squares(Columns16 const& tile) {
    Real square = squared_norm(tile);
    if (square < negligible_square<Real>) square = 0;
    int const k = warp_.lane / group;
    pair_.x_square = warp_.from(square, 2 * k);
    pair_.y_square = warp_.from(square, 2 * (B + k));
  }

  KOKKOS_FUNCTION Real dots(Columns16 const& tile) {
    Real partial[B];
    CARROLL_UNROLL
    for (int k = 0; k < B; ++k) {
      partial[k] = 0;
      CARROLL_UNROLL
      for (int r = 0; r < R; ++r) partial[k] += tile.x[k][r] * tile.x[B + k][r];
    }
    return scattered_sums(warp_, partial);
  }

  /// One step. True if squared norms have to be summed again.
  KOKKOS_FUNCTION bool rotate_pairs(Columns16& tile) {
    Real const dot = dots(tile);
    bool const live = pair_.x_square > 0 && pair_.y_square > 0;
    Real const one_by_x = live ? reciprocal_root(pair_.x_square) : Real(0);
    Real const one_by_y = live ? reciprocal_root(pair_.y_square) : Real(0);
    Real const cosine = dot * one_by_x * one_by_y;
    Real const size = Kokkos::abs(cosine);
    max_cosine_ = Kokkos::max(max_cosine_, size);
    bool const wanted = size > tolerance_;
    if (warp_.ballot(wanted) == 0) return false;
    changed_ = true;
    TileRotation<Real> rotation;
    if (wanted) {
      ++rotations_;
      rotation = make_tile_rotation(pair_.x_square * one_by_x, pair_.y_square * one_by_y, one_by_x,
                                    one_by_y, pair_.y_exponent - pair_.x_exponent, cosine);
    }
    CARROLL_UNROLL
    for (int k = 0; k < B; ++k) {
      Real const h = warp_.from(rotation.h, k * group);
      Real const x_from_y = warp_.from(rotation.x_from_y, k * group);
      Real const y_from_x = warp_.from(rotation.y_from_x, k * group);
      CARROLL_UNROLL
      for (int r = 0; r < R; ++r) {
        Real const x = tile.x[k][r], y = tile.x[B + k][r];
        tile.x[k][r] = x + (x_from_y * y - h * x);
        tile.x[B + k][r] = y + (y_from_x * x - h * y);
      }
    }
    Real const keep = 1 - rotation.h;
    Real const x_square = keep * keep * pair_.x_square +
                          rotation.x_from_y * (2 * keep * dot + rotation.x_from_y * pair_.y_square);
    Real const y_square = keep * keep * pair_.y_square +
                          rotation.y_from_x * (2 * keep * dot + rotation.y_from_x * pair_.x_square);
    constexpr Real most = sizeof(Real) == 4 ? 1.0 / 256 : 1.0 / (1 << 20);
    bool const cancelled =
        wanted && (!(x_square > pair_.x_square * most) || !(y_square > pair_.y_square * most));
    if (wanted) {
      pair_.x_square = x_square;
      pair_.y_square = y_square;
    }
    return warp_.ballot(cancelled) != 0;
  }

  /// Pair k meets the second block's next column; B moves bring all back.
  KOKKOS_FUNCTION void move_second_block(Columns16& tile) {
    CARROLL_UNROLL
    for (int r = 0; r < R; ++r) {
      Real const first = tile.x[B][r];
      CARROLL_UNROLL
      for (int k = B; k < 2 * B - 1; ++k) tile.x[k][r] = tile.x[k + 1][r];
      tile.x[2 * B - 1][r] = first;
    }
    int const next = (warp_.lane + group) % 32;
    pair_.y_square = warp_.from(pair_.y_square, next);
    pair_.y_exponent = warp_.from(pair_.y_exponent, next);
  }

  /// Column 0 stays, the others move one seat round; 2·B - 1 moves bring all back.
  KOKKOS_FUNCTION void move_in_circle(Columns16& tile) {
    CARROLL_UNROLL
    for (int r = 0; r < R; ++r) {
      Real const last_x = tile.x[B - 1][r], first_y = tile.x[B][r];
      CARROLL_UNROLL
      for (int k = B - 1; k > 1; --k) tile.x[k][r] = tile.x[k - 1][r];
      tile.x[1][r] = first_y;
      CARROLL_UNROLL
      for (int k = B; k < 2 * B - 1; ++k) tile.x[k][r] = tile.x[k + 1][r];
      tile.x[2 * B - 1][r] = last_x;
    }
    int const k = warp_.lane / group;
    int const before = k == 0 ? 0 : k - 1, after = k == B - 1 ? k : k + 1;
    auto const move = [&](auto& x, auto& y) {
      auto const x_before = warp_.from(x, before * group);
      auto const y_after = warp_.from(y, after * group);
      auto const y_first = warp_.from(y, 0);
      auto const x_last = warp_.from(x, (B - 1) * group);
      if (k > 0) x = k == 1 ? y_first : x_before;
      y = k == B - 1 ? x_last : y_after;
    };
    move(pair_.x_square, pair_.y_square);
    move(pair_.x_exponent, pair_.y_exponent);
  }

  DeviceWarp warp_;
  Real tolerance_;
  TilePairState<Real> pair_;
  Real max_cosine_ = 0;
  int rotations_ = 0;
  bool changed_ = false;
};

}  // namespace carroll::detail
