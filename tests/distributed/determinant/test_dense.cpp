// Large dense matrices over ranks, through ScaLAPACK: decompositions and least squares.
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/distributed/least_squares.hpp>
#include <carroll/distributed/svd.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <vector>

#include "support/copy.hpp"
#include "support/random.hpp"

namespace {

namespace distributed = carroll::distributed;
using carroll::Status;
using distributed::block_layout;
using distributed::BlockLayout;
using Exec = Kokkos::DefaultHostExecutionSpace;
using Comm = distributed::Communicator<Exec>;
template <class T>
using Matrix = Kokkos::View<T**, Kokkos::LayoutRight, Kokkos::HostSpace>;
template <class T>
using Turned = Kokkos::View<T**, Kokkos::LayoutLeft, Kokkos::HostSpace>;

Comm world() {
  return Comm::duplicate_from_raw(MPI_COMM_WORLD, Exec());
}

template <class T>
Matrix<T> random_matrix(std::int64_t m, std::int64_t n, std::uint64_t seed) {
  Matrix<T> const A("A", m, n);
  carroll::test::Random random(seed);
  for (std::int64_t i = 0; i < m; ++i)
    for (std::int64_t j = 0; j < n; ++j) {
      using Real = carroll::detail::RealOf<T>;
      auto const one = [&] { return static_cast<Real>(random.normal()); };
      if constexpr (carroll::detail::is_complex<T>)
        A(i, j) = T(one(), one());
      else
        A(i, j) = one();
    }
  return A;
}

/// A rank's rows, column by column.
template <class T>
Turned<T> rows_of(Matrix<T> const& A, BlockLayout const& layout, int rank) {
  Turned<T> const rows("rows", layout.count(rank), A.extent(1));
  for (std::size_t i = 0; i < rows.extent(0); ++i)
    for (std::size_t j = 0; j < rows.extent(1); ++j)
      rows(i, j) = A(static_cast<std::size_t>(layout.begin(rank)) + i, j);
  return rows;
}

/// All ranks' rows, on all of them.
template <class T, class View>
Matrix<T> whole(Comm const& comm, BlockLayout const& layout, View const& rows) {
  auto const n = rows.extent(1);
  Matrix<T> const packed("packed", rows.extent(0), n), all("all", layout.length(), n);
  carroll::test::deep_copy(packed, rows);
  std::vector<std::int64_t> counts;
  for (auto const count : layout.counts()) counts.push_back(count * static_cast<std::int64_t>(n));
  comm.all_gather_v(packed.data(), all.data(), counts);
  return all;
}

template <class T>
class DistributedSvd : public ::testing::Test {};
using Reals = ::testing::Types<float, double>;
TYPED_TEST_SUITE(DistributedSvd, Reals);

TYPED_TEST(DistributedSvd, GivesTheMatrixBack) {
  using T = TypeParam;
  auto const comm = world();
  struct Shape {
    std::int64_t m, n;
  };
  for (auto const [m, n] : {Shape{1, 1}, {5, 3}, {3, 5}, {40, 33}, {33, 50}}) {
    SCOPED_TRACE(std::to_string(m) + "×" + std::to_string(n));
    std::int64_t const r = std::min(m, n);
    auto const layout = block_layout(comm.size(), m), v_layout = block_layout(comm.size(), n);
    auto const A = random_matrix<T>(m, n, 5);
    auto const mine = rows_of(A, layout, comm.rank());
    Matrix<T> const U("U", layout.count(comm.rank()), r);
    Turned<T> const V("V", v_layout.count(comm.rank()), r);
    Kokkos::View<T*, Kokkos::HostSpace> const S("S", r), alone("S", r);
    auto const info = distributed::svd(comm, mine, layout, U, S, V, {.block = 16});
    EXPECT_EQ(info.status, Status::success);
    EXPECT_EQ(info.engine, distributed::DenseEngine::scalapack);
    auto const u = whole<T>(comm, layout, U), v = whole<T>(comm, v_layout, V);
    T const tolerance = T(20) * T(m + n) * std::numeric_limits<T>::epsilon() * S(0);
    for (std::int64_t k = 1; k < r; ++k) EXPECT_LE(S(k), S(k - 1));
    for (std::int64_t i = 0; i < m; ++i)
      for (std::int64_t j = 0; j < n; ++j) {
        T sum = 0;
        for (std::int64_t k = 0; k < r; ++k) sum += u(i, k) * S(k) * v(j, k);
        ASSERT_NEAR(sum, A(i, j), tolerance);
      }
    EXPECT_EQ(distributed::svd(comm, mine, layout, carroll::none, alone, carroll::none).status,
              Status::success);
    for (std::int64_t k = 0; k < r; ++k) EXPECT_NEAR(alone(k), S(k), tolerance);
  }
}

TYPED_TEST(DistributedSvd, TellsWhatIsNotFinite) {
  using T = TypeParam;
  auto const comm = world();
  auto const layout = block_layout(comm.size(), 6);
  auto A = random_matrix<T>(6, 4, 1);
  A(5, 1) = std::numeric_limits<T>::quiet_NaN();
  Kokkos::View<T*, Kokkos::HostSpace> const S("S", 4);
  auto const info = distributed::svd(comm, rows_of(A, layout, comm.rank()), layout, carroll::none,
                                     S, carroll::none);
  EXPECT_EQ(info.status, Status::non_finite);
  EXPECT_TRUE(std::isnan(S(0)));
}

template <class T>
class DistributedLeastSquares : public ::testing::Test {};
using Fields = ::testing::Types<float, double, Kokkos::complex<float>, Kokkos::complex<double>>;
TYPED_TEST_SUITE(DistributedLeastSquares, Fields);

TYPED_TEST(DistributedLeastSquares, LeavesAResidualAtRightAngles) {
  using T = TypeParam;
  using Real = carroll::detail::RealOf<T>;
  auto const comm = world();
  struct Shape {
    std::int64_t m, n, k;
  };
  for (auto const [m, n, k] : {Shape{7, 3, 1}, {100, 40, 3}, {40, 100, 2}, {33, 33, 1}}) {
    SCOPED_TRACE(std::to_string(m) + "×" + std::to_string(n));
    auto const layout = block_layout(comm.size(), m);
    auto const A = random_matrix<T>(m, n, 2), B = random_matrix<T>(m, k, 3);
    Matrix<T> const X("X", n, k);
    auto const info = distributed::least_squares(comm, rows_of(A, layout, comm.rank()), layout,
                                                 rows_of(B, layout, comm.rank()), X, {.block = 8});
    EXPECT_EQ(info.status, Status::success);
    Matrix<T> const R("R", m, k);
    for (std::int64_t i = 0; i < m; ++i)
      for (std::int64_t c = 0; c < k; ++c) {
        R(i, c) = B(i, c);
        for (std::int64_t j = 0; j < n; ++j) R(i, c) -= A(i, j) * X(j, c);
      }
    Real const tolerance = Real(1000) * Real(m + n) * std::numeric_limits<Real>::epsilon();
    for (std::int64_t c = 0; c < k; ++c) {
      for (std::int64_t i = 0; m <= n && i < m; ++i) EXPECT_LE(Kokkos::abs(R(i, c)), tolerance);
      for (std::int64_t j = 0; j < n; ++j) {
        T sum(0);
        for (std::int64_t i = 0; i < m; ++i) {
          T const a = A(i, j);
          if constexpr (carroll::detail::is_complex<T>)
            sum += Kokkos::conj(a) * R(i, c);
          else
            sum += a * R(i, c);
        }
        EXPECT_LE(Kokkos::abs(sum), tolerance);
      }
    }
  }
}

TEST(DistributedDense, ThrowsOnAllRanks) {
  auto const comm = world();
  auto const layout = block_layout(comm.size(), 20);
  bool const first = comm.rank() == 0;
  Matrix<double> const A("A", layout.count(comm.rank()), 5),
      B("B", A.extent(0) + (first ? 1 : 0), 2), X("X", 5, 2);
  EXPECT_ANY_THROW((void)distributed::least_squares(comm, A, layout, B, X));
  Kokkos::View<double*, Kokkos::HostSpace> const S("S", 5);
  EXPECT_THROW((void)distributed::svd(comm, A, block_layout(comm.size() + 1, 20), carroll::none, S,
                                      carroll::none),
               std::invalid_argument);
}

}  // namespace
