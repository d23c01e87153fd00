// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/detail/complex_svd/columns.hpp>
#include <carroll/detail/complex_svd/host_block/angles.hpp>
#include <carroll/detail/complex_svd/host_block/lines.hpp>
#include <carroll/detail/complex_svd/team/rotate.hpp>
#include <carroll/detail/simd/choice.hpp>
#include <carroll/detail/svd/common/rotation.hpp>
#include <carroll/detail/svd/common/round_robin.hpp>
#include <carroll/detail/svd/host_block/jacobi.hpp>
#include <carroll/svd/types.hpp>
#include <cmath>
#include <utility>

namespace carroll::detail::complex_blocks {

/// One-sided Jacobi on complex columns by a team: blocks of columns meet in modulus order, so that
/// the columns of two of them stay in a first-level cache while all their pairs are made
/// orthogonal. The longer column of a pair comes first afterwards (de Rijk, SIAM J. Sci. Stat.
/// Comput. 10, 1989): with columns sorted so a sweep or two fewer are needed.
///
/// Rotations leave out the cosine, by which whole columns would be multiplied: column j of X and of
/// J stands for itself times factors[j], a product of cosines (Gentleman, J. Inst. Maths Applics
/// 12, 1973), which is put into the columns when it gets small, and at the end.
///
/// 16·n flops a pair, 16·n more if it is rotated, and as many for J; n the rows.
template <class V>
struct ColumnSweeps {
  using Real = typename V::Number;
  using Value = Kokkos::complex<Real>;
  /// 16 columns of 128 rows in double precision fill 32 KiB.
  static constexpr int width = 8;

  SplitColumns<Real> X, J;  ///< J without data: not accumulated
  int* exponents;           ///< of X's columns
  Real* factors;            ///< and behind them what their rounding has lost
  PairRule<Real> rule;

  template <class Member>
  SvdInfo<Real> run(Member const& team, int max_sweeps) const {
    int const n = X.rows;
    blocks::ModulusOrder const order{{(n + width - 1) / width}};
    int const count = order.schedule.columns;
    SvdInfo<Real> info{.status = Status::not_converged};
    blocks::share_out(team, n, [&](int j) { set_factor(j, 1, 0); });
    team.team_barrier();
    while (info.status != Status::success && info.sweeps < max_sweeps) {
      ++info.sweeps;
      SweepTally<Real> tally;
      for (int set = 0; set < order.sets(); ++set) {
        blocks::share_out(team, order.pairs(), [&](int k) {
          auto const [p, q] = order.pair(set, k);
          Turned turned;
          if (set == 0) meet(team, p, p, tally, turned);
          if (q < count) {
            if (set == 0) meet(team, q, q, tally, turned);
            meet(team, p, q, tally, turned);
          }
          turn_rotations(turned);
          for (int const block : {p, q})
            for (int j = block * width; j < std::min((block + 1) * width, n); ++j)
              if (factors[j] < least_factor) put_in_factor(j);
        });
        team.team_barrier();
      }
      team.team_reduce(Kokkos::Max<Real>(tally.max_cosine));
      team.team_reduce(Kokkos::Sum<int>(tally.rotations));
      info.max_cosine = tally.max_cosine;
      info.rotations += tally.rotations;
      if (info.max_cosine <= rule.tolerance) info.status = Status::success;
    }
    blocks::share_out(team, n, [&](int j) { put_in_factor(j); });
    team.team_barrier();
    return info;
  }

 private:
  static constexpr Real least_factor = Real(1) / 16;

  void set_factor(int j, Real leading, Real rest) const {
    factors[j] = leading;
    factors[X.rows + j] = rest;
  }

  /// Times 1 - loss, with what rounding loses: small losses are many, and all of one sign.
  void lessen_factor(int j, Real loss) const {
    Real const less = factors[j] * loss - factors[X.rows + j] * (1 - loss);
    Real const left = factors[j] - less;
    set_factor(j, left, (factors[j] - left) - less);
  }

  void put_in_factor(int j) const {
    Real const factor = factors[j], rest = factors[X.rows + j];
    auto const times = [=](Real* x, int count) {
      for (int i = 0; i < count; ++i) x[i] = x[i] * factor + x[i] * rest;
    };
    times(X.col(j), 2 * X.rows);
    if (J.data) times(J.col(j), 2 * X.rows);
    set_factor(j, 1, 0);
  }

  /// The rotations of a meeting, of which J has its after X.
  struct Turned {
    static constexpr int most = width * (width - 1) + width * width;
    struct Pair {
      int p, q;
      PairTurn<Real> turn;
    };
    int count = 0;
    Pair pairs[most];
  };

  /// Some rows at a time, of which all columns of two blocks stay in a first-level cache.
  void turn_rotations(Turned const& turned) const {
    constexpr int rows = 96;
    if (!J.data || turned.count == 0) return;
    by_itself<V::bytes>([&] {
      for (int first = 0; first < X.rows; first += rows)
        for (int k = 0; k < turned.count; ++k) {
          auto const& [p, q, turn] = turned.pairs[k];
          turn_pair<V>(turn, J.col(p) + first, J.col(q) + first, std::min(rows, X.rows - first),
                       J.rows);
        }
    });
  }

  /// Pairs that have no column in common.
  struct PairSet {
    int count = 0, p[width], q[width];
    void add(int first, int second) {
      p[count] = first;
      q[count++] = second;
    }
  };

  /// All pairs of two blocks, or of one.
  template <class Member>
  void meet(Member const& team, int a, int b, SweepTally<Real>& tally, Turned& turned) const {
    int const first = a * width, second = b * width, n = X.rows;
    for (int turn = 0; turn < (a == b ? width - 1 : width); ++turn) {
      PairSet set;
      for (int k = 0; k < (a == b ? width / 2 : width); ++k) {
        auto const [i, j] = a == b ? blocks::ModulusOrder{{width}}.pair(turn, k)
                                   : RoundRobin::Pair{k, (turn + width - k) % width};
        if (second + j < n && first + i < n) set.add(first + i, second + j);
      }
      if (set.count > 0) orthogonalise(team, set, tally, turned);
    }
  }

  template <class Member>
  void orthogonalise(Member const& team, PairSet const& set, SweepTally<Real>& tally,
                     Turned& turned) const {
    PairAngles<V, width> angles;
    for (int k = 0; k < set.count; ++k) {
      angles.x_factor[k] = factors[set.p[k]];
      angles.y_factor[k] = factors[set.q[k]];
      angles.apart[k] = exponents[set.q[k]] - exponents[set.p[k]];
    }
    by_itself<V::bytes>([&] {
      for (int k = 0; k < set.count; ++k)
        angles.set(k, pair_moments<V>(X.col(set.p[k]), X.col(set.q[k]), X.rows));
    });
    if (!angles.are_regular()) {
      for (int k = 0; k < set.count; ++k) orthogonalise(team, set.p[k], set.q[k], tally, turned);
      return;
    }
    by_itself<V::bytes>([&] {
      angles.find(rule.rotate_above);
      for (int k = 0; k < set.count; ++k) {
        if (angles.turns[k])
          turn_pair<V>(angles.turn_of_columns(k), X.col(set.p[k]), X.col(set.q[k]), X.rows, X.rows);
      }
    });
    for (int k = 0; k < set.count; ++k) {
      tally.max_cosine = std::max(tally.max_cosine, angles.size[k]);
      if (!angles.turns[k]) continue;
      turned.pairs[turned.count++] = {set.p[k], set.q[k], angles.turn_of_rotations(k)};
      finish_turn(team, set.p[k], set.q[k], angles.loss[k], angles.size[k], !angles.x_longer[k],
                  tally);
    }
  }

  /// Of a pair that has been rotated.
  template <class Member>
  void finish_turn(Member const& team, int p, int q, Real loss, Real size, bool exchanged,
                   SweepTally<Real>& tally) const {
    ++tally.rotations;
    lessen_factor(p, loss);
    lessen_factor(q, loss);
    if (exchanged) {
      std::swap(exponents[p], exponents[q]);
      std::swap(factors[p], factors[q]);
      std::swap(factors[X.rows + p], factors[X.rows + q]);
    }
    if (1 - size < 8 * Kokkos::Experimental::epsilon_v<Real>)
      clear_if_still_parallel(team, X.col(p), X.col(q), X.rows, X.col(q));
  }

  PairMoments<Real> moments(int p, int q) const {
    PairMoments<Real> found;
    by_itself<V::bytes>([&] { found = pair_moments<V>(X.col(p), X.col(q), X.rows); });
    return found;
  }

  /// One pair, of columns of any lengths.
  template <class Member>
  void orthogonalise(Member const& team, int p, int q, SweepTally<Real>& tally,
                     Turned& turned) const {
    int const parts = 2 * X.rows;
    Real *const x = X.col(p), *const y = X.col(q);
    PairMoments<Real> found = moments(p, q);
    Real x_norm = std::sqrt(found.x_square), y_norm = std::sqrt(found.y_square);
    if (std::min(found.x_square, found.y_square) <= power_of_two<Real>(negligible_exponent<Real>)) {
      // Squares may have underflowed. Rare.
      ColumnLength<Real> const first{column_norm<SummedRows::few>(team, x, parts), exponents[p]};
      ColumnLength<Real> const second{column_norm<SummedRows::few>(team, y, parts), exponents[q]};
      if (first.norm == Real(0) || second.norm == Real(0)) return;
      exponents[p] = rescale(team, first, x, parts).exponent;
      exponents[q] = rescale(team, second, y, parts).exponent;
      found = moments(p, q);
      x_norm = std::sqrt(found.x_square);
      y_norm = std::sqrt(found.y_square);
    }
    Real const norms = x_norm * y_norm;
    Value const cosine{found.re / norms, found.im / norms};
    Real const size = std::sqrt(cosine.real() * cosine.real() + cosine.imag() * cosine.imag());
    tally.max_cosine = std::max(tally.max_cosine, size);
    if (!(size > rule.rotate_above)) return;
    ColumnLength<Real> const first =
        rescale(team, ColumnLength<Real>{factors[p] * x_norm, exponents[p]}, x, parts);
    ColumnLength<Real> const second =
        rescale(team, ColumnLength<Real>{factors[q] * y_norm, exponents[q]}, y, parts);
    Rotation<Real> const r = make_rotation(first, second, size);
    bool const exchange = !r.p_longer;
    Value const phase = cosine / size;
    Real const c = 1 - r.h, q_to_p = factors[q] / (factors[p] * c),
               p_to_q = factors[p] / (factors[q] * c);
    by_itself<V::bytes>([&] {
      turn_pair<V>(turn_of(phase, r.p_from_q * q_to_p, r.q_from_p * p_to_q, exchange), x, y, X.rows,
                   X.rows);
    });
    turned.pairs[turned.count++] = {p, q,
                                    turn_of(phase, r.sine * q_to_p, -r.sine * p_to_q, exchange)};
    exponents[p] = first.exponent;
    exponents[q] = second.exponent;
    finish_turn(team, p, q, r.h, size, exchange, tally);
  }

  /// With the phase e^{iφ} of xᴴ·y: as `orthogonalise_complex_pair` has it.
  static PairTurn<Real> turn_of(Value const& phase, Real x_from_y, Real y_from_x, bool exchange) {
    return {x_from_y * phase.real(), -x_from_y * phase.imag(), y_from_x * phase.real(),
            y_from_x * phase.imag(), exchange};
  }
};

}  // namespace carroll::detail::complex_blocks
