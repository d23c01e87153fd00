// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/host_lanes.hpp>
#include <cstddef>
#include <cstdint>

/// Matrices side by side, one per lane of a host's vector registers, and what a thread needs for as
/// many of them as there are lanes.
namespace carroll::detail::simd {

/// Columns that reflectors are applied to at once: their sums stay in registers.
inline constexpr int qr_strip = host_strip;

/// Packs of a working set for matrices of up to so many entries, rows and columns.
constexpr std::size_t qr_room(std::int64_t entries, int rows, int cols) {
  return static_cast<std::size_t>(entries) + static_cast<std::size_t>(qr_strip) * rows +
         std::size_t{8} * cols;
}

/// The working set of a group of m×n matrices.
template <class Pack>
struct QrWork {
  using Ints = typename Pack::Ints;

  int m, n, k;  ///< k = min(m, n) reflectors
  /// Column by column; R's strict upper triangle, then below the diagonal the reflectors' tails:
  /// their first entries are 1.
  Pack* A;
  Pack *beta, *tau;  ///< R's diagonal, and the reflectors' factors
  Pack* cross;       ///< v₁ᵀv₀ of reflectors 2p + 1 and 2p, at p
  Pack* norms;       ///< with pivoting: squares of the norms of what is left of columns
  Pack* weights;     ///< and what makes them comparable
  Ints* exponents;   ///< of the columns' powers of two
  Ints* order;       ///< with pivoting: which column of the matrix it is
  Pack* Q;           ///< a strip of Q's columns
  Pack* signs;       ///< of R's diagonal

  /// Its places in `room`, of qr_room packs.
  QrWork(int rows, int cols, Pack* room) : m(rows), n(cols), k(rows < cols ? rows : cols) {
    auto const take = [&room](int count) {
      Pack* const taken = room;
      room += count;
      return taken;
    };
    A = take(m * n);
    beta = take(n);
    tau = take(n);
    cross = take(n);
    norms = take(n);
    weights = take(n);
    exponents = reinterpret_cast<Ints*>(take(n));
    order = reinterpret_cast<Ints*>(take(n));
    signs = take(n);
    Q = take(qr_strip * m);
  }
  Pack* col(int j) const { return A + static_cast<std::ptrdiff_t>(j) * m; }
};

}  // namespace carroll::detail::simd
