// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/launch.hpp>
#include <carroll/detail/eigh/plan.hpp>
#include <carroll/detail/eigh/warp/reduce.hpp>
#include <carroll/detail/eigh/warp/steps.hpp>
#include <carroll/detail/eigh/warp/vectors.hpp>

namespace carroll::detail {

/// The decomposition of small symmetric or Hermitian matrices in the registers of a warp:
///
///   A = Q·T·Qᴴ,  T = S·diag(λ)·Sᵀ,  V = Q·S
///
/// by Householder reflections and implicit QL steps with Wilkinson's shift (Martin and Wilkinson,
/// Numer. Math. 11 and 12, 1968), in three launches: lanes have rows of A and Q; a lane takes all
/// steps of a matrix; lanes have rows of V.
///
/// 2n³ flops and some 0.9·n² rotations to find W, 2n³ + 5n³ more for V. A is read once, W and V are
/// written once; Q and the rotations, n² and 2·0.9·n² words, go to memory and come back. Of complex
/// matrices 8n³ flops and as many rotations, 8n³ + 10n³ more for V.
template <class ExecSpace, class T>
class EighWarpLaunch {
 public:
  EighWarpLaunch(ExecSpace const& exec, EighBatch<T> const& batch, EighPlan const& plan,
                 EighOptions const& options)
      : exec_(exec), batch_(batch), plan_(plan), max_sweeps_(options.max_sweeps) {}

  /// Members of each class, the first of which has bin `bin`.
  template <class... Shapes>
  void enqueue(LaneShapeList<Shapes...>, int bin) {
    (enqueue_class<Shapes>(bin++), ...);
  }

 private:
  template <class Shape>
  void enqueue_class(int bin) {
    int const members = plan_.bounds(bin).members;
    if (members == 0) return;
    batch_.selection = plan_.members(bin);
    if (batch_.v.data)
      enqueue_kernels<Shape, true>(members);
    else
      enqueue_kernels<Shape, false>(members);
  }

  template <class Shape, bool Vectors>
  void enqueue_kernels(int members) {
    enqueue_kernel<EighWarpReduceKernel<ExecSpace, T, Shape, Vectors>>("carroll::eigh::warp_reduce",
                                                                       members, Shape::matrices);
    enqueue_kernel<EighWarpStepsKernel<ExecSpace, T, Shape>>("carroll::eigh::warp_steps", members,
                                                             32);
    enqueue_kernel<EighWarpVectorsKernel<ExecSpace, T, Shape, Vectors>>(
        "carroll::eigh::warp_vectors", members, Shape::matrices);
  }

  template <class Kernel>
  void enqueue_kernel(char const* label, int members, int per_team) {
    constexpr std::size_t alignment = 16;
    launch_teams(label, exec_, Kernel(batch_, members, max_sweeps_),
                 {.count = (members + per_team - 1) / per_team,
                  .threads = 32,
                  .scratch = Kernel::scratch_bytes() + alignment});
  }

  ExecSpace exec_;
  EighBatch<T> batch_;
  EighPlan const& plan_;
  int max_sweeps_;
};

template <class ExecSpace, class T>
void enqueue_eigh_warp(ExecSpace const& exec, EighBatch<T> const& batch, EighPlan const& plan,
                       EighOptions const& options) {
  EighWarpLaunch<ExecSpace, T>(exec, batch, plan, options).enqueue(EighShapes{}, EighPlan::warp);
}

}  // namespace carroll::detail
