// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <carroll/detail/pseudoinverse/core.hpp>
#include <carroll/detail/pseudoinverse/dense.hpp>
#include <carroll/detail/pseudoinverse/many_motions.hpp>
#include <carroll/detail/pseudoinverse/single_motion.hpp>
#include <cstddef>
#include <type_traits>

/// Which kernels run, in which order and with which teams.
namespace carroll::detail {

/// Rows of a window, for k motion columns.
template <class ExecSpace>
int arrow_window_rows(int k) {
  return k == 1 ? SingleMotionKernel<ExecSpace, double, true>::window_rows
                : ManyMotionsKernel<ExecSpace, double, StoredRows<true>>::window_rows(k);
}

/// Threads of a team, and the level of scratch, for a kernel of which each thread needs
/// `bytes`. No result depends on them.
template <class ExecSpace>
struct ArrowTeam {
  int threads = 1;
  int level = 0;

  ArrowTeam(int most, std::size_t bytes) : threads(most) {
    auto const available =
        static_cast<std::size_t>(Kokkos::TeamPolicy<ExecSpace>::scratch_size_max(0));
    while (threads > 1 && bytes * threads > available) threads /= 2;
    if (bytes * threads > available) level = 1;
  }
};

/// Launches a kernel of which each thread of a team takes an item of its own.
template <class ExecSpace, class Kernel>
void enqueue_items(char const* label, ExecSpace const& exec, Kernel const& kernel,
                   std::int64_t items, ArrowTeam<ExecSpace> const& team, std::size_t bytes = 0) {
  using Policy = typename Kernel::Policy;
  auto const league = static_cast<int>((items + team.threads - 1) / team.threads);
  Policy policy(exec, league, team.threads, lanes<ExecSpace>);
  if (bytes > 0) policy.set_scratch_size(team.level, Kokkos::PerThread(static_cast<int>(bytes)));
  Kokkos::parallel_for(label, policy, kernel);
}

/// Calls f with std::true_type where the rows of the batch are plain, else with std::false_type.
template <class Real, class F>
void with_plainness(ArrowBatch<Real> const& batch, F const& f) {
  if (has_plain_rows(batch))
    f(std::true_type{});
  else
    f(std::false_type{});
}

/// The windows of a checked batch whose rows go through scratch.
template <class ExecSpace, class Real, class Source>
void enqueue_tiled_windows(ExecSpace const& exec, ArrowBatch<Real> const& batch,
                           Source const& source) {
  std::int64_t const items = static_cast<std::int64_t>(batch.problems()) * batch.windows;
  if (items == 0) return;
  using Kernel = ManyMotionsKernel<ExecSpace, Real, Source>;
  std::size_t const bytes = Kernel::bytes_per_thread(batch.window_rows, batch.k);
  constexpr int most = lanes<ExecSpace> == 1 ? 1 : 4;
  ArrowTeam<ExecSpace> const team(most, bytes);
  enqueue_items("carroll::pseudoinverse::windows", exec, Kernel(batch, source, team.level), items,
                team, bytes);
}

/// The windows of a checked batch with rows in memory.
template <class ExecSpace, class Real>
void enqueue_windows(ExecSpace const& exec, ArrowBatch<Real> const& batch) {
  std::int64_t const items = static_cast<std::int64_t>(batch.problems()) * batch.windows;
  if (items == 0) return;
  constexpr int most = lanes<ExecSpace> == 1 ? 1 : 4;
  with_plainness(batch, [&](auto plain) {
    if (batch.k > 1)
      enqueue_tiled_windows(exec, batch, StoredRows<plain.value>{});
    else
      enqueue_items("carroll::pseudoinverse::windows", exec,
                    SingleMotionKernel<ExecSpace, Real, plain.value>(batch), items,
                    ArrowTeam<ExecSpace>(most, 0));
  });
}

/// What follows the windows. `tiled`: they have been through scratch, and left triangles unless
/// they formed sums.
template <class ExecSpace, class Real>
void enqueue_core(ExecSpace const& exec, ArrowBatch<Real> const& batch, bool tiled) {
  int const k = batch.k;
  if (batch.problems() == 0) return;
  using CoreKernel = ArrowCoreKernel<ExecSpace, Real>;
  bool const sums = !tiled || batch.options.method == PseudoinverseMethod::normal_equations;
  int const tile_rows = sums ? 0 : arrow_window_rows<ExecSpace>(k);
  std::size_t const bytes = CoreKernel::bytes_per_thread(tile_rows, k);
  int wanted = sums ? 32 : 8;  // most of the work is a lane's own, and waits for memory
  if constexpr (lanes<ExecSpace> == 1) {
    // A barrier costs more than a second thread gains on less.
    bool const large = static_cast<std::int64_t>(batch.m) + 8 * batch.windows > 50'000;
    wanted = batch.problems() == 1 && large ? exec.concurrency() : 1;
  }
  ArrowTeam<ExecSpace> team(wanted, bytes);
  CoreKernel const kernel(batch, tile_rows, team.level);
  using Policy = typename CoreKernel::Policy;
  if (team.threads > 1) {
    Policy probe(exec, batch.problems(), 1, lanes<ExecSpace>);
    if (bytes > 0) probe.set_scratch_size(team.level, Kokkos::PerThread(static_cast<int>(bytes)));
    team.threads = std::min(team.threads, probe.team_size_max(kernel, Kokkos::ParallelForTag{}));
  }
  Policy policy(exec, batch.problems(), team.threads, lanes<ExecSpace>);
  if (bytes > 0) policy.set_scratch_size(team.level, Kokkos::PerThread(static_cast<int>(bytes)));
  Kokkos::parallel_for("carroll::pseudoinverse::core", policy, kernel);
}

/// Enqueues the step of all problems of a checked batch: two kernels.
template <class ExecSpace, class Real>
void enqueue_arrow_step(ExecSpace const& exec, ArrowBatch<Real> const& batch) {
  enqueue_windows(exec, batch);
  enqueue_core(exec, batch, batch.k > 1);
}

/// The same for rows that a functor computes.
template <class ExecSpace, class Real, class Functor>
void enqueue_fused_step(ExecSpace const& exec, ArrowBatch<Real> const& batch, Functor const& rows) {
  enqueue_tiled_windows(exec, batch, FusedRows<Functor>(rows));
  enqueue_core(exec, batch, true);
}

/// Enqueues the dense A⁺ of all frames, after their step.
template <class ExecSpace, class Real>
void enqueue_arrow_inverse(ExecSpace const& exec, ArrowBatch<Real> const& batch,
                           DenseFactors<Real> const& factors) {
  std::int64_t const items = static_cast<std::int64_t>(batch.frames) * batch.windows;
  if (items == 0) return;
  constexpr int most = lanes<ExecSpace> == 1 ? 1 : 4;
  with_plainness(batch, [&](auto plain) {
    enqueue_items("carroll::pseudoinverse::factors", exec,
                  DenseFactorsKernel<ExecSpace, Real, plain.value>(batch, factors), items,
                  ArrowTeam<ExecSpace>(most, 0));
  });
  using Kernel = DenseWriteKernel<ExecSpace, Real>;
  Kernel const kernel(batch, factors);
  Kokkos::parallel_for("carroll::pseudoinverse::write",
                       typename Kernel::Policy(exec, 0, kernel.items()), kernel);
}

}  // namespace carroll::detail
