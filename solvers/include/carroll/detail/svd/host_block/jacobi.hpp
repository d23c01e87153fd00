// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/detail/power_of_two.hpp>
#include <carroll/detail/svd/common/rotation.hpp>
#include <carroll/detail/svd/common/round_robin.hpp>
#include <carroll/detail/svd/host_block/gram.hpp>
#include <carroll/detail/svd/host_block/tiles.hpp>
#include <carroll/detail/svd/problem.hpp>

/// One-sided block Jacobi on padded columns, on a host.
namespace carroll::detail::blocks {

/// Two blocks of `width` columns at work, on one thread: their Gram matrix picks the rotations,
/// which are applied as one product; the columns come out longest first. Cosines are judged by the
/// Gram matrix before the first rotation (Drmač 2009, block-oriented one-sided Jacobi).
///
/// n rows: 2·width²·n flops for the products between the blocks, those within follow from the
/// meeting before; 8·width²·n for the rotations.
template <class V, int width>
class BlockPair {
 public:
  using Real = typename V::Number;
  static constexpr int columns = 2 * width;
  using Meeting = typename GramJacobi<V, width>::Meeting;
  /// Pairs met with a cosine above this one meet again.
  static constexpr Real again = Real(1e-3);

  /// Columns [p·width, …) and [q·width, …) of X, n of them; q's block may be empty. `known` holds
  /// each block's own Gram matrix, width×width, or a negative number where that has to be formed.
  BlockPair(Columns<Real> const& X, int n, int* exponents, Real* known, int p, int q)
      : known_{known + static_cast<std::ptrdiff_t>(p) * width * width,
               q * width < n ? known + static_cast<std::ptrdiff_t>(q) * width * width : nullptr} {
    for (int i = 0; i < columns; ++i) {
      int const j = i < width ? p * width + i : (q - 1) * width + i;
      bool const present = j < n;
      count_ += present ? 1 : 0;
      columns_[i] = X.col(present ? j : 0);
      exponents_[i] = exponents + (present ? j : 0);
    }
  }

  /// Over the pairs between the blocks, or with `inner` over all, whose products are then formed
  /// afresh. False if a column vanishes or two are parallel to working accuracy.
  bool orthogonalise(PairRule<Real> const& rule, bool inner, int rows, Meeting& met) {
    form_products(inner, rows);
    constexpr int nowhere = -(1 << 24);
    for (int i = 0; i < columns; ++i) gram_.exponents[i] = i < count_ ? *exponents_[i] : nowhere;
    for (int j = count_; j < columns; ++j)
      for (int i = 0; i <= j; ++i) gram_.G(i, j) = i == j ? Real(1) : Real(0);
    if (!normalise(rows)) return false;
    if (!gram_.diagonalise(rule, inner, again, met)) return false;
    for (int b = 0; b < 2 && known_[b]; ++b)
      if (!gram_.hand_out(b * width, known_[b])) known_[b][0] = -1;
    if (met.rotations == 0) return true;
    // T's columns in their new places; rows of columns that are not there are left out.
    alignas(64) Real T[columns * columns];
    for (int i = 0; i < columns; ++i) {
      Real const* const t = gram_.turn(gram_.place(i));
      std::copy(t, t + columns, T + i * columns);
    }
    for (int i = 0; i < count_; ++i) *exponents_[i] = gram_.exponents[gram_.place(i)];
    int const full = count_ / product_cols<V> * product_cols<V>;
    if (full == count_) {
      multiply<V, false>(columns_, count_, T, columns, columns_, full, 0, rows);
    } else {
      multiply_to_end(T, rows);
    }
    return true;
  }

 private:
  /// Takes powers of two out of columns whose squared norm has left [2^-16, 2^16].
  bool normalise(int rows) {
    for (int j = 0; j < count_; ++j) {
      Real const square = gram_.G(j, j);
      if (!(square > power_of_two<Real>(negligible_exponent<Real>))) return false;
      int const e = exponent_of(square) / 2;
      if (e >= -8 && e <= 8) continue;
      Real const down = power_of_two<Real>(-e);
      for (int i = 0; i < rows; ++i) columns_[j][i] *= down;
      gram_.exponents[j] = *exponents_[j] += e;
      for (int i = 0; i <= j; ++i) gram_.G(i, j) *= down;
      for (int i = j; i < columns; ++i) gram_.G(j, i) *= down;
    }
    return true;
  }

  void form_products(bool inner, int rows) {
    for (int b = 0; b < 2; ++b) {
      int const first = b * width;
      if (inner || !known_[b] || known_[b][0] < 0)
        dot_products<V>(columns_ + first, width, columns_ + first, width, rows,
                        &gram_.G(first, first), gram_.ld, true);
      else
        for (int j = 0; j < width; ++j)
          std::copy(known_[b] + j * width, known_[b] + j * (width + 1) + 1,
                    &gram_.G(first, first + j));
    }
    dot_products<V>(columns_, width, columns_ + width, width, rows, &gram_.G(0, width), gram_.ld);
  }

  /// The product where the last tile of columns is incomplete: its surplus goes nowhere.
  void multiply_to_end(Real const* T, int rows) {
    constexpr int tall = 2 * V::width, cols = product_cols<V>;
    alignas(64) Real in[columns * tall];
    alignas(64) Real surplus[cols * tall];
    for (int row = 0; row < rows; row += tall) {
      for (int k = 0; k < count_; ++k)
        std::copy(columns_[k] + row, columns_[k] + row + tall, in + k * tall);
      for (int j = 0; j < count_; j += cols) {
        Real* out[cols];
        for (int c = 0; c < cols; ++c)
          out[c] = j + c < count_ ? columns_[j + c] + row : surplus + c * tall;
        multiply_tile<V, false>(in, count_, T + j * columns, columns, out, 0);
      }
    }
  }

  int count_ = 0;
  Real* known_[2];
  Real* columns_[columns];
  int* exponents_[columns];
  GramJacobi<V, width> gram_;
};

/// Sets of disjoint pairs of blocks, in each of which every sum of two numbers, modulo the number
/// of seats - 1, is the same, from 0 up: equivalent to cyclic by rows (Luk and Park 1989), which
/// together with blocks sorted by length takes some two sweeps less than the round robin's order.
struct ModulusOrder {
  RoundRobin schedule;
  int sets() const { return std::max(schedule.sets(), 1); }
  int pairs() const { return schedule.pairs(); }
  RoundRobin::Pair pair(int set, int k) const {
    if (schedule.columns == 1) return {0, 1};
    int const ring = schedule.seats() - 1;
    return schedule.pair(static_cast<int>(std::int64_t{set} * ((ring + 1) / 2) % ring), k);
  }
};

/// Sweeps over the n columns of X, `rows` long, whole tiles, by a team. False, on all threads, if a
/// pair of blocks could not be worked on.
///
/// The cosine that rotations leave between columns p and r is to first order Σ turn(p, q)·cos(q,
/// r), which is at most √(Σ turn(p, q)²·Σ cos(q, r)²). Where the largest sums of all blocks'
/// columns put that below the tolerance no sweep has to look again. `sums` holds 2·n/width + 2
/// numbers; each block's are added up in the order of the sets, so that they do not depend on the
/// team.
///
/// At most 6·n³ flops a sweep, in products of the shape n×2w by 2w×2w; X is read and written n/w
/// times, from cache where it fits.
template <int width, class Real, class Member>
bool sweep_all(Member const& team, Columns<Real> const& X, int n, int rows, int* exponents,
               PairRule<Real> const& rule, int max_sweeps, Real* sums, Real* known,
               SvdInfo<Real>& info) {
  ModulusOrder const order{{(n + width - 1) / width}};
  int const blocks = order.schedule.columns;
  Real *const cosines = sums, *const turns = sums + blocks;
  info = {.status = Status::not_converged};
  while (info.status != Status::success && info.sweeps < max_sweeps) {
    ++info.sweeps;
    share_out(team, blocks, [&](int p) { cosines[p] = turns[p] = 0; });
    team.team_barrier();
    int failures = 0, rotations = 0;
    Real square_cosine = 0;
    for (int set = 0; set < order.sets(); ++set) {
      share_out(team, order.pairs(), [&](int k) {
        auto const pair_of_blocks = order.pair(set, k);
        int const p = pair_of_blocks.p, q = pair_of_blocks.q;
        GramMeeting<Real> met;
        with_packs<Real>([&]<class V>() {
          by_itself<V::bytes>([&] {
            BlockPair<V, width> pair(X, n, exponents, known, p, q);
            if (!pair.orthogonalise(rule, set == 0, rows, met)) ++failures;
          });
        });
        square_cosine = std::max(square_cosine, met.square_cosine);
        rotations += met.rotations;
        for (int const block : {p, q}) {
          if (block == blocks) continue;
          cosines[block] += met.cosines;
          turns[block] += met.turns;
        }
      });
      team.team_barrier();
    }
    team.team_reduce(Kokkos::Sum<int>(failures));
    team.team_reduce(Kokkos::Sum<int>(rotations));
    team.team_reduce(Kokkos::Max<Real>(square_cosine));
    if (failures > 0) return false;
    Real const left_over = Kokkos::sqrt(*std::max_element(cosines, cosines + blocks)) *
                           Kokkos::sqrt(*std::max_element(turns, turns + blocks));
    info.rotations += rotations;
    info.max_cosine = std::min(Kokkos::sqrt(square_cosine), left_over);
    if (info.max_cosine <= rule.tolerance) info.status = Status::success;
    team.team_barrier();  // all have read the sums
  }
  return true;
}

}  // namespace carroll::detail::blocks
