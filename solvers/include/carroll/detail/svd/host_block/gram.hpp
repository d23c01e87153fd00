// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/detail/power_of_two.hpp>
#include <carroll/detail/svd/common/householder.hpp>
#include <carroll/detail/svd/common/rotation.hpp>
#include <carroll/detail/svd/host_block/angles.hpp>
#include <carroll/detail/svd/host_block/tiles.hpp>

/// Two-sided Jacobi on the Gram matrix of two blocks of columns, on a host.
namespace carroll::detail::blocks {

/// G = YᵀY of two blocks of `half` columns, column i standing for y·2^exponent, is brought near a
/// diagonal by T: TᵀGT, T the product of the rotations of the columns as they are stored.
///
/// The columns sit in `half` pairs of seats, upper and lower. A set rotates all pairs at once:
/// angles lane by lane, then rows of G, lane k with lane k, and columns of G and T. Then seats
/// change, rows of G by being stored next to where they were: in a pass over the pairs between the
/// blocks the lower ones move round; in a pass over all pairs lower and upper ones move on by one
/// in turn, so that sets meet in the order of the sum of their columns' numbers (modulus ordering,
/// equivalent to cyclic by rows: Luk and Park 1989).
///
/// A set that has rotations: 36·half² flops.
template <class V, int half>
class GramJacobi {
 public:
  using Real = typename V::Number;
  using Meeting = GramMeeting<Real>;

  static constexpr int columns = 2 * half;

  Real& G(int i, int j) { return gram_[guard + i + j * ld]; }
  static constexpr int ld = columns + 16;  // a row may be stored one beyond, on either side
  Real const* turn(int column) const { return turn_ + column * columns; }
  int exponents[columns];

  /// The column that comes i-th in the order of decreasing length.
  int place(int i) const { return order_[i]; }

  /// The Gram matrix of the columns that come from first to first + half, as the rotations left it;
  /// false if it is not worth much, because a column has lost much of its length.
  bool hand_out(int first, Real* block) const {
    int seat[columns];
    for (int k = 0; k < half; ++k) {
      seat[upper_[k]] = k;
      seat[lower_[k]] = half + k;
    }
    bool fine = true;
    for (int j = 0; j < half; ++j) {
      int const column = order_[first + j];
      Real const* const g = gram_ + guard + column * ld;
      for (int i = 0; i < j; ++i) block[i + j * half] = g[seat[order_[first + i]]];
      block[j * (half + 1)] = square_[column];
      fine = fine && square_[column] > 64 * least_[column];
    }
    return fine;
  }

  /// Takes the upper triangle of G and the exponents as they are. One pass over the pairs between
  /// the blocks, or with `inner` over all; then one over all where that met a cosine above `again`.
  /// Cosines are those of the first pass. False if two columns are parallel to working accuracy.
  bool diagonalise(PairRule<Real> const& rule, bool inner, Real again, Meeting& met) {
    start();
    if (!(inner ? pass_all(rule, met) : pass_between(rule, met))) return false;
    if (met.square_cosine > again * again) {
      Meeting second;
      if (!pass_all(rule, second)) return false;
      met.turns += second.turns;
      met.rotations += second.rotations;
    }
    if (met.rotations > 0) sort();
    return true;
  }

 private:
  static constexpr int guard = 16;
  static constexpr int L = V::width;
  static constexpr int vectors = half / L;
  using Int = BitsOf<Real>;

  using Shears = GramShears<Real, half>;

  enum class Move { round, lower, upper };

  void start() {
    for (int j = 0; j < columns; ++j)
      for (int i = 0; i < j; ++i) G(j, i) = G(i, j);
    std::fill(turn_, turn_ + columns * columns, Real(0));
    for (int j = 0; j < columns; ++j) {
      square_[j] = G(j, j);
      least_[j] = G(j, j) / 4096;
      turn_[j * (columns + 1)] = 1;
      order_[j] = j;
    }
    for (int k = 0; k < half; ++k) {
      upper_[k] = k;
      lower_[k] = half + k;
    }
  }

  /// Leaves the seats as they were.
  bool pass_between(PairRule<Real> const& rule, Meeting& met) {
    for (int set = 0; set < half; ++set)
      if (!meet<Move::round>(rule, met)) return false;
    return true;
  }

  bool pass_all(PairRule<Real> const& rule, Meeting& met) {
    for (int set = 0; set < columns - 1; ++set)
      if (!(set % 2 == 0 ? meet<Move::lower>(rule, met) : meet<Move::upper>(rule, met)))
        return false;
    return true;
  }

  template <Move move>
  bool meet(PairRule<Real> const& rule, Meeting& met) {
    int rotated;
    by_itself<V::bytes>([&] {
      Shears shears;
      rotated = find_angles(rule, met, shears);
      if (rotated > 0)
        turn_and_move<move, true>(shears);
      else if (rotated == 0)
        turn_and_move<move, false>(shears);
    });
    if (rotated < 0) return false;
    met.rotations += rotated;
    move_seats<move>();
    return true;
  }

  /// Returns how many angles are not zero, or -1 if two columns are parallel.
  int find_angles(PairRule<Real> const& rule, Meeting& met, Shears& shears) {
    GramAngles<V, half> angles;
    for (int k = 0; k < half; ++k) {
      int const p = upper_[k], q = lower_[k];
      angles.x[k] = square_[p];
      angles.y[k] = square_[q];
      angles.x_least[k] = least_[p];
      angles.y_least[k] = least_[q];
      angles.apart[k] = static_cast<Int>(exponents[q] - exponents[p]);
      angles.d[k] = G(k, q);
    }
    int const count = angles.find(rule, met, shears);
    if (count > 0)
      for (int k = 0; k < half; ++k) {
        square_[upper_[k]] = angles.x[k];
        square_[lower_[k]] = angles.y[k];
      }
    return count;
  }

  static void shear(V& x, V& y, V const& h, V const& s) {
    x.add_product(h, y);
    y.add_product(s, x);
    x.add_product(h, y);
  }

  /// A column of G whose rows are seated.
  struct Seated {
    V upper[vectors], lower[vectors];

    explicit Seated(Real const* g) {
      for (int v = 0; v < vectors; ++v) {
        upper[v] = V::load(g + v * L);
        lower[v] = V::load(g + half + v * L);
      }
    }

    /// `round`: the lower seats move by one, the first one's comes last. Otherwise the lower seat 0
    /// keeps its column; `lower`: those behind move back, upper seat 0's comes before them, and
    /// what falls out at the end takes its place; `upper`: the upper ones move forward, the first
    /// one's comes last.
    template <Move move>
    void store_moved(Real* g) const {
      Real const first = upper[0][0], first_lower = lower[0][0];
      Real const last_lower = lower[vectors - 1][L - 1];
      constexpr int up = move == Move::upper ? -1 : 0;
      constexpr int low = move == Move::round ? -1 : move == Move::lower ? 1 : 0;
      for (int v = 0; v < vectors && low <= 0; ++v) store(g + half + low + v * L, lower[v]);
      for (int v = 0; v < vectors; ++v) store(g + up + v * L, upper[v]);
      for (int v = 0; v < vectors && low > 0; ++v) store(g + half + low + v * L, lower[v]);
      if constexpr (move == Move::round) {
        g[columns - 1] = first_lower;
      } else if constexpr (move == Move::lower) {
        g[0] = last_lower;
        g[half] = first_lower;
        g[half + 1] = first;
      } else {
        g[half - 1] = first;
      }
    }
  };

  template <Move move, bool turning>
  void turn_and_move(Shears const& shears) {
    V h[vectors], s[vectors];
    for (int v = 0; turning && v < vectors; ++v) {
      h[v] = V::load(shears.h + v * L);
      s[v] = V::load(shears.s + v * L);
    }
    for (int k = 0; k < half; ++k) {
      int const p = upper_[k], q = lower_[k];
      Seated x(&G(0, p)), y(&G(0, q));
      if constexpr (turning) {
        for (int v = 0; v < vectors; ++v) {
          shear(x.upper[v], x.lower[v], h[v], s[v]);
          shear(y.upper[v], y.lower[v], h[v], s[v]);
        }
        V const hk = shears.h[k], sk = shears.s[k];
        for (int v = 0; v < vectors; ++v) {
          shear(x.upper[v], y.upper[v], hk, sk);
          shear(x.lower[v], y.lower[v], hk, sk);
        }
        Real *const a = turn_ + p * columns, *const b = turn_ + q * columns;
        for (int i = 0; i < columns; i += L) {
          V c = V::load(a + i), d = V::load(b + i);
          shear(c, d, hk, sk);
          store(a + i, c);
          store(b + i, d);
        }
      }
      x.template store_moved<move>(&G(0, p));
      y.template store_moved<move>(&G(0, q));
    }
  }

  template <Move move>
  void move_seats() {
    int const first = upper_[0], first_lower = lower_[0];
    if constexpr (move == Move::round) {
      std::copy(lower_ + 1, lower_ + half, lower_);
      lower_[half - 1] = first_lower;
    } else if constexpr (move == Move::lower) {
      upper_[0] = lower_[half - 1];
      std::copy_backward(lower_ + 1, lower_ + half - 1, lower_ + half);
      lower_[1] = first;
    } else {
      std::copy(upper_ + 1, upper_ + half, upper_);
      upper_[half - 1] = first;
    }
  }

  /// Longest column first, empty ones last.
  void sort() {
    Real length[columns];
    int exponent[columns];
    for (int j = 0; j < columns; ++j) {
      int const e = exponent_of(square_[j]) >> 1;
      length[j] = square_[j] * power_of_two<Real>(-e) * power_of_two<Real>(-e);  // in [1/2, 2)
      exponent[j] = exponents[j] + e;
    }
    // Sorted but for a few: insertion.
    for (int i = 1; i < columns; ++i) {
      int const j = order_[i];
      int k = i;
      for (; k > 0; --k) {
        int const before = order_[k - 1];
        bool const longer = exponent[j] != exponent[before] ? exponent[j] > exponent[before]
                                                            : length[j] > length[before];
        if (!longer) break;
        order_[k] = before;
      }
      order_[k] = j;
    }
  }

  int upper_[half], lower_[half], order_[columns];
  Real square_[columns], least_[columns];
  alignas(64) Real gram_[columns * ld + 2 * guard];
  alignas(64) Real turn_[columns * columns];
};

}  // namespace carroll::detail::blocks
