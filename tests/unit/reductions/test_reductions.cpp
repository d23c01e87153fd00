// SPDX-License-Identifier: BSD-3-Clause
// Sums by the canonical tree, plain and compensated: its bits, wherever the numbers stand.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "unit/reductions/drawn_vectors.hpp"

namespace {

using namespace carroll::test;
using carroll::ReductionInfo;
using carroll::Summation;
using Left = Kokkos::LayoutLeft;
using Right = Kokkos::LayoutRight;

template <class T>
class Reductions : public ::testing::Test {};
TYPED_TEST_SUITE(Reductions, ReductionScalars);

/// All reductions and summations of a pair of Views, the infos one after the other as text.
template <class X, class Y>
std::vector<std::string> all_of(X const& x, Y const& y) {
  std::vector<std::string> infos;
  for_each_reduction([&](auto chosen) {
    for (Summation const summation : all_summations)
      infos.push_back(text_of(reduced<chosen()>(Exec(), x, y, summation)));
  });
  infos.push_back(text_of(carroll::dot(Exec(), x, y, {.conjugate = false})));
  return infos;
}

TYPED_TEST(Reductions, AreTheCanonicalTree) {
  using T = TypeParam;
  for (int const n : {0,   1,    2,    3,    31,   32,   33,   63,   64,    65,
                      127, 1023, 1024, 1025, 2047, 2048, 2049, 5000, 33000, 70001})
    for (int k = 0; k < int(vector_kinds.size()); ++k) {
      if (n > 3000 && k % 6 != n / 1000 % 6) continue;
      SCOPED_TRACE(std::to_string(n) + " " +
                   std::string(vector_kinds[static_cast<std::size_t>(k)]));
      DrawnVectors<T> const drawn(static_cast<VectorKind>(k), n, 1);
      PlacedVectors<T> const x({drawn.x}, Placement::rows(n)), y({drawn.y}, Placement::rows(n));
      auto const check = [&](auto chosen, bool conjugate) {
        HostReduction<chosen(), T> const host(drawn.x, drawn.y, conjugate);
        for (Summation const summation : {Summation::canonical, Summation::compensated}) {
          SCOPED_TRACE(std::string(name_of(chosen())) + " " + name_of(summation));
          expect_same(reduced<chosen()>(Exec(), x.member(0), y.member(0), summation, conjugate),
                      host.by_tree(summation));
        }
      };
      for_each_reduction([&](auto chosen) { check(chosen, true); });
      check(Chosen<Reduction::dot>(), false);
    }
}

/// On a device a warp adds several chunks of them; on a host a tenth says as much.
TYPED_TEST(Reductions, OfMillionsAreTheCanonicalTree) {
  using T = TypeParam;
  constexpr bool on_host =
      Kokkos::SpaceAccessibility<Kokkos::HostSpace, Exec::memory_space>::accessible;
  int const length = (sizeof(T) == 4 ? 40'000'003 : 9'000'001) / (on_host ? 20 : 1);
  std::vector<T> numbers(static_cast<std::size_t>(length));
  std::uint64_t state = 1;
  for (T& x : numbers) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    x = T(static_cast<RealOf<T>>(static_cast<double>(state >> 40U) - 0x1p23));
  }
  PlacedVectors<T> const x({numbers}, Placement::rows(length));
  HostReduction<Reduction::sum, T> const host(numbers, numbers);
  for (Summation const summation : {Summation::canonical, Summation::compensated}) {
    auto const info = carroll::sum(Exec(), x.member(0), {.summation = summation});
    SCOPED_TRACE(name_of(summation));
    expect_same(info, host.by_tree(summation));
  }
}

TYPED_TEST(Reductions, DoNotDependOnWhereNumbersStand) {
  using T = TypeParam;
  for (int const n : {1, 2, 63, 1025, 2049, 33000}) {
    SCOPED_TRACE(n);
    DrawnVectors<T> const drawn(VectorKind::graded, n, 2);
    auto const placed = [&](std::vector<T> const& v, Placement const& place) {
      return PlacedVectors<T>({v}, place);
    };
    auto const x = placed(drawn.x, Placement::rows(n)), y = placed(drawn.y, Placement::rows(n));
    auto const expected = all_of(x.template member_as<Right>(0), y.template member_as<Right>(0));
    EXPECT_EQ(all_of(x.template member_as<Left>(0), y.template member_as<Left>(0)), expected);
    for (int const stride : {1, 2, 7})
      for (int const offset : {0, 1, 3}) {
        SCOPED_TRACE(std::to_string(stride) + " from " + std::to_string(offset));
        auto const moved = placed(drawn.x, Placement::rows(n, stride, 0, offset));
        EXPECT_EQ(all_of(moved.member(0), y.member(0)), expected);
        if (stride == 1) {
          EXPECT_EQ(all_of(moved.template member_as<Right>(0), y.template member_as<Left>(0)),
                    expected);
        }
      }
  }
}

template <class T, class X, class Y>
void check_batch(X const& x, Y const& y, PlacedVectors<T> const& alone_x,
                 PlacedVectors<T> const& alone_y) {
  auto const members = static_cast<std::int64_t>(x.extent(0));
  auto const n = static_cast<std::int64_t>(x.extent(1));
  for (Summation const summation : all_summations) {
    auto workspace = carroll::reduction_workspace<T>(Exec(), {.length = n, .batch = members},
                                                     {.summation = summation});
    for_each_reduction([&](auto chosen) {
      auto const plain = reduced<chosen()>(Exec(), x, y, summation);
      auto const with = reduced<chosen()>(Exec(), x, y, workspace);
      ASSERT_EQ(plain.size(), x.extent(0));
      ASSERT_EQ(with.size(), x.extent(0));
      for (std::size_t b = 0; b < plain.size(); ++b) {
        SCOPED_TRACE(std::string(name_of(chosen())) + " " + name_of(summation) + " " +
                     std::to_string(b));
        expect_same(with[b], plain[b]);
        if (b < 30)
          expect_same(plain[b],
                      reduced<chosen()>(Exec(), alone_x.member(b), alone_y.member(b), summation));
      }
    });
  }
}

TYPED_TEST(Reductions, OfBatchesAreThoseOfTheirMembers) {
  using T = TypeParam;
  for (auto const& [members, n] : {std::pair{0, 9},
                                   {3, 0},
                                   {1, 5000},
                                   {14, 1},
                                   {14, 40},
                                   {9, 1025},
                                   {14, 5000},
                                   {3, 33000},
                                   {1100, 3}}) {
    SCOPED_TRACE(std::to_string(members) + " of " + std::to_string(n));
    DrawnBatch<T> const drawn(members, n, 3);
    auto const placed = [&](Placement const& place) {
      return std::pair{PlacedVectors<T>(drawn.x, place), PlacedVectors<T>(drawn.y, place)};
    };
    auto const [x, y] = placed(Placement::rows(n));
    check_batch<T>(x.template batch_as<Right>(), y.template batch_as<Right>(), x, y);
    auto const [left_x, left_y] = placed(Placement::columns(members));
    check_batch<T>(left_x.template batch_as<Left>(), left_y.template batch_as<Left>(), x, y);
    auto const [far_x, far_y] = placed(Placement::rows(n, 2, 5, 1));
    check_batch<T>(far_x.batch(), y.batch(), x, y);
  }
}

TYPED_TEST(Reductions, WorkspacesServeAllOfThemAgainAndAgain) {
  using T = TypeParam;
  for (int const n : {0, 100, 5000, 70001})
    for (Summation const summation : all_summations) {
      SCOPED_TRACE(std::to_string(n) + " " + name_of(summation));
      auto workspace =
          carroll::reduction_workspace<T>(Exec(), {.length = n}, {.summation = summation});
      auto copy = workspace;
      for (std::uint64_t seed = 0; seed < 2; ++seed) {
        DrawnVectors<T> const drawn(VectorKind::wide, n, seed);
        PlacedVectors<T> const x({drawn.x}, Placement::rows(n)), y({drawn.y}, Placement::rows(n));
        for_each_reduction([&](auto chosen) {
          SCOPED_TRACE(name_of(chosen()));
          auto const expected = reduced<chosen()>(Exec(), x.member(0), y.member(0), summation);
          expect_same(reduced<chosen()>(Exec(), x.member(0), y.member(0), workspace), expected);
          expect_same(reduced<chosen()>(Exec(), x.member(0), y.member(0), copy), expected);
          // A batch of one is a batch.
          auto const infos = reduced<chosen()>(Exec(), x.batch(), y.batch(), workspace);
          ASSERT_EQ(infos.size(), 1U);
          expect_same(infos[0], expected);
        });
      }
    }
}

TYPED_TEST(Reductions, LeaveInfosOnTheDevice) {
  using T = TypeParam;
  constexpr int members = 5, n = 9000;
  DrawnBatch<T> const drawn(members, n, 4);
  PlacedVectors<T> const x(drawn.x, Placement::rows(n)), y(drawn.y, Placement::rows(n));
  for (Summation const summation : all_summations) {
    auto workspace = carroll::reduction_workspace<T>(Exec(), {.length = n, .batch = members},
                                                     {.summation = summation});
    auto one = carroll::reduction_workspace<T>(Exec(), {.length = n}, {.summation = summation});
    for_each_reduction([&](auto chosen) {
      SCOPED_TRACE(std::string(name_of(chosen())) + " " + name_of(summation));
      using Info = ReductionInfo<ReductionValue<chosen(), T>>;
      auto const expected = reduced<chosen()>(Exec(), x.batch(), y.batch(), summation);
      // Every second place, and what is between stays as it is.
      Kokkos::View<Info**, Right, Memory> const infos("carroll_test::infos", members, 2);
      reduced_async<chosen()>(Exec(), x.batch(), y.batch(),
                              Kokkos::subview(infos, Kokkos::ALL(), 1), workspace);
      Kokkos::View<Info, Memory> const info("carroll_test::info");
      reduced_async<chosen()>(Exec(), x.member(2), y.member(2), info, one);
      auto const found = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), infos);
      for (std::size_t b = 0; b < members; ++b) {
        expect_same(found(b, 0), Info());
        expect_same(found(b, 1), expected[b]);
      }
      auto const alone = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), info);
      expect_same(alone(), expected[2]);
    });
  }
}

}  // namespace
