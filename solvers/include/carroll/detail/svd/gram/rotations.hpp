// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/collectives.hpp>
#include <carroll/detail/device/math.hpp>
#include <carroll/detail/device/warp.hpp>
#include <carroll/detail/power_of_two.hpp>
#include <carroll/detail/svd/common/rotation.hpp>
#include <carroll/detail/svd/problem.hpp>
#include <carroll/detail/svd/tiled/pair.hpp>
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
        least_square_(static_cast<float>(tolerance * tolerance)),
        products_(static_cast<Real*>(scratch)),
        travellers_(products_ + 2 * gram_columns),
        exponents_(reinterpret_cast<int*>(travellers_ + 2 * gram_columns * gram_columns)),
        shifts_(exponents_ + gram_pair_columns) {}

  /// G as the sum of parts, each given by entry(part, i, j), and exponent(i) of column i < 64.
  /// Columns are brought to norms near 1 by powers of two; those below `negligible_square` count as
  /// zero.
  template <class Entry, class Exponent>
  KOKKOS_FORCEINLINE_FUNCTION void load(int parts, Entry const& entry, Exponent const& exponent) {
    add_parts(parts, entry);
    // The diagonal, from the warp that holds it.
    if (lane_ / rows == warp_) {
      products_[lane_] = pick(pp_, lane_);
      products_[gram_columns + lane_] = pick(qq_, lane_);
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
      PairRotation own = find_rotation(prepare(), product());
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
    float square = largest_square_;
    int rotations = rotations_;
    butterfly_down<16>([&](int step) {
      square = Kokkos::max(square, warp.from(square, lane_ ^ step));
      rotations += warp.from(rotations, lane_ ^ step);
    });
    // Where nothing was rotated the root may round to the other side of the tolerance.
    auto const cosine = static_cast<Real>(Kokkos::sqrt(square));
    return {rotations > 0 ? cosine : Kokkos::min(cosine, tolerance_), rotations};
  }

 private:
  /// A column: its squared norm as stored and its exponent, and where it was among the 64.
  struct Column {
    Real square;
    int exponent;
    int column;
  };
  /// x' = x + (from_y·y - h·x) and so on; see Rotation.
  struct PairRotation {
    Real h, p_from_q, q_from_p;
  };

  template <class Entry>
  KOKKOS_FORCEINLINE_FUNCTION void add_parts(int parts, Entry const& entry) {
    CARROLL_UNROLL
    for (int r = 0; r < rows; ++r) pp_[r] = qp_[r] = pq_[r] = qq_[r] = 0;
    // Several parts are on their way at a time.
    constexpr int batch = sizeof(Real) * rows <= 16 ? 4 : 2;
    CARROLL_NO_UNROLL
    for (int part = 0; part < parts; part += batch) {
      Real got[batch][4][rows];
      CARROLL_UNROLL
      for (int k = 0; k < batch; ++k) CARROLL_UNROLL
      for (int r = 0; r < rows; ++r) {
        int const i = warp_ * rows + r;
        bool const there = part + k < parts;
        got[k][0][r] = there ? entry(part + k, i, lane_) : Real(0);
        got[k][1][r] = there ? entry(part + k, gram_columns + i, lane_) : Real(0);
        got[k][2][r] = there ? entry(part + k, i, gram_columns + lane_) : Real(0);
        got[k][3][r] = there ? entry(part + k, gram_columns + i, gram_columns + lane_) : Real(0);
      }
      CARROLL_UNROLL
      for (int k = 0; k < batch; ++k) CARROLL_UNROLL
      for (int r = 0; r < rows; ++r) {
        pp_[r] += got[k][0][r];
        qp_[r] += got[k][1][r];
        pq_[r] += got[k][2][r];
        qq_[r] += got[k][3][r];
      }
    }
  }

  /// x[i % rows]. Values are chosen, not places, for an array whose places vary has to lie in
  /// memory.
  KOKKOS_FORCEINLINE_FUNCTION static Real pick(Real const (&x)[rows], int i) {
    Real chosen[rows];
    CARROLL_UNROLL
    for (int r = 0; r < rows; ++r) chosen[r] = x[r];
    CARROLL_UNROLL
    for (int bit = rows / 2; bit > 0; bit /= 2) CARROLL_UNROLL
    for (int r = 0; r < bit; ++r) {
      Real const low = chosen[r], high = chosen[r + bit];
      chosen[r] = i & bit ? high : low;
    }
    return chosen[0];
  }

  KOKKOS_FORCEINLINE_FUNCTION static int normalise(Column& column) {
    bool const zero = column.square < negligible_square<Real>;
    int const shift = zero ? 0 : exponent_of(column.square) / 2;
    Real const down = power_of_two<Real>(-shift);
    column.square = zero ? Real(0) : column.square * down * down;
    column.exponent += shift;
    return shift;
  }

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
    largest_square_ = largest;
    bool const small = warp.ballot(largest > least_square_) == 0;
    if (lane_ == 0) products_[warp_] = small;
    butterfly_down<16>([&](int step) {
      largest_square_ = Kokkos::max(largest_square_, warp.from(largest_square_, lane_ ^ step));
    });
    if (lane_ == 0) products_[warps + warp_] = static_cast<Real>(largest_square_);
    team_.team_barrier();
    bool diagonal = true;
    for (int w = 0; w < warps; ++w) {
      diagonal = diagonal && products_[w] != Real(0);
      largest_square_ = Kokkos::max(largest_square_, static_cast<float>(products_[warps + w]));
    }
    team_.team_barrier();
    if (!diagonal) largest_square_ = 0;  // cosines count as they are met
    return diagonal;
  }

  /// The products of the pairs that meet when the Q's have moved by `bit`.
  KOKKOS_FORCEINLINE_FUNCTION void hand_round(int bit) {
    turn_ ^= 1;
    int const i = lane_ ^ bit;
    Real const x = pick(pq_, i);
    if (i / rows == warp_) products_[turn_ * gram_columns + i] = x;
    team_.team_barrier();
  }
  KOKKOS_FORCEINLINE_FUNCTION Real product() const {
    return products_[turn_ * gram_columns + lane_];
  }

  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION T across(T x, int bit) const {
    return DeviceWarp{lane_}.from(x, lane_ ^ bit);
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
      q_ = {across(q_.square, bit), across(q_.exponent, bit), across(q_.column, bit)};
      hand_round(bit);
      next = find_rotation(prepare(), product());
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
      pq_[r] = across(pq_[r], bit);
      qq_[r] = across(qq_[r], bit);
    }
    CARROLL_UNROLL
    for (int r = 0; r < 2 * rows; ++r) tq_[r] = across(tq_[r], bit);
    if (bit >= rows)
      trade(qp_, qq_, bit);
    else
      swap_rows(bit, qp_, qq_, qp_, qq_);
  }

  /// x of the upper half of the lanes and y of the lower half change places.
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION void exchange(int bit, T& x, T& y) const {
    bool const upper = lane_ & bit;
    T const x_was = x, y_was = y;
    T const got = across(upper ? x_was : y_was, bit);
    x = upper ? got : x_was;
    y = upper ? y_was : got;
  }

  /// Groups of 2·bit pairs become two of `bit`: the upper half's P's change places with the lower
  /// half's Q's.
  KOKKOS_FORCEINLINE_FUNCTION void split(int bit) {
    CARROLL_UNROLL
    for (int r = 0; r < rows; ++r) {
      exchange(bit, pp_[r], pq_[r]);
      exchange(bit, qp_[r], qq_[r]);
    }
    CARROLL_UNROLL
    for (int r = 0; r < 2 * rows; ++r) exchange(bit, tp_[r], tq_[r]);
    exchange(bit, p_.square, q_.square);
    exchange(bit, p_.exponent, q_.exponent);
    exchange(bit, p_.column, q_.column);
    if (bit < rows) {
      swap_rows(bit, qp_, qq_, pp_, pq_);
      return;
    }
    bool const upper = warp_ & (bit / rows);
    Real first[rows], second[rows];
    CARROLL_UNROLL
    for (int r = 0; r < rows; ++r) {
      first[r] = upper ? pp_[r] : qp_[r];
      second[r] = upper ? pq_[r] : qq_[r];
    }
    trade(first, second, bit);
    CARROLL_UNROLL
    for (int r = 0; r < rows; ++r) {
      pp_[r] = upper ? first[r] : pp_[r];
      qp_[r] = upper ? qp_[r] : first[r];
      pq_[r] = upper ? second[r] : pq_[r];
      qq_[r] = upper ? qq_[r] : second[r];
    }
  }

  /// x[r] and z[r + bit], y[r] and w[r + bit] change places for all r without that bit.
  KOKKOS_FORCEINLINE_FUNCTION static void swap_rows(int bit, Real (&x)[rows], Real (&y)[rows],
                                                    Real (&z)[rows], Real (&w)[rows]) {
    CARROLL_UNROLL
    for (int b = 1; b < rows; b *= 2)
      if (bit == b) CARROLL_UNROLL
    for (int r = 0; r < rows; ++r)
      if (!(r & b)) {
        Real const of_x = x[r], of_y = y[r];
        x[r] = z[r | b];
        y[r] = w[r | b];
        z[r | b] = of_x;
        w[r | b] = of_y;
      }
  }

  /// Rows change places with those of another warp.
  KOKKOS_FORCEINLINE_FUNCTION void trade(Real (&x)[rows], Real (&y)[rows], int bit) const {
    Real* const mine = travellers_ + warp_ * 2 * rows * gram_columns + lane_;
    Real const* const theirs =
        travellers_ + (warp_ ^ (bit / rows)) * 2 * rows * gram_columns + lane_;
    CARROLL_UNROLL
    for (int r = 0; r < rows; ++r) {
      mine[r * gram_columns] = x[r];
      mine[(rows + r) * gram_columns] = y[r];
    }
    team_.team_barrier();
    CARROLL_UNROLL
    for (int r = 0; r < rows; ++r) {
      x[r] = theirs[r * gram_columns];
      y[r] = theirs[(rows + r) * gram_columns];
    }
  }

  /// What can be known of the next rotation before the product of its columns is. All in single
  /// precision: an angle need not be exact; what must be is that it is a rotation.
  struct Angle {
    float k;        ///< half the difference of the squared norms, in units of the longer column
    float up;       ///< the shorter column's unit by the longer's
    float by_both;  ///< 1/(|p|²·|q|²), 0 where a column has vanished
    bool p_longer;
  };

  KOKKOS_FORCEINLINE_FUNCTION Angle prepare() const {
    // What is left of a column that lost most of its length is rounding errors of G.
    constexpr float lost = 1.0F / (1 << 14);
    auto const p = static_cast<float>(p_.square), q = static_cast<float>(q_.square);
    // Beyond this distance the shorter column does not change the longer one, and must not: what
    // rounding would leave there is large in terms of what the columns stand for.
    constexpr int far = 60;
    int const apart = q_.exponent - p_.exponent;
    int const nearer = Kokkos::clamp(apart, -int{far}, int{far});
    float const q_up = power_of_two<float>(nearer);
    bool const p_longer = q * q_up * q_up <= p;
    float const up = nearer != apart ? 0.0F : power_of_two<float>(p_longer ? nearer : -nearer);
    return {.k = ((p_longer ? p : q) - (p_longer ? q : p) * up * up) / 2,
            .up = up,
            .by_both = p > lost && q > lost ? rough_reciprocal(p * q) : 0.0F,
            .p_longer = p_longer};
  }

  /// The rotation of this lane's pair by the tangent g of `make_rotation`, in units of the two
  /// columns: t = g·up. With τ, the tangent of half the angle, s = 2τ/(1 + τ²) and 1 - c = s·τ are
  /// those of a rotation to working accuracy, whatever τ is.
  KOKKOS_FORCEINLINE_FUNCTION PairRotation find_rotation(Angle const& angle, Real product) {
    auto const x = static_cast<float>(product);
    float const square_cosine = x * x * angle.by_both;
    bool const wanted = square_cosine > least_square_;
    largest_square_ = Kokkos::max(largest_square_, square_cosine);
    rotations_ += wanted;
    float const d = x * angle.up;
    float const squares = angle.k * angle.k + d * d;
    float const root = squares * rough_rsqrt(Kokkos::max(squares, 0x1p-120F));
    float const inverse = rough_reciprocal(Kokkos::max(angle.k + root, Kokkos::abs(d)));
    float const g = wanted ? x * inverse : 0.0F;
    float const t = g * angle.up;
    auto const half = static_cast<Real>(g * half_tangent(t * t));
    auto const up2 = static_cast<Real>(angle.up * angle.up);
    Real const s = 2 * half * reciprocal(Kokkos::fma(half * up2, half, Real(1)));
    Real const to_longer = s * up2;
    Real const step = static_cast<Real>(g) * product, growth = up2 * step;
    p_.square += angle.p_longer ? growth : -step;
    q_.square += angle.p_longer ? -step : growth;
    return {.h = to_longer * half,
            .p_from_q = angle.p_longer ? to_longer : -s,
            .q_from_p = angle.p_longer ? -s : to_longer};
  }

  /// tan(atan(√x)/2)/√x for 0 <= x <= 1, wrong by less than 6e-6·x: least squares on Chebyshev
  /// nodes.
  KOKKOS_FORCEINLINE_FUNCTION static float half_tangent(float x) {
    float const x2 = x * x;
    float const low = Kokkos::fma(-0.12499425F, x, 0.5F);
    float const mid = Kokkos::fma(-0.036289507F, x, 0.062190566F);
    float const high = Kokkos::fma(-0.0045974F, x, 0.017899822F);
    return Kokkos::fma(x2, Kokkos::fma(x2, high, mid), low);
  }

  Member const& team_;
  int lane_, warp_;
  Real tolerance_;
  float least_square_;  ///< of cosines that are rotated, squared
  Real* products_;
  Real* travellers_;
  int* exponents_;
  int* shifts_;
  int turn_ = 0;
  Real pp_[rows], qp_[rows], pq_[rows], qq_[rows];  ///< of row P or Q and of column P or Q
  Real tp_[2 * rows], tq_[2 * rows];                ///< of column P or Q
  Column p_, q_;
  float largest_square_ = 0;  ///< of all cosines met, squared
  int rotations_ = 0;
};

}  // namespace carroll::detail
