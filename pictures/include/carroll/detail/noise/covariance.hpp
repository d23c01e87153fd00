// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/denoise/planes.hpp>
#include <carroll/detail/denoise/problem.hpp>
#include <carroll/detail/team.hpp>
#include <cstdint>

namespace carroll::detail {

/// covariance(i, j) of the patches of all planes, `step` pixels apart, one (i, j), i ≥ j, to a
/// team's thread; in double precision, each sum by lanes in an order that depends on the number of
/// patches alone. 2 flops for each patch and entry.
template <class ExecSpace, class T>
class PatchCovariance {
 public:
  using Policy = Kokkos::TeamPolicy<ExecSpace>;
  using Matrix = Kokkos::View<double**, Kokkos::LayoutRight, typename ExecSpace::memory_space>;

  PatchCovariance(PlanesOfCaller<T const> const& picture, int planes, PatchGrid const& down,
                  PatchGrid const& across, int patch, Matrix const& covariance)
      : picture_(picture),
        planes_(planes),
        down_(down),
        across_(across),
        patch_(patch),
        covariance_(covariance) {}

  Policy policy(ExecSpace const& exec) const {
    int const n = patch_ * patch_;
    return Policy(exec, n * (n + 1) / 2, 1, lanes<ExecSpace>);
  }

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    int i = 0, j = team.league_rank();
    while (j > i) j -= ++i;
    Sums<double, 3> all;
    for (int plane = 0; plane < planes_; ++plane)
      for (int row = 0; row < down_.count(); ++row) {
        int const y = down_.at(row);
        all += lane_sums<double, 3>(team, across_.count(), [&](int column) {
          int const x = across_.at(column);
          double const a = sample(plane, y, x, i), b = sample(plane, y, x, j);
          return Sums<double, 3>{{a, b, a * b}};
        });
      }
    double const count = double(planes_) * down_.count() * across_.count();
    double const value = (all[2] - all[0] * (all[1] / count)) / count;
    once_per_thread(team, [&] { covariance_(i, j) = covariance_(j, i) = value; });
  }

 private:
  KOKKOS_INLINE_FUNCTION double sample(int plane, int y, int x, int pixel) const {
    return static_cast<double>(picture_(plane, y + pixel / patch_, x + pixel % patch_));
  }

  PlanesOfCaller<T const> picture_;
  int planes_;
  PatchGrid down_, across_;
  int patch_;
  Matrix covariance_;
};

}  // namespace carroll::detail
