// SPDX-License-Identifier: BSD-3-Clause
#include <carroll/detail/device/emulated/space.hpp>
// Before all kernels.
#include <gtest/gtest.h>

#include <carroll/detail/eigh/divided/launch.hpp>
#include <carroll/detail/eigh/warp/launch.hpp>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "support/eigh/checks.hpp"
#include "support/eigh/hermitian_matrices.hpp"
#include "support/emulated_types.hpp"
#include "support/tolerance.hpp"

/// Hermitian matrices by warps whose lanes take turns on the host: `divided`, of which T, which is
/// real, is left to the host's teams, and `warp`.
namespace {

using namespace carroll::test;
using carroll::Status;
using carroll::detail::DividedReduceTeams;
using carroll::detail::DividedShape;
using carroll::detail::DividedStorage;
using carroll::detail::EighBatch;
using carroll::detail::EighFamily;
using carroll::detail::EighPlan;
using carroll::detail::EighWarpStorage;
using carroll::detail::EmulatedSpace;
using carroll::detail::ReduceWork;

using Host = Kokkos::DefaultHostExecutionSpace;

template <class Real>
using Hermitian = HostMatrix<Kokkos::complex<Real>>;

/// Matrices of one order, their workspace and results; of A what is not to be read is NaN.
template <class Real>
struct HermitianBatch {
  using T = Kokkos::complex<Real>;
  static constexpr Real nan = std::numeric_limits<Real>::quiet_NaN();

  int count, n;
  std::vector<T> A, V;
  std::vector<Real> W, reals;
  std::vector<EighInfo<Real>> infos;
  EighBatch<T> batch{};

  /// `by_rows`: in memory; `each`: numbers of workspace.
  HermitianBatch(std::vector<Hermitian<Real>> const& matrices, std::int64_t each, bool by_rows)
      : count(static_cast<int>(matrices.size())),
        n(matrices.front().rows),
        V(matrices.size() * matrices.front().data.size(), T(nan, nan)),
        W(matrices.size() * static_cast<std::size_t>(n), nan),
        infos(matrices.size()) {
    for (auto const& matrix : matrices)
      for (int j = 0; j < n; ++j)
        for (int i = 0; i < n; ++i) {
          int const row = by_rows ? j : i, column = by_rows ? i : j;
          T const x = matrix(row, column);
          A.push_back(row < column ? T(nan, nan) : row == column ? T(x.real(), nan) : x);
        }
    std::int64_t const order = n, size = order * order;
    batch.distance = each;
    reals.resize(matrices.size() * static_cast<std::size_t>(batch.distance) + 64, nan);
    void* room = reals.data();
    std::size_t bytes = reals.size() * sizeof(Real);
    batch.reals = static_cast<Real*>(std::align(128, bytes - 128, room, bytes));
    batch.triangle = carroll::Triangle::lower;
    batch.infos = infos.data();
    batch.info_stride = 1;
    batch.a.data = A.data();
    batch.w.data = W.data();
    batch.v.data = V.data();
    batch.a.extents = batch.v.extents = {count, n, n};
    batch.a.strides = batch.v.strides = {size, by_rows ? order : 1, by_rows ? 1 : order};
    batch.w.extents = {count, n, 1};
    batch.w.strides = {order, 1, 1};
  }

  [[nodiscard]] std::vector<HostEigh<T>> results() const {
    std::vector<HostEigh<T>> all;
    for (int b = 0; b < count; ++b) all.push_back(result(b));
    return all;
  }

 private:
  [[nodiscard]] HostEigh<T> result(int b) const {
    HostEigh<T> result;
    result.info = infos[static_cast<std::size_t>(b)];
    for (int j = 0; j < n; ++j) result.W.push_back(batch(b).w(j));
    if (!batch.v.data) return result;
    result.V = Hermitian<Real>(n, n);
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i) result.V(i, j) = batch(b).v(i, j);
    return result;
  }
};

/// With V = Q·S by `back`; the other parts as the library has them, but for the teams of reduce.
template <class Real, class Back>
std::vector<HostEigh<Kokkos::complex<Real>>> decompose(std::vector<Hermitian<Real>> const& matrices,
                                                       DividedReduceTeams const& teams,
                                                       bool by_rows, Back const& back) {
  HermitianBatch<Real> at(
      matrices, DividedStorage<Kokkos::complex<Real>>::reals_of(matrices.front().rows), by_rows);
  Host const host;
  carroll::detail::enqueue_divided_reduce(EmulatedSpace{}, at.batch, at.count, at.n, teams);
  carroll::detail::enqueue_divided_steps(host, tridiagonal_batch(at.batch), at.count, at.n);
  host.fence();
  back(at.batch, at.count, at.n);
  carroll::detail::enqueue_divided_finish(host, at.batch, at.count);
  host.fence();
  return at.results();
}
template <class Real>
std::vector<HostEigh<Kokkos::complex<Real>>> decompose(std::vector<Hermitian<Real>> const& matrices,
                                                       DividedReduceTeams const& teams = {0, 3,
                                                                                          0}) {
  return decompose(matrices, teams, false, [](auto const& batch, int count, int n) {
    carroll::detail::enqueue_divided_back(EmulatedSpace{}, batch, count, n);
  });
}

template <class Real>
std::vector<HostEigh<Kokkos::complex<Real>>> decompose_in_warps(
    std::vector<Hermitian<Real>> const& matrices, bool vectors = true, bool by_rows = false) {
  int const n = matrices.front().rows;
  // Rotations and entries of Q are read as wholes.
  std::int64_t const each =
      EighWarpStorage<Kokkos::complex<Real>>::reals(n, vectors) / 16 * 16 + 16;
  HermitianBatch<Real> at(matrices, each, by_rows);
  if (!vectors) at.batch.v.data = nullptr;
  carroll::detail::enqueue_eigh_warp(EmulatedSpace{}, at.batch,
                                     EighPlan::uniform(EighFamily::warp, {at.count, n}), {});
  return at.results();
}

template <class Real>
std::vector<Hermitian<Real>> all_types(int n, int step = 1, int first = 0) {
  Random random(41);
  std::vector<Hermitian<Real>> matrices;
  for (int type = first; type < symmetric_types; type += step)
    matrices.push_back(hermitian_matrix<Real>(random, static_cast<SymmetricType>(type), n));
  return matrices;
}

template <class Real>
class EmulatedHermitian : public ::testing::Test {};
using EmulatedHermitianPrecisions =
    carroll::test::EmulatedTypes<::testing::Types<float>, ::testing::Types<double>>;
TYPED_TEST_SUITE(EmulatedHermitian, EmulatedHermitianPrecisions);

TYPED_TEST(EmulatedHermitian, EveryTypeAndOrder) {
  for (int const n : {1, 2, 3, 5, 17, 32, 33, 65}) {
    int const step = n < 20 ? 1 : 4;
    auto const matrices = all_types<TypeParam>(n, step, n % step);
    auto const results = decompose(matrices);
    for (std::size_t b = 0; b < matrices.size(); ++b)
      EXPECT_EQ(what_is_wrong(matrices[b], results[b], n < 6), "") << n << ' ' << b;
  }
}

/// Whatever the team, its scratch, the shape of the warps that apply reflectors, and the layout.
TYPED_TEST(EmulatedHermitian, SameBitsInAnyTeam) {
  using Work = ReduceWork<Kokkos::complex<TypeParam>>;
  for (int const n : {2, 33, 70}) {
    auto const matrices = all_types<TypeParam>(n, 12, n % 12);
    auto const expected = decompose(matrices);
    auto const scratch = [&](bool parts, bool panel) {
      return static_cast<std::size_t>(Work::scratch_bytes(n, parts, panel));
    };
    auto const one_column = [](auto const& batch, int count, int order) {
      carroll::detail::enqueue_divided_back_warps<DividedShape<16, 2, 2, 1, 1, 2>>(
          EmulatedSpace{.processors = 100}, batch, count, order);
    };
    // The largest: in double precision without registers for reflectors.
    auto const many_rows = [](auto const& batch, int count, int order) {
      carroll::detail::enqueue_divided_back_warps<DividedShape<32, 4, 2, 1, 1, 2>>(
          EmulatedSpace{.processors = 3}, batch, count, order);
    };
    auto const compare = [&](auto const& results) {
      for (std::size_t b = 0; b < matrices.size(); ++b)
        EXPECT_TRUE(same_result(results[b], expected[b])) << n << ' ' << b;
    };
    compare(decompose(matrices, {0, 1, scratch(false, false)}));
    compare(decompose(matrices, {0, 2, scratch(true, false)}, true, one_column));
    compare(decompose(matrices, {0, 7, scratch(true, true)}, false, one_column));
    compare(decompose(matrices, {0, 3, 0}, n % 2 == 0, many_rows));
    EXPECT_TRUE(same_result(decompose<TypeParam>({matrices[0]})[0], expected[0])) << n;
  }
}

/// By columns in memory, where there are no warps or none that are large enough.
TYPED_TEST(EmulatedHermitian, ByColumnsInMemory) {
  for (int const n : {1, 4, 40}) {
    auto const matrices = all_types<TypeParam>(n, 5);
    auto const results =
        decompose(matrices, {0, 2, 0}, false, [](auto const& batch, int count, int order) {
          carroll::detail::enqueue_divided_back(Host{}, batch, count, order);
        });
    for (std::size_t b = 0; b < matrices.size(); ++b)
      EXPECT_EQ(what_is_wrong(matrices[b], results[b], n < 6), "") << n << ' ' << b;
  }
}

/// A diagonal of phases beside real couplings: nothing but the phases is to be turned.
TYPED_TEST(EmulatedHermitian, TridiagonalOnes) {
  Random random(42);
  for (int const n : {2, 3, 40}) {
    auto const S = symmetric_matrix<TypeParam>(random, SymmetricType::tridiagonal, n);
    auto const A = turned(random, S);
    auto const result = decompose<TypeParam>({A})[0];
    EXPECT_EQ(what_is_wrong(A, result, false), "") << n;
    EXPECT_LE(eigenvalue_error(S, result.W), ratio_bar) << n;
  }
}

TYPED_TEST(EmulatedHermitian, NonFiniteIsRefusedAndDisturbsNobody) {
  auto matrices = all_types<TypeParam>(37, 6);
  auto const before = decompose(matrices);
  matrices[1](36, 0).imag(std::numeric_limits<TypeParam>::quiet_NaN());
  matrices[2](5, 5) = -std::numeric_limits<TypeParam>::infinity();
  auto const after = decompose(matrices);
  for (std::size_t b = 0; b < matrices.size(); ++b)
    if (b == 1 || b == 2) {
      EXPECT_EQ(after[b].info.status, Status::non_finite);
      EXPECT_TRUE(all_nan(after[b].W) && all_nan(parts_of(after[b].V.data)));
    } else {
      EXPECT_TRUE(same_result(after[b], before[b])) << b;
    }
}

TYPED_TEST(EmulatedHermitian, EveryTypeAndOrderInWarps) {
  for (int const n : {1, 2, 3, 4, 5, 8, 9, 16, 17, 24, 25, 32}) {
    auto const matrices = all_types<TypeParam>(n);
    auto const results = decompose_in_warps(matrices);
    for (std::size_t b = 0; b < matrices.size(); ++b)
      EXPECT_EQ(what_is_wrong(matrices[b], results[b], n < 9), "") << n << ' ' << b;
  }
}

/// Values alone, by rows in memory, and alone.
TYPED_TEST(EmulatedHermitian, SameBitsInWarps) {
  for (int const n : {1, 4, 7, 12, 20, 31}) {
    auto const matrices = all_types<TypeParam>(n, 5);
    auto const results = decompose_in_warps(matrices);
    auto const values = decompose_in_warps(matrices, false);
    auto const by_rows = decompose_in_warps(matrices, true, true);
    for (std::size_t b = 0; b < matrices.size(); ++b) {
      EXPECT_TRUE(same_result(values[b], results[b])) << n << ' ' << b;
      EXPECT_TRUE(same_result(by_rows[b], results[b])) << n << ' ' << b;
    }
    EXPECT_TRUE(same_result(decompose_in_warps<TypeParam>({matrices[1]})[0], results[1])) << n;
  }
}

TYPED_TEST(EmulatedHermitian, StatusesInWarps) {
  using Limits = std::numeric_limits<TypeParam>;
  for (int const n : {2, 9, 16}) {
    auto matrices = all_types<TypeParam>(n, 3);
    auto const before = decompose_in_warps(matrices);
    matrices[1](n - 1, 0).imag(Limits::quiet_NaN());
    matrices[2](0, 0) = -Limits::infinity();
    for (auto& x : matrices[3].data) x = Limits::max();
    auto const after = decompose_in_warps(matrices);
    for (std::size_t b = 0; b < matrices.size(); ++b)
      if (b == 1 || b == 2) {
        EXPECT_EQ(after[b].info.status, Status::non_finite);
        EXPECT_TRUE(all_nan(after[b].W) && all_nan(parts_of(after[b].V.data)));
      } else if (b == 3) {
        EXPECT_EQ(after[b].info.status, Status::overflow);
        EXPECT_TRUE(all_finite(parts_of(after[b].V.data)));
      } else {
        EXPECT_TRUE(same_result(after[b], before[b])) << b;
      }
  }
}

}  // namespace
