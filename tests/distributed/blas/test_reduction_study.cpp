// Sums over ranks by a course's strategies: the right one, on the ranks that should have it, added
// in the order that the strategy says.
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <bit>
#include <carroll/distributed/blas/reduction_study.hpp>
#include <carroll/distributed/block_layout.hpp>
#include <cmath>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <vector>

#include "support/copy.hpp"

namespace {

namespace distributed = carroll::distributed;
using carroll::SumStrategy;
using Exec = Kokkos::DefaultExecutionSpace;
using Communicator = distributed::Communicator<Exec>;

/// Entries whose sums depend on their order.
template <class T>
Kokkos::View<T*, Exec> entries(std::int64_t begin, std::int64_t end) {
  Kokkos::View<T*, Exec> const x("x", static_cast<std::size_t>(end - begin));
  auto const host = Kokkos::create_mirror_view(x);
  for (std::int64_t i = begin; i < end; ++i)
    host(i - begin) = static_cast<T>(std::sin(3.0 * static_cast<double>(i)) * (1 + i % 97));
  carroll::test::deep_copy(x, host);
  return x;
}

/// What the ranks' sums become, one after the other.
template <class T>
T replayed(std::vector<T> sums, SumStrategy strategy) {
  std::size_t const size = sums.size();
  if (strategy == SumStrategy::one_collects)
    for (std::size_t r = 1; r < size; ++r) sums[0] += sums[r];
  if (strategy == SumStrategy::tree)
    for (std::size_t step = 1; step < size; step *= 2)
      for (std::size_t r = 0; r + step < size; r += 2 * step) sums[r] += sums[r + step];
  if (strategy == SumStrategy::tree_to_all) {
    std::size_t const paired = std::bit_floor(size);
    for (std::size_t r = paired; r < size; ++r) sums[r - paired] += sums[r];
    for (std::size_t step = 1; step < paired; step *= 2)
      for (std::size_t r = 0; r < paired; r += 2 * step) sums[r] += sums[r + step];
  }
  return sums[0];
}

template <class T>
class DistributedReductionStudy : public ::testing::Test {};
using Types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(DistributedReductionStudy, Types);

TYPED_TEST(DistributedReductionStudy, AddsInItsOrder) {
  using T = TypeParam;
  auto const comm = Communicator::duplicate_from_raw(MPI_COMM_WORLD);
  for (std::int64_t length : {0, 1, 3, 1000, 100'001}) {
    auto const layout = distributed::block_layout(comm.size(), length);
    auto const x = entries<T>(layout.begin(comm.rank()), layout.end(comm.rank()));
    auto const sums = comm.all_gather_value(carroll::sum(comm.exec(), x).value);
    for (auto strategy : {SumStrategy::one_collects, SumStrategy::tree, SumStrategy::tree_to_all}) {
      std::optional<T> const found = distributed::sum_by(comm, x, strategy);
      bool const here = comm.rank() == 0 || strategy == SumStrategy::tree_to_all;
      ASSERT_EQ(found.has_value(), here);
      if (!here) continue;
      EXPECT_EQ(*found, replayed(sums, strategy)) << length << ' ' << int(strategy);
    }
  }
}

TEST(DistributedReductionStudyMisuse, ThrowsOnAllRanks) {
  auto const comm = Communicator::duplicate_from_raw(MPI_COMM_WORLD);
  auto const x = entries<double>(0, 10);
  EXPECT_THROW((void)distributed::sum_by(comm, x, static_cast<SumStrategy>(7)),
               std::invalid_argument);
  if (comm.size() == 1) return;
  auto const own = comm.rank() == 0 ? SumStrategy::tree : SumStrategy::one_collects;
  EXPECT_THROW((void)distributed::sum_by(comm, x, own), std::invalid_argument);
  auto workspace = carroll::reduction_workspace<double>(
      comm.exec(), {.length = comm.rank() == comm.size() - 1 ? 9 : 10});
  auto const add = [&] { (void)distributed::sum_by(comm, x, SumStrategy::tree, workspace); };
  if (comm.rank() == comm.size() - 1) {
    EXPECT_THROW(add(), std::invalid_argument);
  } else {
    EXPECT_THROW(add(), distributed::RankError);
  }
}

}  // namespace
