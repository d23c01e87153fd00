// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/launch.hpp>
#include <carroll/detail/device/warp.hpp>
#include <carroll/detail/pseudoinverse/common/product_sums.hpp>
#include <carroll/detail/pseudoinverse/core/solve.hpp>
#include <carroll/detail/pseudoinverse/dispatch.hpp>
#include <carroll/detail/pseudoinverse/problem.hpp>
#include <carroll/detail/pseudoinverse/windows/segment_merge.hpp>
#include <carroll/detail/pseudoinverse/windows/window_sums.hpp>
#include <carroll/detail/team.hpp>

#include <cstddef>

namespace carroll::distributed::detail {

/// What a leaf tells beside its system; there it stands where a window has its first segment's
/// piece.
struct LeafFound {
  int invalid;  ///< not 0: its offsets are unusable
  int depths;   ///< depth columns that are not zero
};
KOKKOS_INLINE_FUNCTION constexpr int found_place(int k) {
  return k * (k + 2);
}

/// What the windows of a leaf have left, put together as carroll::apply_pseudoinverse's core does
/// it, up to the system that it would solve: (R | Qᵀf) of E = QR, or EᵀE and Eᵀf, with the squares
/// of the motion columns' norms; in the place and form of what one window leaves, so that the
/// systems of leaves are put together like windows. Damping of motion columns is left out, which
/// all leaves have once. A team per leaf. `Known`: k, of windows that leave sums for it; otherwise
/// 0.
template <class ExecSpace, class Real, int Known>
class ArrowLeafKernel {
  using Batch = carroll::detail::ArrowBatch<Real>;
  using Sums = carroll::detail::WindowSums<Real>;
  static constexpr bool wide = carroll::detail::has_wide_sums<Real, Known>;

 public:
  using Policy = Kokkos::TeamPolicy<ExecSpace>;
  using Member = typename Policy::member_type;

  /// `tile_rows`: of the scratch for triangles; 0 of sums. `zero`: on the device.
  ArrowLeafKernel(Batch const* leaves, int tile_rows, int level, double* systems, Real const* zero)
      : leaves_(leaves), tile_rows_(tile_rows), level_(level), systems_(systems), zero_(zero) {}

  /// Are the systems sums?
  static bool leaves_sums(PseudoinverseOptions const& options, bool windows_leave_sums) {
    return windows_leave_sums && !(wide && options.method != PseudoinverseMethod::normal_equations);
  }
  static constexpr std::size_t systems_bytes = [] {
    if constexpr (Known > 1)
      return Sums::template systems_scratch<Known, wide>() * sizeof(double);
    else
      return std::size_t{0};
  }();
  static std::size_t team_bytes() { return Known > 1 ? systems_bytes + 32 : 0; }
  static std::size_t thread_bytes(int tile_rows, int k) {
    return tile_rows == 0 ? 0 : static_cast<std::size_t>(tile_rows) * (k + 1) * sizeof(double) + 64;
  }

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    Batch const batch = leaves_[team.league_rank()];
    int const k = batch.k;
    carroll::detail::Core const core(k, batch.core(0), batch.pivots_of(0));
    carroll::detail::SegmentMerge<Real, Known> const segments(batch, tile_rows_ == 0);
    auto found = segments.merge(team, 0);
    found.invalid += segments.check_offsets(team, 0);
    team.team_barrier();
    found.depths = segments.count_depths(team, 0);

    Batch undamped = batch;
    bool const damped = batch.options.damping > 0 || batch.damping.data;
    undamped.options.damping = 0;
    undamped.damping = {};
    if (damped) undamped.damping.data = zero_;  // of all columns: what depths leave still counts
    put_together(team, undamped, core);
    team.team_barrier();

    double* const system = systems_ + team.league_rank() * carroll::detail::partial_size(k);
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, k * (k + 2)), [&](int e) {
      int const row = e / (k + 1), col = e % (k + 1);
      double const norm = core.scale[e < k * (k + 1) ? 0 : e - k * (k + 1)];
      system[e] = e >= k * (k + 1) ? norm * norm : col >= row ? core.system[e] : 0.0;
    });
    Kokkos::single(Kokkos::PerTeam(team), [&] {
      system[found_place(k)] = found.invalid;
      system[found_place(k) + 1] = found.depths;
    });
  }

 private:
  KOKKOS_FUNCTION void put_together(Member const& team, Batch const& batch,
                                    carroll::detail::Core const& core) const {
    Sums const windows(batch);
    if constexpr (Known > 1) {
      auto* const scratch = static_cast<double*>(
          team.team_scratch(0).get_shmem_aligned(std::size_t{systems_bytes}, 16));
      windows.template sum_systems<Known, wide>(team, 0, core, scratch);
      team.team_barrier();
      if constexpr (wide)
        if (batch.options.method != PseudoinverseMethod::normal_equations)
          Sums::template factorise_sums<Known>(team, core, scratch);
    } else {
      if (tile_rows_ > 0) {
        carroll::detail::RowTile const tile{
            static_cast<double*>(team.thread_scratch(level_).get_shmem_aligned(
                static_cast<std::size_t>(tile_rows_) * (batch.k + 1) * sizeof(double), 16)),
            tile_rows_};
        windows.factorise(team, 0, tile, core);
      } else {
        windows.sum(team, 0, core);
      }
      windows.sum_squares(team, 0, core);
    }
  }

  Batch const* leaves_;
  int tile_rows_, level_;
  double* systems_;
  Real const* zero_;
};

/// Calls f with the number of motion columns for which windows leave sums, otherwise with 0.
template <class ExecSpace, class F>
void with_known(carroll::detail::StepPlan const& plan, int k, F const& f) {
  using carroll::detail::WindowKernels;
  if constexpr (carroll::detail::has_warps<ExecSpace>) {
    bool const known =
        plan.windows == WindowKernels::segment_sums || plan.windows == WindowKernels::tensor_sums;
    if (known && k == 3) return f.template operator()<3>();
    if (known && k == 6) return f.template operator()<6>();
  }
  f.template operator()<0>();
}

}  // namespace carroll::distributed::detail
