// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <carroll/detail/eigh/batch.hpp>
#include <carroll/detail/eigh/host_batch/work.hpp>
#include <carroll/detail/power_of_two.hpp>
#include <carroll/detail/simd/choice.hpp>
#include <limits>

/// T = S·diag(λ)·Sᵀ by implicit QL steps, of as many matrices as a register has lanes; each lane
/// has a block of its own at work.
namespace carroll::detail::simd {

template <class Pack>
struct QlResult {
  using Ints = typename Pack::Ints;
  Ints steps = 0;
  typename Pack::Mask converged = 0;
};

/// Rows first to last of T, in each lane those of the topmost block that has not fallen apart.
template <class Pack>
struct QlBlock {
  using Ints = typename Pack::Ints;
  Ints first, last;
  typename Pack::Mask left;  ///< lanes that have one
  int begin, end;            ///< all blocks are in there
};

/// Sets negligible couplings to zero and finds the blocks.
template <class Pack>
QlBlock<Pack> find_blocks(SymmetricWork<Pack> const& at, int begin) {
  using Real = typename Pack::Number;
  using Ints = typename Pack::Ints;
  using Mask = typename Pack::Mask;
  Pack const eps = std::numeric_limits<Real>::epsilon() / 2;
  Pack const least = carroll::detail::power_of_two<Real>(negligible_coupling<Real>);
  int const n = at.n;
  Ints first = n, last = n - 1, end = n - 1;
  for (int i = n - 2; i >= begin; --i) {
    Pack const size = abs(at.e[i]);
    Mask const couples = (size > eps * (abs(at.d[i]) + abs(at.d[i + 1]))) & (size > least);
    at.e[i] = select(couples, at.e[i], Pack(0));
    end = select(couples, end, Ints(i));
    first = select(couples, Ints(i), first);
    last = select(couples, end, last);
  }
  QlBlock<Pack> block{first, last, first < Ints(n), n, 0};
  for (int l = 0; l < Pack::width; ++l) {
    if (!block.left[l]) continue;
    block.begin = std::min(block.begin, static_cast<int>(first[l]));
    block.end = std::max(block.end, static_cast<int>(last[l]));
  }
  return block;
}

/// One step in each lane of `active` on its block: T := Rᵀ·T·R, R the rotations of rows i and
/// i + 1, last first, that are left in `cosine` and `sine`.
///
///   (c, s) = (g, s·e_i)/r,  d_{i+1} = g + (p' = s·((d_i - g)·s + 2·c·b)),  b = c·e_i
///
/// Where r vanishes the block falls apart there. Other lanes have c = 1, s = 0.
template <class Pack>
void take_step(SymmetricWork<Pack> const& at, QlBlock<Pack> const& block,
               typename Pack::Mask active) {
  using Real = typename Pack::Number;
  using Ints = typename Pack::Ints;
  using Mask = typename Pack::Mask;
  Pack const least = carroll::detail::power_of_two<Real>(2 * negligible_coupling<Real>);
  Pack d_first = Pack(0), d_second = Pack(0), d_last = Pack(0), e_first = Pack(1);
  for (int l = 0; l < Pack::width; ++l) {
    if (!active[l]) continue;
    auto const first = static_cast<int>(block.first[l]);
    d_first.set(l, at.d[first][l]);
    d_second.set(l, at.d[first + 1][l]);
    e_first.set(l, at.e[first][l]);
    d_last.set(l, at.d[static_cast<int>(block.last[l])][l]);
  }
  // Wilkinson's shift: of the first 2×2 block the eigenvalue next to d_first.
  Pack const half = (d_second - d_first) / (Pack(2) * e_first);
  Pack const root = sqrt(accumulate(Pack(1), half, half));
  Pack g = d_last - d_first + e_first / (half + select(half < Pack(0), -root, root));
  Pack s = Pack(1), c = Pack(1), p = Pack(0);
  for (int i = block.end - 1; i >= block.begin; --i) {
    Mask const inside = active & (block.last > Ints(i)) & (block.first < Ints(i + 1));
    Pack const f = s * at.e[i], b = c * at.e[i];
    Pack const square = accumulate(g * g, f, f);
    Mask const rotates = inside & (square > least);
    Pack const safe = select(rotates, square, Pack(1));
    Pack const r = sqrt(safe);
    Pack const inverse = Pack(1) / r;
    Mask const vanished = inside & ~rotates;
    Mask const within = inside & (block.last > Ints(i + 1));
    at.e[i + 1] = select(within, select(vanished, Pack(0), r), at.e[i + 1]);
    Pack const d = at.d[i + 1] - p;
    s = select(rotates, f * inverse, s);
    c = select(rotates, g * inverse, c);
    Pack const across = accumulate(Pack(2) * c * b, at.d[i] - d, s);
    Pack const next = select(rotates, s * across, Pack(0));
    at.d[i + 1] = select(inside, d + next, at.d[i + 1]);
    p = select(inside, next, p);
    g = select(rotates, c * across - b, g);
    at.cosine[i] = select(rotates, c, Pack(1));
    at.sine[i] = select(rotates, s, Pack(0));
    if (any(vanished)) {
      at.e[i] = select(vanished, b, at.e[i]);
      active = active & ~vanished;
    }
  }
  for (int l = 0; l < Pack::width; ++l) {
    if (!active[l]) continue;
    auto const first = static_cast<int>(block.first[l]);
    at.d[first].set(l, at.d[first][l] - p[l]);
    at.e[first].set(l, g[l]);
  }
}

/// Z := Z·R. A row is read once and written once, four at a time, so that one waits for none.
template <class Pack>
void rotate_rows(SymmetricWork<Pack> const& at, int begin, int end) {
  for_rows(0, at.n, [&](int i, auto count) {
    constexpr int rows = count();
    Pack* z[rows];
    Pack f[rows];
    for (int r = 0; r < rows; ++r) {
      z[r] = at.row(i + r);
      f[r] = z[r][end];
    }
    for (int j = end - 1; j >= begin; --j) {
      Pack const c = at.cosine[j], s = at.sine[j];
      for (int r = 0; r < rows; ++r) {
        Pack const x = z[r][j];
        z[r][j + 1] = accumulate(s * x, c, f[r]);
        f[r] = subtract_product(c * x, s, f[r]);
      }
    }
    for (int r = 0; r < rows; ++r) z[r][begin] = f[r];
  });
}

/// d := the eigenvalues of T, in any order; with `vectors` A, which holds Q, := Q·S. Some 1.8·n
/// steps, 3n³ multiplications and as many additions, fused two by two, for the vectors.
template <class Pack>
QlResult<Pack> diagonalise(SymmetricWork<Pack> const& at, int max_steps, bool vectors) {
  using Ints = typename Pack::Ints;
  using Mask = typename Pack::Mask;
  QlResult<Pack> result;
  int begin = 0;
  for (;;) {
    bool more = false;
    by_itself<Pack::bytes>([&] {
      auto const block = find_blocks(at, begin);
      result.converged = ~block.left;
      Mask const active = block.left & (result.steps < Ints(max_steps));
      more = any(active);
      if (!more) return;
      begin = block.begin;
      take_step(at, block, active);
      result.steps -= active;
      if (vectors) rotate_rows(at, block.begin, block.end);
    });
    if (!more) return result;
  }
}

}  // namespace carroll::detail::simd
