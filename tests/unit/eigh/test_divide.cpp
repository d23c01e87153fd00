// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/launch.hpp>
#include <cmath>
#include <cstring>
#include <vector>

#include "unit/eigh/tridiagonal.hpp"

/// Divide and conquer of tridiagonal matrices (detail/eigh/divided/divide.hpp) against sums and
/// Sturm counts in extended precision.
namespace {

using namespace carroll::test;
using carroll::detail::DividedDeflationKernel;
using carroll::detail::DividedLevel;
using carroll::detail::DividedMerge;
using carroll::detail::DivideTree;
using Kind = TridiagonalKind;

/// In units of n·ε.
constexpr long double bar = 3;

template <class Real>
class EighDivide : public ::testing::Test {
 protected:
  using Matrix = Tridiagonal<Real>;

  static void expect_right(Matrix const& T, std::string const& what) {
    TridiagonalBatch<Real> const batch({T});
    batch.divide();
    expect_right(T, batch.member(0), what);
  }
  static void expect_right(Matrix const& T, carroll::detail::DividedStorage<Real> const& at,
                           std::string const& what) {
    auto const found = ratios(T, at);
    EXPECT_TRUE(found.within(bar))
        << what << ", n = " << T.order() << ": residual " << found.residual << ", orthogonality "
        << found.orthogonality << ", values " << found.values << ' ' << found.complaint;
  }
  static std::vector<Real> result(TridiagonalBatch<Real> const& batch, int b) {
    auto const at = batch.member(b);
    std::vector<Real> all(at.S.data, at.S.data + at.n * at.n);
    all.insert(all.end(), at.d, at.d + at.n);
    return all;
  }
  static bool same_bits(std::vector<Real> const& a, std::vector<Real> const& b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(Real)) == 0;
  }
  /// The only merge of a matrix, after it.
  static DividedMerge<Real> merge(TridiagonalBatch<Real> const& batch) {
    return DividedLevel<Real>{batch.batch(true), 1, 1, 1}(0);
  }
};
using DivideScalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(EighDivide, DivideScalars);

TYPED_TEST(EighDivide, EveryKind) {
  Random random(3);
  for (int kind = 0; kind < static_cast<int>(Kind::count); ++kind)
    for (int const n : {1, 2, 8, 9, 17, 31, 33, 64, 65, 100, 129, 150})
      this->expect_right(tridiagonal<TypeParam>(static_cast<Kind>(kind), n, random),
                         "kind " + std::to_string(kind));
}

TYPED_TEST(EighDivide, EveryOrder) {
  Random random(4);
  for (int n = 1; n <= 70; ++n)
    for (Kind const kind : {Kind::random, Kind::wilkinson, Kind::clement})
      this->expect_right(tridiagonal<TypeParam>(kind, n, random), "order");
}

TYPED_TEST(EighDivide, LargeOrders) {
  Random random(5);
  for (int const n : {257, 300})
    for (Kind const kind : {Kind::of_normal, Kind::weakly_glued, Kind::toeplitz})
      this->expect_right(tridiagonal<TypeParam>(kind, n, random), "large");
}

TYPED_TEST(EighDivide, SameBitsBesideOthersAndRagged) {
  Random random(6);
  std::vector<Tridiagonal<TypeParam>> matrices;
  for (int const n : {70, 1, 130, 33, 32, 64, 65, 96, 17, 129})
    matrices.push_back(tridiagonal<TypeParam>(Kind::of_normal, n, random));
  TridiagonalBatch<TypeParam> const ragged(matrices);
  ragged.divide();
  for (int b = 0; b < ragged.members(); ++b) {
    TridiagonalBatch<TypeParam> const alone({matrices[b]});
    alone.divide();
    auto const expected = this->result(alone, 0);
    EXPECT_TRUE(this->same_bits(this->result(ragged, b), expected)) << b;
    auto const other = tridiagonal<TypeParam>(Kind::few_values, matrices[b].order(), random);
    TridiagonalBatch<TypeParam> const uniform({other, matrices[b], other});
    uniform.divide();
    EXPECT_TRUE(this->same_bits(this->result(uniform, 1), expected)) << b;
  }
}

TYPED_TEST(EighDivide, LeavesMembersThatAreNotFiniteAlone) {
  Random random(7);
  auto const T = tridiagonal<TypeParam>(Kind::random, 70, random);
  TridiagonalBatch<TypeParam> const batch({T, T});
  using Storage = carroll::detail::DividedStorage<TypeParam>;
  batch.member(0).message[Storage::is_finite] = 0;
  batch.divide();
  EXPECT_EQ(batch.member(0).message[Storage::steps], 0);
  EXPECT_EQ(batch.member(0).d[0], T.d[0]);
  EXPECT_TRUE(std::isnan(batch.member(0).S(0, 0)));
  this->expect_right(T, batch.member(1), "beside");
}

/// Whatever the number of threads of a team, all that the first step leaves is the same.
TYPED_TEST(EighDivide, DeflationDoesNotDependOnTheTeam) {
  using ExecSpace = typename TridiagonalBatch<TypeParam>::ExecSpace;
  using Kernel = DividedDeflationKernel<ExecSpace, TypeParam>;
  Random random(8);
  ExecSpace const exec;
  for (Kind const kind : {Kind::of_normal, Kind::weakly_glued, Kind::clusters, Kind::few_values}) {
    int const n = 16;  // two leaves
    auto const T = tridiagonal<TypeParam>(kind, n, random);
    std::vector<std::vector<unsigned char>> states;
    for (int const threads : {1, 2, 4}) {
      TridiagonalBatch<TypeParam> const batch({T});
      using Leaves = carroll::detail::DividedLeavesKernel<ExecSpace, TypeParam>;
      carroll::detail::launch_teams("leaves", exec,
                                    Leaves(batch.batch(), 1, DivideTree(n).leaves()),
                                    {.count = Leaves::teams(1, DivideTree(n).leaves()),
                                     .threads = Leaves::leaves_of_team,
                                     .scratch = Leaves::scratch_bytes()});
      carroll::detail::launch_fitting_teams("deflation", exec, Kernel({batch.batch(), 1, 1, 1}),
                                            {1, threads});
      exec.fence();
      batch.download();
      auto const* const begin = reinterpret_cast<unsigned char const*>(batch.member(0).A.data);
      auto const* const end =
          reinterpret_cast<unsigned char const*>(batch.member(0).integers + 8 * n);
      states.emplace_back(begin, end);
      EXPECT_EQ(states.back(), states.front()) << threads;
    }
  }
}

/// Couplings apart from those at the border, where the two leaves meet.
template <class Real>
Tridiagonal<Real> diagonal_blocks(int n, Real coupling) {
  Tridiagonal<Real> T{std::vector<Real>(n), std::vector<Real>(n)};
  for (int i = 0; i < n; ++i) T.d[i] = Real(i + 1) / n;
  T.e[n / 2 - 1] = coupling;
  return T;
}

TYPED_TEST(EighDivide, Deflation) {
  using Merge = DividedMerge<TypeParam>;
  int const n = 16;
  Random random(9);
  struct Case {
    Tridiagonal<TypeParam> T;
    int kept, rotations;
  };
  auto equal = diagonal_blocks(n, TypeParam(0.25));
  equal.d[n / 2] = equal.d[n / 2 - 1];
  auto identity = tridiagonal<TypeParam>(Kind::identity, n, random);
  identity.e[n / 2 - 1] = TypeParam(-0.5);
  Case const cases[] = {
      {diagonal_blocks(n, TypeParam(0)), 0, 0},
      {diagonal_blocks(n, static_cast<TypeParam>(epsilon<TypeParam> / 2)), 0, 0},
      {diagonal_blocks(n, TypeParam(-0.25)), 2, 0},
      {equal, 1, 1},
      {identity, 1, 1},
      {tridiagonal<TypeParam>(Kind::zero, n, random), 0, 0},
  };
  for (auto const& [T, kept, rotations] : cases) {
    TridiagonalBatch<TypeParam> const batch({T});
    batch.divide();
    this->expect_right(T, batch.member(0), "deflation");
    EXPECT_EQ(this->merge(batch).count[Merge::kept], kept);
    EXPECT_EQ(this->merge(batch).count[Merge::rotations], rotations);
  }
  TridiagonalBatch<TypeParam> const batch({tridiagonal<TypeParam>(Kind::of_normal, n, random)});
  batch.divide();
  EXPECT_EQ(this->merge(batch).count[Merge::kept], n);  // nothing goes
}

}  // namespace
