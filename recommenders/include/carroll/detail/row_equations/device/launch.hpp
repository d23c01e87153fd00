// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/detail/device/launch.hpp>
#include <carroll/detail/device/properties.hpp>
#include <carroll/detail/device/warp.hpp>
#include <carroll/detail/row_equations/device/big.hpp>
#include <carroll/detail/row_equations/device/kernel.hpp>
#include <carroll/detail/row_equations/device/tensor/kernel.hpp>
#include <carroll/detail/row_equations/plan.hpp>
#include <carroll/detail/row_equations/problem.hpp>
#include <carroll/detail/workspace.hpp>
#include <cstddef>
#include <cstdint>
#include <type_traits>

/// Which teams of a device solve rows' equations. The shape is chosen by the number of unknowns
/// alone, and leaves a trace in the bits.
///
/// | unknowns                 | sums in               | threads   | triangle in | kernel in      |
/// | ------------------------ | --------------------- | --------- | ----------- | -------------- |
/// | float with warps, <= 128 | tensor cores' blocks  | 32 to 128 | registers   | tensor/kernel  |
/// | float without, <= 64     | tiles of 4×4          | <= 160    | registers   | kernel         |
/// | float without, <= 128    | tiles of 8×8          | <= 160    | registers   | kernel         |
/// | float, <= 256            | tiles of 8×8          | <= 544    | registers   | kernel         |
/// | double, <= 64            | tiles of 4×4          | <= 160    | registers   | kernel         |
/// | double, <= 128           | tiles of 4×4          | <= 544    | registers   | kernel         |
/// | all others               | 8×8, double 4×4       | 512       | its memory  | big            |
namespace carroll::detail {

/// A team whose threads have a T×T tile of the triangle each: threads at most, ratings of a stage,
/// and how many teams registers must allow side by side.
template <int T, int Threads, int Ratings, int TeamsAtOnce>
struct TileTeam {
  static constexpr int tile = T, threads = Threads, ratings = Ratings, at_once = TeamsAtOnce;
  static constexpr bool has_images = true;  ///< of each team's own
  using Sparing = TileTeam;                 ///< what a processor of less scratch takes
  template <class ExecSpace, class Real, class Work>
  using Kernel = DeviceRowKernel<ExecSpace, Real, TileTeam, Work>;
  /// Numbers of a triangle and its right hand side in memory.
  static std::int64_t image(int unknowns) { return row_image<T>(unknowns); }
};
/// The same with the triangle in memory.
template <int T, int Threads, int Ratings, int TeamsAtOnce>
struct MemoryTeam : TileTeam<T, Threads, Ratings, TeamsAtOnce> {
  using Sparing = MemoryTeam;
  template <class ExecSpace, class Real, class Work>
  using Kernel = BigRowKernel<ExecSpace, Real, MemoryTeam, Work>;
};
/// A team whose warps have the blocks of a triangle of order 16·Blocks.
template <int Blocks, int Ratings, int TeamsAtOnce>
struct TensorTeam {
  using Triangle = TensorTriangle<Blocks>;
  static constexpr int blocks = Blocks, threads = Triangle::threads, ratings = Ratings;
  static constexpr int buffers = 3, at_once = TeamsAtOnce;
  static constexpr bool has_images = false;
  /// The same sums, for a processor that has not the scratch of so many teams.
  using Sparing = TensorTeam<Blocks, Ratings, 1>;
  template <class ExecSpace, class Real, class Work>
  using Kernel = TensorRowKernel<ExecSpace, TensorTeam, Work>;
  KOKKOS_FUNCTION static std::int64_t image(int /*unknowns*/) {
    return Triangle::image + Triangle::order;
  }
};

/// f.template operator()<Shape>() for the shape of teams that suits.
template <class ExecSpace, class Real, class F>
auto with_row_shape(int unknowns, F const& f) {
  if constexpr (sizeof(Real) == 4) {
    if constexpr (has_warps<ExecSpace>) {
      if (unknowns <= 32) return f.template operator()<TensorTeam<2, 16, 16>>();
      if (unknowns <= 64) return f.template operator()<TensorTeam<4, 16, 8>>();
      if (unknowns <= 96) return f.template operator()<TensorTeam<6, 24, 4>>();
      if (unknowns <= 112) return f.template operator()<TensorTeam<7, 24, 3>>();
      if (unknowns <= 128) return f.template operator()<TensorTeam<8, 24, 3>>();
    } else {
      if (unknowns <= 64) return f.template operator()<TileTeam<4, 160, 32, 4>>();
      if (unknowns <= 128) return f.template operator()<TileTeam<8, 160, 16, 3>>();
    }
    if (unknowns <= 256) return f.template operator()<TileTeam<8, 544, 16, 1>>();
    return f.template operator()<MemoryTeam<8, 512, 4, 1>>();
  } else {
    if (unknowns <= 64) return f.template operator()<TileTeam<4, 160, 16, 3>>();
    if (unknowns <= 128) return f.template operator()<TileTeam<4, 544, 16, 1>>();
    return f.template operator()<MemoryTeam<4, 512, 4, 1>>();
  }
}

/// Numbers of memory of a slot, and of what all teams of a launch have of their own.
struct DeviceRowNumbers {
  std::int64_t slot = 0, own = 0;
  int teams = 1;
};

template <class ExecSpace, class Real>
DeviceRowNumbers device_row_numbers(ExecSpace const& exec, int unknowns) {
  return with_row_shape<ExecSpace, Real>(unknowns, [&]<class Shape>() {
    DeviceRowNumbers numbers;
    numbers.slot = Shape::image(unknowns);
    numbers.teams = Shape::at_once * processors(exec);
    if (!Shape::has_images) return numbers;
    // Images of triangles in registers do not come near to it.
    constexpr std::int64_t budget = std::int64_t{2} << 30;
    std::int64_t const bytes = std::max<std::int64_t>(numbers.slot * std::int64_t{sizeof(Real)}, 1);
    numbers.teams = static_cast<int>(
        std::clamp<std::int64_t>(budget / bytes, 1, static_cast<std::int64_t>(numbers.teams)));
    numbers.own = numbers.slot * numbers.teams;
    return numbers;
  });
}

/// Enqueues rows, then sums of long rows' segments. `zero`: a launch's ticket becomes 0.
template <class ExecSpace, class Real, class Zero>
void enqueue_device_rows(ExecSpace const& exec, RowEquations<Real> const& problem,
                         RowItem const* items, std::int64_t item_count, RowSum const* sums,
                         std::int64_t sum_count, Real* slots, Real* own, Zero const& zero) {
  int const d = problem.unknowns();
  // Words of 16 bytes can be copied where every row begins at one, and nothing has to be put in.
  constexpr std::ptrdiff_t wide = 16 / sizeof(Real);
  bool const by_words = !problem.fits_bias && problem.y_pitch % wide == 0 &&
                        reinterpret_cast<std::uintptr_t>(problem.y) % 16 == 0;
  auto const most = device_row_numbers<ExecSpace, Real>(exec, d).teams;
  with_row_shape<ExecSpace, Real>(d, [&]<class Shape>() {
    auto const launch = [&]<class Work>(char const* label, Work const* work, std::int64_t count) {
      if (count == 0) return;
      using Kernel = typename Shape::template Kernel<ExecSpace, Real, Work>;
      zero();
      Kernel const kernel(problem, work, count, slots, own, by_words);
      TeamLaunch const teams{.count = static_cast<int>(std::min<std::int64_t>(most, count)),
                             .threads = Kernel::threads(d),
                             .scratch = Kernel::scratch_bytes(d)};
      if constexpr (!std::is_same_v<typename Shape::Sparing, Shape>) {
        auto const policy = team_policy<typename Kernel::Policy>(exec, teams);
        if (policy.team_size_max(kernel, Kokkos::ParallelForTag{}) < teams.threads) {
          using Sparing = typename Shape::Sparing::template Kernel<ExecSpace, Real, Work>;
          return launch_teams(label, exec, Sparing(problem, work, count, slots, own, by_words),
                              teams);
        }
      }
      launch_teams(label, exec, kernel, teams);
    };
    launch("carroll::row_equations::rows", items, item_count);
    launch("carroll::row_equations::sums", sums, sum_count);
  });
}

}  // namespace carroll::detail
