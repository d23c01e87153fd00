// SPDX-License-Identifier: BSD-3-Clause
#include <carroll/detail/device/emulated/space.hpp>
// Before all kernels.
#include <gtest/gtest.h>

#include <algorithm>
#include <carroll/detail/determinant/row_panel/launch.hpp>
#include <limits>
#include <vector>

#include "support/determinant/drivers.hpp"
#include "support/tolerance.hpp"

/// The determinant's kernels of blocks, of which devices with warps have launches, on the host:
/// threads take turns, teams begin in descending order, and few of them run side by side.
namespace {

using namespace carroll::test;
using carroll::DeterminantInfo;
using carroll::Status;
using carroll::detail::DeterminantBatch;
using carroll::detail::EmulatedSpace;
using carroll::detail::RowPanelExtents;
using carroll::detail::RowPanelProgress;
using carroll::detail::RowPanelRecord;
using carroll::detail::RowPanelWorkspace;

template <class T>
struct Problem {
  std::vector<HostMatrix<T>> members;
  std::vector<T> entries;
  std::vector<DeterminantInfo<T>> infos;
  DeterminantBatch<T> batch;

  explicit Problem(std::vector<HostMatrix<T>> matrices)
      : members(std::move(matrices)), infos(members.size()) {
    int const n = members.front().rows;
    for (auto const& A : members)
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) entries.push_back(A(i, j));
    auto const count = static_cast<std::int64_t>(members.size());
    batch.n = n;
    batch.members = static_cast<int>(count);
    batch.source = {entries.data(), {count, n, n}, {std::int64_t{n} * n, n, 1}};
    batch.work = {entries.data(), {count, n, n}, {std::int64_t{n} * n, n, 1}};
    batch.infos = infos.data();
  }
};

/// Random ones, one that is singular after some steps, one with NaN, and one whose rows leave the
/// range in which they are safe.
template <class T>
std::vector<HostMatrix<T>> unlike_members(int n) {
  std::vector<HostMatrix<T>> members;
  for (std::uint64_t b = 0; b < 4; ++b) members.push_back(random_square<T>(n, 70 + b));
  for (int i = 0; i < n; ++i) members[1](i, n / 2) = 0;
  members[2](n - 1, 0) = std::numeric_limits<T>::quiet_NaN();
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      members[3](i, j) = carroll::detail::scale(members[3](i, j), (i * 37) % 80 - 40);
  return members;
}

template <class T>
void check(Problem<T> const& problem) {
  int const n = problem.batch.n;
  for (std::size_t b = 0; b < problem.members.size(); ++b) {
    SCOPED_TRACE("order " + std::to_string(n) + ", member " + std::to_string(b));
    auto const& info = problem.infos[b];
    if (b % 4 == 1) {
      EXPECT_EQ(info.status, Status::singular);
    } else if (b % 4 == 2) {
      EXPECT_EQ(info.status, Status::non_finite);
    } else {
      EXPECT_EQ(info.status, Status::success);
      EXPECT_LT(relative_error(info, quad_determinant_of(problem.members[b])),
                200.0 * n * n * epsilon<T>);
    }
  }
}

template <class T>
std::vector<DeterminantInfo<T>> by_one_team(int n, [[maybe_unused]] bool by_tiles = false) {
  Problem<T> problem(unlike_members<T>(n));
  if constexpr (sizeof(T) == 8)
    if (by_tiles) carroll::detail::enqueue_one_team_tiles(EmulatedSpace{}, problem.batch);
  if (!by_tiles)
    carroll::detail::enqueue_one_team(EmulatedSpace{}, problem.batch, n <= 64 ? 64 : 128);
  check(problem);
  return problem.infos;
}

/// The arrays of row panels that several teams share, as their workspace makes them.
template <class T>
struct Shared {
  RowPanelWorkspace<T> workspace;
  std::vector<RowPanelProgress<T>> progress;
  std::vector<RowPanelRecord> records;
  std::vector<T> scalars;
  std::vector<int> ints;
  std::vector<std::uint64_t> words;

  Shared(RowPanelExtents const& extents, int members, int teams_at_once) {
    workspace.extents = extents;
    workspace.teams_at_once = teams_at_once;
    auto const count = [&](std::int64_t each) { return static_cast<std::size_t>(members * each); };
    progress.resize(count(1));
    records.resize(count(extents.records));
    scalars.resize(count(workspace.scalars_per_member()), std::numeric_limits<T>::quiet_NaN());
    ints.resize(static_cast<std::size_t>(workspace.all_ints(members)));
    words.resize(count(workspace.words_per_member()));
    workspace.progress = progress.data();
    workspace.records = records.data();
    workspace.scalars = scalars.data();
    workspace.ints = ints.data();
    workspace.words = words.data();
  }
};

/// Matrices one after the other in the same workspace, whose counters each launch leaves as it has
/// found them, each by `teams` teams that run side by side, the leader with up to `columns`
/// columns.
template <class T>
std::vector<DeterminantInfo<T>> by_teams(std::vector<HostMatrix<T>> const& members, int teams,
                                         int columns) {
  std::vector<DeterminantInfo<T>> infos;
  Shared<T> shared(carroll::detail::leader_extents<T>(members.front().rows), 1, teams);
  for (auto const& A : members) {
    Problem<T> problem({A});
    carroll::detail::enqueue_with_leader(EmulatedSpace{.processors = teams, .resident = teams},
                                         problem.batch, shared.workspace, columns);
    infos.push_back(problem.infos[0]);
  }
  return infos;
}

template <class T>
void check_same(std::vector<DeterminantInfo<T>> const& a,
                std::vector<DeterminantInfo<T>> const& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t k = 0; k < a.size(); ++k) {
    EXPECT_EQ(a[k].status, b[k].status) << k;
    EXPECT_TRUE(a[k].status != Status::success || same_bits(a[k], b[k])) << k;
  }
}

TEST(EmulatedDeterminant, OneTeamAMatrix) {
  by_one_team<float>(40);
  by_one_team<double>(64);
  by_one_team<float>(100);
  by_one_team<double>(97, true);
}

// A leader and teams that have rows, which it and they wait for.
TEST(EmulatedDeterminant, LeaderAndFollowers) {
  check_same(by_one_team<double>(50), by_teams(unlike_members<double>(50), 2, 64));
  check_same(by_one_team<float>(70), by_teams(unlike_members<float>(70), 3, 128));
}

// Row panels of a ring, by tickets, before the leader takes over.
TEST(EmulatedDeterminant, RowPanelsByTicket) {
  auto members = unlike_members<double>(272);
  members.resize(2);
  Problem<double> problem(members);
  problem.infos = by_teams(members, 3, 256);
  check(problem);
}

}  // namespace
