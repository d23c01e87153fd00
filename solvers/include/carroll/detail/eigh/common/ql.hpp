// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/math.hpp>
#include <carroll/detail/device/rounding.hpp>
#include <carroll/detail/eigh/batch.hpp>
#include <carroll/detail/power_of_two.hpp>
#include <cstdint>

/// T = S·diag(λ)·Sᵀ by implicit QL steps, for one thread: a chain of roots and reciprocals.
namespace carroll::detail {

/// Rotations of QL steps, and steps, that are kept for the vectors of an n×n problem: all that
/// there usually are (some 0.9·n² and 1.8·n), none where that would be too much memory. What does
/// not fit is found later.
KOKKOS_INLINE_FUNCTION constexpr std::int64_t kept_rotations(std::int64_t n) {
  constexpr int most_order = 2048;
  return n <= most_order ? n * (n + 4) : 0;
}
KOKKOS_INLINE_FUNCTION constexpr std::int64_t kept_steps(std::int64_t n) {
  return kept_rotations(n) > 0 ? 4 * n : 0;
}

/// Rows first to last of T, the topmost block that has not fallen apart; none: first == last.
struct EighBlock {
  int first, last;

  KOKKOS_FUNCTION int length() const { return last - first; }
};

/// Of rows i and i + 1 of T, written and read as a whole.
template <class Real>
struct alignas(2 * sizeof(Real)) QlRotation {
  Real c, s;
};

/// What the steps have come to.
struct EighSteps {
  int steps = 0;
  int kept = 0;       ///< steps whose rotations are there
  bool done = false;  ///< T is diagonal
};

/// Where the rotations of steps go, one behind the other, and the steps' blocks; null for nowhere.
template <class Real>
struct KeptSteps {
  QlRotation<Real>* rotations = nullptr;
  EighBlock* blocks = nullptr;
};

/// T, entries `Stride` apart. `Fused`: products are added without rounding, and roots come from
/// the device's first guess, which is quicker there and slower on hosts.
template <class Real, bool Fused, int Stride = 1>
struct QlChain {
  int n;
  Real *diagonal, *couplings;

  KOKKOS_FUNCTION Real& d(int i) const { return diagonal[i * Stride]; }
  KOKKOS_FUNCTION Real& e(int i) const { return couplings[i * Stride]; }

  /// Sets negligible couplings to zero until it meets one that is not, from row `begin` on, and
  /// finds its block. Above `begin` there are none left, so that who goes on begins anywhere.
  KOKKOS_FUNCTION EighBlock find_block(int begin) const {
    int first = begin;
    for (; first < n - 1 && !couples(e(first), d(first), d(first + 1)); ++first) e(first) = 0;
    int last = first;
    while (last < n - 1 && couples(e(last), d(last), d(last + 1))) ++last;
    if (last < n - 1) e(last) = 0;
    return {first, last};
  }

  /// One step on a block: T := Rᵀ·T·R, R the rotations of rows i and i + 1, last first, that go to
  /// rotation[i - first], if that is not null. Returns the block for the next one.
  ///
  ///   (c, s) = (g, s·e_i)/r,  d_{i+1} = g + s·(t = (d_i - g)·s + 2·c·b),  b = c·e_i
  ///
  /// Where r vanishes the block falls apart there, and the rotations from there on are none. What
  /// a step reads does not wait for what it has written.
  KOKKOS_FUNCTION EighBlock take_step(EighBlock const& block, QlRotation<Real>* rotation) const {
    Real const least = power_of_two<Real>(2 * negligible_coupling<Real>);
    int const first = block.first, last = block.last;
    Real g = d(last) - shift_of(first);
    Real s = 1, c = 1, t = 0;
    Real next = d(last), below = 0;
    Real e_ahead = e(last - 1), d_ahead = d(last - 1);
    int cut = last;
    for (int i = last - 1; i >= first; --i) {
      Real const e_here = e_ahead, d_here = d_ahead;
      int const ahead = i > first ? i - 1 : i;
      e_ahead = e(ahead);
      d_ahead = d(ahead);
      Real const f = s * e_here, b = c * e_here;
      Real const here = plus(-s, t, next);
      Real const square = plus(g, g, f * f);
      if (!(square > least)) return fall_apart(block, i, here, b, rotation);
      Real const inverse = inverse_root(square);
      Real const r = square * inverse;
      s = f * inverse;
      c = g * inverse;
      t = plus(d_here - here, s, c * (b + b));
      Real const turned = plus(s, t, here);
      d(i + 1) = turned;
      if (i + 1 < last) {
        bool const holds = couples(r, turned, below);
        e(i + 1) = holds ? r : Real(0);
        cut = holds ? cut : i + 1;
      }
      below = turned;
      g = plus(c, t, -b);
      next = d_here;
      if (rotation) rotation[i - first] = {c, s};
    }
    Real const top = plus(-s, t, next);
    d(first) = top;
    e(first) = g;
    if (couples(g, top, below)) return {first, cut};
    e(first) = 0;
    return first + 1 < cut ? EighBlock{first + 1, cut} : find_block(first + 1);
  }

  /// Steps after `before`, as long as they are wanted and their rotations can be kept.
  KOKKOS_FUNCTION EighSteps take_steps(int before, int most, KeptSteps<Real> const& kept) const {
    EighSteps result{.steps = before};
    std::int64_t used = 0;
    EighBlock block = find_block(0);
    for (; block.length() > 0 && result.steps < most; ++result.steps) {
      if (kept.blocks) {
        if (result.kept == kept_steps(n) || used + block.length() > kept_rotations(n)) break;
        kept.blocks[result.kept++] = block;
      }
      QlRotation<Real>* const rotation = kept.rotations ? kept.rotations + used : nullptr;
      used += block.length();
      block = take_step(block, rotation);
    }
    result.done = block.length() == 0;
    return result;
  }

 private:
  /// x·y + z
  KOKKOS_FUNCTION static Real plus(Real x, Real y, Real z) {
    if constexpr (Fused)
      return Kokkos::fma(x, y, z);
    else
      return x * y + z;
  }
  KOKKOS_FUNCTION static Real inverse_root(Real x) {
    if constexpr (Fused)
      return refined_rsqrt(x, rough_rsqrt(x));
    else
      return 1 / Kokkos::sqrt(x);
  }

  KOKKOS_FUNCTION static bool couples(Real coupling, Real above, Real below) {
    Real const size = Kokkos::abs(coupling);
    Real const eps = Kokkos::Experimental::epsilon_v<Real> / 2;
    return size > eps * (Kokkos::abs(above) + Kokkos::abs(below)) &&
           size > power_of_two<Real>(negligible_coupling<Real>);
  }

  /// Wilkinson's: of the 2×2 block that begins there the eigenvalue next to its first entry.
  KOKKOS_FUNCTION Real shift_of(int first) const {
    Real const coupling = 2 * e(first), gap = d(first + 1) - d(first);
    Real const square = plus(gap, gap, coupling * coupling);
    Real const root = rounded_product(square, inverse_root(square));
    return d(first) - e(first) * coupling / (gap < Real(0) ? gap - root : gap + root);
  }

  /// Rows i and i + 1 have nothing to do with each other any more.
  KOKKOS_FUNCTION EighBlock fall_apart(EighBlock const& block, int i, Real here, Real coupling,
                                       QlRotation<Real>* rotation) const {
    d(i + 1) = here;
    if (i + 1 < block.last) e(i + 1) = 0;
    e(i) = coupling;
    if (rotation)
      for (int j = block.first; j <= i; ++j) rotation[j - block.first] = {1, 0};
    return find_block(block.first);
  }
};

}  // namespace carroll::detail
