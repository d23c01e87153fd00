// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/launch.hpp>
#include <carroll/detail/device/properties.hpp>
#include <carroll/detail/solve/batch.hpp>
#include <carroll/detail/solve/tiled/finish.hpp>
#include <carroll/detail/solve/tiled/load.hpp>
#include <carroll/detail/solve/tiled/panel.hpp>
#include <carroll/detail/solve/tiled/plan.hpp>
#include <carroll/detail/solve/tiled/scan.hpp>
#include <carroll/detail/solve/tiled/update.hpp>
#include <cstdint>

namespace carroll::detail {

/// The family `tiled`: elimination with partial pivoting, columns in panels that a team has in
/// registers, and what is right of them by tiles in the registers of warps (Golub and Van Loan,
/// 3.4.9); right-hand sides are columns like others. Launches follow one another: a panel, what it
/// means for the others; no team waits for another.
///
/// 2n³/3 flops and n dependent steps; n³/48 words between caches and memory, of panels of 32. Of
/// complex numbers four times as many flops.
template <class ExecSpace, class Value>
class SolveTileLaunch {
 public:
  /// Panels by teams of `most_threads`.
  SolveTileLaunch(ExecSpace const& exec, SolveBatch<Value> const& batch, int most_threads)
      : exec_(exec),
        batch_(batch),
        most_threads_(most_threads),
        members_(static_cast<int>(batch.x.extents[0])),
        n_(static_cast<int>(batch.x.extents[1])),
        columns_(SolveTileStorage<Value>::sides_of(batch)) {}

  void enqueue() const {
    load();
    for (int first = 0; first < n_;)
      with_solve_panel_rows(n_ - first, most_threads_, [&](auto r) {
        enqueue_panel<r()>(first);
        first += solve_panel_width<Value, r()>;
      });
    SolveTileFinishKernel<ExecSpace, Value> const finish(batch_);
    launch_teams("carroll::solve::tile_finish", exec_, finish,
                 {.count = members_ * finish.teams_per_system(),
                  .threads = finish.threads(n_),
                  .scratch = finish.scratch_bytes()});
  }

 private:
  void load() const {
    constexpr int threads = solve_scan_threads;
    int const slabs = (n_ + solve_slab - 1) / solve_slab;
    launch_teams("carroll::solve::tile_start", exec_,
                 SolveTileStartKernel<ExecSpace, Value>(batch_), {members_, threads});
    launch_teams("carroll::solve::tile_scan", exec_,
                 SolveTileScanKernel<ExecSpace, Value>(batch_, slabs), {members_ * slabs, threads});
    launch_teams("carroll::solve::tile_weigh", exec_,
                 SolveTileWeighKernel<ExecSpace, Value>(batch_, slabs),
                 {members_ * slabs, threads});
    using Load = SolveTileLoadKernel<ExecSpace, Value>;
    Load const kernel(batch_, n_, columns_);
    launch_teams("carroll::solve::tile_load", exec_, kernel,
                 {members_ * kernel.teams_per_system(), threads,
                  sizeof(typename Load::Scratch) + alignof(Value)});
  }

  template <int R>
  void enqueue_panel(int first) const {
    using Panel = SolveTilePanelKernel<ExecSpace, Value, R>;
    using Update = SolveTileUpdateKernel<ExecSpace, Value, Panel::width>;
    int const rows = n_ - first;
    launch_teams("carroll::solve::tile_panel", exec_, Panel(batch_, first),
                 {members_, Panel::threads(rows), sizeof(typename Panel::Scratch) + 16});
    Update const update(batch_, first, update_columns(rows), batch_.condition || batch_.inverse);
    launch_teams("carroll::solve::tile_update", exec_, update,
                 {members_ * update.teams_per_system(), update.threads(rows),
                  sizeof(typename Update::Scratch) + 16});
  }

  /// Of a team: few where the device would not be full of others. No bits depend on it.
  [[nodiscard]] int update_columns(int behind) const {
    std::int64_t const teams = std::int64_t{members_} * ((behind + columns_) / 32 + 1);
    return teams < 2 * processors(exec_) ? 16 : 32;
  }

  ExecSpace const& exec_;
  SolveBatch<Value> const& batch_;
  int most_threads_, members_, n_, columns_;
};

template <class ExecSpace, class Value>
void enqueue_solve_tiled(ExecSpace const& exec, SolveBatch<Value> const& batch,
                         int most_threads = most_panel_threads) {
  SolveTileLaunch<ExecSpace, Value>(exec, batch, most_threads).enqueue();
}

}  // namespace carroll::detail
