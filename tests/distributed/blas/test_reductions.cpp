// Sums over ranks: bit by bit those of the whole vector on one, however it is shared out.
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <bit>
#include <carroll/asum.hpp>
#include <carroll/distributed/blas/asum.hpp>
#include <carroll/distributed/blas/dot.hpp>
#include <carroll/distributed/blas/max_abs.hpp>
#include <carroll/distributed/blas/norm2.hpp>
#include <carroll/distributed/blas/sum.hpp>
#include <carroll/dot.hpp>
#include <carroll/max_abs.hpp>
#include <carroll/norm2.hpp>
#include <carroll/sum.hpp>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "reduction_instances.hpp"
#include "support/copy.hpp"
#include "support/random.hpp"

namespace {

namespace distributed = carroll::distributed;
using carroll::Summation;
using distributed::BlockLayout;
using Exec = Kokkos::DefaultExecutionSpace;
using Communicator = distributed::Communicator<Exec>;
using carroll::test::Random;

template <class T>
T drawn(Random& random, int kind) {
  auto const one = [&] {
    double const x = random.normal();
    if (kind == 1) return x * std::exp2(random.index(120) - 60);
    if (kind == 2) return x * std::exp2(sizeof(T) % 8 == 4 ? 110 : 1000);  // squares overflow
    return x;
  };
  if constexpr (carroll::detail::is_complex<T>) {
    using Real = carroll::detail::RealOf<T>;
    auto const re = static_cast<Real>(one());
    return {re, static_cast<Real>(one())};
  } else {
    return static_cast<T>(one());
  }
}

/// The same entries on every rank.
template <class T>
Kokkos::View<T*, Exec> vector_of(std::int64_t length, int kind, std::uint64_t seed) {
  Kokkos::View<T*, Exec> const x("x", static_cast<std::size_t>(length));
  auto const host = Kokkos::create_mirror_view(x);
  Random random(seed);
  for (std::int64_t i = 0; i < length; ++i) host(i) = drawn<T>(random, kind);
  carroll::test::deep_copy(x, host);
  return x;
}

/// Layouts that share chunks between ranks, and such that do not; with ranks that have nothing.
std::vector<BlockLayout> layouts(int ranks, std::int64_t length) {
  std::vector<BlockLayout> all = {distributed::block_layout(ranks, length),
                                  distributed::reduction_layout(ranks, length)};
  BlockLayout last_has_all, random_cuts;
  for (int r = 1; r < ranks; ++r) last_has_all.offsets.push_back(0);
  last_has_all.offsets.push_back(length);
  Random random(static_cast<std::uint64_t>(length + ranks));
  for (int r = 1; r < ranks; ++r)
    random_cuts.offsets.push_back(
        std::min(length, random_cuts.length() + random.index(static_cast<int>(length / 2 + 2))));
  random_cuts.offsets.push_back(length);
  all.push_back(last_has_all);
  all.push_back(random_cuts);
  return all;
}

template <class Info>
std::string text(Info const& info) {
  std::string bytes(sizeof info.value, '\0');
  std::memcpy(bytes.data(), &info.value, sizeof info.value);
  std::string digits = std::to_string(int(info.status)) + ':';
  for (unsigned char byte : bytes)
    digits += "0123456789abcdef"[byte / 16], digits += "0123456789abcdef"[byte % 16];
  return digits;
}

template <class T>
class DistributedReductions : public ::testing::Test {};
using Types = ::testing::Types<float, double, Kokkos::complex<float>, Kokkos::complex<double>>;
TYPED_TEST_SUITE(DistributedReductions, Types);

TYPED_TEST(DistributedReductions, AreTheBitsOfOneRank) {
  using T = TypeParam;
  auto const comm = Communicator::duplicate_from_raw(MPI_COMM_WORLD);
  Exec const exec = comm.exec();
  for (std::int64_t length : {0, 1, 5, 1023, 1024, 1025, 5000, 100'000}) {
    {
      int const kind = static_cast<int>(length % 3);
      auto const seed = static_cast<std::uint64_t>(7 * length + kind);
      auto const x = vector_of<T>(length, kind, seed), y = vector_of<T>(length, 0, seed + 1);
      auto const largest = text(carroll::max_abs(exec, x));
      for (Summation summation : {Summation::canonical, Summation::compensated, Summation::exact}) {
        auto const sum = text(carroll::sum(exec, x, {.summation = summation}));
        auto const dot = text(carroll::dot(exec, x, y, {.summation = summation}));
        auto const plain_dot =
            text(carroll::dot(exec, x, y, {.summation = summation, .conjugate = false}));
        auto const norm = text(carroll::norm2(exec, x, {.summation = summation}));
        auto const moduli = text(carroll::asum(exec, x, {.summation = summation}));
        for (BlockLayout const& layout : layouts(comm.size(), length)) {
          std::pair<std::int64_t, std::int64_t> const mine{layout.begin(comm.rank()),
                                                           layout.end(comm.rank())};
          auto const my_x = Kokkos::subview(x, mine), my_y = Kokkos::subview(y, mine);
          std::string const where =
              "length " + std::to_string(length) + ", kind " + std::to_string(kind) +
              ", summation " + std::to_string(int(summation)) + ", rank " +
              std::to_string(comm.rank()) + " from " + std::to_string(mine.first);
          auto workspace =
              distributed::reduction_workspace<T>(comm, layout, {.summation = summation});
          EXPECT_EQ(text(distributed::sum(comm, my_x, workspace)), sum) << where;
          EXPECT_EQ(text(distributed::dot(comm, my_x, my_y, workspace)), dot) << where;
          EXPECT_EQ(text(distributed::dot(comm, my_x, my_y, workspace, false)), plain_dot) << where;
          EXPECT_EQ(text(distributed::norm2(comm, my_x, workspace)), norm) << where;
          EXPECT_EQ(text(distributed::asum(comm, my_x, workspace)), moduli) << where;
          if (summation == Summation::exact)
            EXPECT_THROW((void)distributed::max_abs(comm, my_x, workspace), std::invalid_argument);
          else
            EXPECT_EQ(text(distributed::max_abs(comm, my_x, workspace)), largest) << where;
        }
      }
    }
  }
}

TYPED_TEST(DistributedReductions, TakeStridedViews) {
  using T = TypeParam;
  auto const comm = Communicator::duplicate_from_raw(MPI_COMM_WORLD);
  std::int64_t const length = 10'000;
  auto const x = vector_of<T>(length, 0, 3);
  Kokkos::View<T**, Kokkos::LayoutRight, Exec> const wide("wide", length, 3);
  auto const column = Kokkos::subview(wide, Kokkos::ALL, 1);
  carroll::test::deep_copy(column, x);
  BlockLayout const layout = distributed::block_layout(comm.size(), length);
  std::pair<std::int64_t, std::int64_t> const mine{layout.begin(comm.rank()),
                                                   layout.end(comm.rank())};
  auto const part = Kokkos::subview(column, mine);
  EXPECT_EQ(text(distributed::sum(comm, part)), text(carroll::sum(comm.exec(), x)));
  EXPECT_EQ(text(distributed::dot(comm, part, Kokkos::subview(x, mine))),
            text(carroll::dot(comm.exec(), x, x)));
}

TYPED_TEST(DistributedReductions, SeeWhatIsNotFiniteOnAnyRank) {
  using T = TypeParam;
  auto const comm = Communicator::duplicate_from_raw(MPI_COMM_WORLD);
  for (Summation summation : {Summation::canonical, Summation::exact}) {
    auto const x = vector_of<T>(3000, 0, static_cast<std::uint64_t>(comm.rank()));
    if (comm.rank() == comm.size() - 1)
      carroll::test::deep_copy(comm.exec(), Kokkos::subview(x, 17),
                               T(std::numeric_limits<double>::quiet_NaN()));
    comm.exec().fence();
    auto const info = distributed::sum(comm, x, {.summation = summation});
    EXPECT_EQ(info.status, carroll::Status::non_finite);
  }
}

TEST(DistributedReductionsMisuse, ThrowsOnAllRanks) {
  auto const comm = Communicator::duplicate_from_raw(MPI_COMM_WORLD);
  auto workspace = distributed::reduction_workspace<double>(
      comm, distributed::block_layout(comm.size(), 10 * comm.size()));
  // The last rank's vector is too long.
  Kokkos::View<double*, Exec> const x("x", comm.rank() == comm.size() - 1 ? 11U : 10U);
  auto const call = [&] { (void)distributed::sum(comm, x, workspace); };
  if (comm.rank() == comm.size() - 1)
    EXPECT_THROW(call(), std::invalid_argument);
  else
    EXPECT_THROW(call(), distributed::RankError);
  if (comm.size() > 1) {
    EXPECT_THROW(
        (void)distributed::sum(
            comm, x, {.summation = comm.rank() == 0 ? Summation::exact : Summation::canonical}),
        std::invalid_argument);
  }
  EXPECT_ANY_THROW((void)distributed::reduction_workspace<double>(
      comm, distributed::block_layout(comm.size() + 1, 5)));
  // And all is well again.
  EXPECT_EQ(distributed::sum(comm, Kokkos::View<double*, Exec>("zeros", 10), workspace).value, 0);
}

}  // namespace
