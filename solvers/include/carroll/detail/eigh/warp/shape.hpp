// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <bit>
#include <carroll/detail/device/collectives.hpp>
#include <carroll/detail/device/warp.hpp>
#include <carroll/detail/eigh/batch.hpp>
#include <carroll/detail/eigh/common/ql.hpp>
#include <cstddef>
#include <cstdint>

/// Symmetric matrices in the registers of a warp: who holds what.
namespace carroll::detail {

/// Matrices of order up to `Order`: a lane holds a row, `width` lanes are set aside for a matrix,
/// so that `matrices` share a warp. `Reducers` and `Rotators`: warps that are to share a
/// multiprocessor in the first and in the last launch with vectors; it bounds their registers, in
/// steps of four warps on CUDA devices.
template <int Order, int Reducers, int Rotators>
struct EighShape {
  static constexpr int order = Order, reducers = Reducers, rotators = Rotators;
  static constexpr int width = static_cast<int>(std::bit_ceil(static_cast<unsigned>(Order)));
  static constexpr int matrices = 32 / width;
  /// Distance of rows in scratch: neighbours lie in different banks.
  static constexpr int stride = Order + 1;
  static_assert(Order % 4 == 0 && width <= 32);
};

template <class... Shapes>
struct EighShapeList {
  static constexpr int count = sizeof...(Shapes);

  /// Place of the first that has room for order n; `count` if none has.
  static constexpr int class_of(std::int64_t n) {
    int k = 0;
    bool found = false;
    ((found = found || n <= Shapes::order, k += found ? 0 : 1), ...);
    return k;
  }
};

/// Warps that a launch may ask a multiprocessor to hold, each with so many bytes of scratch: those
/// of the smallest ones (64 KiB, some of which are the system's) must have room.
constexpr int warps_at_once(int wanted, std::size_t scratch) {
  std::size_t const most = 60 * 1024 / (scratch + 1040);
  return wanted < static_cast<int>(most) ? wanted : static_cast<int>(most);
}

/// First choices, not tuned.
using EighShapes = EighShapeList<EighShape<4, 16, 16>, EighShape<8, 16, 16>, EighShape<16, 16, 16>,
                                 EighShape<24, 12, 16>, EighShape<32, 12, 16>>;

/// The lanes that work on one matrix, seen from one of them.
template <class Shape>
struct EighLanes {
  DeviceWarp warp;
  int slot;   ///< of the matrix in the warp
  int first;  ///< lane of it
  int row;    ///< that is here

  KOKKOS_FUNCTION explicit EighLanes(DeviceWarp const& w)
      : warp(w),
        slot(w.lane / Shape::width),
        first(slot * Shape::width),
        row(w.lane - slot * Shape::width) {}

  template <class T>
  KOKKOS_FUNCTION T from(T x, int other) const {
    return warp.from(x, first + other);
  }
  template <class Real>
  KOKKOS_FUNCTION Real sum(Real x) const {
    return lanes_sum_up<1, Shape::width>(warp, x);
  }
  template <class Real>
  KOKKOS_FUNCTION Real max(Real x) const {
    return lanes_max<1, Shape::width>(warp, x);
  }
  /// Rows that say yes.
  KOKKOS_FUNCTION int count(bool yes) const {
    constexpr std::uint32_t own = Shape::width == 32 ? ~0U : (1U << Shape::width % 32) - 1;
    return Kokkos::popcount(warp.ballot(yes) >> first & own);
  }
  /// Does a lane of the warp? Where all lanes have one matrix, all of them know.
  KOKKOS_FUNCTION bool any_matrix(bool yes) const {
    if constexpr (Shape::matrices == 1)
      return yes;
    else
      return warp.ballot(yes) != 0;
  }
};

/// What one launch leaves for the next, in a matrix's slice of the workspace.
template <class Real>
struct EighWarpStorage {
  enum Message { exponent, is_finite, steps, kept, done, messages };

  QlRotation<Real>* rotations = nullptr;
  Real *q = nullptr, *d = nullptr, *e = nullptr;  ///< Q, column by column, and T
  int* message = nullptr;
  EighBlock* blocks = nullptr;

  static constexpr std::int64_t reals(std::int64_t n, bool vectors) {
    return 2 * n + messages + (vectors ? n * n + 2 * (kept_rotations(n) + kept_steps(n)) : 0);
  }

  KOKKOS_FUNCTION explicit EighWarpStorage(EighProblem<Real> const& problem) {
    if (!problem.reals) return;
    auto const n = static_cast<std::ptrdiff_t>(problem.n);
    bool const vectors = problem.vectors();
    rotations = reinterpret_cast<QlRotation<Real>*>(problem.reals);
    q = problem.reals + (vectors ? 2 * kept_rotations(n) : 0);
    d = q + (vectors ? n * n : 0);
    e = d + n;
    message = reinterpret_cast<int*>(e + n);
    blocks = reinterpret_cast<EighBlock*>(message + messages);
  }
};

/// What the kernels of this family have: matrices `Shape::matrices` to a team, which is a warp.
template <class ExecSpace, class Real, class Shape>
class EighWarps {
 public:
  using Lanes = EighLanes<Shape>;
  using Storage = EighWarpStorage<Real>;

  EighWarps(EighBatch<Real> const& batch, int members, int max_sweeps)
      : batch_(batch), members_(members), max_sweeps_(max_sweeps) {}

 protected:
  /// The k-th member; behind the last one a matrix of order 0 that nothing is written of.
  KOKKOS_FUNCTION EighProblem<Real> problem(int k) const {
    EighProblem<Real> none{};
    return k < members_ ? batch_(batch_.index(k)) : none;
  }

  EighBatch<Real> batch_;
  int members_;
  int max_sweeps_;
};

}  // namespace carroll::detail
