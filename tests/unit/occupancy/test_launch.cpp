// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/occupancy/launch.hpp>
#include <stdexcept>
#include <vector>

namespace {

using ExecSpace = Kokkos::DefaultExecutionSpace;
using Policy = Kokkos::TeamPolicy<ExecSpace>;

/// x(i) = 2i for the members of a team, through scratch.
class Doubling {
 public:
  explicit Doubling(Kokkos::View<int*, ExecSpace> const& x) : x_(x) {}
  KOKKOS_FUNCTION void operator()(Policy::member_type const& team) const {
    Scratch const copy(team.team_scratch(0), width);
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, width), [&](int i) { copy(i) = 2 * i; });
    team.team_barrier();
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, width),
                         [&](int i) { x_(team.league_rank() * width + i) = copy(i); });
  }
  static constexpr int width = 48;
  using Scratch = Kokkos::View<int*, ExecSpace::scratch_memory_space, Kokkos::MemoryUnmanaged>;

 private:
  Kokkos::View<int*, ExecSpace> x_;
};

constexpr int league = 5;

Policy policy_of(int team_size) {
  auto const bytes = Kokkos::PerTeam(Doubling::Scratch::shmem_size(Doubling::width));
  Policy policy = team_size > 0 ? Policy(ExecSpace(), league, team_size)
                                : Policy(ExecSpace(), league, Kokkos::AUTO);
  return policy.set_scratch_size(0, bytes);
}

TEST(LaunchShape, IsThatOfTheLaunch) {
  Doubling const functor(Kokkos::View<int*, ExecSpace>("x", league * Doubling::width));
  auto const shape = carroll::launch_shape(functor, policy_of(1));
  EXPECT_EQ(shape.space, ExecSpace::name());
  EXPECT_EQ(shape.league_size, league);
  EXPECT_EQ(shape.team_size, 1);
  EXPECT_GE(shape.vector_length, 1);
  EXPECT_GE(shape.team_size_recommended, 1);
  EXPECT_GE(shape.team_size_max, shape.team_size_recommended);
  EXPECT_GE(shape.scratch_bytes, 4 * Doubling::width);
  auto const left_to_kokkos = carroll::launch_shape(functor, policy_of(0));
  EXPECT_GE(left_to_kokkos.team_size, 1);
  EXPECT_LE(left_to_kokkos.team_size, left_to_kokkos.team_size_max);
#ifdef KOKKOS_ENABLE_CUDA
  ASSERT_TRUE(shape.registers_per_thread && shape.capability && shape.occupancy);
  EXPECT_GT(*shape.registers_per_thread, 0);
  EXPECT_GT(shape.occupancy->blocks, 0);
#else
  // A host's cores have no warps to choose from.
  EXPECT_FALSE(shape.registers_per_thread || shape.capability || shape.occupancy);
#endif
}

TEST(LaunchShape, TimesAreSortedAndResultsAreRight) {
  Kokkos::View<int*, ExecSpace> const x("x", league * Doubling::width);
  auto const times =
      carroll::measure_team_sizes(Doubling(x), policy_of(0), {.team_sizes = {}, .repetitions = 2});
  ASSERT_FALSE(times.empty());
  EXPECT_TRUE(std::ranges::is_sorted(times, {}, &carroll::TeamSizeTime::seconds));
  for (auto const& time : times) {
    EXPECT_GE(time.seconds, 0);
    EXPECT_GE(time.team_size, 1);
  }
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), x);
  for (int i = 0; i < league * Doubling::width; ++i) EXPECT_EQ(host(i), 2 * (i % Doubling::width));
  auto const one =
      carroll::measure_team_sizes(Doubling(x), policy_of(0), {.team_sizes = {1}, .repetitions = 1});
  ASSERT_EQ(one.size(), 1U);
  EXPECT_EQ(one[0].team_size, 1);
}

TEST(LaunchShape, MisuseThrows) {
  Doubling const functor(Kokkos::View<int*, ExecSpace>("x", league * Doubling::width));
  auto const measure = [&](std::vector<int> const& sizes, int repetitions) {
    static_cast<void>(carroll::measure_team_sizes(functor, policy_of(0), {sizes, repetitions}));
  };
  EXPECT_THROW(measure({}, 0), std::invalid_argument);
  EXPECT_THROW(measure({0}, 1), std::invalid_argument);
  EXPECT_THROW(measure({1 << 20}, 1), std::invalid_argument);
}

}  // namespace
