// Randomised SVD over ranks, dense and sparse: against what the matrix was made of, and bits that
// do not depend on ranks.
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <array>
#include <carroll/distributed/randomized_svd.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <svd_instances.hpp>
#include <vector>

#include "support/copy.hpp"
#include "support/host_matrix.hpp"

namespace {

using carroll::Status;
using carroll::distributed::BlockLayout;
using carroll::distributed::CsrRows;
using carroll::distributed::randomized_svd;
using carroll::distributed::randomized_svd_layout;
using carroll::test::same_bits;
using Exec = Kokkos::DefaultExecutionSpace;
using Communicator = carroll::distributed::Communicator<Exec>;

template <class Real, class Layout = Kokkos::LayoutLeft>
using Matrix = Kokkos::View<Real**, Layout, Exec>;
template <class Real>
using Vector = Kokkos::View<Real*, Exec>;

constexpr std::int64_t rows = 3 * 4096 + 77, cols = 60, rank = 4;

/// f(t, k) for t < terms and k < count, which entries are made of: sines and cosines are most of
/// the time of a test that calls them for each.
template <std::size_t terms, std::size_t count, class Function>
std::array<std::array<double, terms>, count> table(Function const& f) {
  std::array<std::array<double, terms>, count> values{};
  for (std::size_t k = 0; k < count; ++k)
    for (std::size_t t = 0; t < terms; ++t) values[k][t] = f(double(t), double(k));
  return values;
}

/// Σ 4^-t·x_t(i)·y_t(j): the leading values are far apart.
double smooth_entry(std::int64_t i, std::int64_t j) {
  static auto const x = table<8, rows>(
      [](double t, double k) { return std::pow(4.0, -t) * std::cos(0.003 * (t + 1) * k); });
  static auto const y =
      table<8, cols>([](double t, double k) { return std::sin(0.1 * (t + 1) * (k + 1)); });
  auto const &row = x[static_cast<std::size_t>(i)], &col = y[static_cast<std::size_t>(j)];
  return std::inner_product(row.begin(), row.end(), col.begin(), 0.0);
}
/// Every eighth column in each row, of 4^-t times a matrix of rank 1 for each t.
double sparse_entry(std::int64_t i, std::int64_t j) {
  if (i % 8 != j % 8) return 0;
  static auto const x = table<1, rows>(
      [](double, double k) { return std::pow(4.0, -std::fmod(k, 8)) * (2 + std::cos(0.003 * k)); });
  static auto const y = table<1, cols>([](double, double k) { return 2 + std::sin(0.1 * k); });
  return x[static_cast<std::size_t>(i)][0] * y[static_cast<std::size_t>(j)][0];
}

template <class Real>
struct Result {
  Status status;
  double residual, error;
  std::vector<Real> s, v, u;
};

template <class View>
auto entries(View const& view) {
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
  std::vector<typename View::non_const_value_type> all;
  for (std::size_t i = 0; i < host.extent(0); ++i)
    for (std::size_t j = 0; j < host.extent(1); ++j) all.push_back(host(i, j));
  return all;
}

template <class Real, class Layout, class Entry>
Result<Real> solve(Communicator const& comm, bool sparse, Entry const& entry) {
  auto const layout = randomized_svd_layout<Real>(comm.size(), rows, cols, rank);
  auto const mine = static_cast<std::size_t>(layout.count(comm.rank()));
  auto const begin = layout.begin(comm.rank());
  Matrix<Real, Layout> const A("A", mine, cols), U("U", mine, rank), V("V", cols, rank);
  Vector<Real> const S("S", rank);
  auto const a = Kokkos::create_mirror_view(A);
  std::vector<std::int64_t> offsets{0};
  std::vector<int> columns;
  std::vector<Real> values;
  for (std::size_t i = 0; i < mine; ++i) {
    for (std::int64_t j = 0; j < cols; ++j) {
      Real const x = static_cast<Real>(entry(begin + static_cast<std::int64_t>(i), j));
      a(i, static_cast<std::size_t>(j)) = x;
      if (x == 0) continue;
      columns.push_back(static_cast<int>(j));
      values.push_back(x);
    }
    offsets.push_back(static_cast<std::int64_t>(values.size()));
  }
  carroll::test::deep_copy(A, a);
  auto const on_device = [](auto const& host) {
    using T = typename std::decay_t<decltype(host)>::value_type;
    Kokkos::View<T*, Exec> const view("view", host.size());
    carroll::test::deep_copy(
        view, Kokkos::View<T const*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(host.data(),
                                                                                 host.size()));
    return view;
  };
  auto const info =
      sparse
          ? randomized_svd(comm, layout,
                           CsrRows{on_device(offsets), on_device(columns), on_device(values), cols},
                           U, S, V)
          : randomized_svd(comm, layout, A, U, S, V);
  Result<Real> result{info.status, double(info.residual), double(info.error), {}, entries(V),
                      entries(U)};
  auto const s = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), S);
  result.s.assign(s.data(), s.data() + rank);
  return result;
}

template <class Real>
class Randomized : public ::testing::Test {};
using Reals = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Randomized, Reals);

TYPED_TEST(Randomized, IsRightAndTheSameForAllRanks) {
  using Real = TypeParam;
  double const eps = std::numeric_limits<Real>::epsilon();
  auto const comm = Communicator::duplicate_from_raw(MPI_COMM_WORLD);
  auto const alone = comm.split(comm.rank(), 0);
  auto const layout = randomized_svd_layout<Real>(comm.size(), rows, cols, rank);
  for (bool sparse : {false, true}) {
    auto const entry = sparse ? sparse_entry : smooth_entry;
    auto const all = solve<Real, Kokkos::LayoutLeft>(comm, sparse, entry);
    EXPECT_EQ(all.status, Status::success) << all.residual;
    EXPECT_LT(all.residual, std::sqrt(eps));
    EXPECT_LT(all.error, 1);

    auto const one = solve<Real, Kokkos::LayoutLeft>(alone, sparse, entry);
    EXPECT_TRUE(same_bits(all.s, one.s));
    EXPECT_TRUE(same_bits(all.v, one.v));
    auto const first = static_cast<std::ptrdiff_t>(layout.begin(comm.rank()) * rank);
    auto const last = static_cast<std::ptrdiff_t>(layout.end(comm.rank()) * rank);
    EXPECT_TRUE(same_bits(all.u, std::vector<Real>(one.u.begin() + first, one.u.begin() + last)));

    // The values of the whole matrix.
    Matrix<Real> const A("A", rows, cols);
    auto const a = Kokkos::create_mirror_view(A);
    for (std::size_t i = 0; i < a.extent(0); ++i)
      for (std::size_t j = 0; j < a.extent(1); ++j)
        a(i, j) =
            static_cast<Real>(entry(static_cast<std::int64_t>(i), static_cast<std::int64_t>(j)));
    carroll::test::deep_copy(A, a);
    Vector<Real> const S("S", cols);
    ASSERT_EQ(carroll::singular_values(Exec(), A, S).status, Status::success);
    auto const s = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), S);
    double square = 0, left = 0;
    for (std::size_t j = 0; j < cols; ++j) {
      square += double(s(j)) * double(s(j));
      if (j >= rank) left += double(s(j)) * double(s(j));
    }
    for (std::size_t j = 0; j < rank; ++j)
      EXPECT_LT(std::abs(double(all.s[j]) - s(j)), 200 * eps * s(0)) << j;
    EXPECT_NEAR(all.error, std::sqrt(left / square), 10 * std::sqrt(eps));
  }
}

TYPED_TEST(Randomized, LayoutsInMemory) {
  using Real = TypeParam;
  auto const comm = Communicator::duplicate_from_raw(MPI_COMM_WORLD);
  auto const columns = solve<Real, Kokkos::LayoutLeft>(comm, false, smooth_entry);
  auto const lines = solve<Real, Kokkos::LayoutRight>(comm, false, smooth_entry);
  EXPECT_TRUE(same_bits(columns.s, lines.s));
  EXPECT_TRUE(same_bits(columns.u, lines.u));
}

TYPED_TEST(Randomized, NotANumberAndRefusals) {
  using Real = TypeParam;
  auto const comm = Communicator::duplicate_from_raw(MPI_COMM_WORLD);
  for (bool sparse : {false, true}) {
    auto const bad =
        solve<Real, Kokkos::LayoutLeft>(comm, sparse, [](std::int64_t i, std::int64_t j) {
          return i == rows - 1 && j == 5 ? std::nan("") : sparse_entry(i, j);
        });
    EXPECT_EQ(bad.status, Status::non_finite);
    for (Real x : bad.s) EXPECT_TRUE(std::isnan(x));
    for (Real x : bad.u) EXPECT_TRUE(std::isnan(x));
    for (Real x : bad.v) EXPECT_TRUE(std::isnan(x));
  }
  BlockLayout layout = randomized_svd_layout<Real>(comm.size(), rows, cols, rank);
  auto const mine = static_cast<std::size_t>(layout.count(comm.rank()));
  Matrix<Real> const A("A", mine, cols), U("U", mine, rank), V("V", cols, rank);
  Matrix<Real> const U_wide("U", mine, cols + 1), V_wide("V", cols, cols + 1);
  Vector<Real> const S("S", rank), S_long("S", cols + 1), none("S", 0);
  EXPECT_THROW((void)randomized_svd(comm, layout, A, U_wide, S_long, V_wide),
               std::invalid_argument);
  EXPECT_THROW((void)randomized_svd(comm, layout, A, U, S, V, {.power_steps = -1}),
               std::invalid_argument);
  Matrix<Real> const no_columns("U", mine, 0), no_right("V", cols, 0);
  EXPECT_EQ(randomized_svd(comm, layout, A, no_columns, none, no_right).status, Status::success);
  // All zeros.
  EXPECT_EQ(randomized_svd(comm, layout, A, U, S, V).status, Status::success);
}

}  // namespace
