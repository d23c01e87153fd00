// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <carroll/detail/eigh/batch.hpp>
#include <carroll/detail/eigh/host_batch/work.hpp>
#include <carroll/detail/power_of_two.hpp>
#include <carroll/detail/simd/choice.hpp>
#include <limits>

/// T = S·diag(λ)·Sᵀ by implicit QL steps, of as many matrices as one or two registers have lanes;
/// each lane has a block of its own at work. A step is a chain of roots and divisions: those of two
/// registers overlap.
namespace carroll::detail::simd {

template <class Pack>
struct QlResult {
  using Ints = typename Pack::Ints;
  Ints steps = 0;
  typename Pack::Mask converged = 0;
};

/// Rows first to last of T, in each lane those of the topmost block that has not fallen apart, and
/// what a step on it begins with.
template <class Pack>
struct QlBlock {
  using Ints = typename Pack::Ints;
  Ints first, last;  ///< first > last: none
  Pack d_first, d_second, e_first, d_last;
  typename Pack::Mask active;  ///< lanes that have one
  int begin, end;              ///< all blocks are in there; begin > end: none
  int latest, earliest;        ///< the largest `first` and the smallest `last`
};

/// Sets negligible couplings to zero and finds the blocks; above `begin` there are none.
template <class Pack>
QlBlock<Pack> find_blocks(SymmetricWork<Pack> const& at, int begin) {
  using Real = typename Pack::Number;
  using Ints = typename Pack::Ints;
  using Mask = typename Pack::Mask;
  Pack const eps = std::numeric_limits<Real>::epsilon() / 2;
  Pack const least = carroll::detail::power_of_two<Real>(negligible_coupling<Real>);
  int const n = at.n;
  QlBlock<Pack> block;
  block.first = Ints(n);
  block.last = Ints(0);
  block.d_first = block.d_second = block.d_last = Pack(0);
  block.e_first = Pack(1);
  Ints end = n - 1;
  Pack below = at.d[n - 1], d_end = below;
  for (int i = n - 2; i >= begin; --i) {
    Pack const d = at.d[i], e = at.e[i], size = abs(e);
    Mask const couples = (size > eps * (abs(d) + abs(below))) & (size > least);
    at.e[i] = select(couples, e, Pack(0));
    end = select(couples, end, Ints(i));
    d_end = select(couples, d_end, d);
    block.first = select(couples, Ints(i), block.first);
    block.last = select(couples, end, block.last);
    block.d_first = select(couples, d, block.d_first);
    block.d_second = select(couples, below, block.d_second);
    block.e_first = select(couples, e, block.e_first);
    block.d_last = select(couples, d_end, block.d_last);
    below = d;
  }
  block.active = block.first < Ints(n);
  block.begin = n;
  block.end = block.latest = 0;
  block.earliest = n;
  for (int l = 0; l < Pack::width; ++l) {
    auto const first = static_cast<int>(block.first[l]), last = static_cast<int>(block.last[l]);
    block.begin = std::min(block.begin, first);
    block.latest = std::max(block.latest, first);
    block.end = std::max(block.end, last);
    block.earliest = std::min(block.earliest, last);
  }
  return block;
}

/// One implicit QL step in each active lane on its block: T := Rᵀ·T·R, R the rotations of rows i
/// and i + 1, last first:
///
///   (c, s) = (g, s·e_i)/r,  d_{i+1} = g + (p' = s·((d_i - g)·s + 2·c·b)),  b = c·e_i
///
/// Where r vanishes the block falls apart there. Other lanes have c = 1, s = 0.
template <class Pack>
class QlStep {
 public:
  using Real = typename Pack::Number;
  using Ints = typename Pack::Ints;
  using Mask = typename Pack::Mask;

  /// With Wilkinson's shift: of the first 2×2 block the eigenvalue next to d_first. The rotations
  /// are left in `cosine` and `sine`. `all`: every lane is active.
  QlStep(SymmetricWork<Pack> const& at, QlBlock<Pack> const& block, bool all, Pack* cosine,
         Pack* sine)
      : first_(block.first),
        last_(block.last),
        active_(block.active),
        begin_inner_(all ? block.latest + 1 : at.n),
        end_inner_(block.earliest - 1),
        d_(at.d),
        e_(at.e),
        cosine_(cosine),
        sine_(sine) {
    Pack const half = (block.d_second - block.d_first) / (Pack(2) * block.e_first);
    Pack const root = sqrt(accumulate(Pack(1), half, half));
    g_ =
        block.d_last - block.d_first + block.e_first / (half + select(half < Pack(0), -root, root));
    next_ = at.d[block.end];
  }

  /// Rows i and i + 1, of one i after the other from the block's end on.
  void rotate(int i) {
    Pack const least = carroll::detail::power_of_two<Real>(2 * negligible_coupling<Real>);
    Pack const e = e_[i], d_i = d_[i];
    Pack const f = s_ * e, b = c_ * e;
    Pack const square = accumulate(g_ * g_, f, f);
    if (begin_inner_ <= i && i < end_inner_ && !any(square <= least)) {
      // Within all lanes' blocks.
      Pack const r = sqrt(square), inverse = Pack(1) / r;
      e_[i + 1] = r;
      s_ = f * inverse;
      c_ = g_ * inverse;
      Pack const d = next_ - p_;
      Pack const across = accumulate(Pack(2) * c_ * b, d_i - d, s_);
      p_ = s_ * across;
      d_[i + 1] = d + p_;
      g_ = c_ * across - b;
      cosine_[i] = c_;
      sine_[i] = s_;
      next_ = d_i;
      return;
    }
    Mask const within = inside_;
    inside_ = inside_ | (active_ & (last_ == Ints(i + 1)));
    Mask const rotates = inside_ & (square > least);
    Mask const vanished = inside_ & ~rotates;
    Pack const r = sqrt(select(rotates, square, Pack(1)));
    Pack const inverse = Pack(1) / r;
    e_[i + 1] = select(within, select(rotates, r, Pack(0)), e_[i + 1]);
    s_ = select(rotates, f * inverse, s_);
    c_ = select(rotates, g_ * inverse, c_);
    Pack const d = next_ - p_;
    Pack const across = accumulate(Pack(2) * c_ * b, d_i - d, s_);
    p_ = select(inside_, select(rotates, s_ * across, Pack(0)), p_);
    d_[i + 1] = select(inside_, d + p_, next_);
    g_ = select(rotates, c_ * across - b, g_);
    cosine_[i] = select(rotates, c_, Pack(1));
    sine_[i] = select(rotates, s_, Pack(0));
    Mask const ends = rotates & (first_ == Ints(i));
    e_[i] = select(ends, g_, select(vanished, b, e));
    next_ = select(ends, d_i - p_, d_i);
    p_ = select(ends, Pack(0), p_);
    inside_ = rotates & ~ends;
    active_ = active_ & ~vanished;
    // All later rotations are to be looked at lane by lane.
    if (any(vanished)) begin_inner_ = end_inner_;
  }

  /// After the last of them, of row `begin`.
  void finish(int begin) { d_[begin] = next_; }

 private:
  Ints first_, last_;
  Mask active_, inside_ = 0;
  int begin_inner_, end_inner_;  ///< rows within the blocks of all lanes
  Pack *d_, *e_, *cosine_, *sine_;
  Pack g_, s_ = Pack(1), c_ = Pack(1), p_ = Pack(0);
  Pack next_;  ///< d_{i+1} of the row at work
};

/// Is every lane at work?
template <class Pack>
bool all_active(QlBlock<Pack> const& block) {
  return !any(~block.active);
}

/// The same for `Count` registers at once.
template <int Count, class Pack>
void take_steps(SymmetricWork<Pack> const* at, QlBlock<Pack> const* blocks, int k) {
  auto const run = [&](int t) {
    QlStep<Pack> step(at[t], blocks[t], all_active(blocks[t]), at[t].cosines(k), at[t].sines(k));
    for (int i = blocks[t].end - 1; i >= blocks[t].begin; --i) step.rotate(i);
    step.finish(blocks[t].begin);
  };
  bool const both = Count == 2 && blocks[0].begin < blocks[0].end &&
                    blocks[Count - 1].begin < blocks[Count - 1].end;
  if (!both) {
    for (int t = 0; t < Count; ++t)
      if (blocks[t].begin < blocks[t].end) run(t);
    return;
  }
  auto const &one = blocks[0], &other = blocks[Count - 1];
  QlStep<Pack> a(at[0], one, all_active(one), at[0].cosines(k), at[0].sines(k));
  QlStep<Pack> b(at[Count - 1], other, all_active(other), at[Count - 1].cosines(k),
                 at[Count - 1].sines(k));
  int const end = std::max(one.end, other.end), begin = std::min(one.begin, other.begin);
  for (int i = end - 1; i >= begin; --i) {
    if (one.begin <= i && i < one.end) a.rotate(i);
    if (other.begin <= i && i < other.end) b.rotate(i);
  }
  a.finish(one.begin);
  b.finish(other.begin);
}

/// Rotations of some steps that the vectors wait for.
struct QlRotations {
  int steps = 0;
  int begin[ql_steps_kept], end[ql_steps_kept];
  /// Of a group that is done, first > last, there are none.
  void add(int first, int last) {
    begin[steps] = std::min(first, last);
    end[steps++] = last;
  }
};

/// Z := Z·R₁·R₂⋯, of complex Z both parts. Four rows at a time, so that one waits for none, stay in
/// the first cache for all steps.
template <class Pack>
void rotate_rows(SymmetricWork<Pack> const& at, QlRotations const& kept) {
  for_rows(0, at.rows, [&](int i, auto count) {
    constexpr int rows = count();
    Pack* z[rows];
    for (int r = 0; r < rows; ++r) z[r] = at.row(i + r);
    for (int k = 0; k < kept.steps; ++k) {
      Pack const *const cosine = at.cosines(k), *const sine = at.sines(k);
      Pack f[rows];
      for (int r = 0; r < rows; ++r) f[r] = z[r][kept.end[k]];
      for (int j = kept.end[k] - 1; j >= kept.begin[k]; --j) {
        Pack const c = cosine[j], s = sine[j];
        for (int r = 0; r < rows; ++r) {
          Pack const x = z[r][j];
          z[r][j + 1] = accumulate(s * x, c, f[r]);
          f[r] = subtract_product(c * x, s, f[r]);
        }
      }
      for (int r = 0; r < rows; ++r) z[r][kept.begin[k]] = f[r];
    }
  });
}

/// d := the eigenvalues of T, in any order; with `vectors` A, which holds Q, := Q·S; of `Count`
/// groups of matrices of one order. Some 1.8·n steps, 3n³ multiplications and as many additions,
/// fused two by two, for the vectors.
template <int Count, class Pack>
void diagonalise(SymmetricWork<Pack> const* at, int max_steps, bool vectors,
                 QlResult<Pack>* results) {
  using Ints = typename Pack::Ints;
  int begin[Count] = {};
  QlRotations kept[Count];
  for (bool more = true; more;) {
    more = false;
    by_itself<Pack::bytes>([&] {
      QlBlock<Pack> blocks[Count];
      for (int t = 0; t < Count; ++t) {
        blocks[t] = find_blocks(at[t], begin[t]);
        begin[t] = std::min(blocks[t].begin, at[t].n - 1);
        results[t].converged = ~blocks[t].active;
        blocks[t].active = blocks[t].active & (results[t].steps < Ints(max_steps));
        results[t].steps -= blocks[t].active;
        more = more || any(blocks[t].active);
      }
      if (more) take_steps<Count>(at, blocks, kept[0].steps);
      for (int t = 0; t < Count && vectors; ++t) {
        if (more) kept[t].add(blocks[t].begin, blocks[t].end);
        if (more && kept[t].steps < ql_steps_kept) continue;
        rotate_rows(at[t], kept[t]);
        kept[t].steps = 0;
      }
    });
  }
}

}  // namespace carroll::detail::simd
