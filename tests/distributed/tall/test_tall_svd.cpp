// Tall QR and SVD over ranks: residuals, orthogonality, accuracy, and bits that do not depend on
// ranks.
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <carroll/distributed/tall_svd.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <svd_instances.hpp>
#include <vector>

#include "distributed/tall/tall_matrices.hpp"
#include "support/copy.hpp"

namespace {

using carroll::none;
using carroll::Status;
using carroll::distributed::tall_block_rows;
using carroll::distributed::tall_layout;
using carroll::distributed::tall_qr;
using carroll::distributed::tall_svd;
using namespace carroll::test::tall;

template <class Real>
class Tall : public ::testing::Test {};
using Reals = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Tall, Reals);

/// QR and SVD of one matrix over the ranks, against what they have to be.
template <class Real, class Layout>
void check(std::int64_t m, std::int64_t n) {
  SCOPED_TRACE(std::to_string(m) + "x" + std::to_string(n));
  auto const comm = world();
  auto const layout = tall_layout<Real>(comm.size(), m, n);
  auto const A = rows_of<Real, Layout>(layout, comm.rank(), n, noise);
  auto const rows = A.extent(0), cols = A.extent(1);
  double const bound = 20 * eps<Real> * std::sqrt(double(n) + 1) * 4;

  Matrix<Real, Layout> const Q("Q", rows, cols);
  Matrix<Real> const R("R", cols, cols), R_alone("R", cols, cols);
  EXPECT_EQ(tall_qr(comm, layout, A, Q, R).status, Status::success);
  EXPECT_EQ(tall_qr(comm, layout, A, none, R_alone).status, Status::success);
  EXPECT_TRUE(same_bits(entries(R), entries(R_alone)));
  auto const r = on_host(R);
  for (std::size_t j = 0; j < cols; ++j) {
    EXPECT_GE(r(j, j), Real(0));
    for (std::size_t i = j + 1; i < cols; ++i) EXPECT_EQ(r(i, j), Real(0));
  }
  EXPECT_LT(orthogonality(comm, Q), bound);
  EXPECT_LT(column_residual(comm, A, Q, [&](std::size_t k, std::size_t j) { return r(k, j); }),
            bound);

  Matrix<Real, Layout> const U("U", rows, cols);
  Matrix<Real> const V("V", cols, cols);
  Vector<Real> const S("S", cols), S_alone("S", cols);
  auto const info = tall_svd(comm, layout, A, U, S, V);
  EXPECT_EQ(info.status, Status::success);
  EXPECT_EQ(tall_svd(comm, layout, A, none, S_alone, none).status, Status::success);
  EXPECT_TRUE(same_bits(entries(S), entries(S_alone)));
  auto const s = on_host(S);
  auto const v = on_host(V);
  EXPECT_LT(orthogonality(comm, U), bound);
  EXPECT_LT(column_residual(comm, A, U,
                            [&](std::size_t k, std::size_t j) { return double(s(k)) * v(j, k); }),
            bound * std::sqrt(double(n) + 1));

  // The same matrix by one rank: the same bits, in each row of U, too.
  auto const alone = comm.split(comm.rank(), 0);
  auto const whole = tall_layout<Real>(1, m, n);
  auto const A1 = rows_of<Real, Layout>(whole, 0, n, noise);
  Matrix<Real, Layout> const U1("U", A1.extent(0), cols), Q1("Q", A1.extent(0), cols);
  Matrix<Real> const V1("V", cols, cols), R1("R", cols, cols);
  Vector<Real> const S1("S", cols);
  EXPECT_EQ(tall_svd(alone, whole, A1, U1, S1, V1).status, Status::success);
  EXPECT_EQ(tall_qr(alone, whole, A1, Q1, R1).status, Status::success);
  EXPECT_TRUE(same_bits(entries(S), entries(S1)));
  EXPECT_TRUE(same_bits(entries(V), entries(V1)));
  EXPECT_TRUE(same_bits(entries(R), entries(R1)));
  auto const mine = std::make_pair(static_cast<std::size_t>(layout.begin(comm.rank())),
                                   static_cast<std::size_t>(layout.end(comm.rank())));
  EXPECT_TRUE(same_bits(entries(U), entries(Kokkos::subview(U1, mine, Kokkos::ALL))));
  EXPECT_TRUE(same_bits(entries(Q), entries(Kokkos::subview(Q1, mine, Kokkos::ALL))));
}

TYPED_TEST(Tall, IsRightAndTheSameForAllRanks) {
  using Real = TypeParam;
  for (std::int64_t n : {1, 5, 32, 33, 70, 130}) {
    std::int64_t const block = tall_block_rows<Real>(n);
    for (std::int64_t m : {n, block, 2 * block + 1, 7 * block + block / 2})
      check<Real, Kokkos::LayoutLeft>(m, n);
    if (n < 70) check<Real, Kokkos::LayoutRight>(37 * block - 3, n);
  }
}

TYPED_TEST(Tall, EmptyMatricesAndRefusals) {
  using Real = TypeParam;
  auto const comm = world();
  auto const none_layout = tall_layout<Real>(comm.size(), 0, 0);
  Matrix<Real> const empty("empty", 0, 0), R("R", 0, 0);
  Vector<Real> const s("S", 0);
  EXPECT_EQ(tall_qr(comm, none_layout, empty, none, R).status, Status::success);
  EXPECT_EQ(tall_svd(comm, none_layout, empty, none, s, none).status, Status::success);

  // Fewer rows than columns.
  auto const wide = tall_layout<Real>(comm.size(), 3, 5);
  auto const A = rows_of<Real>(wide, comm.rank(), 5, noise);
  Matrix<Real> const R5("R", 5, 5);
  EXPECT_THROW((void)tall_qr(comm, wide, A, none, R5), std::invalid_argument);

  // A layout that cuts a block.
  if (comm.size() > 1) {
    auto const cut = carroll::distributed::block_layout(comm.size(), 1000 * comm.size() + 1);
    auto const B = rows_of<Real>(cut, comm.rank(), 5, noise);
    EXPECT_THROW((void)tall_qr(comm, cut, B, none, R5), std::invalid_argument);
    // A wrong extent on one rank is an error on all.
    auto const layout = tall_layout<Real>(comm.size(), 100, 5);
    auto const C = rows_of<Real>(layout, comm.rank(), 5, noise);
    Matrix<Real> const R_odd("R", comm.rank() == 1 ? 4 : 5, 5);
    if (comm.rank() == 1)
      EXPECT_THROW((void)tall_qr(comm, layout, C, none, R_odd), std::invalid_argument);
    else
      EXPECT_THROW((void)tall_qr(comm, layout, C, none, R_odd), carroll::distributed::RankError);
  }
}

TYPED_TEST(Tall, NotANumberAnywhereIsNotANumberEverywhere) {
  using Real = TypeParam;
  auto const comm = world();
  std::int64_t const n = 7, m = 5 * tall_block_rows<Real>(n) + 3;
  auto const layout = tall_layout<Real>(comm.size(), m, n);
  for (double bad : {std::nan(""), HUGE_VAL}) {
    auto const A = rows_of<Real>(layout, comm.rank(), n, [&](std::int64_t i, std::int64_t j) {
      return i == m - 2 && j == 3 ? bad : noise(i, j);
    });
    Matrix<Real> const U("U", A.extent(0), 7), V("V", 7, 7), R("R", 7, 7);
    Vector<Real> const S("S", 7);
    EXPECT_EQ(tall_svd(comm, layout, A, U, S, V).status, Status::non_finite);
    for (auto const& values : {entries(U), entries(V), entries(S)})
      for (Real x : values) EXPECT_TRUE(std::isnan(x));
    EXPECT_EQ(tall_qr(comm, layout, A, U, R).status, Status::non_finite);
    for (auto const& values : {entries(U), entries(R)})
      for (Real x : values) EXPECT_TRUE(std::isnan(x));
  }
}

/// The same by a workspace, twice; zero columns, dependent ones, and zero rows.
TYPED_TEST(Tall, DeficientMatricesAndWorkspaces) {
  using Real = TypeParam;
  auto const comm = world();
  std::int64_t const n = 40, m = 6 * tall_block_rows<Real>(n) + 11;
  auto const layout = tall_layout<Real>(comm.size(), m, n);
  auto workspace = carroll::distributed::tall_svd_workspace<Real>(comm, layout, n);
  for (int kind = 0; kind < 3; ++kind) {
    auto const A = rows_of<Real>(layout, comm.rank(), n, [&](std::int64_t i, std::int64_t j) {
      if (kind == 0) return 0.0;
      if (kind == 1) return j % 3 == 0 ? 0.0 : noise(i, j / 2 * 2);
      return i < m / 2 ? 0.0 : noise(i, j % 4) * double(j + 1);
    });
    Matrix<Real> const U("U", A.extent(0), 40), V("V", 40, 40);
    Vector<Real> const S("S", 40), S2("S", 40);
    EXPECT_EQ(tall_svd(comm, A, U, S, V, workspace).status, Status::success);
    EXPECT_LT(orthogonality(comm, U), 500 * eps<Real>);
    auto const s = on_host(S);
    auto const v = on_host(V);
    EXPECT_LT(column_residual(comm, A, U,
                              [&](std::size_t k, std::size_t j) { return double(s(k)) * v(j, k); }),
              5000 * eps<Real>);
    EXPECT_EQ(tall_svd(comm, A, U, S2, V, workspace).status, Status::success);
    EXPECT_TRUE(same_bits(entries(S), entries(S2)));
  }
}

/// Columns scaled by powers of ten: every singular value keeps its digits.
TYPED_TEST(Tall, ColumnScalingKeepsRelativeAccuracy) {
  using Real = TypeParam;
  auto const comm = world();
  std::int64_t const n = 12, m = 9 * tall_block_rows<Real>(n) + 100;
  double const step = sizeof(Real) == 4 ? 0x1p-4 : 0x1p-5;
  auto const entry = [&](std::int64_t i, std::int64_t j) {
    return noise(i, j) * std::pow(step, double(j));
  };
  auto const layout = tall_layout<Real>(comm.size(), m, n);
  auto const A = rows_of<Real>(layout, comm.rank(), n, entry);
  Vector<Real> const S("S", 12);
  ASSERT_EQ(tall_svd(comm, layout, A, none, S, none).status, Status::success);
  auto const s = on_host(S);

  auto const whole = tall_layout<Real>(1, m, n);
  Matrix<double> const A1("A", static_cast<std::size_t>(m), 12);
  auto const exact = rows_of<Real>(whole, 0, n, entry);
  carroll::test::deep_copy(A1, exact);  // the same numbers
  Vector<double> const S1("S", 12);
  ASSERT_EQ(carroll::singular_values(Exec(), A1, S1).status, Status::success);
  auto const s1 = on_host(S1);
  for (std::size_t j = 0; j < 12; ++j)
    EXPECT_LT(std::abs(double(s(j)) / s1(j) - 1), 30 * eps<Real>) << j;
}

/// Entries and columns at the ends of the range: S is that of the matrix scaled back, bit by bit.
TYPED_TEST(Tall, ScalesDoNotMatter) {
  using Real = TypeParam;
  auto const comm = world();
  std::int64_t const n = 6, m = 3 * tall_block_rows<Real>(n) + 5;
  int const far = std::numeric_limits<Real>::max_exponent - 12;
  auto const layout = tall_layout<Real>(comm.size(), m, n);
  auto const plain = [](std::int64_t i, std::int64_t j) { return noise(i, j) + (j == 2); };
  auto const values = [&](int e) {
    auto const A = rows_of<Real>(layout, comm.rank(), n, [&](std::int64_t i, std::int64_t j) {
      return std::ldexp(double(static_cast<Real>(plain(i, j))), e);
    });
    Matrix<Real> const U("U", A.extent(0), 6);
    Vector<Real> const S("S", 6);
    EXPECT_EQ(tall_svd(comm, layout, A, U, S, none).status, Status::success);
    EXPECT_LT(orthogonality(comm, U), 200 * eps<Real>);
    return entries(S);
  };
  auto const expected = values(0);
  for (int e : {far, -far + 24, 30, -30}) {
    auto scaled = values(e);
    for (auto& x : scaled) x = std::ldexp(x, -e);
    EXPECT_TRUE(same_bits(scaled, expected)) << e;
  }
}

}  // namespace
