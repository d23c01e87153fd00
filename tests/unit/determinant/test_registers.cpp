// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <carroll/detail/determinant/warp/solver.hpp>
#include <carroll/detail/determinant/warp/thread.hpp>
#include <carroll/detail/device/emulated/turns.hpp>
#include <limits>

#include "support/determinant/drivers.hpp"
#include "support/tolerance.hpp"

/// The solvers in registers, of which devices have kernels, on the host: lanes take turns, and what
/// they tell one another goes through memory.
namespace {

using namespace carroll::test;
using carroll::DeterminantInfo;
using carroll::Status;
using carroll::detail::DeterminantBatch;
using carroll::detail::DeviceWarp;
using carroll::detail::EmulatedTurns;
using carroll::detail::EntryAccess;
using carroll::detail::RegisterChunk;
using carroll::detail::RegisterShape;
using carroll::detail::RegisterSolver;
using carroll::detail::RegisterThreadSolver;

/// Matrices of order n one after the other, by rows or by columns.
template <class T>
struct Packed {
  std::vector<HostMatrix<T>> members;
  std::vector<T> entries;
  std::vector<DeterminantInfo<T>> infos;
  DeterminantBatch<T> batch;

  Packed(std::vector<HostMatrix<T>> matrices, int n, bool by_cols)
      : members(std::move(matrices)), infos(members.size()) {
    for (auto const& A : members)
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) entries.push_back(by_cols ? A(j, i) : A(i, j));
    auto const count = static_cast<std::int64_t>(members.size());
    batch.n = n;
    batch.members = static_cast<int>(count);
    batch.source = {entries.data(), {count, n, n}, {n * n, by_cols ? 1 : n, by_cols ? n : 1}};
    batch.infos = infos.data();
  }
};

/// `at_most`: members of a call.
template <class T, class... Shapes>
void run_in_groups(Packed<T>& packed, EntryAccess access, int at_most) {
  using Solver = RegisterSolver<DeviceWarp, Shapes...>;
  std::vector<RegisterChunk<T>> scratch(Solver::scratch_bytes() / sizeof(RegisterChunk<T>));
  EmulatedTurns turns;
  int const step = std::clamp(at_most, int{Solver::least_matrices}, int{Solver::matrices});
  for (int first = 0; first < packed.batch.members; first += step) {
    int const end = std::min(first + step, packed.batch.members);
    turns.run([&](int lane) {
      Solver(DeviceWarp{lane}, packed.batch, access, scratch.data()).solve(first, end);
    });
  }
}

template <class T>
std::vector<HostMatrix<T>> unlike_members(int n) {
  using Limits = std::numeric_limits<T>;
  std::vector<HostMatrix<T>> members;
  for (std::uint64_t b = 0; b < 9; ++b) members.push_back(random_square<T>(n, 50 + b));
  for (int i = 0; i < n; ++i) {
    members[1](i, n / 2) = 0;
    for (int j = 0; j < n; ++j) {
      members[2](i, j) = j == (i + 1) % n ? T(-3) : T(0);
      members[3](i, j) = carroll::detail::scale(members[3](i, j), j % 2 == 0 ? -60 : 60);
      members[4](i, j) = carroll::detail::scale(members[4](i, j), (i * 37) % 160 - 80);
    }
  }
  members[5](n - 1, 0) = Limits::quiet_NaN();
  for (int j = 0; j < n; ++j) {
    members[6](0, j) = carroll::detail::scale(members[6](0, j), Limits::max_exponent - 4);
    members[6](n - 1, j) = carroll::detail::scale(members[6](n - 1, j), Limits::min_exponent - 6);
    members[7](n / 3, j) =
        carroll::detail::scale(members[7](n / 3, j), Limits::min_exponent - Limits::digits / 2 - 4);
  }
  return members;
}

template <class T>
void check(Packed<T> const& packed, char const* what) {
  int const n = packed.batch.n;
  for (std::size_t b = 0; b < packed.members.size(); ++b) {
    auto const& info = packed.infos[b];
    SCOPED_TRACE(std::string(what) + ", order " + std::to_string(n) + ", member " +
                 std::to_string(b));
    if (b == 1) {
      EXPECT_EQ(info.status, Status::singular);
      EXPECT_TRUE(info.value.is_zero());
    } else if (b == 5) {
      EXPECT_EQ(info.status, Status::non_finite);
      EXPECT_TRUE(info.value.is_nan());
    } else {
      EXPECT_EQ(info.status, Status::success);
      EXPECT_GE(info.growth, 1);
      EXPECT_LT(relative_error(info, quad_determinant_of(packed.members[b])),
                200.0 * n * n * epsilon<T>);
    }
  }
}

template <class T, class... Shapes>
void check_groups(std::initializer_list<int> orders) {
  for (int const n : orders) {
    std::vector<DeterminantInfo<T>> first;
    auto const as_first = [&](Packed<T> const& packed) {
      for (std::size_t b = 0; b < first.size(); ++b)
        EXPECT_TRUE(same_bits(first[b], packed.infos[b])) << n << ' ' << b;
    };
    for (bool const by_cols : {false, true}) {
      Packed<T> packed(unlike_members<T>(n), n, by_cols);
      EntryAccess const access = carroll::detail::entry_access(packed.batch);
      run_in_groups<T, Shapes...>(packed, access, 32);
      check(packed, by_cols ? "by columns" : "by rows");
      if (!by_cols) first = packed.infos;
      as_first(packed);
      if (access != EntryAccess::single) {
        run_in_groups<T, Shapes...>(packed, EntryAccess::single, 32);
        as_first(packed);
      }
      if (sizeof...(Shapes) == 1) continue;
      run_in_groups<T, Shapes...>(packed, access, 1);
      as_first(packed);
    }
  }
}

template <class T, int Width, int Cols>
using Shape = RegisterShape<T, Width, Cols>;

TEST(DeterminantRegisters, InGroupsOfLanes) {
  check_groups<float, Shape<float, 8, 3>>({21, 24});
  check_groups<float, Shape<float, 8, 4>>({26, 29, 32});
  check_groups<double, Shape<double, 4, 3>>({10, 12});
  check_groups<double, Shape<double, 16, 2>>({27, 32});
}

TEST(DeterminantRegisters, InStages) {
  check_groups<float, Shape<float, 4, 4>, Shape<float, 1, 8>>({13, 16});
  check_groups<float, Shape<float, 8, 3>, Shape<float, 4, 4>>({17, 21, 24});
  check_groups<float, Shape<float, 8, 4>, Shape<float, 4, 4>>({25, 32});
  check_groups<float, Shape<float, 8, 3>, Shape<float, 4, 4>, Shape<float, 1, 8>>({19, 24});
  check_groups<double, Shape<double, 8, 2>, Shape<double, 1, 8>>({13, 16});
  check_groups<double, Shape<double, 8, 2>, Shape<double, 2, 4>>({13, 14, 16});
  check_groups<double, Shape<double, 8, 3>, Shape<double, 2, 4>>({18, 24});
  check_groups<double, Shape<double, 16, 2>, Shape<double, 4, 4>>({25, 29, 32});
}

template <class T, int N>
void check_threads() {
  Packed<T> packed(unlike_members<T>(N), N, false);
  for (int b = 0; b < packed.batch.members; ++b) {
    auto const A = packed.batch.source_of(b);
    T a[N][N];
    for (int i = 0; i < N; ++i)
      for (int j = 0; j < N; ++j) a[i][j] = A(i, j);
    packed.batch.info_of(b) = RegisterThreadSolver<T, N>::solve(A, a);
  }
  check(packed, "a thread");
}

TEST(DeterminantRegisters, InOneThread) {
  check_threads<float, 4>();
  check_threads<float, 5>();
  check_threads<float, 8>();
  check_threads<double, 4>();
  check_threads<double, 7>();
  check_threads<double, 8>();
}

}  // namespace
