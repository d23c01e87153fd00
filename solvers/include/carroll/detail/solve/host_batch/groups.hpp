// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/host_lanes.hpp>
#include <carroll/detail/simd/choice.hpp>
#include <carroll/detail/simd/field.hpp>
#include <carroll/detail/solve/batch.hpp>
#include <carroll/detail/solve/host_batch/condition.hpp>
#include <carroll/detail/solve/host_batch/eliminate.hpp>
#include <carroll/detail/solve/host_batch/scale.hpp>
#include <carroll/detail/solve/host_batch/work.hpp>
#include <limits>

namespace carroll::detail::simd {

/// What one thread does with some systems: groups of as many as a register has lanes.
template <class Value, class Pack>
class SolveGroups {
 public:
  static constexpr int width = Pack::width;

  explicit SolveGroups(SolveBatch<Value> const& batch) : batch_(batch) {}

  /// Systems begin <= k < end. `room`: solve_room of their order.
  void run(int begin, int end, Pack* room) const {
    for (int k = begin; k < end; k += width)
      solve_group(k, end - k < width ? end - k : width, room);
  }

 private:
  using Ints = typename Pack::Ints;
  using Mask = typename Pack::Mask;
  using Real = RealOf<Value>;
  using Number = NumberOf<Value, Pack>;
  using Work = SolveWork<Number>;
  static constexpr int strip = solve_columns<parts_of<Number>>;

  /// What is known of the systems of a group.
  struct Lanes {
    Mask finite, singular = Mask(0), broken = Mask(0), overflow = Mask(0);
    Pack norm, growth, inverse_norm = Pack(0);
  };

  /// That of a lane; lanes without one repeat the first.
  SolveProblem<Value> problem(int first, int count, int l) const {
    return batch_(first + (l < count ? l : 0));
  }

  void solve_group(int first, int count, Pack* room) const {
    SolveProblem<Value> const shape = batch_(first);
    Work at(shape.n, room);
    Lanes lanes;
    auto const a = [&](int l) { return problem(first, count, l).a; };
    load_lanes(lane_matrices<width, Value const>(a), at.n, at.n, at.pitch, at.numbers(at.A));
    by_itself<Pack::bytes>([&] { start(at, lanes); });
    auto const b =
        lane_matrices<width, Value const>([&](int l) { return problem(first, count, l).b; });
    auto const x = lane_matrices<width, Value>([&](int l) { return problem(first, count, l).x; });
    for_strips<strip>(0, shape.columns, [&]<int C>(int column) {
      if (!shape.inverts())
        load_lanes(columns_from(b, column), at.n, C, at.pitch, at.numbers(at.Y));
      by_itself<Pack::bytes>([&] { solve_sides<C>(at, shape.inverts(), column, lanes); });
      store_lanes(at.numbers(at.Y), at.n, C, at.pitch, columns_from(x, column), count);
    });
    bool const estimates = batch_.condition && !shape.inverts() && at.n > 0;
    if (estimates) by_itself<Pack::bytes>([&] { lanes.inverse_norm = estimate_inverse_norm(at); });
    for (int l = 0; l < count; ++l) tell(batch_(first + l), lanes, l, estimates || shape.inverts());
  }

  template <class T>
  static LaneMatrices<width, T> columns_from(LaneMatrices<width, T> all, int column) {
    for (T*& data : all.data) data += column * all.col_stride;
    return all;
  }

  static void start(Work& at, Lanes& lanes) {
    auto const sizes = equilibrate(at);
    lanes.finite = sizes.finite;
    lanes.norm = sizes.norm;
    Pack largest = sizes.largest;
    factorise(at, lanes.singular, largest);
    Pack const infinity = std::numeric_limits<Real>::infinity();
    lanes.growth = select(sizes.largest > Pack(0), largest / sizes.largest, Pack(1));
    lanes.broken = lanes.broken | ~(largest < infinity);
  }

  /// A strip of X, from right-hand sides or, of the inverse, from columns of the identity.
  template <int C>
  static void solve_sides(Work const& at, bool inverts, int column, Lanes& lanes) {
    Number* y[C];
    Ints shifts[C];
    for (int c = 0; c < C; ++c) {
      y[c] = at.side(c);
      if (inverts) {
        for (int i = 0; i < at.n; ++i) y[c][i] = real_number<Number>(Pack(i == column + c ? 1 : 0));
        shifts[c] = at.rows[column + c];
      } else {
        shifts[c] = scale_down(at, y[c], lanes.finite);
      }
    }
    solve<C>(at, y);
    for (int c = 0; c < C; ++c) {
      if (inverts) lanes.inverse_norm = max(sum_of_sizes(y[c], at.n), lanes.inverse_norm);
      scale_up(at, y[c], shifts[c], lanes.broken, lanes.overflow);
    }
  }

  static void tell(SolveProblem<Value> const& own, Lanes const& lanes, int l, bool conditioned) {
    SolveVerdict<Real> verdict;
    if (own.n > 0) {
      verdict.finite = lanes.finite[l] != 0;
      verdict.singular = lanes.singular[l] != 0;
      verdict.broken = lanes.broken[l] != 0;
      verdict.overflow = lanes.overflow[l] != 0;
      verdict.growth = lanes.growth[l];
      verdict.rcond =
          conditioned ? reciprocal_condition(lanes.norm[l], lanes.inverse_norm[l]) : Real(-1);
    }
    *own.info = verdict.info();
    Value const nan = quiet_nan<Value>();
    for (int j = 0; verdict.refuses() && j < own.columns; ++j)
      for (int i = 0; i < own.n; ++i) own.x(i, j) = nan;
  }

  SolveBatch<Value> batch_;
};

}  // namespace carroll::detail::simd
