// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/host_lanes.hpp>
#include <carroll/detail/simd/field.hpp>
#include <cstddef>

namespace carroll::detail::simd {

/// Columns are so many packs apart: an odd number, as an entry and its neighbours in other columns
/// are not to want the same places of a cache.
constexpr int solve_pitch(int n) {
  return n | 1;
}

/// Right-hand sides, or columns, that are worked on at once: of as many registers, whether a number
/// has one or two of them.
template <int parts>
inline constexpr int solve_columns = host_strip / parts;

/// Packs of a working set for systems of n equations, each number one of so many parts.
template <int parts>
constexpr std::size_t solve_room(int n) {
  return static_cast<std::size_t>(solve_pitch(n)) *
         static_cast<std::size_t>(parts * (n + 1 + host_strip) + 3);
}

/// The working set of a group of systems, one to a lane of a host's vector registers. Number: Pack,
/// or ComplexPack<Pack>.
template <class Number>
struct SolveWork {
  using Pack = RealPackOf<Number>;
  using Ints = typename Pack::Ints;

  int n, pitch;
  Number* A;         ///< column by column; then U, and below its diagonal the factors of L
  Number* Y;         ///< a strip of right-hand sides, and for a while whatever there is
  Number* inverses;  ///< 1/u_kk
  Ints* pivots;      ///< step k exchanges row k and this one, then eliminates
  Ints* rows;        ///< of the powers of two that rows and columns have been multiplied by
  Ints* cols;
  bool even = false;  ///< no system has had its rows scaled, nor its columns differently

  /// Its places in `room`, of solve_room packs.
  SolveWork(int order, Pack* room) : n(order), pitch(solve_pitch(order)) {
    auto const take = [&room](int count) {
      Pack* const taken = room;
      room += count;
      return taken;
    };
    auto const take_numbers = [&take](int count) {
      return reinterpret_cast<Number*>(take(parts_of<Number> * count));
    };
    A = take_numbers(n * pitch);
    Y = take_numbers(host_strip * pitch);
    inverses = take_numbers(n);
    pivots = reinterpret_cast<Ints*>(take(n));
    rows = reinterpret_cast<Ints*>(take(n));
    cols = reinterpret_cast<Ints*>(take(n));
  }
  Number* col(int j) const { return A + static_cast<std::ptrdiff_t>(j) * pitch; }
  static typename Pack::Number* numbers(Number* packs) {
    return reinterpret_cast<typename Pack::Number*>(packs);
  }
  Number* side(int c) const { return Y + static_cast<std::ptrdiff_t>(c) * pitch; }
};

}  // namespace carroll::detail::simd
