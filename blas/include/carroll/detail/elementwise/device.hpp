// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/elementwise/problem.hpp>
#include <carroll/detail/quotient.hpp>
#include <carroll/detail/reduction/plan.hpp>
#include <carroll/detail/team.hpp>
#include <carroll/detail/unroll.hpp>
#include <carroll/occupancy/residency.hpp>
#include <cstddef>
#include <cstdint>

namespace carroll::detail {

/// Entries side by side, 16 bytes a load, by teams of devices; some of each thread's are on their
/// way together. A flop or three an entry, 2 reads and 1 write: the time is that of memory.
template <class ExecSpace, class T>
class FlatElementwiseKernel {
  static constexpr int entries = 16 / int(sizeof(T)), at_once = 4;
  struct alignas(16) Together {
    T of[entries];
  };

 public:
  static constexpr int threads = 256, of_team = threads * entries * at_once;
  using Policy = BoundedTeams<ExecSpace, threads, 4, 0>;

  explicit FlatElementwiseKernel(Elementwise<T> const& problem) : problem_(problem) {}

  [[nodiscard]] std::int64_t teams() const { return quotient_up(problem_.entries(), of_team); }

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    std::int64_t const first =
        std::int64_t{team.league_rank()} * of_team + team.team_rank() * entries;
    Together x[at_once], y[at_once];
    CARROLL_UNROLL
    for (int k = 0; k < at_once; ++k) {
      std::int64_t const i = first + k * threads * entries;
      if (i + entries > problem_.entries()) continue;
      if (problem_.reads_x()) x[k] = *reinterpret_cast<Together const*>(problem_.x + i);
      if (problem_.reads_y()) y[k] = *reinterpret_cast<Together const*>(problem_.y + i);
    }
    CARROLL_UNROLL
    for (int k = 0; k < at_once; ++k) {
      std::int64_t const i = first + k * threads * entries;
      if (i + entries <= problem_.entries()) {
        Together z;
        CARROLL_UNROLL
        for (int v = 0; v < entries; ++v) z.of[v] = problem_.value(x[k].of[v], y[k].of[v]);
        *reinterpret_cast<Together*>(problem_.z + i) = z;
      } else {
        for (std::int64_t j = i; j < problem_.entries(); ++j)
          problem_.z[j] = problem_.value(problem_.reads_x() ? problem_.x[j] : T(0),
                                         problem_.reads_y() ? problem_.y[j] : T(0));
      }
    }
  }

 private:
  Elementwise<T> problem_;
};

/// Entries at any strides, by teams of devices: a tile of threads runs along the dimension in which
/// z's entries are nearest, and where that is short along rows; each thread has four entries, along
/// the same.
template <class ExecSpace, class T>
class StridedElementwiseKernel {
  static constexpr int at_once = 4;

 public:
  static constexpr int threads = 256;
  using Policy = BoundedTeams<ExecSpace, threads, 4, 0>;

  explicit StridedElementwiseKernel(Elementwise<T> const& problem) : problem_(problem) {
    std::int64_t const inner = problem.extents[0];
    along_ = inner < threads ? static_cast<int>(power_of_two_from(inner)) : int{threads};
    bool const long_rows = inner > 2 * threads;
    inner_step_ = long_rows ? threads : 0;
    row_step_ = long_rows ? 0 : threads / along_;
    tile_inner_ = along_ * (long_rows ? at_once : 1);
    tile_rows_ = threads / along_ * (long_rows ? 1 : at_once);
    inner_tiles_ = quotient_up(inner, tile_inner_);
  }

  [[nodiscard]] std::int64_t teams() const {
    return inner_tiles_ * quotient_up(problem_.rows(), tile_rows_);
  }

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    std::int64_t const tile = team.league_rank();
    std::int64_t const first = tile % inner_tiles_ * tile_inner_ + team.team_rank() % along_;
    std::int64_t const first_row = tile / inner_tiles_ * tile_rows_ + team.team_rank() / along_;
    T x[at_once], y[at_once];
    std::ptrdiff_t place[at_once];
    CARROLL_UNROLL
    for (int k = 0; k < at_once; ++k) {
      std::int64_t const i = first + k * inner_step_, row = first_row + k * row_step_;
      place[k] = -1;
      if (i >= problem_.extents[0] || row >= problem_.rows()) continue;
      std::int64_t const outer = row / problem_.extents[1];
      std::int64_t const middle = row - outer * problem_.extents[1];
      auto const at = [&](std::ptrdiff_t const(&strides)[3]) {
        return i * strides[0] + middle * strides[1] + outer * strides[2];
      };
      place[k] = at(problem_.z_strides);
      if (problem_.reads_x()) x[k] = problem_.x[at(problem_.x_strides)];
      if (problem_.reads_y()) y[k] = problem_.y[at(problem_.y_strides)];
    }
    CARROLL_UNROLL
    for (int k = 0; k < at_once; ++k)
      if (place[k] >= 0) problem_.z[place[k]] = problem_.value(x[k], y[k]);
  }

 private:
  Elementwise<T> problem_;
  int along_, inner_step_, row_step_, tile_inner_, tile_rows_;
  std::int64_t inner_tiles_;
};

}  // namespace carroll::detail
