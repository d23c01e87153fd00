// Determinants over ranks: bit by bit those of one rank, and on hosts those of the plain solver.
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/distributed/determinant.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "determinant_instances.hpp"
#include "distributed/determinant/shared_rows.hpp"
#include "support/copy.hpp"
#include "support/random.hpp"

namespace {

namespace distributed = carroll::distributed;
using carroll::Status;
using namespace carroll::test::shared_rows;

template <class T>
void expect_same(carroll::DeterminantInfo<T> const& is, carroll::DeterminantInfo<T> const& was) {
  EXPECT_EQ(is.status, was.status);
  if (!was.value.is_nan()) {
    EXPECT_EQ(is.value, was.value) << to_string(is.value, 17);
  }
  EXPECT_EQ(is.value.is_nan(), was.value.is_nan());
  if (was.status == Status::success) {
    EXPECT_EQ(is.growth, was.growth);
  }
}

std::vector<DeterminantEngine> own_engines(bool complex) {
  std::vector<DeterminantEngine> engines{DeterminantEngine::gathered, DeterminantEngine::panels};
  if (on_host && !complex) engines.push_back(DeterminantEngine::host_blocks);
  return engines;
}
/// Of hosts: what has the bits of the plain solver beyond small orders.
constexpr DeterminantEngine plain_engine(bool complex) {
  return complex ? DeterminantEngine::panels : DeterminantEngine::host_blocks;
}

template <class T>
class DistributedDeterminant : public ::testing::Test {
 protected:
  static constexpr bool complex = carroll::detail::is_complex<T>;
};
using Types = ::testing::Types<float, double, Kokkos::complex<float>, Kokkos::complex<double>>;
TYPED_TEST_SUITE(DistributedDeterminant, Types);

TYPED_TEST(DistributedDeterminant, HasTheBitsOfOneRank) {
  using T = TypeParam;
  auto const comm = world();
  auto const alone = comm.split(comm.rank(), 0);
  for (std::int64_t n : {1, 2, 7, 63, 64, 65, 130, 257, on_host ? 400 : 1100}) {
    auto const A = random_matrix<T>(n, static_cast<std::uint64_t>(n));
    for (auto const engine : own_engines(this->complex)) {
      SCOPED_TRACE(std::string(to_string(engine)) + ", order " + std::to_string(n));
      auto const one = determinant(alone, A, some_rows, engine);
      EXPECT_EQ(one.engine, engine);
      expect_same<T>(determinant(comm, A, some_rows, engine), one);
      // A device rounds complex products otherwise where columns lie side by side.
      auto const left = this->complex && !on_host
                            ? determinant<T, Kokkos::LayoutLeft>(alone, A, some_rows, engine)
                            : one;
      expect_same<T>(determinant<T, Kokkos::LayoutLeft>(comm, A, some_rows, engine, 3), left);
      expect_same<T>(determinant(comm, A, 3 * some_rows, engine, 1), one);
    }
  }
}

TYPED_TEST(DistributedDeterminant, HasTheBitsOfThePlainSolverOnHosts) {
  using T = TypeParam;
  if (!on_host) GTEST_SKIP() << "devices have other kernels";
  auto const comm = world();
  for (std::int64_t n : {3, 100, 256, 257, 333, 640}) {
    SCOPED_TRACE(n);
    auto const A = random_matrix<T>(n, 7);
    Kokkos::View<T**, Kokkos::LayoutRight, Exec> const whole("A", n, n);
    carroll::test::deep_copy(whole, A);
    auto const plain = carroll::determinant(Exec(), whole);
    auto const info = determinant(comm, A, 64, DeterminantEngine::automatic);
    expect_same<T>(info, plain);
    if (comm.size() > 1 && n > 256) {
      EXPECT_EQ(info.engine, plain_engine(this->complex));
    }
    if (n > 256) expect_same<T>(determinant(comm, A, 64, plain_engine(this->complex)), plain);
  }
}

TYPED_TEST(DistributedDeterminant, OfARankOneChangeIsKnown) {
  using T = TypeParam;
  using Real = carroll::detail::RealOf<T>;
  auto const comm = world();
  std::int64_t const n = 300;  // det (3I + J) = 3^(n-1)·(n + 3), beyond float
  Host<T> const A("A", n, n);
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j < n; ++j) A(i, j) = T(i == j ? 4 : 1);
  double const expected = double(n - 1) * std::log(3.0) + std::log(double(n) + 3);
  auto engines = own_engines(this->complex);
  if (distributed::detail::has_scalapack && on_host)
    engines.push_back(DeterminantEngine::scalapack);
  for (auto const engine : engines) {
    SCOPED_TRACE(to_string(engine));
    auto const info = determinant(comm, A, some_rows, engine);
    EXPECT_EQ(info.status, Status::success);
    // The logarithm itself is rounded, too.
    EXPECT_NEAR(info.value.log_abs(), expected,
                10 * double(n) * double(std::numeric_limits<Real>::epsilon()));
    EXPECT_NEAR(double(carroll::detail::largest_part(info.value.sign() - T(1))), 0, 1e-3);
  }
}

TYPED_TEST(DistributedDeterminant, TellsSingularAndNonFinite) {
  using T = TypeParam;
  using Real = carroll::detail::RealOf<T>;
  auto const comm = world();
  std::int64_t const n = 290;
  auto engines = own_engines(this->complex);
  if (distributed::detail::has_scalapack && on_host)
    engines.push_back(DeterminantEngine::scalapack);
  for (auto const engine : engines) {
    SCOPED_TRACE(to_string(engine));
    auto A = random_matrix<T>(n, 3);
    for (std::int64_t j = 0; j < n; ++j) A(200, j) = T(0);
    auto info = determinant(comm, A, some_rows, engine);
    EXPECT_EQ(info.status, Status::singular);
    EXPECT_TRUE(info.value.is_zero());
    for (std::int64_t i = 0; i < n; ++i) A(i, 5) = A(200, i) = T(1);
    for (std::int64_t i = 0; i < n; ++i)
      for (std::int64_t j = 0; j < n; ++j) A(i, j) = T(Real((i * j) % 2));
    info = determinant(comm, A, some_rows, engine);  // equal rows
    EXPECT_EQ(info.status, Status::singular);
    EXPECT_TRUE(info.value.is_zero());
    A = random_matrix<T>(n, 3);
    A(17, 80) = T(std::numeric_limits<Real>::infinity());
    info = determinant(comm, A, some_rows, engine);
    EXPECT_EQ(info.status, Status::non_finite);
    EXPECT_TRUE(info.value.is_nan());
  }
}

TYPED_TEST(DistributedDeterminant, NeitherOverNorUnderflows) {
  using T = TypeParam;
  using Real = carroll::detail::RealOf<T>;
  auto const comm = world();
  std::int64_t const n = 320;
  int const most = std::numeric_limits<Real>::max_exponent / 2 - 4;
  auto const A = random_matrix<T>(n, 11);
  auto const plain = determinant(comm, A, some_rows, DeterminantEngine::panels);
  std::int64_t exponent = 0;
  Host<T> const B("B", n, n), C("C", n, n);
  for (std::int64_t i = 0; i < n; ++i) {
    int const e = static_cast<int>(i * 37 % (2 * most)) - most;
    exponent += e;
    for (std::int64_t j = 0; j < n; ++j) {
      B(i, j) = A(i, j) * std::ldexp(Real(1), e);
      C(i, j) = B(i, j) * std::ldexp(Real(1), static_cast<int>(j * 29 % (2 * most)) - most);
    }
  }
  for (auto const engine : own_engines(this->complex)) {
    SCOPED_TRACE(to_string(engine));
    auto const info = determinant(comm, B, some_rows, engine);
    auto const same = determinant(comm, A, some_rows, engine);
    EXPECT_EQ(info.value.mantissa(), same.value.mantissa());
    EXPECT_EQ(info.value.exponent(), same.value.exponent() + exponent);
    // With columns scaled, too, other pivots may be chosen.
    auto const wide = determinant(comm, C, some_rows, engine);
    EXPECT_EQ(wide.status, Status::success);
    EXPECT_TRUE(wide.value.is_finite());
    for (std::int64_t j = 0; j < n && engine == DeterminantEngine::panels; ++j)
      exponent += static_cast<int>(j * 29 % (2 * most)) - most;
    if (engine == DeterminantEngine::panels) {
      EXPECT_NEAR(wide.value.log_abs() - double(exponent) * std::log(2.0), plain.value.log_abs(),
                  double(n) * 100 * double(std::numeric_limits<Real>::epsilon()));
      for (std::int64_t j = 0; j < n; ++j) exponent -= static_cast<int>(j * 29 % (2 * most)) - most;
    }
  }
}

/// Signs of permutation matrices, by counting.
void expect_signs(Comm const& comm, std::int64_t n, DeterminantEngine engine, int times) {
  auto const layout = distributed::cyclic_layout(n, on_host ? 64 : some_rows, comm.size());
  auto workspace = distributed::determinant_workspace<double>(comm, layout, {engine});
  Kokkos::View<double**, Kokkos::LayoutRight, Exec> const A("A", layout.rows(comm.rank()), n);
  auto const host = Kokkos::create_mirror_view(A);
  carroll::test::Random random(static_cast<std::uint64_t>(n));
  std::vector<std::int64_t> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  for (int time = 0; time < times; ++time) {
    random.shuffle(order);
    int sign = 1;
    std::vector<bool> seen(order.size());
    for (std::size_t i = 0; i < order.size(); ++i)
      for (auto k = static_cast<std::size_t>(order[i]); !seen[i] && k != i;
           k = static_cast<std::size_t>(order[k])) {
        seen[k] = true;
        sign = -sign;
      }
    carroll::test::deep_copy(host, 0);
    for (std::size_t i = 0; i < host.extent(0); ++i)
      host(i, order[static_cast<std::size_t>(
                  layout.global_row(comm.rank(), static_cast<std::int64_t>(i)))]) = 1;
    carroll::test::deep_copy(A, host);
    auto const info = distributed::determinant(comm, A, workspace);
    ASSERT_EQ(info.value, carroll::ScaledNumber<double>(sign)) << to_string(engine) << ' ' << time;
  }
}

TEST(DistributedDeterminant, HasTheSignOfPermutations) {
  auto const comm = world();
  // 10⁴ of them where ranks have a processor each.
  int const times = comm.size() <= 2 ? 10000 : 100;
  if (on_host) expect_signs(comm, 80, DeterminantEngine::host_blocks, times / 2);
  expect_signs(comm, 70, DeterminantEngine::panels, on_host ? times / 2 : 100);
  if (distributed::detail::has_scalapack && on_host) {
    expect_signs(comm, 64, DeterminantEngine::scalapack, times / 2);
    expect_signs(comm, 83, DeterminantEngine::scalapack, times / 2);
  }
}

TEST(DistributedDeterminant, OfNothingIsOne) {
  auto const comm = world();
  auto const info = determinant(comm, Host<double>("A", 0, 0), 64, DeterminantEngine::automatic);
  EXPECT_EQ(info.status, Status::success);
  EXPECT_EQ(info.value, carroll::ScaledNumber<double>(1));
}

TEST(DistributedDeterminant, ThrowsOnAllRanks) {
  auto const comm = world();
  auto const layout = distributed::determinant_layout<double>(comm, 300);
  bool const last = comm.rank() + 1 == comm.size();
  Kokkos::View<double**, Kokkos::LayoutRight, Exec> const A(
      "A", layout.rows(comm.rank()) + (last ? 1 : 0), 300);
  EXPECT_ANY_THROW((void)distributed::determinant(comm, A, layout));
  auto const odd = distributed::cyclic_layout(300, 65, comm.size());
  Kokkos::View<double**, Kokkos::LayoutRight, Exec> const B("B", odd.rows(comm.rank()), 300);
  EXPECT_THROW((void)distributed::determinant(comm, B, odd, {DeterminantEngine::panels}),
               std::invalid_argument);
  EXPECT_THROW((void)distributed::determinant_workspace<double>(
                   comm, distributed::cyclic_layout(3, 64, comm.size() + 1)),
               std::invalid_argument);
  if (comm.size() == 1) return;
  auto const engine = last ? DeterminantEngine::gathered : DeterminantEngine::panels;
  EXPECT_THROW((void)distributed::determinant_workspace<double>(comm, layout, {engine}),
               std::invalid_argument);
}

}  // namespace
