// SPDX-License-Identifier: BSD-3-Clause
// Sums of matrices of low rank and sparse ones, which are found exactly.
#include <gtest/gtest.h>

#include <algorithm>
#include <carroll/robust_pca.hpp>
#include <cmath>
#include <gemm_instances.hpp>
#include <limits>
#include <reduction_instances.hpp>
#include <svd_instances.hpp>
#include <type_traits>

#include "misuse/complaint.hpp"
#include "support/copy.hpp"
#include "support/random.hpp"

namespace {

using PcaExec = Kokkos::DefaultHostExecutionSpace;
using carroll::RobustPcaInfo;
using carroll::RobustPcaOptions;
using carroll::Status;
using PcaMatrix = Kokkos::View<double**, Kokkos::LayoutRight, Kokkos::HostSpace>;
using PcaColumns = Kokkos::View<double**, Kokkos::LayoutLeft, Kokkos::HostSpace>;

struct PcaProblem {
  PcaMatrix D, low, sparse;
  std::int64_t nonzeros = 0;

  PcaProblem(int rows, int columns, int rank, double part, std::uint64_t seed)
      : D("D", rows, columns), low("low", rows, columns), sparse("sparse", rows, columns) {
    carroll::test::Random random(seed);
    PcaMatrix const U("U", rows, rank), V("V", columns, rank);
    for (auto const& factor : {U, V})
      for (std::size_t i = 0; i < factor.size(); ++i) factor.data()[i] = random.normal();
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < columns; ++j) {
        for (int k = 0; k < rank; ++k) low(i, j) += U(i, k) * V(j, k);
        if (random.chance(part)) {
          sparse(i, j) = random.sign() * (3 + 20 * random.uniform());
          ++nonzeros;
        }
        D(i, j) = low(i, j) + sparse(i, j);
      }
  }
};

template <class A, class B>
double relative_error(A const& a, B const& b) {
  double error = 0, all = 0;
  for (int i = 0; i < a.extent_int(0); ++i)
    for (int j = 0; j < a.extent_int(1); ++j) {
      error += std::pow(static_cast<double>(a(i, j)) - b(i, j), 2);
      all += std::pow(b(i, j), 2);
    }
  return std::sqrt(error / all);
}

TEST(RobustPcaTest, RecoversBothParts) {
  for (auto const& [rows, columns, rank] :
       {std::array{300, 80, 3}, {80, 300, 3}, {150, 150, 5}, {1000, 40, 1}}) {
    PcaProblem const problem(rows, columns, rank, 0.05, 3);
    PcaMatrix const L("L", rows, columns), S("S", rows, columns);
    auto const info = carroll::robust_pca(PcaExec(), problem.D, L, S);
    EXPECT_EQ(info.status, Status::success);
    EXPECT_EQ(info.rank, rank);
    EXPECT_LE(info.residual, 1e-7);
    EXPECT_LT(relative_error(L, problem.low), 1e-5);
    std::int64_t wrong = 0;
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < columns; ++j)
        wrong += (std::abs(S(i, j)) > 1e-2) != (problem.sparse(i, j) != 0) ? 1 : 0;
    EXPECT_EQ(wrong, 0) << rows << "x" << columns;
  }
}

TEST(RobustPcaTest, BlocksLayoutsAndTypesMakeNoDifference) {
  int const rows = 210, columns = 70;
  PcaProblem const problem(rows, columns, 2, 0.05, 8);
  PcaMatrix const L("L", rows, columns), S("S", rows, columns), L1("L", rows, columns),
      S1("S", rows, columns);
  (void)carroll::robust_pca(PcaExec(), problem.D, L, S);
  (void)carroll::robust_pca(PcaExec(), problem.D, L1, S1, {.block = 64 * columns});
  EXPECT_LT(relative_error(L1, L), 1e-6);
  PcaColumns const D2("D", rows, columns), L2("L", rows, columns), S2("S", rows, columns);
  Kokkos::View<float**, Kokkos::LayoutRight, Kokkos::HostSpace> const D3("D", rows, columns),
      L3("L", rows, columns), S3("S", rows, columns);
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j) {
      D2(i, j) = problem.D(i, j);
      D3(i, j) = static_cast<float>(problem.D(i, j));
    }
  (void)carroll::robust_pca(PcaExec(), D2, L2, S2);
  EXPECT_LT(relative_error(L2, L), 1e-6);
  EXPECT_EQ(carroll::robust_pca(PcaExec(), D3, L3, S3).status, Status::success);
  EXPECT_LT(relative_error(L3, L), 1e-5);
  if (PcaExec().concurrency() == 1) return;
  for (auto const& part : Kokkos::Experimental::partition_space(PcaExec(), 1, 1)) {
    (void)carroll::robust_pca(part, problem.D, L1, S1);
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < columns; ++j) {
        EXPECT_EQ(L1(i, j), L(i, j));
        EXPECT_EQ(S1(i, j), S(i, j));
      }
  }
}

/// What devices do, in blocks.
TEST(RobustPcaTest, PassesThatRunAnywhereAgreeWithTheHosts) {
  int const rows = 190, columns = 66;
  PcaProblem const problem(rows, columns, 3, 0.05, 5);
  PcaMatrix const L("L", rows, columns), S("S", rows, columns), L1("L", rows, columns),
      S1("S", rows, columns);
  auto const info = carroll::robust_pca(PcaExec(), problem.D, L, S);
  for (std::int64_t block : {0, 50 * columns}) {
    auto const matrix = [&](auto* data) {
      using Entry = std::remove_pointer_t<decltype(data)>;
      return carroll::detail::LongMatrix<Entry>{data, rows, columns, columns, 1};
    };
    double most = 0;
    for (std::size_t i = 0; i < problem.D.size(); ++i)
      most = std::max(most, std::abs(problem.D.data()[i]));
    double const* const D = problem.D.data();
    carroll::detail::RobustPcaCall<PcaExec, double, double, false> call(
        PcaExec(), matrix(D), matrix(L1.data()), matrix(S1.data()), {.block = block});
    auto const other = call.run({most, 0}, [](RobustPcaInfo const&) {});
    EXPECT_EQ(other.status, info.status);
    EXPECT_EQ(other.iterations, info.iterations);
    EXPECT_EQ(other.rank, info.rank);
    EXPECT_LT(relative_error(L1, L), 1e-7);
    EXPECT_LT(relative_error(S1, S), 1e-7);
  }
}

TEST(RobustPcaTest, ScalesByPowersOfTwo) {
  PcaProblem const problem(60, 30, 2, 0.05, 8);
  PcaMatrix const D("D", 60, 30), L("L", 60, 30), S("S", 60, 30), L1("L", 60, 30), S1("S", 60, 30);
  double const factor = std::ldexp(1.0, 600);
  for (std::size_t i = 0; i < D.size(); ++i) D.data()[i] = problem.D.data()[i] * factor;
  (void)carroll::robust_pca(PcaExec(), problem.D, L, S);
  (void)carroll::robust_pca(PcaExec(), D, L1, S1);
  for (std::size_t i = 0; i < D.size(); ++i) {
    EXPECT_EQ(L.data()[i] * factor, L1.data()[i]);
    EXPECT_EQ(S.data()[i] * factor, S1.data()[i]);
  }
}

TEST(RobustPcaTest, LimitsAndProgress) {
  PcaProblem const problem(60, 30, 2, 0.05, 8);
  PcaMatrix const L("L", 60, 30), S("S", 60, 30);
  int calls = 0;
  auto const info = carroll::robust_pca(
      PcaExec(), problem.D, L, S, {.max_iterations = 4},
      [&](RobustPcaInfo const& so_far) { EXPECT_EQ(so_far.iterations, ++calls); });
  EXPECT_EQ(info.status, Status::not_converged);
  EXPECT_EQ(calls, 4);
  double squares = 0, all = 0;
  for (std::size_t i = 0; i < L.size(); ++i) {
    squares += std::pow(problem.D.data()[i] - L.data()[i] - S.data()[i], 2);
    all += std::pow(problem.D.data()[i], 2);
  }
  EXPECT_NEAR(info.residual, std::sqrt(squares / all), 1e-12);
}

TEST(RobustPcaTest, AnySizeAndNonFinite) {
  for (auto const& [rows, columns] : {std::array{0, 0}, {0, 3}, {3, 0}, {1, 1}, {1, 9}, {9, 1}}) {
    PcaMatrix const D("D", rows, columns), L("L", rows, columns), S("S", rows, columns);
    carroll::test::deep_copy(L, 7);
    carroll::test::deep_copy(S, 7);
    EXPECT_EQ(carroll::robust_pca(PcaExec(), D, L, S).status, Status::success);  // of zeros
    for (std::size_t i = 0; i < D.size(); ++i) EXPECT_EQ(L.data()[i] + S.data()[i], 0);
    carroll::test::deep_copy(D, 5);
    auto const info = carroll::robust_pca(PcaExec(), D, L, S);
    EXPECT_EQ(info.status, Status::success);
    for (std::size_t i = 0; i < D.size(); ++i) EXPECT_NEAR(L.data()[i] + S.data()[i], 5, 1e-5);
    if (D.size() == 0) continue;
    D(rows - 1, 0) = std::numeric_limits<double>::infinity();
    EXPECT_EQ(carroll::robust_pca(PcaExec(), D, L, S).status, Status::non_finite);
    EXPECT_TRUE(std::isnan(L(0, 0)) && std::isnan(S(0, 0)));
  }
}

TEST(RobustPcaTest, Misuse) {
  PcaMatrix const D("D", 4, 3), L("L", 4, 3), S("S", 3, 4);
  EXPECT_EQ(carroll::test::complaint([&] { (void)carroll::robust_pca(PcaExec(), D, L, S); }),
            "carroll::robust_pca: S is 3×4, must be 4×3");
  EXPECT_EQ(carroll::test::complaint([&] { (void)carroll::robust_pca(PcaExec(), D, L, L); }),
            "carroll::robust_pca: L and S overlap; each must have memory of its own");
  PcaMatrix const fitting("S", 4, 3);
  EXPECT_EQ(carroll::test::complaint(
                [&] { (void)carroll::robust_pca(PcaExec(), D, L, fitting, {.growth = 1}); }),
            "carroll::robust_pca: options.growth is 1.000000, must be finite and at least "
            "1.010000");
}

}  // namespace
