// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/detail/device/collectives.hpp>
#include <carroll/detail/device/threads.hpp>
#include <carroll/detail/power_of_two.hpp>
#include <carroll/detail/qr/batch.hpp>
#include <carroll/detail/qr/tiled/storage.hpp>
#include <carroll/detail/svd/tiled/shared_columns.hpp>
#include <carroll/detail/team.hpp>
#include <cstdint>

namespace carroll::detail {

/// 2^-exponent brings the largest entry of x near 1; a warp, all of whose lanes get it. Of a column
/// of zeros zero_exponent.
template <class Real>
KOKKOS_INLINE_FUNCTION int exponent_of_column(DeviceWarp const& warp,
                                              StridedVector<Real const> const& x, int rows) {
  Real const infinity = Kokkos::Experimental::infinity_v<Real>;
  Real largest = 0;
  for (int i = warp.lane; i < rows; i += 32) {
    Real const size = Kokkos::abs(x(i));
    largest = Kokkos::max(largest, size < infinity ? size : infinity);  // NaN, too
  }
  largest = lanes_max(warp, largest);
  if (!(largest < infinity)) return no_finite_exponent;
  return largest > Real(0) ? exponent_of(largest) : zero_exponent;
}

/// Of a whole column.
KOKKOS_INLINE_FUNCTION int settled_power(int exponent) {
  return exponent == zero_exponent ? 0 : exponent;
}

/// Before the factorisation: the power of two of every column, a warp each, which reads it once;
/// and what teams tell one another is cleared. No flops but comparisons, mn words.
template <class ExecSpace, class Real>
class QrTileScanKernel : public SharedColumns<4> {
 public:
  static constexpr int threads = 32 * columns_per_team;
  using Policy = Kokkos::TeamPolicy<ExecSpace, Kokkos::LaunchBounds<threads>>;

  /// Matrices without columns have a state, too.
  QrTileScanKernel(QrBatch<Real> const& batch, int cols)
      : SharedColumns(std::max(cols, 1)), batch_(batch) {}

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    QrProblem<Real> const problem = batch_(batch_.index(this->place_of(team)));
    QrTileStorage<Real> const at(problem);
    DeviceWarp const warp = warp_of_threads(team);
    int const first = this->first_of(team), j = first + team.team_rank() / 32;
    if (j < at.cols) {
      int const exponent = exponent_of_column(warp, problem.a.col(j), at.rows);
      if (warp.lane == 0) at.exponents[j] = settled_power(exponent);
    }
    std::int64_t const words = at.word_count(at.rows, Kokkos::max(at.cols, problem.q_cols));
    std::int64_t const step = std::int64_t{threads} * this->teams_;
    for (std::int64_t w = std::int64_t{first} * 32 + team.team_rank(); w < words; w += step)
      at.words[w] = 0;
    if (first == 0 && team.team_rank() == 0) *at.state = {};
  }

 private:
  QrBatch<Real> batch_;
};

}  // namespace carroll::detail
