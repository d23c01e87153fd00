// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/concepts.hpp>
#include <carroll/status.hpp>
#include <carroll/svd/types.hpp>  // carroll::none
#include <cstdint>

namespace carroll {

/// A row of a mesh Jacobian, as a row functor returns it.
template <class Real, int K>
struct MeshRow {
  static_assert(RealScalar<Real> && K >= 1, "carroll::MeshRow: float or double, K >= 1");
  using value_type = Real;
  static constexpr int motions = K;

  Kokkos::Array<Real, K> motion;  ///< in the motion columns of the row's frame
  Kokkos::Array<Real, 3> depth;   ///< in the depth columns of the corners of the row's triangle
  Real residual;                  ///< d, the right-hand side
  /// w >= 0, of the row's square; with 0 the row does not count, whatever its entries are.
  Real weight;
  Real loss;  ///< what the row adds to MeshInfo::cost: w·d², or ρ(d) of a robust weight
};

/// W rows side by side, for hosts: a functor that can fill these is called less often, and its loop
/// over the rows can be vector code. See mesh_jacobian.hpp.
template <class Real, int K, int W>
struct MeshRowBlock {
  Real motion[K][W];
  Real depth[3][W];
  Real residual[W];
  Real weight[W];
  Real loss[W];
};

/// Shape of a uniform batch of least-squares problems on meshes. A problem is a window of frames
/// that see the same mesh: each has rows and motion columns of its own, the depths are shared.
struct MeshExtents {
  std::int64_t problems = 1;
  std::int64_t frames = 1;   ///< of each problem, F
  std::int64_t rows = 0;     ///< of each frame, n, or the most of them
  std::int64_t motions = 1;  ///< columns of each frame, k
};

struct MeshOptions {
  /// λ >= 0 of ‖√w(Ax - d)‖² + λ‖x‖². MeshControls::damping adds one that is read on the device.
  double damping = 0;
  /// τ >= 0 of τ/2·Σ ((ξᵢ - ξⱼ) - (pᵢ - pⱼ))² over the three edges of each triangle: the graph
  /// Laplacian of the mesh, its inner edges with weight τ. p: MeshControls::prior, or 0.
  double smoothness = 0;
  /// δ > 0: an edge along which p differs by d has τ/(1 + d²/δ²), so that depths may jump: the step
  /// for Cauchy's loss τδ²·log(1 + d²/δ²) of edges, which MeshInfo::cost has. 0: τ for all.
  double smoothness_scale = 0;
  /// λ and τ are in units of the depth columns' mean square sum, MeshInfo::mean_diagonal, and λ of
  /// a motion column in units of its own square sum: the same numbers for rows of any size.
  bool relative = false;
  /// Conjugate gradients end at a residual of `tolerance` times the right-hand side, both in the
  /// norm of the inverse diagonal. The motion step then has an error of the order of its square.
  double tolerance = 1e-8;
  int max_iterations = 500;
};

/// How one problem ended.
template <class Real>
struct MeshInfo {
  /// success; not_converged: max_iterations came first, the outputs hold the best step so far;
  /// non_finite: NaN or infinities in rows that count, damping or prior, the outputs are NaN;
  /// overflow: an entry of the result is beyond Real and infinite; breakdown: triangle offsets do
  /// not rise from 0 to at most the number of rows, the outputs are NaN.
  Status status = Status::success;
  int iterations = 0;     ///< of conjugate gradients, the most of all right-hand sides
  Real residual = 0;      ///< relative, the largest of all right-hand sides
  int motion_rank = 0;    ///< motion columns that count as independent of all others
  std::int64_t rows = 0;  ///< with a weight > 0, of all frames
  double cost = 0;        ///< Σ loss, and what the smoothness costs at x = 0
  /// cost - (‖√w(Ax - d)‖² + smoothness at x) for loss = w·d²: what a linear model promises of the
  /// step, for the gain ratio of Levenberg and Marquardt.
  double predicted_reduction = 0;
  double mean_diagonal = 0;    ///< of UᵀwU: the mean of the depth columns' square sums
  double motion_gradient = 0;  ///< ‖Bᵀwd‖
};

/// What a step takes from device memory, so that an iteration can decide about it without the host.
/// Views of one number per problem (rank 0 for one problem), or none.
template <class DampingView = None, class PriorView = None, class ActiveView = None>
struct MeshControls {
  [[no_unique_address]] DampingView damping = {};  ///< of double: λ >= 0, added to options.damping
  /// m depths p per problem, of the rows' scalar type, the problem first in batches: those for
  /// which the smoothness is free. A caller who steps from depths p to p - ξ gives p.
  [[no_unique_address]] PriorView prior = {};
  /// Of int: 0 for a problem that is to be left alone, its outputs and info with it.
  [[no_unique_address]] ActiveView active = {};
};

template <class D>
MeshControls(D) -> MeshControls<D>;
template <class D, class P>
MeshControls(D, P) -> MeshControls<D, P>;
template <class D, class P, class A>
MeshControls(D, P, A) -> MeshControls<D, P, A>;

}  // namespace carroll
