// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "support/complex_entries.hpp"
#include "support/field_matrix.hpp"
#include "support/random.hpp"
#include "support/solve/drivers.hpp"
#include "support/svd/matrix_types.hpp"
#include "unit/solve/ways.hpp"

/// What is promised of the bits of solutions, for real and complex numbers.
namespace carroll::test {

/// Beside others, of any layout, with a workspace: more members than a register has lanes.
template <class T>
void expect_same_bits_in_any_company() {
  using Limits = std::numeric_limits<RealOf<T>>;
  Random random(5);
  for (int const n : {1, 3, 8, 13, 33, 60})
    for (SolveCall call : ways()) {
      std::vector<HostSystem<T>> systems;
      for (int b = 0; b < (n > 50 ? 3 : 37); ++b) {
        systems.push_back({drawn<T>(random, n, n), drawn<T>(random, n, 7)});
        auto& [A, B] = systems.back();
        auto const of_type = [&](MatrixType type, std::uint64_t seed) {
          return field::make_field_matrix<T>(type, n, n, seed);
        };
        if (b % 5 == 3) A = of_type(MatrixType::rank_deficient, 1);
        if (b % 7 == 4) A = of_type(MatrixType::graded_both, 2);
        if (b % 7 == 5) A = of_type(MatrixType::near_overflow, 3);
        if (b % 11 == 6) last_part(A(n / 2, 0)) = Limits::quiet_NaN();
        if (b % 11 == 8) last_part(B(n / 2, 4)) = Limits::infinity();
      }
      std::vector<HostSolve<T>> alone;
      for (auto const& system : systems) alone.push_back(run_solve(system, call));
      for (ViewLayout const layout : {ViewLayout::left, ViewLayout::right, ViewLayout::stride}) {
        call.layout = layout;
        call.workspace = layout == ViewLayout::right;
        call.options.condition = layout != ViewLayout::stride;
        auto const together = run_solve_batch(systems, call);
        for (std::size_t b = 0; b < alone.size(); ++b) {
          EXPECT_TRUE(same_result(together[b], alone[b])) << n << ' ' << b << ' ' << name_of(call);
          EXPECT_TRUE(together[b].guarded);
        }
      }
    }
}

/// A column of X depends on its own column of B alone.
template <class T>
void expect_independent_columns() {
  Random random(6);
  for (int const n : {5, 40, 60}) {
    HostSystem<T> const all{drawn<T>(random, n, n), drawn<T>(random, n, 7)};
    for (SolvePath const path : {SolvePath::automatic, SolvePath::team}) {
      auto const together = run_solve(all, by(path));
      for (int j = 0; j < 7; ++j) {
        HostSystem<T> one{all.A, HostMatrix<T>(n, 1)};
        for (int i = 0; i < n; ++i) one.B(i, 0) = all.B(i, j);
        auto const found = run_solve(one, by(path));
        for (int i = 0; i < n; ++i) EXPECT_EQ(found.X(i, 0), together.X(i, j)) << n << ' ' << j;
      }
    }
  }
}

/// Powers of two go through, bit by bit.
template <class T>
void expect_powers_of_two_go_through() {
  Random random(7);
  for (int const n : {6, 60})
    for (SolveCall const& call : ways()) {
      auto const system = system_of(drawn<T>(random, n, n), call);
      auto const expected = run_solve(system, call);
      for (int const shift : {-100, -3, 60}) {
        auto const result =
            run_solve(HostSystem<T>{scaled_by_power_of_two(system.A, shift), system.B}, call);
        EXPECT_TRUE(same_bits(result.X, scaled_by_power_of_two(expected.X, -shift)))
            << name_of(call);
        EXPECT_EQ(result.info.rcond, expected.info.rcond);
      }
    }
}

}  // namespace carroll::test
