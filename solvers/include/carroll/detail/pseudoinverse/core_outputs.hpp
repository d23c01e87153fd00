// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/pseudoinverse/core_solve.hpp>
#include <carroll/detail/pseudoinverse/problem.hpp>

namespace carroll::detail {

/// The results of a problem, into the caller's Views.
template <class Real>
class CoreOutputs {
 public:
  KOKKOS_FUNCTION explicit CoreOutputs(ArrowBatch<Real> const& batch) : batch_(batch) {}

  /// Returns, on every lane, whether a result does not fit Real.
  template <class Member>
  KOKKOS_FUNCTION int write(Member const& team, int problem, Core const& core) const {
    int const k = batch_.k;
    int const frame = batch_.frame_of(problem);
    int const rhs = batch_.rhs_of(problem);
    int worst_y = 0, worst_xi = 0;
    auto const put = [](Real& target, double value, int& worst) {
      target = static_cast<Real>(value);
      if (!Kokkos::isfinite(target)) worst = 1;
    };
    if (batch_.y.data)
      Kokkos::parallel_reduce(
          Kokkos::TeamVectorRange(team, k),
          [&](int j, int& worst) {
            put(entry(batch_.y, frame, j, rhs), core.y[j] - core.correction[j], worst);
          },
          Kokkos::Max<int>(worst_y));
    if (batch_.xi.data)
      Kokkos::parallel_reduce(
          Kokkos::TeamVectorRange(team, batch_.m),
          [&](int i, int& worst) {
            double x = batch_.group(problem, 1, i);
            double corrected = 0;
            for (int j = 0; j < k; ++j) {
              x -= batch_.group(problem, 2 + j, i) * core.y[j];
              corrected += batch_.group(problem, 2 + j, i) * core.correction[j];
            }
            put(entry(batch_.xi, frame, i, rhs), x + corrected, worst);
          },
          Kokkos::Max<int>(worst_xi));
    int worst_c = 0, worst_v = 0;
    if (batch_.covariance.data)
      Kokkos::parallel_reduce(
          Kokkos::TeamVectorRange(team, k * k),
          [&](int e, int& worst) {
            put(entry(batch_.covariance, frame, e / k, e % k), core.work[e], worst);
          },
          Kokkos::Max<int>(worst_c));
    if (batch_.variances.data)
      Kokkos::parallel_reduce(
          Kokkos::TeamVectorRange(team, batch_.m),
          [&](int i, int& worst) {
            put(entry(batch_.variances, frame, i, 0), variance(problem, core, i), worst);
          },
          Kokkos::Max<int>(worst_v));
    return worst_y > 0 || worst_xi > 0 || worst_c > 0 || worst_v > 0 ? 1 : 0;
  }

  template <class Member>
  KOKKOS_FUNCTION void fill_with_nan(Member const& team, int problem) const {
    constexpr Real nan = Kokkos::Experimental::quiet_NaN_v<Real>;
    int const frame = batch_.frame_of(problem);
    int const rhs = batch_.rhs_of(problem);
    auto const fill = [&](StridedBatch<Real> const& out, int count, int width, int col) {
      if (!out.data) return;
      Kokkos::parallel_for(Kokkos::TeamVectorRange(team, count), [&](int e) {
        entry(out, frame, e / width, width == 1 ? col : e % width) = nan;
      });
    };
    fill(batch_.y, batch_.k, 1, rhs);
    fill(batch_.xi, batch_.m, 1, rhs);
    fill(batch_.covariance, batch_.k * batch_.k, batch_.k, 0);
    fill(batch_.variances, batch_.m, 1, 0);
  }

 private:
  KOKKOS_FUNCTION double variance(int problem, Core const& core, int i) const {
    int const k = batch_.k;
    double const d = batch_.group(problem, 0, i);
    double spread = 0, shortened = 0;
    for (int r = 0; r < k; ++r)
      for (int c = 0; c < k; ++c) {
        double const product = batch_.group(problem, 2 + r, i) * batch_.group(problem, 2 + c, i);
        spread += product * core.at(core.work, r, c);
        shortened += product * core.at(core.T, r, c);
      }
    return spread + (d > 0 ? (1 - 2 * shortened) / d : 0);
  }

  KOKKOS_FUNCTION static Real& entry(StridedBatch<Real> const& out, int frame, int i, int j) {
    return out.data[frame * out.strides[0] + i * out.strides[1] + j * out.strides[2]];
  }

  ArrowBatch<Real> const& batch_;
};

}  // namespace carroll::detail
