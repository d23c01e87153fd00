// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

/// Orders of matrices whose columns warps have in registers: who holds what.
namespace carroll::detail {

/// Matrices of order up to 32·`Registers`. `Step`: registers that reflectors leave out together.
/// `Single`, `Double`: columns that a warp has, by precision; `SingleTeams`, `DoubleTeams`: teams
/// of four warps that a multiprocessor is to hold at least, which bounds their registers. Complex
/// numbers in single precision are as large as real ones in double; for those in double precision
/// there are half as many columns and a team less, and no room for the largest matrices.
template <int Registers, int Step, int Single, int Double, int SingleTeams, int DoubleTeams>
struct DividedShape {
  static constexpr int order = 32 * Registers;
  static constexpr int registers = Registers, step = Step;
  template <class T>
  static constexpr int columns = sizeof(T) == 4   ? Single
                                 : sizeof(T) == 8 ? Double
                                                  : (Double + 1) / 2;
  template <class T>
  static constexpr int teams = sizeof(T) == 4   ? SingleTeams
                               : sizeof(T) == 8 ? DoubleTeams
                                                : DoubleTeams - 1;
  template <class T>
  static constexpr bool has_room = Registers * sizeof(T) <= 256;
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
