// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/simd/pack.hpp>
#include <cstddef>
#include <type_traits>

/// Symmetric or Hermitian matrices side by side, one per lane of a host's vector registers, and
/// what a thread needs for as many of them as there are lanes.
namespace carroll::detail::simd {

/// Of so many QL steps the rotations are kept until the vectors are turned by all of them.
inline constexpr int ql_steps_kept = 4;

/// Packs of an n×n problem's working set.
template <bool Complex>
constexpr std::size_t eigh_packs(int n) {
  auto const order = static_cast<std::size_t>(n);
  return (Complex ? 2 : 1) * order * order + (5 + (Complex ? 3 : 0) + 2 * ql_steps_kept) * order;
}

/// Up to this order two groups of matrices are worked on at once: they still fit the caches.
template <bool Complex>
inline constexpr int most_twin_order = Complex ? 44 : 64;

/// Of all groups that a thread works on at once, of orders up to n.
template <bool Complex>
constexpr std::size_t eigh_room(int n) {
  constexpr int most = most_twin_order<Complex>;
  std::size_t const twins = 2 * eigh_packs<Complex>(n < most ? n : most);
  std::size_t const one = eigh_packs<Complex>(n);
  return twins > one ? twins : one;
}

/// The working set of a group of matrices.
template <class Pack>
struct SymmetricWork {
  using Ints = typename Pack::Ints;

  int n;
  int rows;  ///< of A: n, or 2n
  /// Row by row, of complex matrices first the real parts, then the imaginary ones; the lower
  /// triangle holds the matrix, then row k, from column k + 1 on, the reflector that clears column
  /// k; last the vectors.
  Pack* A;
  Pack *d, *e, *tau;  ///< the tridiagonal matrix, and the reflectors' factors
  Pack* w;       ///< of a reflector; of complex numbers n real parts, then as many imaginary ones
  Pack* phases;  ///< of complex matrices, as w: T is real but for these in its basis
  Pack* rotations;  ///< of QL steps
  Ints* places;     ///< of the eigenvalues in ascending order

  SymmetricWork() = default;
  /// Its places in `room`, of eigh_packs(n) packs.
  SymmetricWork(int order, bool complex, Pack* room) : n(order), rows(complex ? 2 * n : n) {
    auto const take = [&room](int count) {
      Pack* const taken = room;
      room += count;
      return taken;
    };
    A = take(rows * n);
    d = take(n);
    e = take(n);
    tau = take(n);
    w = take(rows);
    phases = complex ? take(rows) : nullptr;
    rotations = take(2 * ql_steps_kept * n);
    places = reinterpret_cast<Ints*>(take(n));
  }
  Pack* cosines(int k) const { return rotations + 2 * k * n; }
  Pack* sines(int k) const { return rotations + (2 * k + 1) * n; }
  Pack* row(int i) const { return A + static_cast<std::ptrdiff_t>(i) * n; }
  /// The imaginary parts of row i.
  Pack* imaginary(int i) const { return row(n + i); }
};

/// f(first, how many) for the rows begin <= i < end, four (or `Step`) at a time and the others one
/// by one; `how many` is a constant.
template <int Step = 4, class F>
void for_rows(int begin, int end, F const& f) {
  int i = begin;
  for (; i + Step <= end; i += Step) f(i, std::integral_constant<int, Step>());
  for (; i < end; ++i) f(i, std::integral_constant<int, 1>());
}

}  // namespace carroll::detail::simd
