// SPDX-License-Identifier: BSD-3-Clause
// Unusable arguments are answered by std::invalid_argument that gives the actual and the required
// sizes, before anything is written.
#include <gtest/gtest.h>

#include <algorithm>
#include <carroll/svd.hpp>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "misuse/complaint.hpp"
#include "support/copy.hpp"
#include "support/guarded_view.hpp"
#include "support/svd/matrix_types.hpp"
#include "svd_instances.hpp"

namespace {

using namespace carroll::test;
using carroll::none;
using carroll::SvdInfo;
using carroll::SvdVectors;
using Left = Kokkos::LayoutLeft;

/// A 5×3 problem whose outputs can be given wrong extents.
class SvdMisuse : public ::testing::Test {
 protected:
  using Matrix = GuardedView<double, 2, Left>;
  using Vector = GuardedView<double, 1, Left>;

  Exec exec;
  Matrix A = guarded_from<double, Left>(make_matrix<double>(MatrixType::random, 5, 3, 1));
  Matrix U{{5, 3}};
  Vector S{{3}};
  Matrix V{{3, 3}};

  /// svd complains with these words, and writes nothing.
  void expect_complaint(Matrix& u, Vector& s, Matrix& v, std::vector<std::string> const& words,
                        carroll::SvdOptions const& options = {}) {
    expect_words(complaint([&] {
                   (void)carroll::svd(exec, A.view(), u.view(), s.view(), v.view(), options);
                 }),
                 words);
    expect_untouched(u, s, v);
  }

  static void expect_untouched(Matrix& u, Vector& s, Matrix& v) {
    Kokkos::fence();
    u.to_host();
    s.to_host();
    v.to_host();
    EXPECT_TRUE(u.untouched() && s.untouched() && v.untouched());
  }
};

TEST_F(SvdMisuse, RightArgumentsAreAccepted) {
  EXPECT_EQ(carroll::svd(exec, A.view(), U.view(), S.view(), V.view()).status,
            carroll::Status::success);
}

TEST_F(SvdMisuse, WrongExtentsOfU) {
  Matrix too_few_columns{{5, 2}};
  expect_complaint(too_few_columns, S, V, {"U", "2", "3"});
  Matrix neither_thin_nor_full{{5, 4}};
  expect_complaint(neither_thin_nor_full, S, V, {"U", "4", "3", "5"});
  Matrix too_few_rows{{4, 3}};
  expect_complaint(too_few_rows, S, V, {"U", "4", "5"});
  Matrix too_many_rows{{6, 3}};
  expect_complaint(too_many_rows, S, V, {"U", "6", "5"});
  Matrix empty{{5, 0}};
  expect_complaint(empty, S, V, {"U", "0", "3"});
}

TEST_F(SvdMisuse, WrongExtentsOfS) {
  Vector too_short{{2}};
  expect_complaint(U, too_short, V, {"S", "2", "3"});
  Vector too_long{{5}};
  expect_complaint(U, too_long, V, {"S", "5", "3"});
}

TEST_F(SvdMisuse, WrongExtentsOfV) {
  Matrix transposed_of_wide{{3, 5}};
  expect_complaint(U, S, transposed_of_wide, {"V", "5", "3"});
  Matrix too_many_rows{{5, 3}};
  expect_complaint(U, S, too_many_rows, {"V", "5", "3"});
}

TEST_F(SvdMisuse, ValuesOnlyWithWrongExtents) {
  Vector too_short{{2}};
  expect_words(complaint([&] { (void)carroll::singular_values(exec, A.view(), too_short.view()); }),
               {"S", "2", "3"});
  too_short.to_host();
  EXPECT_TRUE(too_short.untouched());
}

TEST_F(SvdMisuse, UnusableOptions) {
  expect_complaint(U, S, V, {"tolerance", "-1"}, {.tolerance = -1});
  expect_complaint(U, S, V, {"tolerance", "1"}, {.tolerance = 1});
  expect_complaint(U, S, V, {"tolerance", "nan"},
                   {.tolerance = std::numeric_limits<double>::quiet_NaN()});
  expect_complaint(U, S, V, {"max_sweeps", "0"}, {.max_sweeps = 0});
  expect_complaint(U, S, V, {"max_sweeps", "-3"}, {.max_sweeps = -3});
}

TEST_F(SvdMisuse, SharedMemoryIsRejected) {
  Matrix square_A = guarded_from<double, Left>(make_matrix<double>(MatrixType::random, 3, 3, 1));
  Matrix square{{3, 3}};
  auto const svd = [&](auto const& a, auto const& u, auto const& s, auto const& v) {
    return complaint([&] { (void)carroll::svd(exec, a, u, s, v); });
  };
  expect_words(svd(square_A.view(), square_A.view(), S.view(), V.view()), {"A", "U"});
  expect_words(svd(square_A.view(), V.view(), S.view(), square_A.view()), {"A", "V"});
  expect_words(svd(square_A.view(), square.view(), S.view(), square.view()), {"U", "V"});
  // S is the first column of U, or of A: they meet in part.
  auto const column_of = [](auto const& view) {
    return Kokkos::View<double*, Memory, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(view.data(), 3);
  };
  expect_words(svd(square_A.view(), square.view(), column_of(square.view()), V.view()), {"U", "S"});
  expect_words(svd(square_A.view(), square.view(), column_of(square_A.view()), V.view()),
               {"A", "S"});
  Kokkos::fence();
  square.to_host();
  EXPECT_TRUE(square.untouched());
  auto const before = square_A;
  square_A.to_host();
  square_A.for_each_index(
      [&](std::array<std::size_t, 2> index) { EXPECT_EQ(square_A(index), before(index)); });
}

/// U and V side by side in one array, and A and U interleaved row by row: no entry is shared.
TEST_F(SvdMisuse, NeighboursInOneArrayAreAccepted) {
  Kokkos::View<double**, Left, Memory> const both("both", 5, 6);
  auto const u = Kokkos::subview(both, Kokkos::ALL, std::pair(0, 3));
  auto const v = Kokkos::subview(both, std::pair(0, 3), std::pair(3, 6));
  EXPECT_EQ(carroll::svd(exec, A.view(), u, S.view(), v).status, carroll::Status::success);

  using Strided = Kokkos::View<double**, Kokkos::LayoutStride, Memory>;
  Kokkos::View<double*, Memory> const rows("rows", 30);
  Strided const even_rows(rows.data(), Kokkos::LayoutStride(5, 2, 3, 10));
  Strided const odd_rows(rows.data() + 1, Kokkos::LayoutStride(5, 2, 3, 10));
  carroll::test::deep_copy(even_rows, A.view());
  EXPECT_EQ(carroll::svd(exec, even_rows, odd_rows, S.view(), V.view()).status,
            carroll::Status::success);
}

/// Blocks of one array, with the parent's strides: some share entries, some are only near each
/// other.
TEST_F(SvdMisuse, BlocksOfOneArrayAreToldApart) {
  using std::pair;
  auto const all = Kokkos::ALL;
  auto const rejected = [&](auto const& a, auto const& u) {
    Kokkos::View<double*, Memory> const s("s", std::min(a.extent(0), a.extent(1)));
    Kokkos::fence();
    expect_words(complaint([&] { (void)carroll::svd(exec, a, u, s, none); }),
                 {"A", "U", "overlap"});
  };
  auto const accepted = [&](auto const& a, auto const& u) {
    Kokkos::View<double*, Memory> const s("s", std::min(a.extent(0), a.extent(1)));
    EXPECT_NO_THROW((void)carroll::svd(exec, a, u, s, none));
  };
  Kokkos::View<double**, Left, Memory> const tall("tall", 13, 3);
  Kokkos::View<double**, Kokkos::LayoutRight, Memory> const wide("wide", 3, 8);
  accepted(Kokkos::subview(tall, pair(3, 6), all), Kokkos::subview(tall, pair(0, 3), all));
  accepted(Kokkos::subview(tall, pair(0, 3), all), Kokkos::subview(tall, pair(10, 13), all));
  accepted(Kokkos::subview(wide, all, pair(3, 8)), Kokkos::subview(wide, all, pair(0, 3)));
  rejected(Kokkos::subview(tall, pair(2, 5), all), Kokkos::subview(tall, pair(0, 3), all));
  rejected(Kokkos::subview(wide, all, pair(2, 7)), Kokkos::subview(wide, all, pair(0, 3)));

  Kokkos::View<double***, Left, Memory> const batch("batch", 1, 10, 4);
  auto const rows = [&](int first, int last) {
    return Kokkos::subview(batch, all, pair(first, last), all);
  };
  Kokkos::View<double**, Memory> const s("s", 1, 4);
  expect_words(complaint([&] { (void)carroll::svd(exec, rows(0, 5), rows(3, 8), s, none); }),
               {"A", "U", "overlap"});
  EXPECT_NO_THROW((void)carroll::svd(exec, rows(0, 5), rows(5, 10), s, none));
}

TEST_F(SvdMisuse, BatchesOfDifferentLength) {
  GuardedView<double, 3, Left> const A3({4, 5, 3});
  GuardedView<double, 3, Left> const U3({4, 5, 3});
  GuardedView<double, 2, Left> const S2({4, 3});
  GuardedView<double, 3, Left> const V3({4, 3, 3});
  GuardedView<double, 3, Left> short_U({3, 5, 3});
  GuardedView<double, 2, Left> short_S({3, 3});
  GuardedView<double, 3, Left> short_V({3, 3, 3});
  expect_words(
      complaint([&] { (void)carroll::svd(exec, A3.view(), short_U.view(), S2.view(), V3.view()); }),
      {"U", "3", "4"});
  expect_words(
      complaint([&] { (void)carroll::svd(exec, A3.view(), U3.view(), short_S.view(), V3.view()); }),
      {"S", "3", "4"});
  expect_words(
      complaint([&] { (void)carroll::svd(exec, A3.view(), U3.view(), S2.view(), short_V.view()); }),
      {"V", "3", "4"});
}

TEST_F(SvdMisuse, WorkspaceForSomethingElse) {
  auto const use = [&](auto workspace) {
    return complaint(
        [&] { (void)carroll::svd(exec, A.view(), U.view(), S.view(), V.view(), workspace); });
  };
  using carroll::svd_workspace;
  expect_words(use(svd_workspace<double>(exec, {.rows = 3, .cols = 5})), {"A", "5", "3"});
  expect_words(use(svd_workspace<double>(exec, {.rows = 6, .cols = 3})), {"A", "5", "6"});
  expect_words(use(svd_workspace<double>(exec, {.batch = 2, .rows = 5, .cols = 3})),
               {"batch", "2"});
  expect_words(use(svd_workspace<double>(exec, {.rows = 5, .cols = 3, .u = SvdVectors::full})),
               {"U", "3", "5"});
  expect_words(use(svd_workspace<double>(exec, {.rows = 5, .cols = 3, .v = SvdVectors::none})),
               {"V", "workspace"});
  std::vector<std::pair<std::int64_t, std::int64_t>> const extents{{5, 3}};
  auto const members = carroll::svd_members(extents);
  expect_words(use(carroll::svd_ragged_workspace<double>(exec, members)), {"ragged"});
  expect_untouched(U, S, V);

  auto workspace = svd_workspace<double>(exec, {.rows = 5, .cols = 3});
  expect_words(
      complaint([&] { (void)carroll::svd(exec, A.view(), none, S.view(), V.view(), workspace); }),
      {"U", "none"});
}

TEST_F(SvdMisuse, AsyncInfoOfAnotherLength) {
  GuardedView<double, 3, Left> const A3({4, 5, 3});
  GuardedView<double, 2, Left> const S2({4, 3});
  auto workspace = carroll::svd_workspace<double>(
      exec, {.batch = 4, .rows = 5, .cols = 3, .u = SvdVectors::none, .v = SvdVectors::none});
  Kokkos::View<SvdInfo<double>*, Memory> const info("info", 3);
  expect_words(complaint([&] {
                 carroll::singular_values_async(exec, A3.view(), S2.view(), info, workspace);
               }),
               {"singular_values_async", "info", "3", "4"});
}

TEST_F(SvdMisuse, ExtentsThatNoWorkspaceCanHave) {
  auto const make = [&](carroll::SvdExtents const& extents) {
    return complaint([&] { (void)carroll::svd_workspace<double>(exec, extents); });
  };
  expect_words(make({.rows = -1, .cols = 3}), {"rows", "-1"});
  expect_words(make({.rows = 1, .cols = -3}), {"columns", "-3"});
  expect_words(make({.batch = -2, .rows = 1, .cols = 3}), {"batch", "-2"});
  expect_words(make({.rows = std::int64_t{1} << 40, .cols = 0}), {"rows", "1099511627776"});
}

}  // namespace
