// SPDX-License-Identifier: BSD-3-Clause
// `lstsq` and `pinv` on the matrices and by the ratios of LAPACK's DDRVLS, by every family of
// kernels of the decomposition behind them: bar 10 (LAPACK's own threshold is 20).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "accuracy/lapack/table.hpp"
#include "support/lapack/matrices.hpp"
#include "support/lapack/ratios.hpp"
#include "support/lstsq/drivers.hpp"

namespace {

using namespace carroll::test;
using namespace carroll::test::lapack;

template <class Real>
class LapackLstsq : public ::testing::Test {};
using LstsqScalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(LapackLstsq, LstsqScalars);

std::vector<std::pair<int, int>> lstsq_extents() {
  std::vector<std::pair<int, int>> extents;
  for (int const m : {0, 1, 2, 3, 5, 10, 50})
    for (int const n : {0, 1, 2, 3, 5, 10, 50}) extents.emplace_back(m, n);
  for (auto const& [m, n] : {std::pair{32, 32},
                             {33, 32},
                             {32, 33},
                             {40, 64},
                             {64, 40},
                             {100, 100},
                             {100, 20},
                             {20, 100}})
    extents.emplace_back(m, n);
  return extents;
}

constexpr carroll::SvdPath svd_paths[] = {carroll::SvdPath::automatic, carroll::SvdPath::team,
                                          carroll::SvdPath::registers, carroll::SvdPath::tiles};

/// As DDRVLS sets it.
template <class Real>
double drvls_rcond() {
  double const eps = epsilon<Real> / 2;
  return (std::sqrt(eps) + eps) / 2;
}

/// Ratios of problems whose right-hand sides are in the range of A where that has full row rank;
/// of `drawn` ones, whose rank and singular values are known, all are unless they are the
/// identity's.
template <class Real>
void check_lstsq(std::string const& program, std::vector<LstsqProblem<Real>> const& problems,
                 std::vector<LeastSquares<Real>> const& drawn = {}) {
  std::vector<HostLstsq<Real>> known;
  for (carroll::SvdPath const path : svd_paths) {
    LstsqCall call;
    call.options.path = path;
    call.options.rcond = drvls_rcond<Real>();
    bool const inverse = problems.front().B.rows != problems.front().A.rows;
    auto const found = run_lstsq_batch(problems, inverse, call);
    for (std::size_t k = 0; k < found.size(); ++k) {
      auto const& A = problems[k].A;
      auto const& [info, X, guarded] = found[k];
      int const least = std::min(A.rows, A.cols);
      Judge<Real> const judge(program, static_cast<int>(k) + 1,
                              std::to_string(A.rows) + "x" + std::to_string(A.cols) + ", " +
                                  std::to_string(X.cols) + " columns, " + to_string(path));
      EXPECT_EQ(info.status, carroll::Status::success) << judge.text();
      if (!known.empty() && same_result(found[k], known[k])) continue;
      HostMatrix<Real> B = problems[k].B;
      if (inverse) {
        B = HostMatrix<Real>(A.rows, A.rows);
        for (int i = 0; i < A.rows; ++i) B(i, i) = 1;
      }
      int const rank = drawn.empty() ? least : drawn[k].rank;
      bool const in_range = rank == A.rows || (!drawn.empty() && !inverse);
      if (in_range) judge("residual", qrt16(A, X, B));
      judge("gradient", qrt17(A, X, B, in_range));
      judge("row space", qrt14(A, X));
      if (drawn.empty()) continue;
      EXPECT_EQ(info.rank, rank) << judge.text();
      if (rank == 0) continue;
      auto const& sigma = drawn[k].sigma;
      double const last = sigma[static_cast<std::size_t>(rank - 1)];
      double const unit = sigma[0] * least * epsilon<Real> / 2;
      judge("values", std::max(std::abs(double(info.sigma_max) - sigma[0]),
                               std::abs(double(info.sigma_min) - last)) /
                          unit);
    }
    if (known.empty()) known = found;
  }
}

/// DGELSS' ratios: any rank, B in the range of A.
TYPED_TEST(LapackLstsq, DrvlsOfAnyRank) {
  for (auto const& [m, n] : lstsq_extents())
    for (int const rhs : {1, 2, 15}) {
      std::vector<LeastSquares<TypeParam>> drawn;
      std::vector<LstsqProblem<TypeParam>> problems;
      for (int type = 1; type <= drvls_types; ++type) {
        drawn.push_back(
            drvls_problem<TypeParam>(type, m, n, rhs, std::uint64_t(100 * m + n + type)));
        problems.push_back({drawn.back().A, drawn.back().B});
      }
      check_lstsq("DDRVLS", problems, drawn);
    }
}

/// DGELS' ratios: full rank, B anywhere where A has more rows than columns.
TYPED_TEST(LapackLstsq, DrvlsOfFullRank) {
  for (auto const& [m, n] : lstsq_extents()) {
    std::vector<LstsqProblem<TypeParam>> problems;
    for (int type = 1; type <= qrt13_types; ++type) {
      auto const seed = std::uint64_t(100 * m + n + type);
      problems.push_back(
          {qrt13_matrix<TypeParam>(type, m, n, seed), random_matrix<TypeParam>(m, 2, seed + 1)});
    }
    check_lstsq("DDRVLS, DQRT13", problems);
  }
}

/// The pseudoinverse solves for the identity.
TYPED_TEST(LapackLstsq, PseudoinverseByDrvls) {
  for (auto const& [m, n] : lstsq_extents()) {
    if (m == 0 || n == 0) continue;
    std::vector<LeastSquares<TypeParam>> drawn;
    std::vector<LstsqProblem<TypeParam>> problems;
    for (int type = 1; type <= drvls_types; ++type) {
      drawn.push_back(drvls_problem<TypeParam>(type, m, n, 1, std::uint64_t(300 * m + n + type)));
      problems.push_back({drawn.back().A, {}});
    }
    check_lstsq("DDRVLS, pinv", problems, drawn);
  }
}

}  // namespace
