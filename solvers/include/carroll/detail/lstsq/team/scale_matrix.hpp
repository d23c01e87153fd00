// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/lstsq/batch.hpp>
#include <carroll/detail/lstsq/team/power_factors.hpp>
#include <carroll/detail/team.hpp>

namespace carroll::detail {

/// A·2^shift into the workspace, a team per matrix: up to where its largest entry is as large as it
/// may be without the largest singular value leaving the range. A matrix that is not finite goes as
/// it is; the decomposition refuses it. A is read twice and written once, along its lines.
template <class ExecSpace, class T>
class ScaleMatrixKernel {
  using Real = RealOf<T>;

 public:
  explicit ScaleMatrixKernel(LstsqBatch<T> const& batch) : batch_(batch) {}

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    int const b = team.league_rank();
    bool const by_rows = batch_.by_rows();
    int const length = by_rows ? batch_.n : batch_.m, lines = by_rows ? batch_.m : batch_.n;
    auto const A = batch_.member(batch_.a, b);
    auto const along = by_rows ? A.transposed() : A;  // lines are columns now
    Real largest = 0;
    Kokkos::parallel_reduce(
        Kokkos::TeamThreadRange(team, lines),
        [&](int line, Real& most) {
          Real const own = largest_entry<T>(team, length, along.col(line));
          most = own > most ? own : most;
        },
        Kokkos::Max<Real>(largest));
    int const shift = shift_to(largest, batch_.scales.a);
    PowerFactors<Real> const raised(shift);
    T* const into = batch_.A(b);
    thread_for(team, lines, [&](int line) {
      auto const from = along.col(line);
      T* const to = into + static_cast<std::ptrdiff_t>(line) * length;
      lane_for(team, length, [&](int i) { to[i] = raised(from(i)); });
    });
    Kokkos::single(Kokkos::PerTeam(team), [&] {
      batch_.a_shift(b) = shift;
      batch_.refused(b) = 0;
    });
  }

 private:
  LstsqBatch<T> batch_;
};

}  // namespace carroll::detail
