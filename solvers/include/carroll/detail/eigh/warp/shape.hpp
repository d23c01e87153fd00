// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/eigh/batch.hpp>
#include <carroll/detail/eigh/common/ql.hpp>
#include <carroll/detail/lane_groups.hpp>
#include <cstddef>
#include <cstdint>

/// Symmetric and Hermitian matrices in the registers of a warp: who holds what.
namespace carroll::detail {

/// Matrices of order up to `Order`: a lane holds a row. `Reducers` and `Rotators`: warps that are
/// to share a multiprocessor in the first and in the last launch with vectors; it bounds their
/// registers, in steps of four warps on CUDA devices.
template <int Order, int Reducers, int Rotators>
struct EighShape : LaneShape<Order> {
  static constexpr int reducers = Reducers, rotators = Rotators;
  /// Distance of rows in scratch: neighbours lie in different banks.
  static constexpr int stride = Order + 1;
};

/// First choices, not tuned.
using EighShapes = LaneShapeList<EighShape<4, 16, 16>, EighShape<8, 16, 16>, EighShape<16, 16, 16>,
                                 EighShape<24, 12, 16>, EighShape<32, 12, 16>>;

/// What one launch leaves for the next, in a matrix's slice of the workspace.
template <class T>
struct EighWarpStorage {
  using Real = RealOf<T>;
  enum Message { exponent, is_finite, steps, kept, done, messages };

  QlRotation<Real>* rotations = nullptr;
  T* q = nullptr;  ///< Q, column by column
  Real *d = nullptr, *e = nullptr;
  int* message = nullptr;
  EighBlock* blocks = nullptr;

  static constexpr std::int64_t reals(std::int64_t n, bool vectors) {
    constexpr std::int64_t parts = sizeof(T) / sizeof(Real);
    return 2 * n + messages +
           (vectors ? parts * n * n + 2 * (kept_rotations(n) + kept_steps(n)) : 0);
  }

  KOKKOS_FUNCTION explicit EighWarpStorage(EighProblem<T> const& problem) {
    if (!problem.reals) return;
    auto const n = static_cast<std::ptrdiff_t>(problem.n);
    bool const vectors = problem.vectors();
    rotations = reinterpret_cast<QlRotation<Real>*>(problem.reals);
    q = reinterpret_cast<T*>(rotations + (vectors ? kept_rotations(n) : 0));
    d = reinterpret_cast<Real*>(q + (vectors ? n * n : 0));
    e = d + n;
    message = reinterpret_cast<int*>(e + n);
    blocks = reinterpret_cast<EighBlock*>(message + messages);
  }
};

/// What the kernels of this family have: matrices `Shape::matrices` to a team, which is a warp.
template <class ExecSpace, class T, class Shape>
class EighWarps {
 public:
  using Lanes = LaneGroup<Shape>;
  using Storage = EighWarpStorage<T>;

  EighWarps(EighBatch<T> const& batch, int members, int max_sweeps)
      : batch_(batch), members_(members), max_sweeps_(max_sweeps) {}

 protected:
  /// The k-th member; behind the last one a matrix of order 0 that nothing is written of.
  KOKKOS_FUNCTION EighProblem<T> problem(int k) const {
    EighProblem<T> none{};
    return k < members_ ? batch_(batch_.index(k)) : none;
  }

  EighBatch<T> batch_;
  int members_;
  int max_sweeps_;
};

}  // namespace carroll::detail
