// SPDX-License-Identifier: BSD-3-Clause
// `solve` and `inverse` on the matrices and by the ratios of LAPACK's DCHKGE, by every family of
// kernels: bar 10 (LAPACK's own threshold is 20).
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "accuracy/lapack/table.hpp"
#include "support/lapack/matrices.hpp"
#include "support/lapack/ratios.hpp"
#include "support/solve/checks.hpp"
#include "support/solve/drivers.hpp"
#include "support/solve/exact.hpp"

namespace {

using namespace carroll::test;
using namespace carroll::test::lapack;
using carroll::Status;

template <class Real>
class LapackSolve : public ::testing::Test {};
using SolveScalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(LapackSolve, SolveScalars);

/// DCHKGE's orders, and those on either side of where families end.
constexpr int solve_orders[] = {1, 2, 3, 5, 10, 16, 31, 32, 33, 50, 64, 100};

/// Families that give way to `team` without warps.
constexpr carroll::SolvePath solve_paths_of_warps[] = {carroll::SolvePath::warp};

/// A matrix, what solves A·exact = B, rounded, and the condition number by the oracle.
template <class Real>
struct ChkgeCase {
  HostSystem<Real> system;
  HostMatrix<Real> exact;
  double rcond = 0;
};

template <class Real>
std::vector<ChkgeCase<Real>> chkge_cases(int n) {
  std::vector<ChkgeCase<Real>> cases;
  for (int type = 1; type <= chkge_types; ++type) {
    auto const seed = std::uint64_t(100 * n + type);
    ChkgeCase<Real> drawn{{chkge_matrix<Real>(type, n, seed), HostMatrix<Real>(n, 3)},
                          random_matrix<Real>(n, 3, seed + 1)};
    auto const& A = drawn.system.A;
    for (int c = 0; c < 3; ++c)
      for (int i = 0; i < n; ++i) {
        long double sum = 0;
        for (int j = 0; j < n; ++j) sum += static_cast<long double>(A(i, j)) * drawn.exact(j, c);
        drawn.system.B(i, c) = static_cast<Real>(sum);
      }
    if (!is_singular_chkge(type)) drawn.rcond = exact_solution(A, HostMatrix<Real>(n, 1)).rcond;
    cases.push_back(std::move(drawn));
  }
  return cases;
}

template <class Real>
void check_solve(std::vector<ChkgeCase<Real>> const& cases, bool inverse) {
  std::vector<HostSystem<Real>> systems;
  for (auto const& one : cases) {
    systems.push_back(one.system);
    if (inverse) systems.back().B = identity_matrix<Real>(one.system.A.rows);
  }
  std::vector<HostSolve<Real>> known;
  for (carroll::SolvePath const path : usable(carroll::solve_paths, solve_paths_of_warps)) {
    SolveCall call;
    call.options.path = path;
    call.inverse = inverse;
    auto const found = run_solve_batch(systems, call);
    for (std::size_t k = 0; k < found.size(); ++k) {
      auto const& [info, X, guarded] = found[k];
      int const type = static_cast<int>(k) + 1;
      Judge<Real> const judge(inverse ? "DCHKGE, inverse" : "DCHKGE", type,
                              "n = " + std::to_string(X.rows) + ", " + to_string(path));
      EXPECT_EQ(info.status, is_singular_chkge(type) ? Status::singular : Status::success)
          << judge.text();
      if (is_singular_chkge(type) || (!known.empty() && same_result(found[k], known[k]))) continue;
      auto const& one = cases[k];
      judge("condition", get06(info.rcond, one.rcond));
      if (inverse) {
        judge("inverse", get03(one.system.A, X));
      } else {
        judge("residual", get02(one.system.A, X, one.system.B));
        judge("error", get04(X, one.exact, one.rcond));
      }
    }
    if (known.empty()) known = found;
  }
}

TYPED_TEST(LapackSolve, Chkge) {
  for (int const n : solve_orders) {
    auto const cases = chkge_cases<TypeParam>(n);
    check_solve(cases, false);
    check_solve(cases, true);
  }
}

}  // namespace
