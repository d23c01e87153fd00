// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/pseudoinverse/cases.hpp>
#include <carroll/detail/pseudoinverse/common/arrow_rows.hpp>
#include <carroll/detail/pseudoinverse/common/depth_group.hpp>
#include <carroll/detail/pseudoinverse/host/vector.hpp>
#include <type_traits>

/// Sums over rows with one motion column on a host, which takes a block of them at a time.
namespace carroll::detail {

/// f(p, u, a, r) for the rows begin <= i < end, a block at a time, of which registers hold part p;
/// zeros where a block has other rows. Where loads are masked, blocks of double begin at multiples
/// of their length, so that no register is loaded from two cache lines; elsewhere at `begin`.
template <int Bytes, class Real, bool Plain, class F>
CARROLL_HOST_INLINE inline void for_blocks(ArrowRows<Real, Plain> const& rows, int begin, int end,
                                           F const& f) {
  using Numbers = HostNumbers<Bytes>;
  using Register = typename Numbers::Register;
  constexpr int block_lanes = Numbers::lanes;
  constexpr bool aligns = Numbers::template masks_loads<Real>;
  int i = aligns ? begin / block_lanes * block_lanes : begin;
  if constexpr (Plain) {
    Real const* const u = rows.depths();
    Real const* const a = rows.motions();
    Real const* const r = rows.residuals();
    auto const some = [&](int first, int last) CARROLL_HOST_INLINE {  // of block i
      Numbers::for_parts([&](auto p) CARROLL_HOST_INLINE {
        f(p, Numbers::load_part(u + i, p, first, last), Numbers::load_part(a + i, p, first, last),
          Numbers::load_part(r + i, p, first, last));
      });
    };
    if (i != begin) {
      some(begin - i, end - i);
      i += block_lanes;
    }
    for (; i + block_lanes <= end; i += block_lanes)
      Numbers::for_parts([&](auto p) CARROLL_HOST_INLINE {
        int const at = i + p * Numbers::width;
        f(p, Register::load(u + at), Register::load(a + at), Register::load(r + at));
      });
    if (i >= end) return;
    if (aligns || i + block_lanes <= rows.size()) return some(0, end - i);
  }
  for (; i < end; i += block_lanes) {
    double u[block_lanes] = {}, a[block_lanes] = {}, r[block_lanes] = {};
    for (int w = Kokkos::max(begin - i, 0); w < block_lanes && i + w < end; ++w) {
      OneMotionRow const row = rows.single(i + w);
      u[w] = row.u;
      a[w] = row.a;
      r[w] = row.r;
    }
    Numbers::for_parts([&](auto p) CARROLL_HOST_INLINE {
      constexpr int at = p * Numbers::width;
      f(p, Register::load(u + at), Register::load(a + at), Register::load(r + at));
    });
  }
}

/// Whether the second pass reads the rows where they are.
template <class Rows>
inline constexpr bool stays = std::is_same_v<Rows, ArrowRows<double, true>>;

/// Rows of more than one piece that a host takes at a time where it goes over them twice. Then a
/// step of 60 000 rows by one thread takes 34 us in float, with 768 rows 43 and with 256 37; in
/// double 30.4, with 256 36 (Xeon of the Emerald Rapids generation, 2026-11-22).
template <int Bytes, class Real>
inline constexpr int rows_at_once = HostNumbers<Bytes>::template masks_loads<Real> ? 640 : 384;

/// Pieces of segments, one behind the other, that a host takes at a time: few enough rows to be in
/// the nearest cache for the second pass over them, beside the ones that come next, and enough
/// pieces that their sums wait for no one and their quotients are formed side by side.
template <int Bytes>
struct HostPieces {
  using Numbers = HostNumbers<Bytes>;
  static constexpr int most = 8;
  static constexpr int longest = host_window_rows;  ///< piece
  static constexpr int most_blocks = longest / Numbers::lanes + 2 * most;
  static_assert(most % Numbers::sums_at_once == 0);

  int count = 0;
  int row[most + 1];  ///< piece p is of rows row[p] <= i < row[p + 1]
  int segment[most];
  bool whole[most];                              ///< the piece is its segment
  double mu[most] = {};                          ///< damping
  double d[most];                                ///< Σu²
  double damped[most], beta[most], gamma[most];  ///< of the groups
  double off_beta[most], off_gamma[most];        ///< what is taken off the rows
  /// Of Σu², Σua, Σur; see HostNumbers::sums_of. Those of pieces that are not there are not used.
  alignas(64) double sums[3][most][8] = {};
  BlockSums<Bytes> squares, products;  ///< Σa², Σar of all pieces
  /// Blocks of rows (u | a | r) as the first pass has made them of other ones than plain rows of
  /// double, for the second one, which has one loop of them all: the processor foresees its end
  /// better than those of short segments.
  int blocks = 0;
  int piece[most_blocks];  ///< of a block
  alignas(64) double kept[most_blocks][3][Numbers::lanes];
};

/// Σu², Σua, Σur of piece p, and where wanted Σa², Σar, added to those of the others. By itself, so
/// that the compiler keeps the sums in registers; piece by piece, so that what is to be done beside
/// is done while the sums are formed.
template <bool Products, int Bytes, class Rows>
void sum_piece(Rows const& rows, HostPieces<Bytes>& pieces, int p) {
  using Numbers = HostNumbers<Bytes>;
  using Register = typename Numbers::Register;
  by_itself<Bytes>([&] {
    BlockSums<Bytes> uu, ua, ur, aa, ar;
    if constexpr (Products) {
      aa = pieces.squares;
      ar = pieces.products;
    }
    int block = pieces.blocks;
    for_blocks<Bytes>(rows, pieces.row[p], pieces.row[p + 1],
                      [&](auto part, Register const& u, Register const& a, Register const& r)
                          CARROLL_HOST_INLINE {
                            if constexpr (!Products && !stays<Rows>) {
                              auto& kept = pieces.kept[block];
                              store(kept[0] + part * Numbers::width, u);
                              store(kept[1] + part * Numbers::width, a);
                              store(kept[2] + part * Numbers::width, r);
                              if constexpr (part == Numbers::parts - 1) pieces.piece[block++] = p;
                            }
                            uu.part[part] = accumulate(uu.part[part], u, u);
                            ua.part[part] = accumulate(ua.part[part], u, a);
                            ur.part[part] = accumulate(ur.part[part], u, r);
                            if constexpr (Products) {
                              aa.part[part] = accumulate(aa.part[part], a, a);
                              ar.part[part] = accumulate(ar.part[part], a, r);
                            }
                          });
    uu.leave(pieces.sums[0][p]);
    ua.leave(pieces.sums[1][p]);
    ur.leave(pieces.sums[2][p]);
    if constexpr (Products) {
      pieces.squares = aa;
      pieces.products = ar;
    } else {
      pieces.blocks = block;
    }
  });
}

/// What a window leaves of the motion column: Σe², Σef and Σa² less Σe², e = a - uβ and
/// f = r - uγ, with each piece's own β and γ. Lanes of sums stay apart until the end of the window.
template <int Bytes>
class RemainderSums {
  using Numbers = HostNumbers<Bytes>;
  using Register = typename Numbers::Register;
  using Sums = typename Numbers::Sums;

  /// Of Σa², what must be left where sums are subtracted: two of 53 bits are lost at most. A step
  /// of 60 000 rows by one thread takes 24 us in float and in double by sums, 37 and 33 by rows
  /// (Xeon of the Emerald Rapids generation, 2026-11-23).
  static constexpr double least_left = 0.25;

  BlockSums<Bytes> ee_, ef_;
  Sums square_ = {}, product_ = {}, rest_ = {};  // of pieces

 public:
  /// β and γ of each piece, from its sums. `damps`: there is damping. With `products`, of Σa² and
  /// Σar, Σe² and Σef are differences of sums; unless `any` difference will do they are not taken,
  /// and the result is false, where they cancel.
  bool eliminate(HostPieces<Bytes>& pieces, bool damps, bool products, bool any) {
    bool taken = true;
    by_itself<Bytes>([&] {
      Sums explained = {}, product = {};
      for (int p = 0; p < pieces.count; p += Numbers::sums_at_once) {
        Sums const one = 1.0, none = 0.0;
        Sums const d = Numbers::sums_of(pieces.sums[0] + p);
        Sums const ua = Numbers::sums_of(pieces.sums[1] + p),
                   ur = Numbers::sums_of(pieces.sums[2] + p);
        Sums const divisor = select(d > 0.0, d, one);
        Sums const zero = d - d;  // NaN where the sum has left the range
        Sums const beta = select(d > 0.0, ua / divisor, none) + zero;
        Sums const gamma = select(d > 0.0, ur / divisor, none) + zero;
        Sums damped = d, kept_beta = beta, kept_gamma = gamma;
        if (damps) {
          damped = d + Numbers::load_sums(pieces.mu + p);
          Sums const kept = select(damped > 0.0, d / select(damped > 0.0, damped, one), one);
          kept_beta = kept * beta;
          kept_gamma = kept * gamma;
        }
        auto const there = [&](Sums const& x) { return Numbers::first_of(x, pieces.count - p); };
        explained += there(ua * kept_beta);
        product -= there(ur * kept_beta);
        Numbers::store_sums(pieces.d + p, d);
        Numbers::store_sums(pieces.damped + p, damped);
        Numbers::store_sums(pieces.beta + p, kept_beta);
        Numbers::store_sums(pieces.gamma + p, kept_gamma);
        Numbers::store_sums(pieces.off_beta + p, beta);
        Numbers::store_sums(pieces.off_gamma + p, gamma);
      }
      if (products) {
        Sums const all = pieces.squares.side_by_side();
        taken = any || Numbers::total(all * (1 - least_left) - explained) >= 0;  // not for NaN
        if (taken) {
          square_ += all - explained;
          product_ += pieces.products.side_by_side() + product;
        }
      }
      if (taken) rest_ += explained;
      if (damps && !products)
        for (int p = 0; p < pieces.count; ++p) {
          double const share = damped_share(pieces.d[p], pieces.mu[p]);
          pieces.off_beta[p] *= share;
          pieces.off_gamma[p] *= share;
        }
    });
    return taken;
  }

  /// The second pass over the rows.
  template <class Rows>
  void add([[maybe_unused]] Rows const& rows, HostPieces<Bytes> const& pieces) {
    by_itself<Bytes>([&] {
      BlockSums<Bytes> square = ee_;  // copies, which the compiler keeps in registers
      BlockSums<Bytes> product = ef_;
      auto const add_part = [&](auto part, Register const& beta, Register const& gamma,
                                Register const& u, Register const& a, Register const& r)
                                CARROLL_HOST_INLINE {
                                  Register const e = subtract_product(a, u, beta);
                                  Register const f = subtract_product(r, u, gamma);
                                  square.part[part] = accumulate(square.part[part], e, e);
                                  product.part[part] = accumulate(product.part[part], e, f);
                                };
      if constexpr (stays<Rows>)
        for (int p = 0; p < pieces.count; ++p) {
          Register const beta = pieces.off_beta[p];
          Register const gamma = pieces.off_gamma[p];
          for_blocks<Bytes>(rows, pieces.row[p], pieces.row[p + 1],
                            [&](auto part, Register const& u, Register const& a, Register const& r)
                                CARROLL_HOST_INLINE { add_part(part, beta, gamma, u, a, r); });
        }
      else
        for (int block = 0; block < pieces.blocks; ++block) {
          Register const beta = pieces.off_beta[pieces.piece[block]];
          Register const gamma = pieces.off_gamma[pieces.piece[block]];
          auto const& [u, a, r] = pieces.kept[block];
          Numbers::for_parts([&](auto part) CARROLL_HOST_INLINE {
            constexpr int at = part * Numbers::width;
            add_part(part, beta, gamma, Register::load(u + at), Register::load(a + at),
                     Register::load(r + at));
          });
        }
      ee_ = square;
      ef_ = product;
    });
  }

  [[nodiscard]] double square() const { return ee_.sum() + Numbers::total(square_); }
  [[nodiscard]] double product() const { return ef_.sum() + Numbers::total(product_); }
  /// Σa² of the window, given what square() is.
  [[nodiscard]] double whole(double square) const { return Numbers::total(rest_) + square; }
};

}  // namespace carroll::detail
