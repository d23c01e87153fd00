// SPDX-License-Identifier: BSD-3-Clause
#include <carroll/detail/device/emulated/space.hpp>
// Before all kernels.
#include <gtest/gtest.h>

#include <algorithm>
#include <carroll/detail/eigh/divided/reduce.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "support/eigh/hermitian_matrices.hpp"
#include "support/eigh/reduced.hpp"
#include "support/eigh/symmetric_matrices.hpp"
#include "support/emulated_types.hpp"
#include "support/tolerance.hpp"

/// T and reflectors of symmetric matrices, by warps whose lanes take turns and by the host's teams.
namespace {

using namespace carroll::test;
using carroll::EighInfo;
using carroll::detail::DividedReduceTeams;
using carroll::detail::DividedStorage;
using carroll::detail::EighBatch;
using carroll::detail::EighSlot;
using carroll::detail::EmulatedSpace;
using carroll::detail::ReduceWork;

using Host = Kokkos::DefaultHostExecutionSpace;

/// As the library would have them for a matrix of its own, but with so many warps.
template <class Space, class Real>
DividedReduceTeams teams_for(int n, int warps) {
  return {0, warps, carroll::detail::divided_reduce_teams<Space, Real>(Space{}, 1, n).scratch};
}

struct Ratios {
  double residual = 0, orthogonality = 0;
};

/// ‖Q·T·Qᵀ - A‖₁/(n·ε·‖A‖₁) and how far tau·vᵀv is from 2, in units of ε, in extended precision.
template <class Real>
Ratios ratios(HostMatrix<Real> const& A, Reduced<Real> const& result) {
  int const n = A.rows;
  using Wide = long double;
  HostMatrix<Wide> M(n, n);
  for (int k = 0; k < n; ++k) M(k, k) = result.d[k];
  for (int k = 0; k + 1 < n; ++k) M(k + 1, k) = M(k, k + 1) = result.e[k];
  Wide farthest = 0;
  std::vector<Wide> v(n), y(n);
  for (int k = n - 2; k >= 0; --k) {
    Wide const tau = result.tau[k];
    Wide square = 0, product = 0;
    for (int i = k + 1; i < n; ++i) square += (v[i] = result.A(i, k)) * v[i];
    farthest = std::max(farthest, tau == 0 ? Wide(0) : std::abs(tau * square - 2));
    if (!(v[k + 1] == 1)) farthest = std::numeric_limits<Wide>::infinity();
    // y = τ·M·v - (τ²·vᵀMv/2)·v; M := M - v·yᵀ - y·vᵀ
    for (int i = 0; i < n; ++i) {
      y[i] = 0;
      for (int j = k + 1; j < n; ++j) y[i] += M(j, i) * v[j];
      y[i] *= tau;
      if (i > k) product += y[i] * v[i];
    }
    for (int i = k + 1; i < n; ++i) y[i] -= tau / 2 * product * v[i];
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i) M(i, j) -= (i > k ? v[i] : 0) * y[j] + y[i] * (j > k ? v[j] : 0);
  }
  int const exponent = result.message[DividedStorage<Real>::exponent];
  Wide norm = 0, error = 0;
  for (int j = 0; j < n; ++j) {
    Wide size = 0, off = 0;
    for (int i = 0; i < n; ++i) {
      Wide const a = std::ldexp(static_cast<Wide>(A(i, j)), -exponent);
      size += std::abs(a);
      off += std::abs(M(i, j) - a);
    }
    norm = std::max(norm, size);
    error = std::max(error, std::isnan(off) ? std::numeric_limits<Wide>::infinity() : off);
  }
  Wide const unit = epsilon<Real>;
  return {static_cast<double>(norm == 0 ? error : error / (n * unit * norm)),
          static_cast<double>(farthest / unit)};
}

template <class Real>
std::string what_is_wrong(HostMatrix<Real> const& A, Reduced<Real> const& result) {
  using Storage = DividedStorage<Real>;
  auto const& message = result.message;
  if (message[Storage::is_finite] != 1 || message[Storage::steps] != 0 ||
      message[Storage::done] != 1)
    return "messages";
  auto const [residual, orthogonality] = ratios(A, result);
  // τ·vᵀv is what a sum of n squares makes of it.
  if (residual < ratio_bar / 2 && orthogonality < ratio_bar) return "";
  return "residual " + std::to_string(residual) + ", τ·vᵀv " + std::to_string(orthogonality);
}

template <class Real>
std::vector<HostMatrix<Real>> all_types(int n, int step = 1, int first = 0) {
  Random random(23);
  std::vector<HostMatrix<Real>> matrices;
  for (int type = first; type < symmetric_types; type += step)
    matrices.push_back(symmetric_matrix<Real>(random, static_cast<SymmetricType>(type), n));
  return matrices;
}

template <class Real>
class DividedReduce : public ::testing::Test {
 protected:
  template <class Space>
  static void check(int n, int warps, int step, int first = 0) {
    auto const matrices = all_types<Real>(n, step, first);
    auto const results = reduce<Space>(matrices, teams_for<Space, Real>(n, warps));
    for (std::size_t b = 0; b < matrices.size(); ++b)
      EXPECT_EQ(what_is_wrong(matrices[b], results[b]), "")
          << n << ' ' << to_string(static_cast<SymmetricType>(first + static_cast<int>(b) * step));
  }
};
using DividedReduceScalars =
    carroll::test::EmulatedTypes<::testing::Types<double>, ::testing::Types<float>>;
TYPED_TEST_SUITE(DividedReduce, DividedReduceScalars);

TYPED_TEST(DividedReduce, SmallOrders) {
  for (int const n : {1, 2, 3, 4, 5, 17, 18, 31, 32, 33}) {
    this->template check<Host>(n, 1, 1);
    this->template check<EmulatedSpace>(n, 2, 1);
  }
}

TYPED_TEST(DividedReduce, AcrossTiles) {
  for (int const n : {63, 64, 65, 100, 129}) {
    this->template check<Host>(n, 1, 1);
    this->template check<EmulatedSpace>(n, 3, 5, n % 5);
  }
}

TYPED_TEST(DividedReduce, LargeOrders) {
  this->template check<Host>(200, 1, 7);
  this->template check<Host>(257, 1, 7, 2);
  this->template check<EmulatedSpace>(200, 16, 19);
  this->template check<EmulatedSpace>(257, 16, 20);
}

/// Whatever the team and its scratch.
TYPED_TEST(DividedReduce, SameBitsInAnyTeam) {
  using Real = TypeParam;
  for (int const n : {2, 33, 110}) {
    auto const matrices = all_types<Real>(n, 9);
    auto const expected = reduce<EmulatedSpace>(matrices, teams_for<EmulatedSpace, Real>(n, 4));
    auto const scratch = [&](bool parts, bool panel) {
      return static_cast<std::size_t>(ReduceWork<Real>::scratch_bytes(n, parts, panel));
    };
    for (auto const& teams : {DividedReduceTeams{0, 1, 0},
                              {0, 2, scratch(false, false)},
                              {0, 3, scratch(true, false)},
                              {0, 7, scratch(true, true)}})
      EXPECT_TRUE(reduce<EmulatedSpace>(matrices, teams) == expected) << n << ' ' << teams.warps;
    EXPECT_TRUE(reduce<Host>(matrices, {0, 1, 0}) == reduce<Host>(matrices, {0, 2, 0})) << n;
  }
}

/// Many teams, of one tile each or of four: side by side, which many of a matrix may be at most;
/// what is left of a larger one is theirs after launches of a column each.
TYPED_TEST(DividedReduce, SameBitsByManyTeams) {
  using Real = TypeParam;
  auto const check = [](int n, int side, int together, int step = 9) {
    auto const matrices = all_types<Real>(n, step);
    auto const expected = reduce<EmulatedSpace>(matrices, {0, 3, 0});
    EmulatedSpace const exec{.processors = together, .resident = together + 1};
    EXPECT_TRUE(reduce(matrices, {side, 0, 0}, exec) == expected)
        << n << ' ' << side << ' ' << together;
  };
  for (int const n : {1, 2, 31, 33, 64, 75}) {
    check(n, 1, 0);
    check(n, 1, 5);
    check(n, 2, 2);
  }
  check(129, 1, 5);
  check(129, 2, 2);
  check(129, 2, 5);
  check(129, 1, 13, 20);
}

/// Hermitian ones, of which those of 16-byte numbers have no blocks of four tiles.
TYPED_TEST(DividedReduce, SameBitsOfHermitianByManyTeams) {
  using Real = TypeParam;
  auto const check = [](int n, int side, int together, int step = 9) {
    if (side == 2 && sizeof(Real) == 8) return;
    Random random(29);
    std::vector<HostMatrix<Kokkos::complex<Real>>> matrices;
    for (int type = n % step; type < symmetric_types; type += step)
      matrices.push_back(hermitian_matrix<Real>(random, static_cast<SymmetricType>(type), n));
    auto const expected = reduce<EmulatedSpace>(matrices, {0, 3, 0});
    EmulatedSpace const exec{.processors = together, .resident = together + 1};
    EXPECT_TRUE(reduce(matrices, {side, 0, 0}, exec) == expected)
        << n << ' ' << side << ' ' << together;
  };
  for (int const n : {1, 2, 31, 32, 33, 64, 75})
    for (int const side : {1, 2}) {
      check(n, side, 0);
      check(n, side, 5);
    }
  check(129, 1, 5, 20);
  check(129, 2, 2, 20);
  check(129, 1, 13, 20);
}

/// Whatever the members beside it.
TYPED_TEST(DividedReduce, SameBitsInAnyCompany) {
  using Real = TypeParam;
  std::vector<HostMatrix<Real>> matrices;
  for (int const n : {33, 5, 70, 1, 64, 32}) matrices.push_back(all_types<Real>(n, 30, n % 3)[0]);
  auto const by_warps = reduce<EmulatedSpace>(matrices, {0, 3, 0});
  auto const by_host = reduce<Host>(matrices, {0, 1, 0});
  for (int const side : {1, 2})
    for (int const together : {1, 5})
      EXPECT_TRUE(reduce(matrices, {side, 0, 0},
                         EmulatedSpace{.processors = together, .resident = together}) == by_warps)
          << side << ' ' << together;
  for (std::size_t b = 0; b < matrices.size(); ++b) {
    EXPECT_TRUE(reduce<EmulatedSpace>(std::vector{matrices[b]}, {0, 2, 0})[0] == by_warps[b]) << b;
    EXPECT_TRUE(reduce<Host>(std::vector{matrices[b]}, {0, 1, 0})[0] == by_host[b]) << b;
  }
}

/// What is not coupled gets no reflector.
TYPED_TEST(DividedReduce, ZeroCouplings) {
  using Real = TypeParam;
  Random random(24);
  for (int const n : {3, 40, 70}) {
    auto const A = symmetric_matrix<Real>(random, SymmetricType::tridiagonal, n);
    for (auto const& result : {reduce<Host>(std::vector{A}, {0, 1, 0})[0],
                               reduce<EmulatedSpace>(std::vector{A}, {0, 2, 0})[0]}) {
      int const exponent = result.message[DividedStorage<Real>::exponent];
      for (int k = 0; k + 1 < n; ++k) {
        EXPECT_EQ(result.tau[k], 0);
        EXPECT_EQ(std::ldexp(result.e[k], exponent), A(k + 1, k));
        EXPECT_EQ(std::ldexp(result.d[k], exponent), A(k, k));
      }
    }
  }
}

/// Entries of any size go through; what is not finite is told, and disturbs nobody.
TYPED_TEST(DividedReduce, RangeAndMessages) {
  using Real = TypeParam;
  using Limits = std::numeric_limits<Real>;
  using Storage = DividedStorage<Real>;
  int const n = 37;
  auto matrices = all_types<Real>(n, 3);
  auto const before = reduce<EmulatedSpace>(matrices, {0, 2, 0});
  matrices[1](n - 1, 0) = Limits::quiet_NaN();
  matrices[2](5, 5) = -Limits::infinity();
  matrices[0] = scaled_by_power_of_two(matrices[0], Limits::max_exponent - 12);
  matrices[3] = scaled_by_power_of_two(matrices[3], Limits::min_exponent + 30);
  auto const after = reduce<EmulatedSpace>(matrices, {0, 2, 0});
  for (std::size_t b = 0; b < matrices.size(); ++b) {
    bool const finite = b != 1 && b != 2;
    EXPECT_EQ(after[b].message[Storage::is_finite], finite ? 1 : 0);
    if (finite) {
      EXPECT_TRUE(same_bits(after[b].d, before[b].d) && same_bits(after[b].e, before[b].e)) << b;
    }
  }
}

}  // namespace
