// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/launch.hpp>
#include <carroll/detail/device/warp.hpp>
#include <carroll/detail/matrix_vector/problem.hpp>
#include <carroll/detail/quotient.hpp>
#include <carroll/detail/reduction/plan.hpp>
#include <carroll/detail/team.hpp>
#include <cstdint>

namespace carroll::detail {

/// y := beta·y, where nothing is multiplied.
template <class ExecSpace, class T>
class ScaleVectorKernel {
 public:
  static constexpr int threads = lanes<ExecSpace> == 1 ? 1 : 256;
  static constexpr int each = lanes<ExecSpace> == 1 ? 4096 : 1;
  using Policy = Kokkos::TeamPolicy<ExecSpace, Kokkos::LaunchBounds<256, 1>>;

  explicit ScaleVectorKernel(MatrixVector<T> const& problem) : problem_(problem) {}

  [[nodiscard]] std::int64_t teams() const {
    return quotient_up(std::int64_t{problem_.rows} * problem_.members, threads * each);
  }
  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    std::int64_t const first =
        (std::int64_t{team.league_rank()} * threads + team.team_rank()) * each;
    for (int e = 0; e < each; ++e) scale(first + e);
  }
  KOKKOS_FORCEINLINE_FUNCTION void scale(std::int64_t row) const {
    if (row >= std::int64_t{problem_.rows} * problem_.members) return;
    T& entry =
        problem_
            .y[row / problem_.rows * problem_.y_distance + row % problem_.rows * problem_.y_stride];
    entry = problem_.beta == T(0) ? T(0) : one_nan(rounded_multiple(problem_.beta, T(entry)));
  }

 private:
  MatrixVector<T> problem_;
};

template <class ExecSpace, class T>
void launch_scale(ExecSpace const& exec, MatrixVector<T> const& problem) {
  using Kernel = ScaleVectorKernel<ExecSpace, T>;
  Kernel const kernel(problem);
  if (Kernel::threads == 1 && kernel.teams() <= 2)
    for (int row = 0; row < problem.rows * problem.members; ++row) kernel.scale(row);
  else
    launch_teams("carroll::gemv::scale", exec, kernel,
                 {.count = static_cast<int>(kernel.teams()), .threads = Kernel::threads});
}

}  // namespace carroll::detail
