// Rows dealt out in blocks: each has one place, and the way back leads to it.
#include <gtest/gtest.h>

#include <carroll/distributed/cyclic_layout.hpp>
#include <cstdint>
#include <stdexcept>
#include <vector>

namespace {

using carroll::distributed::cyclic_layout;
using carroll::distributed::CyclicLayout;

TEST(CyclicLayout, GivesEveryRowOnePlace) {
  for (std::int64_t n = 0; n <= 40; ++n)
    for (std::int64_t block : {1, 2, 3, 7, 16, 64})
      for (int ranks : {1, 2, 3, 5, 8}) {
        CyclicLayout const layout = cyclic_layout(n, block, ranks);
        std::vector<std::int64_t> next(static_cast<std::size_t>(ranks), 0);
        for (std::int64_t row = 0; row < n; ++row) {
          int const rank = layout.rank_of(row);
          ASSERT_GE(rank, 0);
          ASSERT_LT(rank, ranks);
          ASSERT_EQ(layout.local_row(row), next[static_cast<std::size_t>(rank)]++);
          ASSERT_EQ(layout.global_row(rank, layout.local_row(row)), row);
        }
        for (int rank = 0; rank < ranks; ++rank)
          ASSERT_EQ(layout.rows(rank), next[static_cast<std::size_t>(rank)]);
      }
}

TEST(CyclicLayout, CutsTheFirstBlockOff) {
  CyclicLayout const layout = cyclic_layout(10, 4, 2);
  EXPECT_EQ(layout.blocks(), 3);
  EXPECT_EQ(layout.end(0), 2);
  EXPECT_EQ(layout.begin(1), 2);
  EXPECT_EQ(layout.end(2), 10);
  EXPECT_EQ(layout.rows(0), 6);
  EXPECT_EQ(layout.rows(1), 4);
}

TEST(CyclicLayout, RefusesWhatMakesNoSense) {
  EXPECT_THROW((void)cyclic_layout(-1, 1, 1), std::invalid_argument);
  EXPECT_THROW((void)cyclic_layout(1, 0, 1), std::invalid_argument);
  EXPECT_THROW((void)cyclic_layout(1, 1, 0), std::invalid_argument);
}

}  // namespace
