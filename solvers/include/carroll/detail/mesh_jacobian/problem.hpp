// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/mesh_jacobian/system/pattern.hpp>
#include <carroll/detail/strided.hpp>
#include <carroll/mesh_jacobian/types.hpp>
#include <cstddef>

/// What the mesh kernels share. With w the weights, B the motion columns and U the depth columns,
/// three entries a row, the normal equations of a problem are
///
///   [ BᵀwB + λ   bᵀ ] [y]   [Bᵀwd]          H = UᵀwU + λ + τL  (L the mesh's graph Laplacian)
///   [ b          H  ] [ξ] = [g   ],         b = UᵀwB,  g = Uᵀwd + τLp,
///
/// H with an entry per vertex and per edge. They are solved in five kernels, of which the first
/// one reads the rows, once:
///
///   moments   sums over the rows of each triangle                     n(k+5) entries read
///   totals    cost, mean diagonal of H, BᵀwB and Bᵀwd                 O(T·k²)
///   assemble  H, b and g: of each vertex those of its corners         O(T·k)
///   solve     HY = b, Hz = g by conjugate gradients, a team each      O(iterations·m·(kF+1))
///   reduce    S = BᵀwB + λ - bᵀY of order kF, y, ξ = z - Yy           O(m·(kF)²)
///
/// On CUDA solve and reduce are one kernel where H fits into the registers of a team, and the
/// totals come with those two and the assembly. Sums are in double precision, in an order that
/// depends on the sizes alone; no atomic sums.
namespace carroll::detail {

/// The sums over the rows of a triangle, for k motion columns: where each of them stands. u: depth
/// entries, a: motion entries.
struct MomentLayout {
  static constexpr int depths = 0;     ///< Σw·u·uᵀ: 00, 01, 02, 11, 12, 22
  static constexpr int depth_rhs = 6;  ///< Σw·u·d
  static constexpr int loss = 9;       ///< Σloss
  static constexpr int rows = 10;      ///< rows with w > 0; -1: the triangle's offsets are no good
  static constexpr int depth_motion = 11;  ///< Σw·u·aᵀ: 3 of each motion column

  KOKKOS_FUNCTION static constexpr int motion_rhs(int k) { return depth_motion + 3 * k; }
  /// Σw·a·aᵀ: 00, 01, …, 11, …
  KOKKOS_FUNCTION static constexpr int motions(int k) { return motion_rhs(k) + k; }
  KOKKOS_FUNCTION static constexpr int size(int k) { return motions(k) + k * (k + 1) / 2; }
  /// Of an entry i <= j of Σw·a·aᵀ.
  KOKKOS_FUNCTION static constexpr int motion_pair(int k, int i, int j) {
    return motions(k) + i * k - i * (i - 1) / 2 + j - i;
  }
  /// Of an entry of Σw·u·uᵀ.
  KOKKOS_FUNCTION static constexpr int depth_pair(int i, int j) {
    int const low = i < j ? i : j;
    int const high = i < j ? j : i;
    return low == 0 ? high : low + high + 1;
  }
};

/// Vectors of conjugate gradients beside solution and residual.
inline constexpr int mesh_work_vectors = 5;

/// Entries of BᵀwB and Bᵀwd that a frame of k motion columns has: MomentLayout from motion_rhs on.
KOKKOS_INLINE_FUNCTION constexpr int motion_sums(int k) {
  return MomentLayout::size(k) - MomentLayout::motion_rhs(k);
}

/// Parts of the sums over triangles and vertices that one team forms.
inline constexpr int reduction_slots = 16;
/// The doubles that they take for K motion columns in all: one of each pair of columns, the
/// right-hand side included, in every slot; then Bᵀwd. MeshTotalsKernel has `team_slots`, twice as
/// many, and five sums more.
KOKKOS_INLINE_FUNCTION constexpr std::ptrdiff_t reduction_size(int K) {
  std::ptrdiff_t const pairs = static_cast<std::ptrdiff_t>(K) * (K + 1);
  return 2 * reduction_slots * (pairs + 5) + K;
}

/// Of a problem, over all frames.
struct MeshTotals {
  double loss;
  double rows;           ///< with w > 0
  double invalid;        ///< triangles whose offsets are no good
  double mean_diagonal;  ///< of UᵀwU
  double bent;           ///< pᵀLp: what the smoothness costs at x = 0, over τ
};

/// A batch of least-squares problems on meshes as kernels see it. A right-hand side q is b's column
/// q, or g for q = k·F.
template <class Real>
struct MeshBatch {
  MeshPattern pattern;
  bool shared_mesh = true;
  int problems = 0;
  int frames = 1;  ///< F, of each problem
  int n = 0;
  int k = 0;  ///< of each frame
  int m = 0;
  int triangles = 0;
  int slices = 0;
  std::int64_t matrix_size = 0;  ///< of a problem, from matrix to matrix; 0 where meshes differ
  MeshOptions options;
  /// The depth columns are zeros: depths take no step, and that of the motions does not depend on
  /// them. Neither H nor a system with it is formed, and the smoothness promises nothing.
  bool holds_depths = false;

  StridedBatch<int const> offsets;     ///< frames of all problems, T+1
  StridedBatch<double const> damping;  ///< problems; may be absent
  StridedBatch<Real const> prior;      ///< problems, m; may be absent
  StridedBatch<int const> active;      ///< problems; may be absent
  StridedBatch<Real> y;                ///< problems, k·F
  StridedBatch<Real> xi;               ///< problems, m
  StridedBatch<Real> covariance;       ///< problems, k·F, k·F; may be absent

  double* moments = nullptr;     ///< frames of all problems, T, MomentLayout
  double* matrix = nullptr;      ///< H beside its diagonal, by the pattern
  double* diagonal = nullptr;    ///< problems, padded m: of H; 0 behind vertex m-1
  double* rhs = nullptr;         ///< problems, right-hand sides, padded m
  double* solutions = nullptr;   ///< the same
  double* residuals = nullptr;   ///< the same: rhs - H·solution
  double* work = nullptr;        ///< the same, 3 each
  double* errors = nullptr;      ///< problems, right-hand sides: relative residuals
  int* iterations = nullptr;     ///< problems, right-hand sides
  int* ready = nullptr;          ///< problems: teams that are, while MeshSolveKernel runs; else 0
  MeshTotals* totals = nullptr;  ///< problems
  double* motion_totals = nullptr;  ///< frames of all problems, motion_sums(k)
  double* partials = nullptr;       ///< problems, reduction_size(k·F)
  double* cores = nullptr;          ///< problems, SmallSystem of k·F
  MeshInfo<Real>* infos = nullptr;
  std::ptrdiff_t info_stride = 1;

  KOKKOS_FUNCTION int motions() const { return k * frames; }
  KOKKOS_FUNCTION int right_hand_sides() const { return k * frames + 1; }
  KOKKOS_FUNCTION int padded() const { return slices * slice_rows; }
  KOKKOS_FUNCTION int mesh_of(int problem) const { return shared_mesh ? 0 : problem; }
  KOKKOS_FUNCTION bool is_active(int problem) const {
    return !active.data || active.data[problem * active.strides[0]] != 0;
  }
  /// What λ and τ are multiples of, in the depth columns.
  KOKKOS_FUNCTION double unit_of(int problem) const {
    return options.relative ? totals[problem].mean_diagonal : 1.0;
  }
  KOKKOS_FUNCTION double lambda_of(int problem) const {
    return options.damping + (damping.data ? damping.data[problem * damping.strides[0]] : 0.0);
  }
  KOKKOS_FUNCTION double depth_damping(int problem) const {
    return lambda_of(problem) * unit_of(problem);
  }
  /// Of a motion column with the square sum `square`.
  KOKKOS_FUNCTION double motion_damping(int problem, double square) const {
    return lambda_of(problem) * (options.relative ? square : 1.0);
  }
  KOKKOS_FUNCTION double smoothness_of(int problem) const {
    return options.smoothness * unit_of(problem);
  }
  KOKKOS_FUNCTION double prior_of(int problem, int v) const {
    return static_cast<double>(prior.data[problem * prior.strides[0] + v * prior.strides[1]]);
  }
  KOKKOS_FUNCTION bool has_prior() const { return prior.data && options.smoothness > 0; }
  /// Of an edge along which the prior differs by d, over τ: its weight in L, and what it costs.
  KOKKOS_FUNCTION double edge_weight(double d) const {
    double const x = options.smoothness_scale > 0 ? d / options.smoothness_scale : 0.0;
    return 1 / (1 + x * x);
  }
  KOKKOS_FUNCTION double edge_cost(double d) const {
    double const scale = options.smoothness_scale;
    if (!(scale > 0)) return d * d;
    double const x = Kokkos::abs(d / scale);
    return scale * scale * Kokkos::log1p(x > 1e150 ? 1e300 : x * x);
  }
  KOKKOS_FUNCTION double* moments_of(int frame, int triangle) const {
    return moments +
           (static_cast<std::ptrdiff_t>(frame) * triangles + triangle) * MomentLayout::size(k);
  }
  KOKKOS_FUNCTION int const* corners_of(int problem, int triangle) const {
    return pattern.triangles +
           (static_cast<std::ptrdiff_t>(mesh_of(problem)) * triangles + triangle) * 3;
  }
  KOKKOS_FUNCTION int const* vertex_offsets(int problem) const {
    return pattern.vertex_offsets + static_cast<std::ptrdiff_t>(mesh_of(problem)) * (m + 1);
  }
  KOKKOS_FUNCTION int const* slice_offsets(int problem) const {
    return pattern.slice_offsets + static_cast<std::ptrdiff_t>(mesh_of(problem)) * (slices + 1);
  }
  KOKKOS_FUNCTION double* matrix_of(int problem) const { return matrix + problem * matrix_size; }
  KOKKOS_FUNCTION double* diagonal_of(int problem) const {
    return diagonal + static_cast<std::ptrdiff_t>(problem) * padded();
  }
  /// Where right-hand side q of a problem is in `rhs`, `solutions` and `residuals`.
  KOKKOS_FUNCTION std::ptrdiff_t vector_of(int problem, int q) const {
    return (static_cast<std::ptrdiff_t>(problem) * right_hand_sides() + q) * padded();
  }
  KOKKOS_FUNCTION double* partials_of(int problem) const {
    return partials + problem * reduction_size(motions());
  }
  KOKKOS_FUNCTION int system_of(int problem, int q) const {
    return problem * right_hand_sides() + q;
  }
  KOKKOS_FUNCTION MeshInfo<Real>& info_of(int problem) const {
    return infos[problem * info_stride];
  }
};

}  // namespace carroll::detail
