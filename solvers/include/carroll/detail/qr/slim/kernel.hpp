// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/collectives.hpp>
#include <carroll/detail/device/threads.hpp>
#include <carroll/detail/field.hpp>
#include <carroll/detail/lane_groups.hpp>
#include <carroll/detail/power_of_two.hpp>
#include <carroll/detail/qr/batch.hpp>
#include <carroll/detail/qr/classes.hpp>
#include <carroll/detail/qr/plan.hpp>
#include <carroll/detail/qr/slim/shape.hpp>
#include <carroll/detail/qr/warp/reflector.hpp>
#include <carroll/detail/team.hpp>
#include <carroll/detail/unroll.hpp>
#include <cstddef>
#include <cstdint>

namespace carroll::detail {

/// The factorisation of small matrices that are longer than wide in the registers of a warp, up to
/// two of them: a lane has rows of A, then of Q, a block of columns at a time. A step crosses lanes
/// once: the products of a reflector with all columns are summed over the lanes and dealt out to
/// them (scattered_sums), and through scratch all lanes learn of all. Columns stay where they are;
/// those that are done are multiplied by zeros, so that all steps share their code.
///
/// 4mn² flops for R, of which a half would do, with pivoting 2mn² more, and 4mn² for each n columns
/// of Q. A is read, Q and R are written once: mn + mn + n² words.
template <class ExecSpace, class Real, class Shape, bool Pivots>
class QrSlimKernel {
  static constexpr int cols = Shape::cols, width = Shape::width, matrices = Shape::matrices;
  static constexpr int each = Shape::rows_per_lane;
  using Scratch = QrSlimScratch<Real, Shape>;
  using Group = LaneGroup<Shape>;
  using Rows = Real[each][cols];
  static constexpr std::size_t basis_bytes =
      sizeof(Real) * Shape::rows * cols;  // reflectors, for Q

  /// What a lane knows: of a column, which others may know, too, and of a row of R, where it has
  /// one.
  struct Lane {
    int exponents[cols];         ///< columns stand for x·2^exponent
    int place = 0;               ///< of R's columns the lane's own becomes this one
    Real left = 0;               ///< the square of what is left of it, comparable with others'
    Real weight = 1;             ///< makes it that
    Real diagonal = 0;           ///< of R's row
    int exponent = 0;            ///< of the column that has it
    std::uint32_t negative = 0;  ///< bit k: the reflectors' k-th diagonal entry is
    std::uint32_t done = 0;      ///< bit j: column j has had its turn
    bool finite = true;          ///< is all of A

    /// By which row i of R and column i of Q are multiplied, so that R's diagonal is not negative.
    KOKKOS_FUNCTION Real sign(int i) const {
      return i < cols && (negative >> i & 1U) ? Real(-1) : Real(1);
    }
  };

 public:
  KOKKOS_FUNCTION static constexpr std::size_t scratch_bytes(QrMode mode) {
    return matrices * matrix_bytes(mode != QrMode::r);
  }
  using Policy = Kokkos::TeamPolicy<
      ExecSpace, Kokkos::LaunchBounds<32, warps_at_once(Shape::template warps<Real>,
                                                        matrices*(sizeof(Scratch) + basis_bytes))>>;

  QrSlimKernel(QrBatch<Real> const& batch, int members) : batch_(batch), members_(members) {}

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    Group const group(warp_of_threads(team));
    std::int64_t const k = std::int64_t{team.league_rank()} * matrices + group.slot;
    QrProblem<Real> const problem =
        k < members_ ? batch_(batch_.index(static_cast<int>(k))) : QrProblem<Real>{};
    bool const wants_q = batch_.mode != QrMode::r;
    auto* const bytes = static_cast<std::byte*>(
        team.team_scratch(0).get_shmem_aligned(scratch_bytes(batch_.mode), alignof(Scratch)));
    Scratch& scratch =
        *reinterpret_cast<Scratch*>(bytes + matrix_bytes(wants_q) * std::size_t(group.slot));
    int const steps = problem.reflectors();
    int most = steps;  // of the warp
    if constexpr (matrices > 1) most = group.warp.max(most);
    Lane own;
    Rows x;
    load(group, problem, own, x);
    if constexpr (Pivots) make_comparable(group, problem, own, x);
    for (int step = 0; step < most; ++step) reflect(group, scratch, wants_q, steps, step, own, x);
    write_triangle(group, problem, scratch, own, x);
    if (!wants_q) return;
    for (int first = 0; first < problem_cols(group, problem.q_cols); first += cols)
      write_basis(group, problem, scratch, most, first, own, x);
  }

 private:
  KOKKOS_FUNCTION static constexpr std::size_t matrix_bytes(bool wants_q) {
    return sizeof(Scratch) + (wants_q ? std::size_t{basis_bytes} : 0);
  }
  KOKKOS_FUNCTION static Real nan() { return quiet_nan<Real>(); }
  /// The column that a lane knows of.
  KOKKOS_FUNCTION static int column_of(int lane) { return lane / Shape::lanes_per_column; }
  /// The largest of the matrices of the warp, whose lanes go on together.
  KOKKOS_FUNCTION static int problem_cols(Group const& group, int q_cols) {
    if constexpr (matrices > 1) return group.warp.max(q_cols);
    return q_cols;
  }
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION static T entry(T const (&x)[cols], int k) {
    T y = x[0];
    CARROLL_UNROLL
    for (int j = 1; j < cols; ++j) y = j == k ? x[j] : y;
    return y;
  }

  /// Brings rows into a lane, columns scaled by powers of two to a largest entry near 1; all of a
  /// matrix with an entry that is not finite as zeros.
  KOKKOS_FORCEINLINE_FUNCTION static void load(Group const& group, QrProblem<Real> const& problem,
                                               Lane& own, Rows& x) {
    CARROLL_UNROLL
    for (int r = 0; r < each; ++r) {
      int const i = group.row + width * r;
      CARROLL_UNROLL
      for (int j = 0; j < cols; ++j)
        x[r][j] = i < problem.m && j < problem.n ? problem.a(i, j) : Real(0);
    }
    constexpr int of_zeros = -(1 << 20), of_others = 1 << 20;
    Real const infinity = Kokkos::Experimental::infinity_v<Real>;
    CARROLL_UNROLL
    for (int j = 0; j < cols; ++j) {
      Real largest = 0;
      CARROLL_UNROLL
      for (int r = 0; r < each; ++r) {
        Real const size = Kokkos::abs(x[r][j]);
        largest = Kokkos::max(largest, size < infinity ? size : infinity);
      }
      int const exponent = group.max(!(largest < infinity)  ? of_others
                                     : !(largest > Real(0)) ? of_zeros
                                                            : exponent_of(largest));
      own.finite = own.finite && exponent != of_others;
      own.exponents[j] = exponent == of_zeros ? 0 : exponent;
    }
    CARROLL_UNROLL
    for (int j = 0; j < cols; ++j) {
      own.exponents[j] = own.finite ? own.exponents[j] : 0;
      int const half = -own.exponents[j] / 2;
      Real const factor = power_of_two<Real>(half);
      Real const rest = power_of_two<Real>(-own.exponents[j] - half);
      CARROLL_UNROLL
      for (int r = 0; r < each; ++r) x[r][j] = own.finite ? x[r][j] * factor * rest : Real(0);
    }
    own.place = column_of(group.row);
  }

  /// The square of the norm of the lane's own column from row `first` on.
  KOKKOS_FORCEINLINE_FUNCTION static Real square_from(Group const& group, Rows const& x,
                                                      int first) {
    Real squares[cols] = {};
    CARROLL_UNROLL
    for (int r = 0; r < each; ++r) {
      bool const counts = r > 0 || group.row >= first;
      CARROLL_UNROLL
      for (int j = 0; j < cols; ++j)
        squares[j] = fused_square_sum(counts ? x[r][j] : Real(0), squares[j]);
    }
    return scattered_sums<cols, width / 2>(group.warp, squares);
  }

  KOKKOS_FORCEINLINE_FUNCTION static void make_comparable(Group const& group,
                                                          QrProblem<Real> const& problem, Lane& own,
                                                          Rows const& x) {
    int const c = column_of(group.row);
    Real const square = square_from(group, x, 0);
    own.weight = qr_column_weight(group, square, entry(own.exponents, c));
    own.left = c < problem.n ? square * own.weight : Real(-1);
  }

  /// Products of the rows v with all columns, for all lanes to read.
  KOKKOS_FORCEINLINE_FUNCTION static void share_products(Group const& group, Scratch& scratch,
                                                         int step, Real const (&v)[each],
                                                         Rows const& x) {
    Real products[cols] = {};
    CARROLL_UNROLL
    for (int r = 0; r < each; ++r) {
      CARROLL_UNROLL
      for (int j = 0; j < cols; ++j) products[j] = Kokkos::fma(v[r], x[r][j], products[j]);
    }
    Real const own = scattered_sums<cols, width / 2>(group.warp, products);
    if (group.row % Shape::lanes_per_column == 0)
      scratch.products[step & 1][column_of(group.row)] = own;
  }

  KOKKOS_FORCEINLINE_FUNCTION static void reflect(Group const& group, Scratch& scratch,
                                                  bool wants_q, int steps, int k, Lane& own,
                                                  Rows& x) {
    int pivot = k;
    if constexpr (Pivots) pivot = column_of(choose_qr_column(group, own.left, own.place, k, steps));
    Real v[each];
    CARROLL_UNROLL
    for (int r = 0; r < each; ++r) v[r] = entry(x[r], pivot);
    if (group.row <= k) v[0] = 0;
    if (group.row == k) {
      CARROLL_UNROLL
      for (int j = 0; j < cols; ++j) scratch.row[k & 1][j] = x[0][j];
    }
    share_products(group, scratch, k, v, x);
    group.warp.sync();
    Real const* const row = scratch.row[k & 1];
    Real const* const products = scratch.products[k & 1];
    auto const [beta, head, inverse] = make_scaled_reflector(row[pivot], products[pivot]);
    if (group.row == k) {
      v[0] = head;
      own.diagonal = beta;
      own.exponent = entry(own.exponents, pivot);
      scratch.inverses[k] = inverse;
    }
    if (beta < Real(0)) own.negative |= 1U << k;
    own.done |= 1U << pivot;
    CARROLL_UNROLL
    for (int j = 0; j < cols; ++j) {
      Real const w = Kokkos::fma(head, row[j], products[j]) * inverse;
      Real const minus_w = own.done >> j & 1U ? Real(0) : -w;
      CARROLL_UNROLL
      for (int r = 0; r < each; ++r) x[r][j] = Kokkos::fma(minus_w, v[r], x[r][j]);
    }
    if (wants_q) {
      CARROLL_UNROLL
      for (int r = 0; r < each; ++r) scratch.reflector(k)[group.row + width * r] = v[r];
    }
    if constexpr (Pivots) own.left = square_from(group, x, k + 1) * own.weight;
  }

  /// R, the permutation and the info.
  KOKKOS_FORCEINLINE_FUNCTION void write_triangle(Group const& group,
                                                  QrProblem<Real> const& problem, Scratch& scratch,
                                                  Lane const& own, Rows const& x) const {
    int const n = problem.n, steps = problem.reflectors(), c = column_of(group.row);
    if constexpr (Pivots) {
      if (group.row % Shape::lanes_per_column == 0) {
        scratch.places[c] = own.place;
        if (c < n) problem.p(own.place) = c;
      }
      group.warp.sync();
    }
    bool infinite = false;
    CARROLL_UNROLL
    for (int j = 0; j < cols; ++j) {
      int const place = Pivots ? scratch.places[j] : j, i = group.row;
      bool const there = i <= place && i < steps && j < n;
      Real const entry = i == place ? own.diagonal : x[0][j];
      Real const y = without_negative_zeros(scale(own.sign(i) * entry, own.exponents[j]));
      infinite = infinite || (there && Kokkos::isinf(y));
      if (j < n)
        for (int row = i; row < problem.r_rows; row += width)
          problem.r(row, place) = !own.finite ? nan() : there && row == i ? y : Real(0);
    }
    int const rank = Pivots ? find_rank(group, problem, own, steps) : -1;
    bool const overflow = group.count(infinite) > 0;
    if (group.row == 0 && problem.info)
      *problem.info = {.status = !own.finite ? Status::non_finite
                                 : overflow  ? Status::overflow
                                             : Status::success,
                       .rank = rank};
  }

  KOKKOS_FORCEINLINE_FUNCTION int find_rank(Group const& group, QrProblem<Real> const& problem,
                                            Lane const& own, int steps) const {
    Real const largest = Kokkos::abs(group.from(own.diagonal, 0));
    int const exponent = group.from(own.exponent, 0), i = group.row;
    Real const size = scale(Kokkos::abs(own.diagonal), own.exponent - exponent);
    bool const counts = i < steps && size > batch_.tolerance(problem) * largest;
    int const rank = group.min(counts ? steps : Kokkos::min(i, steps));
    return own.finite ? rank : 0;
  }

  /// Q's columns from `first` on.
  KOKKOS_FORCEINLINE_FUNCTION static void write_basis(Group const& group,
                                                      QrProblem<Real> const& problem,
                                                      Scratch& scratch, int most, int first,
                                                      Lane const& own, Rows& x) {
    CARROLL_UNROLL
    for (int r = 0; r < each; ++r) {
      CARROLL_UNROLL
      for (int j = 0; j < cols; ++j)
        x[r][j] = group.row + width * r == first + j ? Real(1) : Real(0);
    }
    group.warp.sync();  // products of the steps before have been read
    for (int k = most - 1; k >= 0; --k) {
      Real v[each];
      CARROLL_UNROLL
      for (int r = 0; r < each; ++r) v[r] = scratch.reflector(k)[group.row + width * r];
      share_products(group, scratch, k, v, x);
      group.warp.sync();
      Real const minus_inverse = -scratch.inverses[k];
      Real const* const products = scratch.products[k & 1];
      CARROLL_UNROLL
      for (int j = 0; j < cols; ++j) {
        Real const minus_w = products[j] * minus_inverse;
        CARROLL_UNROLL
        for (int r = 0; r < each; ++r) x[r][j] = Kokkos::fma(minus_w, v[r], x[r][j]);
      }
    }
    CARROLL_UNROLL
    for (int r = 0; r < each; ++r) {
      int const i = group.row + width * r;
      CARROLL_UNROLL
      for (int j = 0; j < cols; ++j)
        if (i < problem.m && first + j < problem.q_cols)
          problem.q(i, first + j) =
              own.finite ? without_negative_zeros(own.sign(first + j) * x[r][j]) : nan();
    }
  }

  QrBatch<Real> batch_;
  int members_;
};

template <class ExecSpace, class Real>
void enqueue_qr_slim(ExecSpace const& exec, QrBatch<Real> const& batch, QrPlan const& plan) {
  QrClassLaunch<ExecSpace, Real, QrFamily::slim, QrSlimKernel>(exec, batch, plan)
      .enqueue(QrSlimShapes{});
}

}  // namespace carroll::detail
