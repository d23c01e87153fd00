// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/field.hpp>
#include <cstdint>

/// Orders of matrices whose columns warps have in registers: who holds what.
namespace carroll::detail {

/// Matrices of order up to 32·`Registers`. `Step`: registers that reflectors leave out together.
/// `Single`, `Double`: columns that a warp has, by precision; `SingleTeams`, `DoubleTeams`: teams
/// of four warps that a multiprocessor is to hold at least, which bounds their registers. Of
/// complex matrices of order up to 256 a warp has as many columns, and half as many of larger ones;
/// of the largest in double precision there is no room for reflectors beside columns. (Of 200 of
/// order 256 in double precision 4 columns at a time take 2.3 ms on an H200, 2 take 3.3,
/// 2026-11-28.)
template <int Registers, int Step, int Single, int Double, int SingleTeams, int DoubleTeams>
struct DividedShape {
  static constexpr int order = 32 * Registers;
  static constexpr int registers = Registers, step = Step;
  template <class T>
  static constexpr int columns = Registers > 8 && is_complex<T>
                                     ? (sizeof(RealOf<T>) == 4 ? Double : (Double + 1) / 2)
                                     : (sizeof(RealOf<T>) == 4 ? Single : Double);
  template <class T>
  static constexpr int teams = sizeof(T) == 4   ? SingleTeams
                               : sizeof(T) == 8 ? DoubleTeams
                                                : DoubleTeams - 1;
  template <class T>
  static constexpr bool has_reflectors = Registers * sizeof(T) <= 256;
};

template <class... Shapes>
struct DividedShapeList {
  /// Of all orders: one for each shape and one for what is larger.
  static constexpr int classes = sizeof...(Shapes) + 1;

  static constexpr int class_of(std::int64_t n) {
    int k = 0;
    ((k += n > Shapes::order ? 1 : 0), ...);
    return k;
  }
};

/// First choices, not tuned.
using DividedShapes =
    DividedShapeList<DividedShape<2, 1, 8, 8, 6, 4>, DividedShape<4, 1, 8, 4, 4, 4>,
                     DividedShape<8, 1, 4, 4, 4, 3>, DividedShape<16, 2, 4, 2, 3, 3>,
                     DividedShape<32, 4, 2, 1, 3, 2>>;

}  // namespace carroll::detail
