// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/math.hpp>
#include <carroll/detail/device/rounding.hpp>
#include <carroll/detail/device/threads.hpp>
#include <carroll/detail/eigh/warp/shape.hpp>
#include <carroll/detail/field.hpp>
#include <carroll/detail/power_of_two.hpp>
#include <carroll/detail/team.hpp>
#include <carroll/detail/unroll.hpp>
#include <carroll/occupancy/residency.hpp>

namespace carroll::detail {

/// A = Q·T·Qᴴ, T real and tridiagonal, in registers: lane t holds row t of A and of Q. Step k takes
/// what is below the diagonal of column k to a real multiple of e₁,
///
///   H = I - v·vᴴ/h,  v = x - β·e₁,  β = -sign(re x₁)·‖x‖,  h = -β·v̄₁
///   A := Hᴴ·A·H = A - v·pᴴ - (p - (vᴴp/h̄)·v)·vᴴ,  p = A·v/h,   Q := Q·H = Q - (Q·v/h)·vᴴ
///
/// so that a lane wants v and p of others, which it reads from scratch, all lanes the same word.
/// Sums along rows are a lane's own; one a step, vᴴp, crosses lanes. Columns that are done with
/// drop out four at a time: 2·n³ flops for T (4n³/3 would do, of one triangle) and 2·n³ for Q (its
/// structure would save a third, and no instructions, since lanes are there), n² reads of scratch.
/// Of complex numbers four times as many flops; there is a last step, of a 1×1 H, too.
template <class ExecSpace, class T, class Shape, bool Vectors>
class EighWarpReduceKernel : public EighWarps<ExecSpace, T, Shape> {
  using Base = EighWarps<ExecSpace, T, Shape>;
  using Real = RealOf<T>;
  static constexpr int order = Shape::order, matrices = Shape::matrices;
  static constexpr int least_rows = is_complex<T> ? 1 : 2;  ///< of x

  struct alignas(sizeof(T) == 4 ? 8 : 16) Pair {  // read as a whole
    T first, second;
  };

  union alignas(16) Scratch {
    T matrix[order * Shape::stride];
    struct {
      T tail[order];     ///< x without its first entry, 0 above it; read in pairs
      Pair pair[order];  ///< of v and p
    } step;
  };

 public:
  static constexpr int least_warps =
      warps_at_once(Vectors && sizeof(T) >= 8 ? Shape::reducers : 16, sizeof(Scratch) * matrices);
  using Policy = BoundedTeams<ExecSpace, 32, least_warps, sizeof(Scratch) * matrices + 16>;
  using typename Base::Lanes, typename Base::Storage;

  using Base::Base;

  KOKKOS_FUNCTION static constexpr std::size_t scratch_bytes() {
    return sizeof(Scratch) * matrices;
  }

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    Lanes const group(warp_of_threads(team));
    EighProblem<T> const problem = this->problem(team.league_rank() * matrices + group.slot);
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
    T a[order];
    T q[Vectors ? order : 1];
    Real d, e;  ///< entries of this row, as they are found
  };

  /// Brings a matrix into the registers, of both triangles, scaled by 2^-exponent to largest
  /// entries near 1. Returns false if an entry is not finite. Lanes read neighbours in memory.
  KOKKOS_FORCEINLINE_FUNCTION static bool load(Lanes const& group, EighProblem<T> const& problem,
                                               Scratch& scratch, Rows& rows, int& exponent) {
    int const t = group.row, n = problem.n;
    bool const down = problem.a.row_stride <= problem.a.col_stride;
    auto const* const from =
        problem.a.data + (t < n ? t : 0) * (down ? problem.a.row_stride : problem.a.col_stride);
    auto const step = down ? problem.a.col_stride : problem.a.row_stride;
    CARROLL_UNROLL
    for (int k = 0; k < order; ++k) {
      bool const lower = down ? t >= k : t <= k;
      rows.a[k] = lower && t < n && k < n ? from[k * step] : T(0);
      if constexpr (is_complex<T>)
        rows.a[k] = T(rows.a[k].real(), t == k                       ? Real(0)
                                        : down == problem.conjugated ? -rows.a[k].imag()
                                                                     : rows.a[k].imag());
    }
    Real const infinity = Kokkos::Experimental::infinity_v<Real>;
    Real largest = 0;
    CARROLL_UNROLL
    for (int k = 0; k < order; ++k) {
      Real const size = largest_part(rows.a[k]);
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
      T const x = finite ? rounded_product(rest, rounded_product(factor, rows.a[k])) : T(0);
      scratch.matrix[t * Shape::stride + k] = x;
      scratch.matrix[k * Shape::stride + t] = conjugate(x);
    }
    group.warp.sync();
    CARROLL_UNROLL
    for (int k = 0; k < order; ++k) {
      rows.a[k] = t < order ? scratch.matrix[t * Shape::stride + k] : T(0);
      if constexpr (Vectors) rows.q[k] = k == t ? T(1) : T(0);
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
        T const x = entry_of_four<Begin>(rows.a, k);
        T const alpha = group.from(x, k + 1);
        if (group.row == k) {
          rows.d = real_part(x);
          rows.e = real_part(alpha);
        }
        if (k + least_rows < n) reflect<Begin>(group, k, x, alpha, scratch, rows);
      }
      reduce_from<Begin + 4>(group, n, scratch, rows);
    }
  }

  template <int Begin>
  KOKKOS_FORCEINLINE_FUNCTION static void reflect(Lanes const& group, int k, T x, T alpha,
                                                  Scratch& scratch, Rows& rows) {
    Real const least = power_of_two<Real>(2 * negligible_coupling<Real>);
    int const t = group.row;
    T const tail = t > k + 1 ? x : T(0);
    if (t < order) scratch.step.tail[t] = tail;
    group.warp.sync();
    // Two chains of each sum.
    T product[2] = {}, turned[2] = {};
    Real square[2] = {};
    CARROLL_UNROLL
    for (int j = Begin; j < order; j += 2) {
      Pair const other = reinterpret_cast<Pair const*>(scratch.step.tail)[j / 2];
      square[0] = fused_square_sum(other.first, square[0]);
      square[1] = fused_square_sum(other.second, square[1]);
      product[0] = fused_sum(rows.a[j], other.first, product[0]);
      product[1] = fused_sum(rows.a[j + 1], other.second, product[1]);
      if constexpr (Vectors) {
        turned[0] = fused_sum(rows.q[j], other.first, turned[0]);
        turned[1] = fused_sum(rows.q[j + 1], other.second, turned[1]);
      }
    }
    Real const rest = square[0] + square[1];
    Real const re = real_part(alpha), beside = with_imaginary_square(alpha, rest);
    bool const reflects = beside > least;
    Real const all = Kokkos::fma(re, re, beside);
    Real const root = refined_rsqrt(all, rough_rsqrt(all));
    Real const norm = reflects ? rounded_product(all, root) : Real(0);
    Real const beta = re < Real(0) ? norm : -norm;
    T const head = alpha - beta;
    T inverse = 0;  // of h
    if constexpr (is_complex<T>) {
      Real const of_square = normal_reciprocal(fused_square_sum(head, Real(0)));
      if (reflects)
        inverse = rounded_product(re < Real(0) ? -root : root, rounded_product(of_square, head));
    } else {
      if (reflects) inverse = normal_reciprocal(Kokkos::fma(Kokkos::abs(re), norm, all));
    }
    if (t == k && reflects) rows.e = beta;
    T const v = t == k + 1 ? head : tail;
    T const sum = fused_sum(entry_of_four<Begin + 1>(rows.a, k + 1), head, product[0] + product[1]);
    T const p = t > k ? rounded_product(sum, inverse) : T(0);
    if (t < order) scratch.step.pair[t] = {v, p};
    group.warp.sync();
    T const minus_v = -v;
    T const minus_u = -fused_multiple_sum(product_of(group, v, p, inverse), minus_v, p);
    T minus_q = 0;
    if constexpr (Vectors)
      minus_q = rounded_product(
          fused_sum(entry_of_four<Begin + 1>(rows.q, k + 1), head, turned[0] + turned[1]),
          -inverse);
    CARROLL_UNROLL
    for (int j = Begin; j < order; ++j) {
      Pair const other = scratch.step.pair[j];
      rows.a[j] = fused_conjugate_sum(other.second, minus_v,
                                      fused_conjugate_sum(other.first, minus_u, rows.a[j]));
      if constexpr (Vectors) rows.q[j] = fused_conjugate_sum(other.first, minus_q, rows.q[j]);
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION static Real with_imaginary_square([[maybe_unused]] T const& x,
                                                                Real sum) {
    if constexpr (is_complex<T>) sum = Kokkos::fma(x.imag(), x.imag(), sum);
    return sum;
  }
  /// vᴴp/h̄, which is real.
  KOKKOS_FORCEINLINE_FUNCTION static Real product_of(Lanes const& group, T const& v, T const& p,
                                                     T const& inverse) {
    if constexpr (is_complex<T>)
      return group.sum(rounded_real_product(rounded_product(v, inverse), p));
    else
      return group.sum(rounded_product(v, p)) * inverse;
  }

  KOKKOS_FORCEINLINE_FUNCTION static void store(Lanes const& group, EighProblem<T> const& problem,
                                                Rows const& rows, bool finite, int exponent) {
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
