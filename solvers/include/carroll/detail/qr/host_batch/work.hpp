// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/host_lanes.hpp>
#include <carroll/detail/simd/field.hpp>
#include <cstddef>
#include <cstdint>

/// Matrices side by side, one per lane of a host's vector registers, and what a thread needs for as
/// many of them as there are lanes.
namespace carroll::detail::simd {

/// Columns that reflectors are applied to at once: their sums stay in registers. Of as many
/// registers, whether a number has one or two of them.
template <int parts>
inline constexpr int qr_strip = host_strip / parts;

/// Packs of a working set for matrices of up to so many entries, rows and columns, each entry one
/// of so many parts.
template <int parts>
constexpr std::size_t qr_room(std::int64_t entries, int rows, int cols) {
  return parts * (static_cast<std::size_t>(entries) +
                  static_cast<std::size_t>(qr_strip<parts>) * rows) +
         std::size_t{6 + 2 * parts} * cols;
}

/// The working set of a group of m×n matrices. Number: Pack, or ComplexPack<Pack>.
template <class Number>
struct QrWork {
  using Pack = RealPackOf<Number>;
  using Ints = typename Pack::Ints;

  int m, n, k;  ///< k = min(m, n) reflectors
  /// Column by column; R's strict upper triangle, then below the diagonal the reflectors' tails:
  /// their first entries are 1.
  Number* A;
  Number* tau;      ///< the reflectors' factors
  Number* cross;    ///< v₁ᴴv₀ of reflectors 2p + 1 and 2p, at p
  Pack* beta;       ///< R's diagonal, but for signs
  Pack* norms;      ///< with pivoting: squares of the norms of what is left of columns
  Pack* weights;    ///< and what makes them comparable
  Ints* exponents;  ///< of the columns' powers of two
  Ints* order;      ///< with pivoting: which column of the matrix it is
  Number* Q;        ///< a strip of Q's columns
  Pack* signs;      ///< of R's diagonal

  /// Its places in `room`, of qr_room packs.
  QrWork(int rows, int cols, Pack* room) : m(rows), n(cols), k(rows < cols ? rows : cols) {
    auto const take = [&room](int count) {
      Pack* const taken = room;
      room += count;
      return taken;
    };
    auto const numbers = [&](int count) {
      return reinterpret_cast<Number*>(take(parts_of<Number> * count));
    };
    A = numbers(m * n);
    beta = take(n);
    tau = numbers(n);
    cross = numbers(n);
    norms = take(n);
    weights = take(n);
    exponents = reinterpret_cast<Ints*>(take(n));
    order = reinterpret_cast<Ints*>(take(n));
    signs = take(n);
    Q = numbers(qr_strip<parts_of<Number>> * m);
  }
  Number* col(int j) const { return A + static_cast<std::ptrdiff_t>(j) * m; }
};

}  // namespace carroll::detail::simd
