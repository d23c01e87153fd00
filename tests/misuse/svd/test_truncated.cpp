// SPDX-License-Identifier: BSD-3-Clause
// Unusable arguments of truncated_svd are answered by std::invalid_argument that gives the actual
// and the required sizes, before anything is written.
#include <gtest/gtest.h>

#include <carroll/truncated_svd.hpp>
#include <limits>
#include <string>
#include <vector>

#include "misuse/complaint.hpp"
#include "support/guarded_view.hpp"
#include "support/svd/matrix_types.hpp"
#include "truncated_svd_instances.hpp"

namespace {

using namespace carroll::test;
using Left = Kokkos::LayoutLeft;
using Info = carroll::TruncatedSvdInfo<double>;

template <class Call>
void expect_truncated_complaint(Call const& call, std::vector<std::string> const& words) {
  expect_words(complaint(call), words, "carroll::truncated_svd");
}

/// A 9×6 problem of rank 2.
class TruncatedSvdMisuse : public ::testing::Test {
 protected:
  using Matrix = GuardedView<double, 2, Left>;
  using Vector = GuardedView<double, 1, Left>;

  Exec exec;
  Matrix A = guarded_from<double, Left>(make_matrix<double>(MatrixType::random, 9, 6, 1));
  Matrix U{{9, 2}};
  Vector S{{2}};
  Matrix V{{6, 2}};

  void expect_complaint_of_views(Matrix& u, Vector& s, Matrix& v,
                                 std::vector<std::string> const& words) {
    expect_truncated_complaint(
        [&] { (void)carroll::truncated_svd(exec, A.view(), u.view(), s.view(), v.view()); }, words);
    expect_untouched(u, s, v);
    auto workspace =
        carroll::truncated_svd_workspace<double>(exec, {.rows = 9, .cols = 6, .rank = 2});
    Kokkos::View<Info, Memory> const info("carroll_test::info");
    expect_truncated_complaint(
        [&] {
          carroll::truncated_svd_async(exec, A.view(), u.view(), s.view(), v.view(), info,
                                       workspace);
        },
        {});
    expect_untouched(u, s, v);
  }

  static void expect_untouched(Matrix& u, Vector& s, Matrix& v) {
    Kokkos::fence();
    u.to_host();
    s.to_host();
    v.to_host();
    EXPECT_TRUE(u.untouched() && s.untouched() && v.untouched());
  }

  void expect_complaint_of_options(carroll::TruncatedSvdOptions const& options,
                                   std::vector<std::string> const& words) {
    expect_truncated_complaint(
        [&] {
          (void)carroll::truncated_svd(exec, A.view(), U.view(), S.view(), V.view(), options);
        },
        words);
    expect_untouched(U, S, V);
    expect_truncated_complaint(
        [&] {
          (void)carroll::truncated_svd_workspace<double>(exec, {.rows = 9, .cols = 6, .rank = 2},
                                                         options);
        },
        words);
  }
};

TEST_F(TruncatedSvdMisuse, RightArgumentsAreAccepted) {
  EXPECT_EQ(carroll::truncated_svd(exec, A.view(), U.view(), S.view(), V.view()).status,
            carroll::Status::success);
}

TEST_F(TruncatedSvdMisuse, WrongExtents) {
  Matrix u_of_more_columns{{9, 3}};
  expect_complaint_of_views(u_of_more_columns, S, V, {"U is 9×3, must be 9×2"});
  Matrix u_of_fewer_rows{{8, 2}};
  expect_complaint_of_views(u_of_fewer_rows, S, V, {"U is 8×2, must be 9×2"});
  Matrix v_transposed{{2, 6}};
  expect_complaint_of_views(U, S, v_transposed, {"V is 2×6, must be 6×2"});
  Vector s_of_three{{3}};
  expect_complaint_of_views(U, s_of_three, V, {"U is 9×2, must be 9×3"});
}

TEST_F(TruncatedSvdMisuse, MoreTripletsThanThereAre) {
  Vector seven{{7}};
  Matrix u{{9, 7}}, v{{6, 7}};
  expect_truncated_complaint(
      [&] { (void)carroll::truncated_svd(exec, A.view(), u.view(), seven.view(), v.view()); },
      {"the rank is 7", "from 0 to 6"});
  expect_untouched(u, seven, v);
}

TEST_F(TruncatedSvdMisuse, OverlappingViews) {
  Kokkos::View<double*, Memory> const memory("carroll_test::memory", 200);
  Kokkos::View<double**, Left, Memory> const a(memory.data(), 9, 6);
  Kokkos::View<double**, Left, Memory> const u(memory.data() + 53, 9, 2);
  expect_truncated_complaint([&] { (void)carroll::truncated_svd(exec, a, u, S.view(), V.view()); },
                             {"A and U overlap"});
  Kokkos::View<double*, Left, Memory> const s(memory.data() + 70, 2);
  expect_truncated_complaint([&] { (void)carroll::truncated_svd(exec, A.view(), u, s, V.view()); },
                             {"U and S overlap"});
  Kokkos::View<double**, Left, Memory> const v(memory.data() + 60, 6, 2);
  expect_truncated_complaint([&] { (void)carroll::truncated_svd(exec, A.view(), u, S.view(), v); },
                             {"U and V overlap"});
}

TEST_F(TruncatedSvdMisuse, UnusableOptions) {
  expect_complaint_of_options({.oversampling = -1}, {"oversampling", "-1", "at least 0"});
  expect_complaint_of_options({.power_steps = -2}, {"power_steps", "-2"});
  expect_complaint_of_options({.max_power_steps = -3}, {"max_power_steps", "-3"});
  expect_complaint_of_options({.tolerance = -0.5}, {"tolerance", "-0.5", "[0, 1)"});
  expect_complaint_of_options({.tolerance = 1}, {"tolerance", "[0, 1)"});
  expect_complaint_of_options({.tolerance = std::numeric_limits<double>::quiet_NaN()},
                              {"tolerance"});
}

TEST_F(TruncatedSvdMisuse, UnusableWorkspaceExtents) {
  auto const expect = [&](carroll::TruncatedSvdExtents const& extents,
                          std::vector<std::string> const& words) {
    expect_truncated_complaint(
        [&] { (void)carroll::truncated_svd_workspace<double>(exec, extents); }, words);
  };
  expect({.rows = -1, .cols = 6, .rank = 0}, {"rows", "-1"});
  expect({.rows = 9, .cols = std::int64_t{1} << 31U, .rank = 0}, {"columns", "2147483648"});
  expect({.rows = 9, .cols = 6, .rank = 7}, {"rank is 7", "from 0 to 6"});
  expect({.rows = 9, .cols = 6, .rank = -1}, {"rank is -1"});
  expect({.rows = 2147483647, .cols = 2147483647, .rank = 1}, {"more workspace"});
}

TEST_F(TruncatedSvdMisuse, WorkspaceOfOtherExtents) {
  auto workspace =
      carroll::truncated_svd_workspace<double>(exec, {.rows = 9, .cols = 5, .rank = 2});
  expect_truncated_complaint(
      [&] {
        (void)carroll::truncated_svd(exec, A.view(), U.view(), S.view(), V.view(), workspace);
      },
      {"A is 9×6, must be 9×5"});
  carroll::TruncatedSvdWorkspace<Exec, double> nobodys;
  expect_truncated_complaint(
      [&] { (void)carroll::truncated_svd(exec, A.view(), U.view(), S.view(), V.view(), nobodys); },
      {"must be 0×0"});
  expect_untouched(U, S, V);
}

}  // namespace
