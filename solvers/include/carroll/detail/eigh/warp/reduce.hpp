// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/math.hpp>
#include <carroll/detail/device/rounding.hpp>
#include <carroll/detail/device/threads.hpp>
#include <carroll/detail/eigh/warp/shape.hpp>
#include <carroll/detail/power_of_two.hpp>
#include <carroll/detail/team.hpp>
#include <carroll/detail/unroll.hpp>

namespace carroll::detail {

/// A = Q·T·Qᵀ, T tridiagonal, in registers: lane t holds row t of A and of Q. Step k takes what is
/// below the diagonal of column k to a multiple of e₁,
///
///   H = I - v·vᵀ/h,  v = x - β·e₁,  β = -sign(x₁)·‖x‖,  h = ‖x‖·(‖x‖ + |x₁|)
///   A := H·A·H = A - v·pᵀ - (p - (vᵀp/h)·v)·vᵀ,  p = A·v/h,   Q := Q·H = Q - (Q·v/h)·vᵀ
///
/// so that a lane wants v and p of others, which it reads from scratch, all lanes the same word.
/// Sums along rows are a lane's own; one a step, vᵀp, crosses lanes. Columns that are done with
/// drop out four at a time: 2·n³ flops for T (4n³/3 would do, of one triangle) and 2·n³ for Q (its
/// structure would save a third, and no instructions, since lanes are there), n² reads of scratch.
template <class ExecSpace, class Real, class Shape, bool Vectors>
class EighWarpReduceKernel : public EighWarps<ExecSpace, Real, Shape> {
  using Base = EighWarps<ExecSpace, Real, Shape>;
  static constexpr int order = Shape::order, matrices = Shape::matrices;

  using Pair = QlRotation<Real>;  // read as a whole

  union alignas(16) Scratch {
    Real matrix[order * Shape::stride];
    struct {
      Real tail[order];  ///< x without its first entry, 0 above it; read in pairs
      Pair pair[order];  ///< of v and p
    } step;
  };

 public:
  static constexpr int least_warps = warps_at_once(
      Vectors && sizeof(Real) == 8 ? Shape::reducers : 16, sizeof(Scratch) * matrices);
  using Policy = Kokkos::TeamPolicy<ExecSpace, Kokkos::LaunchBounds<32, least_warps>>;
  using typename Base::Lanes, typename Base::Storage;

  using Base::Base;

  KOKKOS_FUNCTION static constexpr std::size_t scratch_bytes() {
    return sizeof(Scratch) * matrices;
  }

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    Lanes const group(warp_of_threads(team));
    EighProblem<Real> const problem = this->problem(team.league_rank() * matrices + group.slot);
    Scratch& scratch = static_cast<Scratch*>(
        team.team_scratch(0).get_shmem_aligned(scratch_bytes(), alignof(Scratch)))[group.slot];
    Rows rows;
    int exponent = 0;
    bool const finite = load(group, problem, scratch, rows, exponent);
    int most = problem.n;  // of the warp
    if constexpr (matrices > 1) most = group.warp.max(most);
    reduce_from<0>(group, most, scratch, rows);
    store(group, problem, rows, finite, exponent);
  }

 private:
  struct Rows {
    Real a[order];
    Real q[Vectors ? order : 1];
    Real d, e;  ///< entries of this row, as they are found
  };

  /// Brings a matrix into the registers, of both triangles, scaled by 2^-exponent to largest
  /// entries near 1. Returns false if an entry is not finite. Lanes read neighbours in memory.
  KOKKOS_FORCEINLINE_FUNCTION static bool load(Lanes const& group, EighProblem<Real> const& problem,
                                               Scratch& scratch, Rows& rows, int& exponent) {
    int const t = group.row, n = problem.n;
    bool const down = problem.a.row_stride <= problem.a.col_stride;
    auto const* const from =
        problem.a.data + (t < n ? t : 0) * (down ? problem.a.row_stride : problem.a.col_stride);
    auto const step = down ? problem.a.col_stride : problem.a.row_stride;
    CARROLL_UNROLL
    for (int k = 0; k < order; ++k) {
      bool const lower = down ? t >= k : t <= k;
      rows.a[k] = lower && t < n && k < n ? from[k * step] : Real(0);
    }
    Real const infinity = Kokkos::Experimental::infinity_v<Real>;
    Real largest = 0;
    CARROLL_UNROLL
    for (int k = 0; k < order; ++k) {
      Real const size = Kokkos::abs(rows.a[k]);
      largest = Kokkos::max(largest, size < infinity ? size : infinity);
    }
    largest = group.max(largest);
    bool const finite = largest < infinity;
    exponent = finite && largest > Real(0) ? exponent_of(largest) : 0;
    int const half = -exponent / 2;
    Real const factor = power_of_two<Real>(half), rest = power_of_two<Real>(-exponent - half);
    CARROLL_UNROLL
    for (int k = 0; k < order; ++k) {
      bool const lower = down ? t >= k : t <= k;
      if (!lower || t >= order) continue;
      Real const x = finite ? rows.a[k] * factor * rest : Real(0);
      scratch.matrix[t * Shape::stride + k] = x;
      scratch.matrix[k * Shape::stride + t] = x;
    }
    group.warp.sync();
    CARROLL_UNROLL
    for (int k = 0; k < order; ++k) {
      rows.a[k] = t < order ? scratch.matrix[t * Shape::stride + k] : Real(0);
      if constexpr (Vectors) rows.q[k] = k == t ? Real(1) : Real(0);
    }
    rows.d = rows.e = 0;
    group.warp.sync();
    return finite;
  }

  /// Steps from `Begin` on, of which four share their code.
  template <int Begin>
  KOKKOS_FORCEINLINE_FUNCTION static void reduce_from(Lanes const& group, int n, Scratch& scratch,
                                                      Rows& rows) {
    if constexpr (Begin < order) {
      int const end = Kokkos::min(Begin + 4, n);
      CARROLL_NO_UNROLL
      for (int k = Begin; k < end; ++k) {
        Real const x = entry_of_four<Begin>(rows.a, k);
        Real const alpha = group.from(x, k + 1);
        if (group.row == k) {
          rows.d = x;
          rows.e = alpha;
        }
        if (k + 2 < n) reflect<Begin>(group, k, x, alpha, scratch, rows);
      }
      reduce_from<Begin + 4>(group, n, scratch, rows);
    }
  }

  template <int Begin>
  KOKKOS_FORCEINLINE_FUNCTION static void reflect(Lanes const& group, int k, Real x, Real alpha,
                                                  Scratch& scratch, Rows& rows) {
    Real const least = power_of_two<Real>(2 * negligible_coupling<Real>);
    int const t = group.row;
    Real const tail = t > k + 1 ? x : Real(0);
    if (t < order) scratch.step.tail[t] = tail;
    group.warp.sync();
    // Two chains of each sum.
    Real product[2] = {}, turned[2] = {}, square[2] = {};
    CARROLL_UNROLL
    for (int j = Begin; j < order; j += 2) {
      Pair const other = reinterpret_cast<Pair const*>(scratch.step.tail)[j / 2];
      square[0] = Kokkos::fma(other.c, other.c, square[0]);
      square[1] = Kokkos::fma(other.s, other.s, square[1]);
      product[0] = Kokkos::fma(rows.a[j], other.c, product[0]);
      product[1] = Kokkos::fma(rows.a[j + 1], other.s, product[1]);
      if constexpr (Vectors) {
        turned[0] = Kokkos::fma(rows.q[j], other.c, turned[0]);
        turned[1] = Kokkos::fma(rows.q[j + 1], other.s, turned[1]);
      }
    }
    Real const rest = square[0] + square[1];
    bool const reflects = rest > least;
    Real const all = Kokkos::fma(alpha, alpha, rest);
    Real const root = refined_rsqrt(all, rough_rsqrt(all));
    Real const norm = reflects ? rounded_product(all, root) : Real(0);
    Real const beta = alpha < Real(0) ? norm : -norm;
    Real const inverse =
        reflects ? normal_reciprocal(Kokkos::fma(Kokkos::abs(alpha), norm, all)) : Real(0);
    Real const head = alpha - beta;
    if (t == k && reflects) rows.e = beta;
    Real const v = t == k + 1 ? head : tail;
    Real const sum =
        Kokkos::fma(entry_of_four<Begin + 1>(rows.a, k + 1), head, product[0] + product[1]);
    Real const p = t > k ? sum * inverse : Real(0);
    if (t < order) scratch.step.pair[t] = {v, p};
    group.warp.sync();
    Real const minus_v = -v;
    Real const minus_u = -Kokkos::fma(group.sum(rounded_product(v, p)) * inverse, minus_v, p);
    Real minus_q = 0;
    if constexpr (Vectors)
      minus_q = Kokkos::fma(entry_of_four<Begin + 1>(rows.q, k + 1), head, turned[0] + turned[1]) *
                -inverse;
    CARROLL_UNROLL
    for (int j = Begin; j < order; ++j) {
      Pair const other = scratch.step.pair[j];
      rows.a[j] = Kokkos::fma(minus_v, other.s, Kokkos::fma(minus_u, other.c, rows.a[j]));
      if constexpr (Vectors) rows.q[j] = Kokkos::fma(minus_q, other.c, rows.q[j]);
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION static void store(Lanes const& group,
                                                EighProblem<Real> const& problem, Rows const& rows,
                                                bool finite, int exponent) {
    int const t = group.row, n = problem.n;
    if (!problem.info) return;
    Storage const at(problem);
    if (t == 0) {
      at.message[Storage::exponent] = exponent;
      at.message[Storage::is_finite] = finite ? 1 : 0;
    }
    if (t >= n) return;
    at.d[t] = rows.d;
    at.e[t] = rows.e;
    if constexpr (Vectors) {
      CARROLL_UNROLL
      for (int k = 0; k < order; ++k)
        if (k < n) at.q[k * n + t] = rows.q[k];
    }
  }
};

}  // namespace carroll::detail
