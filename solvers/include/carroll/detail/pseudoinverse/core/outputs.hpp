// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/pseudoinverse/core/null.hpp>
#include <carroll/detail/pseudoinverse/core/solve.hpp>
#include <carroll/detail/pseudoinverse/problem.hpp>
#include <carroll/detail/team.hpp>
#include <carroll/detail/unroll.hpp>

namespace carroll::detail {

/// The results of a problem, into the caller's Views. `Known`: k, where the compiler knows it;
/// otherwise 0.
template <class Real, int Known = 0>
class CoreOutputs {
 public:
  KOKKOS_FUNCTION explicit CoreOutputs(ArrowBatch<Real> const& batch) : batch_(batch) {}

  /// An entry that does not fit Real tells so in the info. `deficient`: after `shortest`, which has
  /// put ξ in the place of γ.
  template <class Member>
  KOKKOS_FUNCTION void write(Member const& team, int problem, Core const& core,
                             ShortestSolution<Real> const& shortest, bool deficient) const {
    int const k = Known > 0 ? Known : batch_.k;
    int const frame = batch_.frame_of(problem);
    int const rhs = batch_.rhs_of(problem);
    auto const put = [&](Real& target, double value) {
      target = static_cast<Real>(value);
      if (!Kokkos::isfinite(target))
        Kokkos::atomic_store(&batch_.info_of(problem).status, Status::overflow);
    };
    if (batch_.y.data)
      Kokkos::parallel_for(Kokkos::TeamVectorRange(team, k),
                           [&](int j) { put(entry(batch_.y, frame, j, rhs), core.y[j]); });
    if (batch_.xi.data) {
      if (deficient)
        Kokkos::parallel_for(Kokkos::TeamVectorRange(team, batch_.m), [&](int i) {
          put(entry(batch_.xi, frame, i, rhs), batch_.group(problem, 1, i));
        });
      else if (lanes<typename Member::execution_space> == 1 && k == 1)
        write_depths_on_host(team, problem, core.y[0]);
      else
        write_depths(team, problem, core, put);
    }
    if (batch_.covariance.data)
      Kokkos::parallel_for(Kokkos::TeamVectorRange(team, k * k), [&](int e) {
        put(entry(batch_.covariance, frame, e / k, e % k), core.work[e]);
      });
    if (batch_.variances.data)
      Kokkos::parallel_for(Kokkos::TeamVectorRange(team, batch_.m), [&](int i) {
        put(entry(batch_.variances, frame, i, 0),
            deficient ? shortest.variance(i) : variance(problem, core, i));
      });
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
  /// ξ = γ - βy.
  template <class Member, class Put>
  KOKKOS_FUNCTION void write_depths(Member const& team, int problem, Core const& core,
                                    Put const& put) const {
    // A GPU's lanes load several groups before they store, for nothing else hides how long that
    // takes.
    constexpr bool on_host = lanes<typename Member::execution_space> == 1;
    constexpr int ahead = on_host ? 1 : Known == 1 ? 8 : 4;
    int const k = Known > 0 ? Known : batch_.k;
    int const apart = (batch_.m + ahead - 1) / ahead;
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, apart), [&](int first) {
      double x[ahead];
      if constexpr (Known > 0 && !on_host) {
        double group[ahead][1 + Known];
        CARROLL_UNROLL
        for (int a = 0; a < ahead; ++a) CARROLL_UNROLL
        for (int c = 0; c <= Known; ++c)
          group[a][c] = batch_.group(problem, 1 + c, Kokkos::min(first + a * apart, batch_.m - 1));
        CARROLL_UNROLL
        for (int a = 0; a < ahead; ++a)
          x[a] = depth_step(core, group[a][0], k, [&](int j) { return group[a][1 + j]; });
      } else {
        for (int a = 0; a < ahead; ++a) {
          int const i = Kokkos::min(first + a * apart, batch_.m - 1);
          x[a] = depth_step(core, batch_.group(problem, 1, i), k,
                            [&](int j) { return batch_.group(problem, 2 + j, i); });
        }
      }
      CARROLL_UNROLL
      for (int a = 0; a < ahead; ++a)
        if (int const i = first + a * apart; i < batch_.m)
          put(entry(batch_.xi, batch_.frame_of(problem), i, batch_.rhs_of(problem)), x[a]);
    });
  }

  /// The same for one motion column on a host, whose compiler makes vector code of it.
  template <class Member>
  KOKKOS_FUNCTION void write_depths_on_host(Member const& team, int problem, double y) const {
    constexpr int block = 512;
    constexpr Real largest = Kokkos::Experimental::finite_max_v<Real>;
    double const* const gamma = &batch_.group(problem, 1, 0);
    double const* const beta = &batch_.group(problem, 2, 0);
    Real* const out = &entry(batch_.xi, batch_.frame_of(problem), 0, batch_.rhs_of(problem));
    std::ptrdiff_t const stride = batch_.xi.strides[1];
    thread_for(team, (batch_.m + block - 1) / block, [&](int part) {
      int const begin = part * block, count = Kokkos::min(block, batch_.m - begin);
      Real x[block];
      int unfit = 0;
      for (int i = 0; i < count; ++i) {
        x[i] = static_cast<Real>(gamma[begin + i] - beta[begin + i] * y);
        unfit |= Kokkos::abs(x[i]) <= largest ? 0 : 1;
      }
      if (stride == 1)
        for (int i = 0; i < count; ++i) out[begin + i] = x[i];
      else
        for (int i = 0; i < count; ++i) out[(begin + i) * stride] = x[i];
      if (unfit != 0) Kokkos::atomic_store(&batch_.info_of(problem).status, Status::overflow);
    });
  }

  /// ξ = γ - βy.
  template <class Beta>
  KOKKOS_FUNCTION static double depth_step(Core const& core, double gamma, int k,
                                           Beta const& beta) {
    double x = gamma;
    CARROLL_UNROLL
    for (int j = 0; j < k; ++j) x -= beta(j) * core.y[j];
    return x;
  }

  KOKKOS_FUNCTION double variance(int problem, Core const& core, int i) const {
    int const k = batch_.k;
    double const d = batch_.group(problem, 0, i);
    double spread = 0;
    for (int r = 0; r < k; ++r)
      for (int c = 0; c < k; ++c)
        spread += batch_.group(problem, 2 + r, i) * batch_.group(problem, 2 + c, i) *
                  core.at(core.work, r, c);
    return spread + (d > 0 ? 1 / d : 0);
  }

  KOKKOS_FUNCTION static Real& entry(StridedBatch<Real> const& out, int frame, int i, int j) {
    return out.data[frame * out.strides[0] + i * out.strides[1] + j * out.strides[2]];
  }

  ArrowBatch<Real> const& batch_;
};

}  // namespace carroll::detail
