// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/mesh_jacobian/problem.hpp>

namespace carroll::detail {

/// The smoothness of the two edges of a triangle that meet in a corner.
struct SmoothEdges {
  double next, last;  ///< τ/2 times the weights of those to the corner after it and before it
  double pull = 0;    ///< what they add to g

  template <class Real>
  KOKKOS_FUNCTION SmoothEdges(MeshBatch<Real> const& batch, int problem, int corner)
      : next(batch.smoothness_of(problem) / 2), last(next) {
    if (!batch.has_prior()) return;
    int const* const vertices = batch.corners_of(problem, corner / 3);
    int const c = corner % 3;
    double const own = batch.prior_of(problem, vertices[c]);
    double const to_next = own - batch.prior_of(problem, vertices[(c + 1) % 3]);
    double const to_last = own - batch.prior_of(problem, vertices[(c + 2) % 3]);
    next *= batch.edge_weight(to_next);
    last *= batch.edge_weight(to_last);
    pull = next * to_next + last * to_last;
  }
};

/// H, b and g from the sums over triangles, a work item per vertex: its corners one after the
/// other, in rising order, and frame by frame. Of a triangle with corners 0, 1, 2 the row of corner
/// 0 gets
///
///   diagonal  Σw·u₀² + τ₁ + τ₂    beside it  Σw·u₀u₁ - τ₁,  Σw·u₀u₂ - τ₂
///   b         Σw·u₀·aᵀ            g          Σw·u₀·d + τ₁·(p₀ - p₁) + τ₂·(p₀ - p₂),
///
/// τₖ = τ/2 times the weight of the edge to corner k.
///
/// 9 + 3k sums read per corner and frame.
template <class ExecSpace, class Real>
struct MeshAssembleKernel {
  using Policy = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>;

  MeshBatch<Real> batch;

  [[nodiscard]] std::int64_t items() const {
    return static_cast<std::int64_t>(batch.problems) * batch.padded();
  }

  KOKKOS_FUNCTION void operator()(std::int64_t item) const {
    int const problem = static_cast<int>(item / batch.padded());
    int const v = static_cast<int>(item % batch.padded());
    if (!batch.is_active(problem)) return;
    int const begin = v < batch.m ? batch.vertex_offsets(problem)[v] : 0;
    int const end = v < batch.m ? batch.vertex_offsets(problem)[v + 1] : 0;
    write_matrix(problem, v, begin, end);
    for (int f = 0; f < batch.frames; ++f)
      for (int j = 0; j < batch.k; ++j)
        batch.rhs[batch.vector_of(problem, f * batch.k + j) + v] =
            sum(problem, f, begin, end, MomentLayout::depth_motion + 3 * j);
    double g = 0;
    for (int f = 0; f < batch.frames; ++f)
      g += sum(problem, f, begin, end, MomentLayout::depth_rhs);
    if (batch.has_prior()) g += prior_part(problem, begin, end);
    batch.rhs[batch.vector_of(problem, batch.motions()) + v] = g;
  }

 private:
  KOKKOS_FUNCTION double const* moments(int problem, int f, int corner) const {
    return batch.moments_of(problem * batch.frames + f, corner / 3);
  }

  /// Σ over corners begin <= p < end of the entry of the corner in the three at `first`.
  KOKKOS_FUNCTION double sum(int problem, int f, int begin, int end, int first) const {
    double sum = 0;
    for (int p = begin; p < end; ++p) {
      int const corner = batch.pattern.corners[p];
      sum += moments(problem, f, corner)[first + corner % 3];
    }
    return sum;
  }

  KOKKOS_FUNCTION void write_matrix(int problem, int v, int begin, int end) const {
    int const* const slices = batch.slice_offsets(problem);
    int const slice = v / slice_rows;
    double* const row = batch.matrix_of(problem) + slices[slice] + v % slice_rows;
    int const width = (slices[slice + 1] - slices[slice]) / slice_rows;
    for (int j = 0; j < width; ++j) row[j * slice_rows] = 0;
    double diagonal = v < batch.m ? batch.depth_damping(problem) : 0;
    for (int p = begin; p < end; ++p) {
      int const corner = batch.pattern.corners[p];
      int const c = corner % 3;
      SmoothEdges const edges(batch, problem, corner);
      double own = edges.next + edges.last, next = -edges.next, last = -edges.last;
      for (int f = 0; f < batch.frames; ++f) {
        double const* const T = moments(problem, f, corner) + MomentLayout::depths;
        own += T[MomentLayout::depth_pair(c, c)];
        next += T[MomentLayout::depth_pair(c, (c + 1) % 3)];
        last += T[MomentLayout::depth_pair(c, (c + 2) % 3)];
      }
      int const next_slot = batch.pattern.corner_slots[2 * p];
      int const last_slot = batch.pattern.corner_slots[2 * p + 1];
      if (next_slot < 0)
        own += next;
      else
        row[next_slot * slice_rows] += next;
      if (last_slot < 0)
        own += last;
      else
        row[last_slot * slice_rows] += last;
      diagonal += own;
    }
    batch.diagonal_of(problem)[v] = diagonal;
  }

  /// Of τLp.
  KOKKOS_FUNCTION double prior_part(int problem, int begin, int end) const {
    double sum = 0;
    for (int p = begin; p < end; ++p)
      sum += SmoothEdges(batch, problem, batch.pattern.corners[p]).pull;
    return sum;
  }
};

}  // namespace carroll::detail
