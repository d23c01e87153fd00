// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <carroll/detail/eigh/dispatch.hpp>
#include <carroll/detail/eigh/divided/reduce/shares.hpp>
#include <cstddef>
#include <vector>

/// How `divided` shares the reduction of a matrix among teams.
namespace {

/// Teams of single tiles while all are side by side, then of blocks, then one for a matrix.
TEST(DividedReduceTeams, BySizeAndDevice) {
  using carroll::detail::divided_reduce_side;
  for (bool const blocks : {false, true}) {
    int const larger = blocks ? 2 : 1;
    EXPECT_EQ(divided_reduce_side(1, 128, 132, blocks), 0);
    EXPECT_EQ(divided_reduce_side(1, 129, 132, blocks), 1);
    EXPECT_EQ(divided_reduce_side(1, 512, 132, blocks), 1);
    EXPECT_EQ(divided_reduce_side(1, 512, 127, blocks), larger);
    EXPECT_EQ(divided_reduce_side(1, 1024, 132, blocks), larger);
    EXPECT_EQ(divided_reduce_side(1, 1024, 4, blocks), larger);
    EXPECT_EQ(divided_reduce_side(4, 512, 132, blocks), larger);
    EXPECT_EQ(divided_reduce_side(8, 512, 132, blocks), blocks ? 2 : 0);
    EXPECT_EQ(divided_reduce_side(5, 1024, 132, blocks), blocks ? 2 : 0);
    EXPECT_EQ(divided_reduce_side(8, 1024, 132, blocks), 0);
    EXPECT_EQ(divided_reduce_side(1000, 512, 132, blocks), 0);
    EXPECT_EQ(divided_reduce_side(1000000, 129, 132, blocks), 0);
  }
}

/// Every tile has one team, and every column the teams that its meeting expects.
template <int Side>
void check_shares(int across) {
  using Share = carroll::detail::ReduceShare<Side>;
  for (int begin = 0; begin < across; ++begin) {
    std::vector<int> owners(static_cast<std::size_t>(across * across));
    std::vector<int> teams(static_cast<std::size_t>(across + 1));
    for (int number = 0; number < Share::teams(across - begin); ++number) {
      Share const share(number, begin, across);
      for (int t = 0; t < share.tiles(); ++t) {
        int const I = share.group(share.slot_of_row(t)), J = share.group(share.slot_of_column(t));
        if (J >= begin) ++owners[static_cast<std::size_t>(I * across + J)];
      }
      for (int column = begin; column <= across; ++column)
        if (share.has_columns(column)) ++teams[static_cast<std::size_t>(column)];
    }
    for (int I = begin; I < across; ++I)
      for (int J = begin; J < across; ++J)
        EXPECT_EQ(owners[static_cast<std::size_t>(I * across + J)], J <= I ? 1 : 0);
    for (int column = begin; column <= across; ++column)
      EXPECT_EQ(teams[static_cast<std::size_t>(column)], Share::teams(across - column));
  }
}
TEST(DividedReduceTeams, ShareTheTriangle) {
  for (int across = 1; across <= 9; ++across) {
    check_shares<1>(across);
    check_shares<2>(across);
  }
}

}  // namespace
