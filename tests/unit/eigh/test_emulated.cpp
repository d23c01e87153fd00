// SPDX-License-Identifier: BSD-3-Clause
#include <carroll/detail/device/emulated/space.hpp>
// Before all kernels.
#include <gtest/gtest.h>

#include <algorithm>
#include <carroll/detail/eigh/warp/launch.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "support/eigh/checks.hpp"
#include "support/eigh/symmetric_matrices.hpp"
#include "support/emulated_types.hpp"
#include "support/tolerance.hpp"

/// Symmetric matrices in the registers of warps, on the host: lanes take turns.
namespace {

using namespace carroll::test;
using carroll::EighOptions;
using carroll::Status;
using carroll::detail::EighBatch;
using carroll::detail::EighFamily;
using carroll::detail::EighPlan;
using carroll::detail::EighSlot;
using carroll::detail::EighWarpStorage;
using carroll::detail::EmulatedSpace;

enum class Order { columns, rows };

/// The storage of members of any orders, each A, W, V behind the one before.
template <class Real>
struct Storage {
  static constexpr Real nan = std::numeric_limits<Real>::quiet_NaN();
  std::vector<carroll::EighMember> members;
  std::vector<Real> A, W, V, reals;
  std::vector<EighSlot> slots;
  std::vector<EighInfo<Real>> infos;
  EighBatch<Real> batch{};
  std::int64_t reals_each = 0;

  /// Of either triangle what is not to be read is NaN.
  Storage(std::vector<HostMatrix<Real>> const& matrices, bool vectors, Order order)
      : infos(matrices.size()) {
    std::vector<std::int64_t> orders;
    std::int64_t used = 0;
    for (auto const& matrix : matrices) {
      int const n = matrix.rows;
      orders.push_back(n);
      for (int j = 0; j < n; ++j)
        for (int i = 0; i < n; ++i)
          A.push_back((order == Order::columns) == (i < j) && i != j ? nan : matrix(i, j));
    }
    members = carroll::eigh_members(orders);
    for (auto const& member : members) {
      slots.push_back({member, used});
      // Rotations are read and written as pairs.
      reals_each = (EighWarpStorage<Real>::reals(member.n, vectors) + 15) / 16 * 16;
      used += reals_each;
    }
    W.resize(A.size() + 1, nan);
    V.resize(A.size() + 1, nan);
    reals.resize(static_cast<std::size_t>(used) + 16, nan);
    batch.triangle = carroll::Triangle::lower;
    batch.infos = infos.data();
    batch.info_stride = 1;
    void* room = reals.data();
    std::size_t bytes = reals.size() * sizeof(Real);
    batch.reals = static_cast<Real*>(std::align(64, bytes - 64, room, bytes));
    batch.a.data = A.data();
    batch.w.data = W.data();
    batch.v.data = vectors ? V.data() : nullptr;
  }

  void make_ragged() { batch.slots = slots.data(); }

  void make_uniform(Order order) {
    auto const count = static_cast<std::int64_t>(members.size()), n = members.front().n;
    std::ptrdiff_t const down = order == Order::columns ? 1 : n, across = n + 1 - down;
    batch.a.extents = batch.v.extents = {count, n, n};
    batch.a.strides = batch.v.strides = {n * n, down, across};
    batch.w.extents = {count, n, 1};
    batch.w.strides = {n, 1, 1};
    batch.distance = reals_each;
  }

  [[nodiscard]] std::vector<HostEigh<Real>> results(Order order) const {
    std::vector<HostEigh<Real>> all;
    for (std::size_t b = 0; b < members.size(); ++b) {
      auto const& member = members[b];
      int const n = static_cast<int>(member.n);
      HostEigh<Real> result;
      result.info = infos[b];
      result.W.assign(W.begin() + member.w, W.begin() + member.w + n);
      if (batch.v.data) {
        result.V = HostMatrix<Real>(n, n);
        for (int j = 0; j < n; ++j)
          for (int i = 0; i < n; ++i)
            result.V(i, j) = V[static_cast<std::size_t>(
                member.v + (order == Order::columns ? i + j * n : i * n + j))];
      }
      all.push_back(result);
    }
    return all;
  }
};

template <class Real>
std::vector<HostEigh<Real>> decompose(std::vector<HostMatrix<Real>> const& matrices,
                                      bool vectors = true, Order order = Order::columns,
                                      EighOptions const& options = {}) {
  Storage<Real> at(matrices, vectors, order);
  at.make_uniform(order);
  carroll::detail::enqueue_eigh_warp(
      EmulatedSpace{}, at.batch,
      EighPlan::uniform(EighFamily::warp, {static_cast<int>(matrices.size()), matrices[0].rows}),
      options);
  return at.results(order);
}

template <class Real>
std::vector<HostEigh<Real>> decompose_ragged(std::vector<HostMatrix<Real>> const& matrices) {
  Storage<Real> at(matrices, true, Order::columns);
  at.make_ragged();
  EighPlan plan;
  for (auto const& member : at.members) plan.add(EighFamily::warp, static_cast<int>(member.n));
  std::vector<int> const sorted = plan.sort();
  plan.set_sorted(sorted.data());
  carroll::detail::enqueue_eigh_warp(EmulatedSpace{}, at.batch, plan, {});
  return at.results(Order::columns);
}

/// One of every type, or of every `step`-th.
template <class Real>
std::vector<HostMatrix<Real>> all_types(int n, int step = 1) {
  Random random(21);
  std::vector<HostMatrix<Real>> matrices;
  for (int type = 0; type < symmetric_types; type += step)
    matrices.push_back(symmetric_matrix<Real>(random, static_cast<SymmetricType>(type), n));
  return matrices;
}

template <class Real>
class EmulatedEigh : public ::testing::Test {};
using Scalars = carroll::test::EmulatedTypes<::testing::Types<float>, ::testing::Types<double>>;
TYPED_TEST_SUITE(EmulatedEigh, Scalars);

TYPED_TEST(EmulatedEigh, EveryTypeAndOrder) {
  for (int const n : {1, 2, 3, 4, 5, 8, 9, 16, 17, 24, 25, 32}) {
    auto const matrices = all_types<TypeParam>(n);
    auto const results = decompose(matrices);
    for (std::size_t b = 0; b < matrices.size(); ++b)
      EXPECT_EQ(what_is_wrong(matrices[b], results[b], n < 17), "")
          << n << ' ' << to_string(static_cast<SymmetricType>(b));
    if (n == 1) {
      EXPECT_EQ(results[0].V(0, 0), 1);
    }
  }
}

TYPED_TEST(EmulatedEigh, SameBitsInAnyCompany) {
  for (int const n : {3, 7, 12, 20, 31}) {
    int const step = n < 10 ? 2 : 4;
    auto const matrices = all_types<TypeParam>(n, step);
    auto const results = decompose(matrices);
    auto const values = decompose(matrices, false);
    auto const by_rows = decompose(matrices, true, Order::rows);
    auto company = matrices;
    for (int const other : {0, n - 2, n + 1})
      company.insert(company.begin() + 1, all_types<TypeParam>(other, step)[0]);
    auto const ragged = decompose_ragged(company);
    for (std::size_t b = 0; b < matrices.size(); ++b) {
      SCOPED_TRACE(std::to_string(n) + ", member " + std::to_string(b));
      EXPECT_TRUE(same_result(values[b], results[b]));
      EXPECT_TRUE(same_result(by_rows[b], results[b]));
      EXPECT_TRUE(same_result(ragged[b == 0 ? 0 : b + 3], results[b]));
      if (b % 5 == 0) {
        EXPECT_TRUE(same_result(decompose<TypeParam>({matrices[b]})[0], results[b]));
      }
    }
  }
}

/// Steps that the second launch leaves over are taken by the third: here all of them.
TYPED_TEST(EmulatedEigh, LastLaunchTakesStepsThatAreLeft) {
  using Shape = carroll::detail::EighShape<8, 16, 16>;
  using Reduce = carroll::detail::EighWarpReduceKernel<EmulatedSpace, TypeParam, Shape, true>;
  using Vectors = carroll::detail::EighWarpVectorsKernel<EmulatedSpace, TypeParam, Shape, true>;
  auto const matrices = all_types<TypeParam>(7);
  auto const expected = decompose(matrices);
  Storage<TypeParam> at(matrices, true, Order::columns);
  at.make_uniform(Order::columns);
  int const count = static_cast<int>(matrices.size());
  auto const launch = [&]<class Kernel>(char const* label) {
    carroll::detail::launch_teams(
        label, EmulatedSpace{}, Kernel(at.batch, count, 30),
        {.count = (count + 3) / 4, .threads = 32, .scratch = Kernel::scratch_bytes() + 16});
  };
  launch.template operator()<Reduce>("reduce");
  using Messages = EighWarpStorage<TypeParam>;
  for (int b = 0; b < count; ++b) {
    int* const message = Messages(at.batch(b)).message;
    message[Messages::steps] = message[Messages::kept] = message[Messages::done] = 0;
  }
  launch.template operator()<Vectors>("vectors");
  auto const results = at.results(Order::columns);
  for (std::size_t b = 0; b < matrices.size(); ++b)
    EXPECT_TRUE(same_result(results[b], expected[b])) << b;
}

TYPED_TEST(EmulatedEigh, PowersOfTwoGoThrough) {
  for (int const n : {6, 27}) {
    auto const matrices = all_types<TypeParam>(n, 3);
    auto const expected = decompose(matrices);
    for (int const shift : {-60, 60}) {
      std::vector<HostMatrix<TypeParam>> scaled;
      for (auto const& A : matrices) scaled.push_back(scaled_by_power_of_two(A, shift));
      auto const results = decompose(scaled);
      for (std::size_t b = 0; b < matrices.size(); ++b) {
        EXPECT_TRUE(same_bits(results[b].V, expected[b].V));
        for (std::size_t k = 0; k < expected[b].W.size(); ++k)
          EXPECT_EQ(results[b].W[k], std::ldexp(expected[b].W[k], shift));
      }
    }
  }
}

TYPED_TEST(EmulatedEigh, StatusesAreTold) {
  using Limits = std::numeric_limits<TypeParam>;
  for (int const n : {2, 8, 24}) {
    auto matrices = all_types<TypeParam>(n);
    auto const before = decompose(matrices);
    matrices[1](n - 1, 0) = matrices[1](0, n - 1) = Limits::quiet_NaN();
    matrices[4](0, 0) = -Limits::infinity();
    for (TypeParam& x : matrices[5].data) x = Limits::max();
    auto const after = decompose(matrices);
    for (std::size_t b = 0; b < matrices.size(); ++b) {
      if (b == 1 || b == 4) {
        EXPECT_EQ(after[b].info.status, Status::non_finite);
        EXPECT_TRUE(all_nan(after[b].W) && all_nan(after[b].V.data));
      } else if (b == 5) {
        EXPECT_EQ(after[b].info.status, Status::overflow);
        EXPECT_TRUE(std::isinf(after[b].W.back()) && all_finite(after[b].V.data));
      } else {
        EXPECT_TRUE(same_result(after[b], before[b]));
      }
    }
  }
}

TYPED_TEST(EmulatedEigh, LimitOfSteps) {
  EighOptions options;
  options.max_sweeps = 1;
  Random random(22);
  std::vector<HostMatrix<TypeParam>> const matrices{
      symmetric_matrix<TypeParam>(random, SymmetricType::random, 20)};
  auto const result = decompose(matrices, true, Order::columns, options)[0];
  EXPECT_EQ(result.info.status, Status::not_converged);
  EXPECT_EQ(result.info.sweeps, 20);
  EXPECT_LE(eigh_ratios(matrices[0], result).orthogonality, ratio_bar);
}

}  // namespace
