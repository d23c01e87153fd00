// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/pseudoinverse/core_outputs.hpp>
#include <carroll/detail/pseudoinverse/core_solve.hpp>
#include <carroll/detail/pseudoinverse/segment_merge.hpp>
#include <carroll/detail/pseudoinverse/window_sums.hpp>

namespace carroll::detail {

/// The second and last kernel of a step, a team per problem: merges the pieces of segments that
/// cross windows, sums or factorises what the windows have left, solves the k×k core, and puts y
/// back into the depth columns, ξᵢ = γᵢ - βᵢy. What is merged, and in which order, depends on the
/// number of windows alone: the same bits for every team size. Reads (k+2)² doubles a window and
/// k+2 a segment.
template <class ExecSpace, class Real>
class ArrowCoreKernel {
 public:
  using Policy = Kokkos::TeamPolicy<ExecSpace>;
  using Member = typename Policy::member_type;
  /// `tile_rows`: 0 where the system is a sum, S; see Core.
  ArrowCoreKernel(ArrowBatch<Real> const& batch, int tile_rows, int level)
      : batch_(batch), tile_rows_(tile_rows), level_(level) {}

  static std::size_t bytes_per_thread(int tile_rows, int k) {
    return tile_rows == 0 ? 0 : static_cast<std::size_t>(tile_rows) * (k + 1) * sizeof(double) + 64;
  }

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    int const problem = team.league_rank();
    int const k = batch_.k;
    Core const core(k, batch_.core(problem),
                    batch_.pivots + static_cast<std::ptrdiff_t>(problem) * k);
    RowTile tile;
    if (tile_rows_ > 0)
      tile = {static_cast<double*>(team.thread_scratch(level_).get_shmem_aligned(
                  static_cast<std::size_t>(tile_rows_) * (k + 1) * sizeof(double), 16)),
              tile_rows_};
    SegmentMerge<Real> const segments(batch_, tile_rows_ == 0);
    WindowSums<Real> const windows(batch_);
    CoreOutputs<Real> const outputs(batch_);
    int const invalid = segments.merge(team, problem);
    team.team_barrier();
    int const depth_rank = segments.count_depths(team, problem);
    if (tile_rows_ > 0)
      windows.factorise(team, problem, tile, core);
    else
      windows.sum(team, problem, core);
    windows.sum_squares(team, problem, core);
    team.team_barrier();

    PseudoinverseInfo<Real>& info = batch_.info_of(problem);
    Kokkos::single(Kokkos::PerTeam(team), [&] {
      Status const status = invalid != 0    ? Status::breakdown
                            : core.finite() ? Status::success
                                            : Status::non_finite;
      double const cutoff = rank_cutoff();
      double smallest = 1;
      int const rank =
          status == Status::success ? core.solve(tile_rows_ == 0, cutoff, smallest) : 0;
      info = {status, rank, static_cast<Real>(cutoff), static_cast<Real>(smallest)};
    });
    team.team_barrier();
    Status const status = info.status;
    int const rank = info.rank;
    team.team_barrier();
    if (status != Status::success) {
      outputs.fill_with_nan(team, problem);
      return;
    }
    if (rank < k) {
      for (int pass = 0; pass < 3; ++pass) {
        sum_groups(team, problem, core, rank);
        team.team_barrier();
        Kokkos::single(Kokkos::PerTeam(team), [&] {
          if (pass < 2)
            core.shorten(rank);
          else
            core.correct(rank);
        });
        team.team_barrier();
      }
    }
    bool const wants_covariance = batch_.covariance.data || batch_.variances.data;
    if (wants_covariance) {
      Kokkos::single(Kokkos::PerTeam(team), [&] { core.covariance(rank < k); });
      team.team_barrier();
    }
    int const overflow = outputs.write(team, problem, core);
    Kokkos::single(Kokkos::PerTeam(team), [&] {
      info.rank = rank + depth_rank;
      if (overflow != 0) info.status = Status::overflow;
    });
  }

 private:
  /// Σ (βᵢV)ᵀ(βᵢV), Σ βᵢᵀβᵢ/dᵢ and Σ (βᵢV)ᵀξᵢ, which only dependent motion columns need.
  KOKKOS_FUNCTION void sum_groups(Member const& team, int problem, Core const& core,
                                  int rank) const {
    int const k = batch_.k;
    thread_for(team, k * k, [&](int e) {
      int const row = e / k, col = e % k;
      auto const sums = lane_sums<double, 3>(team, batch_.m, [&](int i) {
        double const d = batch_.group(problem, 0, i);
        double left = 0, right = 0, xi = batch_.group(problem, 1, i);
        for (int c = 0; c < k; ++c) {
          double const beta = batch_.group(problem, 2 + c, i);
          left += beta * core.basis(rank, c, row);
          right += beta * core.basis(rank, c, col);
          xi -= beta * core.y[c];
        }
        double const product =
            batch_.group(problem, 2 + row, i) * batch_.group(problem, 2 + col, i);
        return Sums<double, 3>{{left * right, d > 0 ? product / d : 0, left * xi}};
      });
      once_per_thread(team, [&] {
        core.gram[e] = sums[0];
        core.weighted[e] = sums[1];
        if (col == 0) core.cross[row] = sums[2];
      });
    });
  }

  KOKKOS_FUNCTION double rank_cutoff() const {
    if (batch_.options.cutoff > 0) return batch_.options.cutoff;
    constexpr double eps = Kokkos::Experimental::epsilon_v<Real>;
    constexpr double double_eps = Kokkos::Experimental::epsilon_v<double>;
    bool const gram = batch_.options.method == PseudoinverseMethod::normal_equations;
    double const cutoff = 32.0 * (batch_.k + 1) * eps;
    double const squared = Kokkos::sqrt(32.0 * (batch_.k + 1) * double_eps);
    return gram && squared > cutoff ? squared : cutoff;
  }

  ArrowBatch<Real> batch_;
  int tile_rows_;
  int level_;
};

}  // namespace carroll::detail
