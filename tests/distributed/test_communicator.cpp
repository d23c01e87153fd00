// Messages between ranks, and what happens when one of them cannot go on.
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <carroll/distributed/block_layout.hpp>
#include <carroll/distributed/communicator.hpp>
#include <cstdint>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "support/copy.hpp"

namespace {

using carroll::distributed::block_layout;
using carroll::distributed::BlockLayout;
using carroll::distributed::RankError;
using carroll::distributed::Transport;
using Exec = Kokkos::DefaultExecutionSpace;
using Communicator = carroll::distributed::Communicator<Exec>;
using Numbers = Kokkos::View<std::int64_t*, Exec>;

Communicator world() {
  return Communicator::duplicate_from_raw(MPI_COMM_WORLD);
}

/// first, first + 1, …
Numbers numbers(std::int64_t count, std::int64_t first) {
  Numbers const view("numbers", static_cast<std::size_t>(count));
  Kokkos::parallel_for(
      Kokkos::RangePolicy<Exec>(0, count), KOKKOS_LAMBDA(std::int64_t i) { view(i) = first + i; });
  return view;
}
std::vector<std::int64_t> on_host(Numbers const& view) {
  auto const copy = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
  return {copy.data(), copy.data() + copy.extent(0)};
}
std::vector<std::int64_t> counting(std::int64_t count, std::int64_t first) {
  std::vector<std::int64_t> result(static_cast<std::size_t>(count));
  std::iota(result.begin(), result.end(), first);
  return result;
}

TEST(BlockLayout, CutsWholeUnitsEvenly) {
  EXPECT_EQ(block_layout(3, 10).offsets, (std::vector<std::int64_t>{0, 4, 7, 10}));
  EXPECT_EQ(block_layout(4, 10, 4).offsets, (std::vector<std::int64_t>{0, 4, 8, 10, 10}));
  EXPECT_EQ(block_layout(2, 0).offsets, (std::vector<std::int64_t>{0, 0, 0}));
  EXPECT_EQ(block_layout(2, std::int64_t{1} << 62, 1024).offsets[1], std::int64_t{1} << 61);
  for (int ranks : {1, 2, 3, 7})
    for (std::int64_t length : {0, 1, 5, 1000, 4097}) {
      BlockLayout const layout = block_layout(ranks, length, 16);
      EXPECT_EQ(layout.ranks(), ranks);
      EXPECT_EQ(layout.length(), length);
      for (std::int64_t i = 0; i < length; i += 3) {
        int const owner = layout.owner(i);
        EXPECT_TRUE(layout.begin(owner) <= i && i < layout.end(owner));
      }
    }
  EXPECT_THROW((void)block_layout(0, 1), std::invalid_argument);
  EXPECT_THROW((void)block_layout(1, -1), std::invalid_argument);
  EXPECT_THROW((void)block_layout(1, 1, 0), std::invalid_argument);
}

TEST(Communicator, BroadcastsFromEveryRank) {
  auto const comm = world();
  for (int root = 0; root < comm.size(); ++root)
    for (std::int64_t count : {0, 1, 5, 3'000'000}) {
      auto const view = numbers(count, comm.rank() == root ? 100 * root : -1);
      comm.broadcast(view.data(), count, root);
      EXPECT_EQ(on_host(view), counting(count, 100 * root));
    }
}

TEST(Communicator, GathersAndScattersParts) {
  auto const comm = world();
  for (std::int64_t length : {0, 2, 1000}) {
    // Some ranks have nothing, the last most.
    BlockLayout layout;
    for (int r = 1; r < comm.size(); ++r) layout.offsets.push_back(length * r / (4 * comm.size()));
    layout.offsets.push_back(length);
    auto const counts = layout.counts();
    std::int64_t const mine = layout.count(comm.rank()), begin = layout.begin(comm.rank());

    auto const all = numbers(length, -5000);
    comm.all_gather_v(numbers(mine, begin).data(), all.data(), counts);
    EXPECT_EQ(on_host(all), counting(length, 0));
    auto const in_place = numbers(length, -5000);
    carroll::test::deep_copy(Kokkos::subview(in_place, std::pair(begin, begin + mine)),
                             numbers(mine, begin));
    comm.all_gather_v(in_place.data() + begin, in_place.data(), counts);
    EXPECT_EQ(on_host(in_place), counting(length, 0));

    for (int root : {0, comm.size() - 1}) {
      auto const there = numbers(length, -5000);
      comm.gather_v(numbers(mine, begin).data(), there.data(), counts, root);
      EXPECT_EQ(on_host(there), counting(length, comm.rank() == root ? 0 : -5000));
      auto const back = numbers(mine, -1);
      comm.scatter_v(numbers(length, comm.rank() == root ? 7 : -1).data(), back.data(), counts,
                     root);
      EXPECT_EQ(on_host(back), counting(mine, begin + 7));
    }
  }
  auto const all = numbers(3 * comm.size(), -1);
  comm.all_gather(numbers(3, 3 * comm.rank()).data(), all.data(), 3);
  EXPECT_EQ(on_host(all), counting(3 * comm.size(), 0));
}

TEST(Communicator, SendsRoundTheRing) {
  auto const comm = world();
  if (comm.size() == 1) GTEST_SKIP() << "a rank alone has nobody to send to";
  std::int64_t const count = 100'000;
  auto const mine = numbers(count, comm.rank());
  auto const got = numbers(count, -1);
  int const next = (comm.rank() + 1) % comm.size();
  int const before = (comm.rank() + comm.size() - 1) % comm.size();
  if (comm.rank() % 2 == 0) comm.send(mine.data(), count, next);
  comm.receive(got.data(), count, before);
  if (comm.rank() % 2 == 1) comm.send(mine.data(), count, next);
  EXPECT_EQ(on_host(got), counting(count, before));
}

TEST(Communicator, SplitsByColour) {
  auto const comm = world();
  auto const part = comm.split(comm.rank() % 2, -comm.rank());
  EXPECT_EQ(part.size(), (comm.size() + 1 - comm.rank() % 2) / 2);
  auto const ranks = part.all_gather_value(comm.rank());
  for (std::size_t k = 1; k < ranks.size(); ++k) EXPECT_EQ(ranks[k], ranks[k - 1] - 2);
  EXPECT_EQ(part.broadcast_value(comm.rank(), 0), ranks[0]);
}

TEST(Communicator, AnErrorOfOneRankIsThatOfAll) {
  auto const comm = world();
  for (int bad = 0; bad < comm.size(); ++bad) {
    auto const call = [&] {
      comm.agree("f", 7, [&] {
        if (comm.rank() >= bad) throw std::length_error("of " + std::to_string(comm.rank()));
      });
    };
    if (comm.rank() >= bad) {
      EXPECT_THROW(call(), std::length_error);
      continue;
    }
    try {
      call();
      ADD_FAILURE() << "nothing thrown";
    } catch (RankError const& error) {
      EXPECT_EQ(error.rank(), bad);
      EXPECT_EQ(std::string(error.what()),
                "f: rank " + std::to_string(bad) + ": of " + std::to_string(bad));
    }
  }
  comm.agree("f", 7, [] {});
}

TEST(Communicator, DifferentOptionsAreAnErrorOfAll) {
  auto const comm = world();
  auto const call = [&] { comm.agree("f", comm.rank() == 0 ? 1 : 2, [] {}); };
  if (comm.size() == 1)
    EXPECT_NO_THROW(call());
  else
    EXPECT_THROW(call(), std::invalid_argument);
}

TEST(Communicator, WhatCannotBeHadIsRefused) {
#ifndef CARROLL_HAVE_NCCL
  EXPECT_THROW((void)Communicator::duplicate_from_raw(MPI_COMM_WORLD, Exec(),
                                                      {.transport = Transport::nccl}),
               std::invalid_argument);
#endif
  EXPECT_EQ(Communicator::duplicate_from_raw(MPI_COMM_WORLD, Exec(), {.transport = Transport::mpi})
                .transport(),
            Transport::mpi);
}

}  // namespace
