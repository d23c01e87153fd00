// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/collectives.hpp>
#include <carroll/detail/device/math.hpp>
#include <carroll/detail/device/warp.hpp>
#include <carroll/detail/power_of_two.hpp>
#include <carroll/detail/svd/common/rotation.hpp>
#include <carroll/detail/svd/gram/angle.hpp>
#include <carroll/detail/svd/gram/exchange.hpp>
#include <carroll/detail/svd/gram/parts.hpp>
#include <carroll/detail/svd/problem.hpp>
#include <carroll/detail/unroll.hpp>

/// Two blocks of 32 columns made orthogonal by way of their Gram matrix, which a team holds
/// in registers.
namespace carroll::detail {

/// The Gram matrix G of columns P₀ … P₃₁, Q₀ … Q₃₁, and the product T of the rotations so far, in
/// the registers of a team.
///
/// Pair k is (P_k, Q_k). Lane j of each warp holds the columns of pair j; warp w the rows of pairs
/// w·rows to (w + 1)·rows - 1 of G, and as many rows of T. A step rotates all 32 pairs: every warp
/// works out all rotations, a lane one of them, and applies them to its part, to G from both sides.
/// What crosses between warps in each step is the product of each pair, which one warp holds: it is
/// brought up to date and handed round first, so that the next rotations are worked out while all
/// other entries are rotated.
///
/// Between steps the Q columns change places so that in g steps each P of a group of g pairs meets
/// each Q of the group: Q_k goes to k XOR (a bit), the bits in the order of a Gray code.
template <class Member, class Real, int rows>
class GramRotations {
 public:
  static constexpr int warps = gram_columns / rows;

  /// Scratch: products of pairs, in turn; rows on their way to another warp; and for each of the 64
  /// columns its exponent and the power of two taken out of it.
  static constexpr std::size_t scratch_bytes =
      sizeof(Real) * (2 * gram_columns + 2 * gram_columns * gram_columns) +
      2 * sizeof(int) * gram_pair_columns;

  /// `tolerance`: cosines up to this are left.
  KOKKOS_FORCEINLINE_FUNCTION GramRotations(Member const& team, Real tolerance, void* scratch)
      : team_(team),
        lane_(team.team_rank() % 32),
        warp_(team.team_rank() / 32),
        tolerance_(tolerance),
        met_{static_cast<float>(tolerance * tolerance)},
        products_(static_cast<Real*>(scratch)),
        exchange_(team, products_ + 2 * gram_columns),
        exponents_(reinterpret_cast<int*>(products_ + 2 * gram_columns * (gram_columns + 1))),
        shifts_(exponents_ + gram_pair_columns) {}

  /// G as the sum of parts, each given by entry(part, i, j), and exponent(i) of column i < 64.
  /// Columns are brought to norms near 1 by powers of two; those below `negligible_square` count as
  /// zero.
  template <class Entry, class Exponent>
  KOKKOS_FORCEINLINE_FUNCTION void load(int parts, Entry const& entry, Exponent const& exponent) {
    add_gram_parts(lane_, warp_, parts, entry, pp_, qp_, pq_, qq_);
    // The diagonal, from the warp that holds it.
    if (lane_ / rows == warp_) {
      products_[lane_] = exchange_.pick(pp_, lane_);
      products_[gram_columns + lane_] = exchange_.pick(qq_, lane_);
    }
    team_.team_barrier();
    p_ = {products_[lane_], exponent(lane_), lane_};
    q_ = {products_[gram_columns + lane_], exponent(gram_columns + lane_), gram_columns + lane_};
    int const p_shift = normalise(p_), q_shift = normalise(q_);
    if (warp_ == 0) {
      exponents_[lane_] = p_.exponent;
      exponents_[gram_columns + lane_] = q_.exponent;
      shifts_[lane_] = p_shift;
      shifts_[gram_columns + lane_] = q_shift;
    }
    team_.team_barrier();  // all have read the diagonal
    Real const p_down = power_of_two<Real>(-p_shift), q_down = power_of_two<Real>(-q_shift);
    DeviceWarp const warp{lane_};
    CARROLL_UNROLL
    for (int r = 0; r < rows; ++r) {
      Real const p_row = warp.from(p_down, warp_ * rows + r);
      Real const q_row = warp.from(q_down, warp_ * rows + r);
      pp_[r] *= p_row * p_down;
      qp_[r] *= q_row * p_down;
      pq_[r] *= p_row * q_down;
      qq_[r] *= q_row * q_down;
    }
  }

  /// Rotates every pair of a P with a Q once; if `all`, then also those within the blocks: groups
  /// are split in halves again and again, each half of a block being P's, the other Q's. False if
  /// there was nothing to rotate.
  KOKKOS_FORCEINLINE_FUNCTION bool operator()(bool all) {
    if (is_diagonal(all)) return false;
    CARROLL_UNROLL
    for (int r = 0; r < 2 * rows; ++r) {
      tp_[r] = warp_ * 2 * rows + r == lane_ ? Real(1) : Real(0);
      tq_[r] = warp_ * 2 * rows + r == gram_columns + lane_ ? Real(1) : Real(0);
    }
    CARROLL_NO_UNROLL
    for (int group = gram_columns; group >= (all ? 1 : gram_columns); group /= 2) {
      if (group < gram_columns) split(group);
      hand_round(0);
      PairRotation own = find_rotation(angle_of(p_, q_), product(), p_, q_, met_);
      CARROLL_NO_UNROLL
      for (int step = 1; step <= group; ++step) {
        bool const last = step == group;
        own = rotate(own, last ? 0 : step & -step, last);
      }
    }
    return true;
  }

  /// Gives T to write(i, j, x, y): x in terms of the columns as they are stored, y in terms of what
  /// they stand for.
  template <class Write>
  KOKKOS_FORCEINLINE_FUNCTION void turn(Write const& write) const {
    int const p_shift = shifts_[p_.column], q_shift = shifts_[q_.column];
    CARROLL_UNROLL
    for (int r = 0; r < 2 * rows; ++r) {
      int const i = warp_ * 2 * rows + r;
      int const shift = shifts_[i], exponent = exponents_[i];
      write(i, p_.column, scale(tp_[r], p_shift - shift), scale(tp_[r], p_.exponent - exponent));
      write(i, q_.column, scale(tq_[r], q_shift - shift), scale(tq_[r], q_.exponent - exponent));
    }
  }

  /// Of all pairs, the same on all lanes of a warp.
  KOKKOS_FORCEINLINE_FUNCTION SweepTally<Real> tally() const {
    DeviceWarp const warp{lane_};
    float square = met_.largest_square;
    int rotations = met_.rotations;
    butterfly_down<16>([&](int step) {
      square = Kokkos::max(square, warp.from(square, lane_ ^ step));
      rotations += warp.from(rotations, lane_ ^ step);
    });
    // Where nothing was rotated the root may round to the other side of the tolerance.
    auto const cosine = static_cast<Real>(Kokkos::sqrt(square));
    return {rotations > 0 ? cosine : Kokkos::min(cosine, tolerance_), rotations};
  }

 private:
  using Column = GramColumn<Real>;
  using PairRotation = GramPairRotation<Real>;

  /// Are all cosines that would be met within the tolerance?
  KOKKOS_FORCEINLINE_FUNCTION bool is_diagonal(bool all) {
    auto const inverse = [](Real square) {
      return square > Real(0) ? rough_reciprocal(static_cast<float>(square)) : 0.0F;
    };
    float const of_p = inverse(p_.square), of_q = inverse(q_.square);
    DeviceWarp const warp{lane_};
    float largest = 0;
    auto const meet = [&](Real x, float row, float column) {
      auto const product = static_cast<float>(x);
      largest = Kokkos::max(largest, product * product * row * column);
    };
    CARROLL_UNROLL
    for (int r = 0; r < rows; ++r) {
      int const i = warp_ * rows + r;
      float const p_row = warp.from(of_p, i), q_row = warp.from(of_q, i);
      meet(pq_[r], p_row, of_q);
      if (all && i != lane_) {
        meet(pp_[r], p_row, of_p);
        meet(qq_[r], q_row, of_q);
      }
    }
    met_.largest_square = largest;
    bool const small = warp.ballot(largest > met_.least_square) == 0;
    if (lane_ == 0) products_[warp_] = small;
    butterfly_down<16>([&](int step) {
      met_.largest_square =
          Kokkos::max(met_.largest_square, warp.from(met_.largest_square, lane_ ^ step));
    });
    if (lane_ == 0) products_[warps + warp_] = static_cast<Real>(met_.largest_square);
    team_.team_barrier();
    bool diagonal = true;
    for (int w = 0; w < warps; ++w) {
      diagonal = diagonal && products_[w] != Real(0);
      met_.largest_square =
          Kokkos::max(met_.largest_square, static_cast<float>(products_[warps + w]));
    }
    team_.team_barrier();
    if (!diagonal) met_.largest_square = 0;  // cosines count as they are met
    return diagonal;
  }

  /// The products of the pairs that meet when the Q's have moved by `bit`.
  KOKKOS_FORCEINLINE_FUNCTION void hand_round(int bit) {
    turn_ ^= 1;
    int const i = lane_ ^ bit;
    Real const x = exchange_.pick(pq_, i);
    if (i / rows == warp_) products_[turn_ * gram_columns + i] = x;
    team_.team_barrier();
  }
  KOKKOS_FORCEINLINE_FUNCTION Real product() const {
    return products_[turn_ * gram_columns + lane_];
  }

  /// Applies a step's rotations and moves the Q's by `bit`; returns the rotations of the next step,
  /// unless this is the group's last one.
  KOKKOS_FORCEINLINE_FUNCTION PairRotation rotate(PairRotation const& own, int bit, bool last) {
    DeviceWarp const warp{lane_};
    PairRotation row[rows];
    CARROLL_UNROLL
    for (int r = 0; r < rows; ++r) {
      int const i = warp_ * rows + r;
      row[r] = {warp.from(own.h, i), warp.from(own.p_from_q, i), warp.from(own.q_from_p, i)};
    }
    CARROLL_UNROLL
    for (int r = 0; r < rows; ++r) {
      apply(own, pp_[r], pq_[r]);
      apply(own, qp_[r], qq_[r]);
      apply(row[r], pq_[r], qq_[r]);
    }
    PairRotation next = own;
    if (!last) {
      q_ = {exchange_.across(q_.square, bit), exchange_.across(q_.exponent, bit),
            exchange_.across(q_.column, bit)};
      hand_round(bit);
      next = find_rotation(angle_of(p_, q_), product(), p_, q_, met_);
    }
    CARROLL_UNROLL
    for (int r = 0; r < rows; ++r) apply(row[r], pp_[r], qp_[r]);
    CARROLL_UNROLL
    for (int r = 0; r < 2 * rows; ++r) apply(own, tp_[r], tq_[r]);
    if (!last) move_q(bit);
    return next;
  }

  KOKKOS_FORCEINLINE_FUNCTION static void apply(PairRotation const& by, Real& p, Real& q) {
    Real const x = p, y = q;
    p = Kokkos::fma(by.p_from_q, y, Kokkos::fma(-by.h, x, x));
    q = Kokkos::fma(by.q_from_p, x, Kokkos::fma(-by.h, y, y));
  }

  /// Q_k goes to k XOR bit, all but what is known of it.
  KOKKOS_FORCEINLINE_FUNCTION void move_q(int bit) {
    CARROLL_UNROLL
    for (int r = 0; r < rows; ++r) {
      pq_[r] = exchange_.across(pq_[r], bit);
      qq_[r] = exchange_.across(qq_[r], bit);
    }
    CARROLL_UNROLL
    for (int r = 0; r < 2 * rows; ++r) tq_[r] = exchange_.across(tq_[r], bit);
    if (bit >= rows)
      exchange_.trade(qp_, qq_, bit);
    else
      exchange_.swap_rows(bit, qp_, qq_, qp_, qq_);
  }

  /// Groups of 2·bit pairs become two of `bit`: the upper half's P's change places with the lower
  /// half's Q's.
  KOKKOS_FORCEINLINE_FUNCTION void split(int bit) {
    CARROLL_UNROLL
    for (int r = 0; r < rows; ++r) {
      exchange_.exchange(bit, pp_[r], pq_[r]);
      exchange_.exchange(bit, qp_[r], qq_[r]);
    }
    CARROLL_UNROLL
    for (int r = 0; r < 2 * rows; ++r) exchange_.exchange(bit, tp_[r], tq_[r]);
    exchange_.exchange(bit, p_.square, q_.square);
    exchange_.exchange(bit, p_.exponent, q_.exponent);
    exchange_.exchange(bit, p_.column, q_.column);
    if (bit < rows) {
      exchange_.swap_rows(bit, qp_, qq_, pp_, pq_);
      return;
    }
    bool const upper = warp_ & (bit / rows);
    Real first[rows], second[rows];
    CARROLL_UNROLL
    for (int r = 0; r < rows; ++r) {
      first[r] = upper ? pp_[r] : qp_[r];
      second[r] = upper ? pq_[r] : qq_[r];
    }
    exchange_.trade(first, second, bit);
    CARROLL_UNROLL
    for (int r = 0; r < rows; ++r) {
      pp_[r] = upper ? first[r] : pp_[r];
      qp_[r] = upper ? qp_[r] : first[r];
      pq_[r] = upper ? second[r] : pq_[r];
      qq_[r] = upper ? qq_[r] : second[r];
    }
  }

  Member const& team_;
  int lane_, warp_;
  Real tolerance_;
  GramCosines met_;
  Real* products_;
  GramExchange<Member, Real, rows> exchange_;
  int* exponents_;
  int* shifts_;
  int turn_ = 0;
  Real pp_[rows], qp_[rows], pq_[rows], qq_[rows];  ///< of row P or Q and of column P or Q
  Real tp_[2 * rows], tq_[2 * rows];                ///< of column P or Q
  Column p_, q_;
};

}  // namespace carroll::detail
