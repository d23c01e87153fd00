// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <carroll/detail/device/launch.hpp>
#include <carroll/detail/device/warp.hpp>
#include <carroll/detail/pseudoinverse/core/kernel.hpp>
#include <carroll/detail/pseudoinverse/dense/entries.hpp>
#include <carroll/detail/pseudoinverse/dense/factors.hpp>
#include <carroll/detail/pseudoinverse/dense/products.hpp>
#include <carroll/detail/pseudoinverse/dense/stretches.hpp>
#include <carroll/detail/pseudoinverse/host/one_motion.hpp>
#include <carroll/detail/pseudoinverse/one_motion/dense/inverse.hpp>
#include <carroll/detail/pseudoinverse/one_motion/tiles.hpp>
#include <carroll/detail/pseudoinverse/windows/gram_windows.hpp>
#include <carroll/detail/pseudoinverse/windows/many_motions.hpp>
#include <carroll/detail/pseudoinverse/windows/segment_tiles.hpp>
#include <cstddef>
#include <cstdint>
#include <type_traits>

/// Which kernels run, in which order and with which teams.
namespace carroll::detail {

/// Calls f with the type of the kernel of a GPU with warps for K motion columns, and with the rows
/// of its windows, for n rows and m depths. One column: the longest ones that do not have rows of
/// more segments than a warp takes at a time. Six columns of float, where `tensors`, the device has
/// such cores for double precision and there are no weights: by these, which have eight columns
/// with u and r, wherever the rows come from.
template <class ExecSpace, class Real, int K, class Source, class F>
void with_tiles_kernel([[maybe_unused]] std::int64_t n, [[maybe_unused]] std::int64_t m,
                       [[maybe_unused]] bool tensors, F const& f) {
  auto const with = [&]<class Kernel>(std::type_identity<Kernel> kernel) {
    f(kernel, Kernel::window_rows);
  };
  if constexpr (K == 1) {
    constexpr int width = 16 / sizeof(Real);
    using Long = OneMotionTilesKernel<ExecSpace, Real, Source, 5 * width>;
    if (Long::window_rows * m <= 28 * n) return with(std::type_identity<Long>{});
    if constexpr (sizeof(Real) == sizeof(float)) {
      using Middle = OneMotionTilesKernel<ExecSpace, Real, Source, 18>;
      if (Middle::window_rows * m <= 29 * n) return with(std::type_identity<Middle>{});
    }
    with(std::type_identity<OneMotionTilesKernel<ExecSpace, Real, Source, 3 * width>>{});
  } else {
    using Tiles = SegmentTilesKernel<ExecSpace, Real, K, Source>;
    if constexpr (K == 6 && sizeof(Real) == sizeof(float) &&
                  Source::template has_entries_of<Real>) {
      using Gram = GramWindowsKernel<ExecSpace, Real, K, Source>;
      static_assert(Gram::least_rows >= Tiles::window_rows, "or workspaces may be too small");
      if (tensors) return f(std::type_identity<Gram>{}, Gram::window_rows(n));
    }
    with(std::type_identity<Tiles>{});
  }
}

/// Calls f with k as an std::integral_constant if a GPU with warps takes as many motion columns by
/// kernels of with_tiles_kernel; returns whether that is so. The numbers are those of planar
/// motion, of a rotation or a translation, and of motion in space. `Known`: k where the compiler
/// knows it, so that there are no kernels for other numbers; otherwise 0.
template <class ExecSpace, int Known, class F>
bool with_tiles(int k, F const& f) {
  [[maybe_unused]] auto const with = [&](auto motions) {
    if constexpr (Known == 0 || Known == motions.value)
      if (k == motions.value) return f(motions), true;
    return false;
  };
  bool done = false;
  if constexpr (has_warps<ExecSpace>) {
    done = with(std::integral_constant<int, 1>{}) || with(std::integral_constant<int, 3>{}) ||
           with(std::integral_constant<int, 6>{});
  }
  return done;
}

/// Rows of a window, for n rows with k motion columns and m depths; a step may take longer ones.
template <class ExecSpace, class Real>
int arrow_window_rows(std::int64_t n, int k, std::int64_t m) {
  if (lanes<ExecSpace> == 1 && k == 1)
    return OneMotionHostKernel<ExecSpace, Real, true>::window_rows;
  int rows = ManyMotionsKernel<ExecSpace, Real, StoredRows<true>>::window_rows(k);
  with_tiles<ExecSpace, 0>(k, [&](auto motions) {
    with_tiles_kernel<ExecSpace, Real, motions.value, StoredRows<true>>(
        n, m, false, [&](auto, int window_rows) { rows = window_rows; });
  });
  return rows;
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
  launch_teams(label, exec, kernel,
               {.count = static_cast<int>((items + team.threads - 1) / team.threads),
                .threads = team.threads,
                .level = team.level,
                .thread_scratch = bytes,
                .lanes = lanes<ExecSpace>});
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
  with_plainness(
      batch, [&](auto plain) { enqueue_tiled_windows(exec, batch, StoredRows<plain.value>{}); });
}

/// Whether all threads of a host share the core of one problem: a barrier costs more than a second
/// thread gains on less.
template <class Real>
bool has_large_core(ArrowBatch<Real> const& batch) {
  return batch.problems() == 1 && static_cast<std::int64_t>(batch.m) + 8 * batch.windows > 50'000;
}

/// What follows the windows. `tiled`: they have been through scratch, and left triangles unless
/// they formed sums.
template <class ExecSpace, class Real>
void enqueue_core(ExecSpace const& exec, ArrowBatch<Real> const& batch, bool tiled) {
  int const k = batch.k;
  if (batch.problems() == 0) return;
  using CoreKernel = ArrowCoreKernel<ExecSpace, Real>;
  bool const sums = !tiled || batch.options.method == PseudoinverseMethod::normal_equations;
  int const tile_rows = sums ? 0 : batch.window_rows;
  std::size_t const bytes = CoreKernel::bytes_per_thread(tile_rows, k);
  int wanted = sums ? 32 : 8;  // most of the work is a lane's own, and waits for memory
  if constexpr (lanes<ExecSpace> == 1) wanted = has_large_core(batch) ? exec.concurrency() : 1;
  ArrowTeam<ExecSpace> const team(wanted, bytes);
  launch_fitting_teams("carroll::pseudoinverse::core", exec,
                       CoreKernel(batch, tile_rows, team.level),
                       {.count = batch.problems(),
                        .threads = team.threads,
                        .level = team.level,
                        .thread_scratch = bytes});
}

/// The whole step by kernels of with_tiles_kernel, where there is one; returns whether.
template <class ExecSpace, class Real, class Source>
bool enqueue_tiles(ExecSpace const& exec, ArrowBatch<Real> const& batch, Source const& source) {
  if (batch.problems() == 0 || batch.windows == 0) return false;
  return with_tiles<ExecSpace, Source::motions>(batch.k, [&](auto motions) {
    with_tiles_kernel<ExecSpace, Real, motions.value, Source>(
        batch.n, batch.m, batch.options.weight == RobustWeight::uniform && has_double_tensors(exec),
        [&]<class Kernel>(std::type_identity<Kernel>, int window_rows) {
          ArrowBatch<Real> own = batch;
          own.window_rows = window_rows;
          own.windows = (batch.n + window_rows - 1) / window_rows;
          Kernel const kernel(exec, own, source);
          Kokkos::parallel_for("carroll::pseudoinverse::step", kernel.policy(exec), kernel);
          if constexpr (motions.value > 1) {
            TilesCoreKernel<ExecSpace, Real, motions.value> const core(own);
            Kokkos::parallel_for("carroll::pseudoinverse::core", core.policy(exec), core);
          }
        });
  });
}

/// The step with one motion column on a host: in one kernel, unless all threads share the core.
template <class ExecSpace, class Real>
void enqueue_single_step(ExecSpace const& exec, ArrowBatch<Real> const& batch) {
  bool const ends = batch.windows > 0 && !has_large_core(batch);
  if (batch.problems() > 0 && batch.windows > 0)
    with_plainness(batch, [&](auto plain) {
      OneMotionHostKernel<ExecSpace, Real, plain.value> const kernel(batch, ends);
      Kokkos::parallel_for(
          ends ? "carroll::pseudoinverse::step" : "carroll::pseudoinverse::windows",
          kernel.policy(exec), kernel);
    });
  if (!ends) enqueue_core(exec, batch, false);
}

/// Enqueues the step of all problems of a checked batch: one kernel or two.
template <class ExecSpace, class Real>
void enqueue_arrow_step(ExecSpace const& exec, ArrowBatch<Real> const& batch) {
  bool done = false;
  with_plainness(batch,
                 [&](auto plain) { done = enqueue_tiles(exec, batch, StoredRows<plain.value>{}); });
  if (done) return;
  if constexpr (lanes<ExecSpace> == 1)
    if (batch.k == 1) return enqueue_single_step(exec, batch);
  enqueue_windows(exec, batch);
  enqueue_core(exec, batch, true);
}

/// The same for rows that a functor computes.
template <class ExecSpace, class Real, class Functor>
void enqueue_fused_step(ExecSpace const& exec, ArrowBatch<Real> const& batch, Functor const& rows) {
  if (enqueue_tiles(exec, batch, FusedRows<Functor>(rows))) return;
  enqueue_tiled_windows(exec, batch, FusedRows<Functor>(rows));
  enqueue_core(exec, batch, true);
}

/// Enqueues the writing of a dense A⁺ by products, where there is a kernel for that; returns
/// whether.
template <class ExecSpace, class Real>
bool enqueue_products(ExecSpace const& exec, ArrowBatch<Real> const& batch,
                      DenseFactors<Real> const& factors) {
  bool done = false;
  if constexpr (has_warps<ExecSpace>) {
    auto const write = [&](auto motions, auto by_rows) {
      using Kernel = DenseProductsKernel<ExecSpace, Real, motions.value, by_rows.value>;
      if (done || !Kernel::takes(batch)) return;
      Kernel const kernel(batch, factors);
      Kokkos::parallel_for("carroll::pseudoinverse::write", kernel.policy(exec), kernel);
      done = true;
    };
    auto const write_either = [&](auto motions) {
      write(motions, std::true_type{});
      write(motions, std::false_type{});
    };
    write(std::integral_constant<int, 1>{}, std::false_type{});  // the other has OneMotionRowWriter
    write_either(std::integral_constant<int, 3>{});
    write_either(std::integral_constant<int, 6>{});
  }
  return done;
}

/// Enqueues the writing of a dense A⁺ from its factors.
template <class ExecSpace, class Real>
void enqueue_write(ExecSpace const& exec, ArrowBatch<Real> const& batch,
                   DenseFactors<Real> const& factors) {
  constexpr char const* label = "carroll::pseudoinverse::write";
  if constexpr (lanes<ExecSpace> == 1) {
    using Kernel = DenseStretchesKernel<ExecSpace, Real>;
    Kernel const kernel(batch, factors);
    Kokkos::parallel_for(label, typename Kernel::Policy(exec, 0, kernel.items()), kernel);
  } else if (!enqueue_products(exec, batch, factors)) {
    DenseEntriesKernel<ExecSpace, Real> const kernel(batch, factors);
    Kokkos::parallel_for(label, kernel.policy(exec), kernel);
  }
}

/// Enqueues the dense A⁺ of all frames, after their step.
template <class ExecSpace, class Real>
void enqueue_arrow_inverse(ExecSpace const& exec, ArrowBatch<Real> const& batch,
                           DenseFactors<Real> const& factors) {
  if (batch.frames == 0 || batch.n == 0) return;
  constexpr int most = lanes<ExecSpace> == 1 ? 1 : 4;
  with_plainness(batch, [&](auto plain) {
    auto const enqueue = [&](auto const& kernel) {
      enqueue_items("carroll::pseudoinverse::factors", exec, kernel, kernel.items(),
                    ArrowTeam<ExecSpace>(most, 0));
    };
    if (batch.k == 1)
      enqueue(DenseFactorsKernel<ExecSpace, Real, plain.value, true>(batch, factors));
    else
      enqueue(DenseFactorsKernel<ExecSpace, Real, plain.value, false>(batch, factors));
  });
  enqueue_write(exec, batch, factors);
}

/// Enqueues the dense A⁺ of all frames, without their step before it, where a GPU with warps has a
/// kernel for that; returns whether.
template <class ExecSpace, class Real>
bool enqueue_single_inverse(ExecSpace const& exec, ArrowBatch<Real> const& batch,
                            DenseFactors<Real> const& factors) {
  if constexpr (has_warps<ExecSpace>) {
    if (batch.k != 1 || batch.frames == 0 || batch.n == 0) return false;
    auto const enqueue = [&]<class Writer>(std::type_identity<Writer>) {
      OneMotionInverseKernel<ExecSpace, Real, Writer> const kernel(exec, batch, factors);
      Kokkos::parallel_for("carroll::pseudoinverse::inverse", kernel.policy(exec), kernel);
    };
    if (OneMotionRowWriter<Real>::takes(batch)) {
      enqueue(std::type_identity<OneMotionRowWriter<Real>>{});
    } else if (OneMotionColumnWriter<Real>::takes(batch)) {
      enqueue(std::type_identity<OneMotionColumnWriter<Real>>{});
    } else {
      enqueue(std::type_identity<OneMotionFactorWriter<Real>>{});
      enqueue_write(exec, batch, factors);
    }
    return true;
  }
  return false;
}

}  // namespace carroll::detail
