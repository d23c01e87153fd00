// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <carroll/detail/eigh/vendor/launch.hpp>
#include <carroll/eigh.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "eigh_instances.hpp"
#include "support/eigh/checks.hpp"
#include "support/eigh/stored_batch.hpp"
#include "support/eigh/symmetric_matrices.hpp"

/// What Carroll does before and behind a vendor's solver, on the host, with a solver of the tests.
namespace {

using namespace carroll::test;
using carroll::Status;
using carroll::detail::EigensolverBuffers;
using carroll::detail::EigensolverBytes;
using carroll::detail::EigensolverCall;
using carroll::detail::EighPlan;
using carroll::detail::EighVendor;
using carroll::detail::runs_of_equal_order;
using Exec = Kokkos::DefaultExecutionSpace;

/// What solvers were asked, and are to say.
struct Script {
  std::vector<EigensolverCall> calls;
  std::size_t bytes_each = 1000;                                  ///< that a matrix needs
  double complain_of = std::numeric_limits<double>::quiet_NaN();  ///< first entries of a matrix
};
Script script;

/// The interface of carroll::detail::Eigensolver. It soils all that it is lent.
template <class Real>
class ScriptedSolver {
 public:
  using execution_space = Exec;
  using scalar_type = Real;

  explicit ScriptedSolver(Exec const&) {}

  [[nodiscard]] EigensolverBytes bytes(EigensolverCall const& call) const {
    return {script.bytes_each * static_cast<std::size_t>(call.count),
            static_cast<std::size_t>(call.n)};
  }
  void solve(Exec const& exec, EigensolverCall const& call, Real* A, Real* W, int* infos,
             EigensolverBuffers const& lent) const {
    auto const [wanted, host] = bytes(call);
    EXPECT_EQ(lent.bytes.device, wanted);
    EXPECT_EQ(lent.bytes.host, host);
    for (void const* const data : {static_cast<void const*>(A), static_cast<void const*>(W),
                                   static_cast<void const*>(lent.device)})
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(data) % 512, 0U);
    std::memset(lent.device, 0xff, lent.bytes.device);
    std::memset(lent.host, 0xff, lent.bytes.host);
    script.calls.push_back(call);
    for (int k = 0; k < call.count; ++k) infos[k] = solve_one(exec, call, A, W, k);
  }

 private:
  /// Squares of what is beside the diagonal are 0 or normal numbers.
  static bool is_usable(Real x, bool diagonal) {
    return std::abs(x) <= 1 && (diagonal || x == 0 || std::isnormal(x * x));
  }
  static int solve_one(Exec const& exec, EigensolverCall const& call, Real* matrices, Real* values,
                       int k) {
    auto const n = static_cast<std::size_t>(call.n);
    using Matrix = Kokkos::View<Real**, Kokkos::LayoutLeft, Exec, Kokkos::MemoryUnmanaged>;
    Matrix const A(matrices + static_cast<std::size_t>(k) * n * n, n, n);
    Kokkos::View<Real*, Exec, Kokkos::MemoryUnmanaged> const W(
        values + static_cast<std::size_t>(k) * n, n);
    if (A(0, 0) == script.complain_of) {
      Kokkos::deep_copy(A, std::numeric_limits<Real>::quiet_NaN());
      Kokkos::deep_copy(W, std::numeric_limits<Real>::quiet_NaN());
      return 7;
    }
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t i = 0; i < n; ++i)
        EXPECT_TRUE(is_usable(A(i, j), i == j) && A(i, j) == A(j, i)) << i << ' ' << j;
    Kokkos::View<Real**, Kokkos::LayoutLeft, Exec> const V("V", n, n);
    carroll::EighOptions options;
    options.path = carroll::EighPath::team;
    EXPECT_EQ(carroll::eigh(exec, A, W, V, options).status, Status::success);
    Kokkos::deep_copy(A, std::numeric_limits<Real>::quiet_NaN());
    if (call.vectors) Kokkos::deep_copy(A, V);
    return 0;
  }
};

/// As a workspace and a call do.
template <class Real>
struct Decomposed {
  std::vector<HostEigh<Real>> results;
  std::vector<carroll::detail::EighChunk<Real>> chunks;
};

template <class Real>
Decomposed<Real> decompose(std::vector<HostMatrix<Real>> const& matrices, bool vectors = true,
                           bool ragged = false, std::size_t room = std::size_t{1} << 40) {
  Exec const exec;
  Order const order = ragged ? Order::columns : Order::rows;
  StoredBatch<Real> at(matrices, vectors, order, [](std::int64_t) { return 0; });
  EighPlan plan;
  for (auto const& A : matrices) plan.add(carroll::detail::EighFamily::vendor, A.rows);
  auto const sorted = plan.sort();
  if (ragged)
    at.make_ragged();
  else
    at.make_uniform(order);
  auto const runs = runs_of_equal_order(static_cast<int>(matrices.size()), [&](int k) {
    return matrices[static_cast<std::size_t>(sorted[static_cast<std::size_t>(k)])].rows;
  });
  script.calls.clear();
  EighVendor<ScriptedSolver<Real>> const vendor(exec, runs, vectors, room);
  EXPECT_GT(vendor.bytes(), 0U);
  vendor.enqueue(exec, at.batch, ragged ? sorted.data() : nullptr);
  exec.fence();
  return {at.results(order), vendor.chunks()};
}

template <class Real>
class EighVendorParts : public ::testing::Test {
 protected:
  void SetUp() override { script = {}; }
};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(EighVendorParts, Scalars);

template <class Real>
std::vector<HostMatrix<Real>> random_matrices(std::vector<int> const& orders) {
  Random random(31);
  std::vector<HostMatrix<Real>> matrices;
  for (int const n : orders)
    matrices.push_back(symmetric_matrix<Real>(random, SymmetricType::random, n));
  return matrices;
}

TYPED_TEST(EighVendorParts, UniformBatch) {
  auto matrices = random_matrices<TypeParam>(std::vector<int>(5, 34));
  matrices[1] = scaled_by_power_of_two(matrices[1], 90);
  auto const [results, chunks] = decompose(matrices);
  ASSERT_EQ(chunks.size(), 1U);
  ASSERT_EQ(script.calls.size(), 1U);
  EXPECT_EQ(script.calls[0].count, 5);
  for (std::size_t b = 0; b < matrices.size(); ++b) {
    EXPECT_EQ(what_is_wrong(matrices[b], results[b], true), "") << b;
    EXPECT_TRUE(results[b].info.vendor);
    EXPECT_EQ(results[b].info.sweeps, 0);
    EXPECT_EQ(results[b].info.rank, 34);
  }
  auto const values = decompose(matrices, false).results;
  EXPECT_FALSE(script.calls[0].vectors);
  for (std::size_t b = 0; b < matrices.size(); ++b)
    EXPECT_TRUE(same_result(values[b], results[b])) << b;
}

/// One that is alone has a companion, so that the library takes the same way.
TYPED_TEST(EighVendorParts, SameBitsAlone) {
  auto const matrices = random_matrices<TypeParam>(std::vector<int>(3, 40));
  auto const together = decompose(matrices).results;
  for (std::size_t b = 0; b < matrices.size(); ++b) {
    auto const alone = decompose<TypeParam>({matrices[b]}).results;
    EXPECT_EQ(script.calls[0].count, 2);
    EXPECT_TRUE(same_result(alone[0], together[b])) << b;
  }
}

TYPED_TEST(EighVendorParts, BeyondABatchOneByOne) {
  int const n = carroll::detail::most_vendor_batch<TypeParam> + 1;
  auto const matrices = random_matrices<TypeParam>({n, n});
  auto const [results, chunks] = decompose(matrices);
  EXPECT_EQ(chunks.size(), 1U);
  ASSERT_EQ(script.calls.size(), 2U);
  for (std::size_t b = 0; b < 2; ++b) {
    EXPECT_EQ(script.calls[b].count, 1);
    EXPECT_EQ(what_is_wrong(matrices[b], results[b], false), "") << b;
  }
  auto const alone = decompose<TypeParam>({matrices[1]}).results;
  EXPECT_TRUE(same_result(alone[0], results[1]));
}

/// Equal orders go together, in the order in which they came.
TYPED_TEST(EighVendorParts, RaggedBatch) {
  auto const matrices = random_matrices<TypeParam>({40, 33, 40, 36, 33, 33});
  auto const results = decompose(matrices, true, true).results;
  ASSERT_EQ(script.calls.size(), 3U);
  int const wanted[][2] = {{33, 3}, {36, 2}, {40, 2}};
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_EQ(script.calls[k].n, wanted[k][0]);
    EXPECT_EQ(script.calls[k].count, wanted[k][1]);
  }
  for (std::size_t b = 0; b < matrices.size(); ++b) {
    EXPECT_EQ(what_is_wrong(matrices[b], results[b], true), "") << b;
    EXPECT_TRUE(same_result(decompose<TypeParam>({matrices[b]}).results[0], results[b])) << b;
  }
}

/// Chunks of sizes that differ by one at most, each within the memory that there is.
TYPED_TEST(EighVendorParts, LittleMemory) {
  auto const matrices = random_matrices<TypeParam>(std::vector<int>(7, 33));
  script.bytes_each = 1 << 20;
  std::size_t const room = (3 << 20) + (1 << 19);
  auto const [results, chunks] = decompose(matrices, true, false, room);
  ASSERT_EQ(chunks.size(), 3U);
  int const members[] = {3, 2, 2}, first[] = {0, 3, 5};
  for (std::size_t c = 0; c < chunks.size(); ++c) {
    EXPECT_EQ(chunks[c].members, members[c]);
    EXPECT_EQ(chunks[c].first, first[c]);
    EXPECT_LE(chunks[c].device_bytes(), static_cast<std::int64_t>(room));
  }
  auto const at_once = decompose(matrices).results;
  for (std::size_t b = 0; b < matrices.size(); ++b)
    EXPECT_TRUE(same_result(results[b], at_once[b])) << b;
  // With none at all two go at a time.
  EXPECT_EQ(decompose(matrices, true, false, 0).chunks.size(), 4U);
  for (auto const& call : script.calls) EXPECT_EQ(call.count, 2);
}

TYPED_TEST(EighVendorParts, ManyMembers) {
  std::vector<HostMatrix<TypeParam>> const matrices(1030, HostMatrix<TypeParam>(33, 33));
  auto const chunks = decompose(matrices, false).chunks;
  ASSERT_EQ(chunks.size(), 2U);
  EXPECT_EQ(chunks[0].members, 515);
  EXPECT_EQ(chunks[1].members, 515);
}

TYPED_TEST(EighVendorParts, NonFiniteIsNotShownToTheSolver) {
  auto matrices = random_matrices<TypeParam>(std::vector<int>(4, 35));
  auto const before = decompose(matrices).results;
  matrices[1](20, 3) = matrices[1](3, 20) = std::numeric_limits<TypeParam>::quiet_NaN();
  matrices[3](0, 0) = -std::numeric_limits<TypeParam>::infinity();
  auto const after = decompose(matrices).results;
  for (std::size_t b = 0; b < matrices.size(); ++b) {
    if (b % 2 == 0) {
      EXPECT_TRUE(same_result(after[b], before[b])) << b;
      continue;
    }
    EXPECT_EQ(after[b].info.status, Status::non_finite);
    EXPECT_TRUE(all_nan(after[b].W) && all_nan(after[b].V.data));
    EXPECT_TRUE(after[b].info.vendor);
  }
}

TYPED_TEST(EighVendorParts, WhatTheSolverComplainsOf) {
  auto matrices = random_matrices<TypeParam>(std::vector<int>(3, 33));
  auto const before = decompose(matrices).results;
  matrices[1] = HostMatrix<TypeParam>(33, 33);
  for (int i = 0; i < 33; ++i) matrices[1](i, i) = TypeParam(0.75);
  script.complain_of = 0.75;
  auto const after = decompose(matrices).results;
  EXPECT_EQ(after[1].info.status, Status::not_converged);
  EXPECT_TRUE(all_nan(after[1].W) && all_nan(after[1].V.data));
  EXPECT_TRUE(same_result(after[0], before[0]) && same_result(after[2], before[2]));
}

TYPED_TEST(EighVendorParts, RangeOfNumbers) {
  using Limits = std::numeric_limits<TypeParam>;
  auto matrices = random_matrices<TypeParam>({33, 33, 33});
  HostMatrix<TypeParam>& most = matrices[0];
  for (int j = 0; j < 33; ++j)
    for (int i = 0; i < 33; ++i) most(i, j) = Limits::max();
  matrices[1] = scaled_by_power_of_two(matrices[2], -60);
  matrices[2](7, 3) = matrices[2](3, 7) = Limits::denorm_min();
  auto const results = decompose(matrices).results;
  EXPECT_EQ(results[0].info.status, Status::overflow);
  EXPECT_TRUE(std::isinf(results[0].W.back()));
  EXPECT_EQ(what_is_wrong(matrices[1], results[1], true), "");
  EXPECT_EQ(what_is_wrong(matrices[2], results[2], true), "");
}

}  // namespace
