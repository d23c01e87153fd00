// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/pseudoinverse/common/arrow_rows.hpp>
#include <carroll/detail/pseudoinverse/common/depth_group.hpp>
#include <carroll/detail/pseudoinverse/host/vector.hpp>
#include <type_traits>

/// Sums over rows with one motion column on a host, which takes a block of them at a time.
namespace carroll::detail {

/// f(p, u, a, r) for the rows begin <= i < end, a block at a time, of which registers hold part p;
/// zeros where a block has other rows. Where loads are masked, blocks of double begin at multiples
/// of their length, so that no register is loaded from two cache lines; elsewhere at `begin`.
template <class Real, bool Plain, class F>
CARROLL_HOST_INLINE inline void for_blocks(ArrowRows<Real, Plain> const& rows, int begin, int end,
                                           F const& f) {
  constexpr bool aligns = masks_loads<Real>;
  int i = aligns ? begin / block_lanes * block_lanes : begin;
  if constexpr (Plain) {
    Real const* const u = rows.depths();
    Real const* const a = rows.motions();
    Real const* const r = rows.residuals();
    auto const some = [&](int first, int last) CARROLL_HOST_INLINE {  // of block i
      for_parts([&](auto p) CARROLL_HOST_INLINE {
        f(p, load_register(u + i, p, first, last), load_register(a + i, p, first, last),
          load_register(r + i, p, first, last));
      });
    };
    if (i != begin) {
      some(begin - i, end - i);
      i += block_lanes;
    }
    for (; i + block_lanes <= end; i += block_lanes)
      for_parts([&](auto p) CARROLL_HOST_INLINE {
        int const at = i + p * register_width;
        f(p, load_register(u + at), load_register(a + at), load_register(r + at));
      });
    if (i >= end) return;
    if (masks_loads<Real> || i + block_lanes <= rows.size()) return some(0, end - i);
  }
  for (; i < end; i += block_lanes) {
    double u[block_lanes] = {}, a[block_lanes] = {}, r[block_lanes] = {};
    for (int w = Kokkos::max(begin - i, 0); w < block_lanes && i + w < end; ++w) {
      OneMotionRow const row = rows.single(i + w);
      u[w] = row.u;
      a[w] = row.a;
      r[w] = row.r;
    }
    for_parts([&](auto p) CARROLL_HOST_INLINE {
      constexpr int at = p * register_width;
      f(p, load_register(u + at), load_register(a + at), load_register(r + at));
    });
  }
}

/// Whether the second pass reads the rows where they are.
template <class Rows>
inline constexpr bool stays = std::is_same_v<Rows, ArrowRows<double, true>>;

/// Rows of more than one piece that a host takes at a time where it goes over them twice. Then a
/// step of 60 000 rows by one thread takes 34 us in float, with 768 rows 43 and with 256 37; in
/// double 30.4, with 256 36 (Xeon of the Emerald Rapids generation, 2026-11-22).
template <class Real>
inline constexpr int rows_at_once = masks_loads<Real> ? 640 : 384;

/// Pieces of segments, one behind the other, that a host takes at a time: few enough rows to be in
/// the nearest cache for the second pass over them, beside the ones that come next, and enough
/// pieces that their sums wait for no one and their quotients are formed side by side.
struct HostPieces {
  static constexpr int most = 8;
  static constexpr int longest = 2048;  ///< piece
  static constexpr int most_blocks = longest / block_lanes + 2 * most;
  static_assert(most % sums_at_once == 0);

  int count = 0;
  int row[most + 1];  ///< piece p is of rows row[p] <= i < row[p + 1]
  int segment[most];
  bool whole[most];                              ///< the piece is its segment
  double mu[most] = {};                          ///< damping
  double d[most];                                ///< Σu²
  double damped[most], beta[most], gamma[most];  ///< of the groups
  double off_beta[most], off_gamma[most];        ///< what is taken off the rows
  /// Of Σu², Σua, Σur; see sums_of. Those of pieces that are not there are not used.
  alignas(64) double sums[3][most][8] = {};
  BlockSums squares, products;  ///< Σa², Σar of all pieces
  /// Blocks of rows (u | a | r) as the first pass has made them of other ones than plain rows of
  /// double, for the second one, which has one loop of them all: the processor foresees its end
  /// better than those of short segments.
  int blocks = 0;
  int piece[most_blocks];  ///< of a block
  alignas(64) double kept[most_blocks][3][block_lanes];
};

/// Σu², Σua, Σur of piece p, and where wanted Σa², Σar, added to those of the others. By itself, so
/// that the compiler keeps the sums in registers; piece by piece, so that what is to be done beside
/// is done while the sums are formed.
template <bool Products, class Rows>
CARROLL_HOST_FUNCTION void sum_piece(Rows const& rows, HostPieces& pieces, int p) {
  BlockSums uu, ua, ur, aa, ar;
  if constexpr (Products) {
    aa = pieces.squares;
    ar = pieces.products;
  }
  int block = pieces.blocks;
  for_blocks(rows, pieces.row[p], pieces.row[p + 1],
             [&](auto part, Register const& u, Register const& a, Register const& r)
                 CARROLL_HOST_INLINE {
                   if constexpr (!Products && !stays<Rows>) {
                     auto& kept = pieces.kept[block];
                     store_register(kept[0] + part * register_width, u);
                     store_register(kept[1] + part * register_width, a);
                     store_register(kept[2] + part * register_width, r);
                     if constexpr (part == register_parts - 1) pieces.piece[block++] = p;
                   }
                   uu.part[part] = fused(u, u, uu.part[part]);
                   ua.part[part] = fused(u, a, ua.part[part]);
                   ur.part[part] = fused(u, r, ur.part[part]);
                   if constexpr (Products) {
                     aa.part[part] = fused(a, a, aa.part[part]);
                     ar.part[part] = fused(a, r, ar.part[part]);
                   }
                 });
  uu.store(pieces.sums[0][p]);
  ua.store(pieces.sums[1][p]);
  ur.store(pieces.sums[2][p]);
  if constexpr (Products) {
    pieces.squares = aa;
    pieces.products = ar;
  } else {
    pieces.blocks = block;
  }
}

/// What a window leaves of the motion column: Σe², Σef and Σa² less Σe², e = a - uβ and
/// f = r - uγ, with each piece's own β and γ. Lanes of sums stay apart until the end of the window.
class RemainderSums {
  /// Of Σa², what must be left where sums are subtracted: two of 53 bits are lost at most. A step
  /// of 60 000 rows by one thread takes 24 us in float and in double by sums, 37 and 33 by rows
  /// (Xeon of the Emerald Rapids generation, 2026-11-23).
  static constexpr double least_left = 0.25;

  BlockSums ee_, ef_;
  SideBySide square_ = {}, product_ = {}, rest_ = {};  // of pieces

 public:
  /// β and γ of each piece, from its sums. `damps`: there is damping. With `products`, of Σa² and
  /// Σar, Σe² and Σef are differences of sums; unless `any` difference will do they are not taken,
  /// and the result is false, where they cancel.
  CARROLL_HOST_FUNCTION bool eliminate(HostPieces& pieces, bool damps, bool products, bool any) {
    SideBySide explained = {}, product = {};
    for (int p = 0; p < pieces.count; p += sums_at_once) {
      SideBySide const one = SideBySide{} + 1.0, none = {};
      SideBySide const d = sums_of(pieces.sums[0] + p);
      SideBySide const ua = sums_of(pieces.sums[1] + p), ur = sums_of(pieces.sums[2] + p);
      SideBySide const divisor = d > 0.0 ? d : one;
      SideBySide const zero = d - d;  // NaN where the sum has left the range
      SideBySide const beta = (d > 0.0 ? ua / divisor : none) + zero;
      SideBySide const gamma = (d > 0.0 ? ur / divisor : none) + zero;
      SideBySide damped = d, kept_beta = beta, kept_gamma = gamma;
      if (damps) {
        damped = d + load_side_by_side(pieces.mu + p);
        SideBySide const kept = damped > 0.0 ? d / (damped > 0.0 ? damped : one) : one;
        kept_beta = kept * beta;
        kept_gamma = kept * gamma;
      }
      auto const there = [&](SideBySide const& x) { return first_of(x, pieces.count - p); };
      explained += there(ua * kept_beta);
      product -= there(ur * kept_beta);
      store_side_by_side(pieces.d + p, d);
      store_side_by_side(pieces.damped + p, damped);
      store_side_by_side(pieces.beta + p, kept_beta);
      store_side_by_side(pieces.gamma + p, kept_gamma);
      store_side_by_side(pieces.off_beta + p, beta);
      store_side_by_side(pieces.off_gamma + p, gamma);
    }
    bool taken = true;
    if (products) {
      SideBySide const all = side_by_side(pieces.squares);
      taken = any || side_sum(all * (1 - least_left) - explained) >= 0;  // not for NaN
      if (taken) {
        square_ += all - explained;
        product_ += side_by_side(pieces.products) + product;
      }
    }
    if (taken) rest_ += explained;
    if (damps && !products)
      for (int p = 0; p < pieces.count; ++p) {
        double const share = damped_share(pieces.d[p], pieces.mu[p]);
        pieces.off_beta[p] *= share;
        pieces.off_gamma[p] *= share;
      }
    return taken;
  }

  /// The second pass over the rows.
  template <class Rows>
  CARROLL_HOST_FUNCTION void add([[maybe_unused]] Rows const& rows, HostPieces const& pieces) {
    BlockSums square = ee_;  // copies, which the compiler keeps in registers
    BlockSums product = ef_;
    auto const add_part = [&](auto part, Register const& beta, Register const& gamma,
                              Register const& u, Register const& a, Register const& r)
                              CARROLL_HOST_INLINE {
                                Register const e = less(u, beta, a);
                                Register const f = less(u, gamma, r);
                                square.part[part] = fused(e, e, square.part[part]);
                                product.part[part] = fused(e, f, product.part[part]);
                              };
    if constexpr (stays<Rows>)
      for (int p = 0; p < pieces.count; ++p) {
        Register const beta = Register{} + pieces.off_beta[p];
        Register const gamma = Register{} + pieces.off_gamma[p];
        for_blocks(rows, pieces.row[p], pieces.row[p + 1],
                   [&](auto part, Register const& u, Register const& a, Register const& r)
                       CARROLL_HOST_INLINE { add_part(part, beta, gamma, u, a, r); });
      }
    else
      for (int block = 0; block < pieces.blocks; ++block) {
        Register const beta = Register{} + pieces.off_beta[pieces.piece[block]];
        Register const gamma = Register{} + pieces.off_gamma[pieces.piece[block]];
        auto const& [u, a, r] = pieces.kept[block];
        for_parts([&](auto part) CARROLL_HOST_INLINE {
          constexpr int at = part * register_width;
          add_part(part, beta, gamma, load_register(u + at), load_register(a + at),
                   load_register(r + at));
        });
      }
    ee_ = square;
    ef_ = product;
  }

  [[nodiscard]] double square() const { return ee_.sum() + side_sum(square_); }
  [[nodiscard]] double product() const { return ef_.sum() + side_sum(product_); }
  /// Σa² of the window, given what square() is.
  [[nodiscard]] double whole(double square) const { return side_sum(rest_) + square; }
};

}  // namespace carroll::detail
