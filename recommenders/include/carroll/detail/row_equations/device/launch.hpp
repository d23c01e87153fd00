// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/detail/device/launch.hpp>
#include <carroll/detail/device/properties.hpp>
#include <carroll/detail/row_equations/device/big.hpp>
#include <carroll/detail/row_equations/device/kernel.hpp>
#include <carroll/detail/row_equations/plan.hpp>
#include <carroll/detail/row_equations/problem.hpp>
#include <carroll/detail/workspace.hpp>
#include <cstddef>
#include <cstdint>

/// Which teams of a device solve rows' equations. The shape is chosen by the number of unknowns
/// alone, and leaves a trace in the bits.
///
/// | unknowns          | sums of a thread | threads | triangle in          |
/// | ----------------- | ---------------- | ------- | -------------------- |
/// | float, <= 64      | 4×4              | <= 160  | registers            |
/// | float, <= 128     | 8×8              | <= 160  | registers            |
/// | float, <= 256     | 8×8              | <= 544  | registers            |
/// | double, <= 64     | 4×4              | <= 160  | registers            |
/// | double, <= 128    | 4×4              | <= 544  | registers            |
/// | all others        | 8×8, double 4×4  | 512     | memory, own to teams |
namespace carroll::detail {

/// f.template operator()<Shape, big>() for the shape of teams that suits.
template <class Real, class F>
auto with_row_shape(int unknowns, F const& f) {
  if constexpr (sizeof(Real) == 4) {
    if (unknowns <= 64) return f.template operator()<RowTeamShape<4, 160, 32, 4>, false>();
    if (unknowns <= 128) return f.template operator()<RowTeamShape<8, 160, 16, 3>, false>();
    if (unknowns <= 256) return f.template operator()<RowTeamShape<8, 544, 16, 1>, false>();
    return f.template operator()<RowTeamShape<8, 512, 4, 1>, true>();
  } else {
    if (unknowns <= 64) return f.template operator()<RowTeamShape<4, 160, 16, 3>, false>();
    if (unknowns <= 128) return f.template operator()<RowTeamShape<4, 544, 16, 1>, false>();
    return f.template operator()<RowTeamShape<4, 512, 4, 1>, true>();
  }
}

/// Numbers of memory of a slot, and of what all teams of a launch have of their own.
struct DeviceRowNumbers {
  std::int64_t slot = 0, own = 0;
  int teams = 1;
};

template <class ExecSpace, class Real>
DeviceRowNumbers device_row_numbers(ExecSpace const& exec, int unknowns) {
  return with_row_shape<Real>(unknowns, [&]<class Shape, bool big>() {
    DeviceRowNumbers numbers;
    numbers.slot = row_image<Shape::tile>(unknowns);
    numbers.teams = Shape::at_once * processors(exec);
    if (big) {
      constexpr std::int64_t budget = std::int64_t{2} << 30;
      std::int64_t const bytes =
          std::max<std::int64_t>(numbers.slot * std::int64_t{sizeof(Real)}, 1);
      numbers.teams = static_cast<int>(
          std::clamp<std::int64_t>(budget / bytes, 1, static_cast<std::int64_t>(numbers.teams)));
    }
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
  with_row_shape<Real>(d, [&]<class Shape, bool big>() {
    auto const launch = [&]<class Work>(char const* label, Work const* work, std::int64_t count) {
      if (count == 0) return;
      using Kernel = std::conditional_t<big, BigRowKernel<ExecSpace, Real, Shape, Work>,
                                        DeviceRowKernel<ExecSpace, Real, Shape, Work>>;
      zero();
      launch_teams(label, exec, Kernel(problem, work, count, slots, own, by_words),
                   {.count = static_cast<int>(std::min<std::int64_t>(most, count)),
                    .threads = Kernel::threads(d),
                    .scratch = Kernel::scratch_bytes(d)});
    };
    launch("carroll::row_equations::rows", items, item_count);
    launch("carroll::row_equations::sums", sums, sum_count);
  });
}

}  // namespace carroll::detail
