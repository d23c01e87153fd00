// SPDX-License-Identifier: BSD-3-Clause
// Products of matrices against sums of whole numbers, which are exact in every order: scalars,
// layouts, operations, methods and extents around the tiles; what BLAS does not read; the same bits
// for a member in a batch and alone.
#include <gtest/gtest.h>

#include <carroll/gemm.hpp>
#include <cmath>
#include <complex>
#include <limits>
#include <string>
#include <vector>

#include "gemm_instances.hpp"
#include "support/random.hpp"
#include "unit/blas/strided_operand.hpp"

namespace {

using namespace carroll::test;
using carroll::GemmMethod;
using carroll::GemmOptions;
using carroll::MatrixOp;
using carroll::detail::is_complex;
using carroll::detail::RealOf;

constexpr MatrixOp all_ops[] = {MatrixOp::identity, MatrixOp::transpose,
                                MatrixOp::conjugate_transpose};

template <class T>
T whole_number(Random& random) {
  auto const part = [&] { return static_cast<RealOf<T>>(random.index(9) - 4); };
  if constexpr (is_complex<T>) {
    auto const re = part();
    return {re, part()};
  } else {
    return part();
  }
}
template <class T>
T fraction(Random& random) {
  auto const part = [&] { return static_cast<RealOf<T>>(random.symmetric()); };
  if constexpr (is_complex<T>) {
    auto const re = part();
    return {re, part()};
  } else {
    return part();
  }
}

/// In twice the precision and more.
template <class T>
std::complex<long double> wide(T const& x) {
  if constexpr (is_complex<T>)
    return {x.real(), x.imag()};
  else
    return {x, 0};
}

/// Entry (i, j) of op(X).
template <class T>
std::complex<long double> entry(StridedOperand<T> const& X, MatrixOp op, int b, int i, int j) {
  int const member = X.batch == 1 ? 0 : b;
  if (op == MatrixOp::identity) return wide(X(member, i, j));
  auto const x = wide(X(member, j, i));
  return op == MatrixOp::transpose ? x : std::conj(x);
}

template <class T>
StridedOperand<T> operand(int batch, int m, int n, MatrixOp op, Lie lie) {
  return op == MatrixOp::identity ? StridedOperand<T>(batch, m, n, lie)
                                  : StridedOperand<T>(batch, n, m, lie);
}

template <class T>
class GemmTest : public ::testing::Test {};
using Scalars = ::testing::Types<float, double, Kokkos::complex<float>, Kokkos::complex<double>>;
TYPED_TEST_SUITE(GemmTest, Scalars);

struct Problem {
  int m, n, k, batch;
  GemmOptions options;
  Lie a, b, c;
};

std::string text(Problem const& p) {
  return std::to_string(p.batch) + " of " + std::to_string(p.m) + "x" + std::to_string(p.n) + "x" +
         std::to_string(p.k) + ", ops " + std::to_string(int(p.options.op_a)) +
         std::to_string(int(p.options.op_b)) + ", lies " + std::to_string(int(p.a)) +
         std::to_string(int(p.b)) + std::to_string(int(p.c)) + ", " +
         std::string(to_string(p.options.method));
}

/// Whole numbers: every entry is right to the last bit.
template <class T>
void check_exactly(Problem const& p, T alpha, T beta, Random& random) {
  SCOPED_TRACE(text(p));
  auto A = operand<T>(p.batch, p.m, p.k, p.options.op_a, p.a);
  auto B = operand<T>(p.batch, p.k, p.n, p.options.op_b, p.b);
  StridedOperand<T> C(p.batch, p.m, p.n, p.c);
  A.fill([&] { return whole_number<T>(random); });
  B.fill([&] { return whole_number<T>(random); });
  auto const nan = std::numeric_limits<RealOf<T>>::quiet_NaN();
  C.fill([&] { return beta == T(0) ? T(nan) : whole_number<T>(random); });
  auto const before = C;
  auto const info = carroll::gemm(Exec(), alpha, A.view(), B.view(), beta, C.view(), p.options);
  EXPECT_EQ(info.status, carroll::Status::success);
  EXPECT_NE(info.method, GemmMethod::automatic);
  C.to_host();
  EXPECT_TRUE(C.rest_untouched());
  int wrong = 0;
  for (int b = 0; b < p.batch; ++b)
    for (int j = 0; j < p.n; ++j)
      for (int i = 0; i < p.m; ++i) {
        std::complex<long double> sum = 0;
        for (int l = 0; l < p.k; ++l)
          sum += entry(A, p.options.op_a, b, i, l) * entry(B, p.options.op_b, b, l, j);
        sum *= wide(alpha);
        if (!(beta == T(0))) sum += wide(beta) * wide(before(b, i, j));
        if (wide(C(b, i, j)) != sum) ++wrong;
      }
  EXPECT_EQ(wrong, 0);
}

std::vector<GemmMethod> methods() {
  std::vector<GemmMethod> list{GemmMethod::automatic, GemmMethod::blocked, GemmMethod::naive,
                               GemmMethod::tiled};
  return list;
}

TYPED_TEST(GemmTest, IsExactForWholeNumbers) {
  using T = TypeParam;
  Random random(3);
  constexpr int extents[] = {1, 2, 3, 5, 7, 8, 9, 15, 16, 17, 23, 31, 32, 33, 48, 63, 64, 65, 97};
  auto const any = [&](auto const& list) { return list[random.index(int(std::size(list)))]; };
  for (int round = 0; round < 240; ++round) {
    Problem const p{any(extents),
                    any(extents),
                    any(extents),
                    random.chance(0.3) ? 1 + random.index(5) : 1,
                    {.op_a = any(all_ops), .op_b = any(all_ops), .method = any(methods())},
                    any(all_lies),
                    any(all_lies),
                    any(all_lies)};
    T const beta = random.chance(0.5) ? T(0) : whole_number<T>(random);
    check_exactly<T>(p, whole_number<T>(random), beta, random);
  }
}

TYPED_TEST(GemmTest, IsExactAtTheEdgesOfItsTiles) {
  using T = TypeParam;
  Random random(5);
  struct Extents {
    int m, n, k;
  };
  for (auto const& [m, n, k] : {Extents{129, 127, 9},
                                {257, 8, 300},
                                {3, 200, 400},
                                {193, 50, 129},
                                {40, 300, 20},
                                {1, 1, 1000},
                                {130, 1, 33},
                                {1, 130, 33},
                                {64, 33, 1025},
                                {8, 8, 700}})
    for (Lie lie : {Lie::left, Lie::right}) {
      Problem const p{m, n, k, 1, {}, lie, lie, lie};
      check_exactly<T>(p, T(1), T(0), random);
      check_exactly<T>(p, T(-2), T(3), random);
    }
}

TYPED_TEST(GemmTest, TakesEmptyProblems) {
  using T = TypeParam;
  Random random(7);
  for (GemmMethod method : methods())
    for (int m : {0, 3})
      for (int n : {0, 4})
        for (int k : {0, 5})
          for (int batch : {0, 2})
            check_exactly<T>({m, n, k, batch, {.method = method}, Lie::left, Lie::right, Lie::left},
                             T(2), T(3), random);
}

/// alpha = 0 or no terms: A and B are not read; beta = 0: C is not.
TYPED_TEST(GemmTest, ReadsWhatBlasReads) {
  using T = TypeParam;
  T const nan(std::numeric_limits<RealOf<T>>::quiet_NaN());
  for (GemmMethod method : methods()) {
    StridedOperand<T> A(1, 9, 5, Lie::left), B(1, 5, 7, Lie::right), C(1, 9, 7, Lie::left);
    A.fill([&] { return nan; });
    B.fill([&] { return nan; });
    auto const run = [&](T alpha, T beta) {
      carroll::gemm(Exec(), alpha, A.view(), B.view(), beta, C.view(), {.method = method});
      C.to_host();
      return C(0, 8, 6);
    };
    C.fill([] { return T(3); });
    EXPECT_EQ(run(T(0), T(2)), T(6));
    C.fill([&] { return nan; });
    EXPECT_EQ(run(T(0), T(0)), T(0));
    // NaN goes its way: here it reaches one row, through alpha·NaN.
    A.fill([] { return T(1); });
    B.fill([] { return T(1); });
    A(0, 4, 2) = nan;
    A.to_device();
    C.fill([] { return T(1); });
    EXPECT_EQ(run(T(1), T(1)), T(6));
    for (int i = 0; i < 9; ++i)
      for (int j = 0; j < 7; ++j) EXPECT_EQ(C(0, i, j) == C(0, i, j), i != 4) << i << " " << j;
  }
}

/// A member's bits are those that it has alone, whatever stands beside it, and where.
TYPED_TEST(GemmTest, HasTheSameBitsInABatch) {
  using T = TypeParam;
  Random random(11);
  struct Extents {
    int m, n, k;
  };
  for (auto const& [m, n, k] :
       {Extents{8, 8, 8}, {5, 7, 900}, {31, 17, 40}, {70, 66, 130}, {200, 3, 600}}) {
    SCOPED_TRACE(m);
    constexpr int batch = 5;
    StridedOperand<T> A(batch, m, k, Lie::left), B(batch, k, n, Lie::left),
        C(batch, m, n, Lie::left);
    A.fill([&] { return fraction<T>(random); });
    B.fill([&] { return fraction<T>(random); });
    C.fill([] { return T(0.5); });
    auto alone = C;
    alone.buffer = Kokkos::View<T*, Memory>("carroll_test::alone", C.image.size());
    alone.to_device();
    Exec const exec;
    T const alpha(RealOf<T>(0.7)), beta(RealOf<T>(-0.3));
    auto const workspace =
        carroll::gemm_workspace<T>(exec, {.rows = m, .cols = n, .terms = k, .batch = batch});
    EXPECT_EQ(
        carroll::gemm_async(exec, alpha, A.view(), B.view(), beta, C.view(), workspace).method,
        GemmMethod::blocked);
    exec.fence();
    C.to_host();
    for (int b = 0; b < batch; ++b)
      carroll::gemm(exec, alpha, A.matrix(b), B.matrix(b), beta, alone.matrix(b));
    alone.to_host();
    EXPECT_EQ(C.image, alone.image);
  }
}

/// Members may share a factor.
TYPED_TEST(GemmTest, SharesAFactor) {
  using T = TypeParam;
  Random random(13);
  StridedOperand<T> A(1, 12, 9, Lie::right), B(4, 9, 6, Lie::left), C(4, 12, 6, Lie::left);
  A.fill([&] { return whole_number<T>(random); });
  B.fill([&] { return whole_number<T>(random); });
  carroll::gemm(Exec(), T(1), A.matrix(0), B.view(), T(0), C.view());
  C.to_host();
  for (int b = 0; b < 4; ++b) {
    std::complex<long double> sum = 0;
    for (int l = 0; l < 9; ++l)
      sum += entry(A, MatrixOp::identity, 0, 11, l) * entry(B, MatrixOp::identity, b, l, 5);
    EXPECT_EQ(wide(C(b, 11, 5)), sum);
  }
}

/// |error| <= (k + 2)·eps·Σ|a·b| for fractions, of complex numbers twice as many operations.
TYPED_TEST(GemmTest, IsAsAccurateAsASum) {
  using T = TypeParam;
  Random random(17);
  for (int k : {10, 1000, 3000}) {
    StridedOperand<T> A(1, 33, k, Lie::left), B(1, k, 9, Lie::right), C(1, 33, 9, Lie::left);
    A.fill([&] { return fraction<T>(random); });
    B.fill([&] { return fraction<T>(random); });
    carroll::gemm(Exec(), T(1), A.view(), B.view(), T(0), C.view());
    C.to_host();
    long double const eps = std::numeric_limits<RealOf<T>>::epsilon();
    for (int i = 0; i < 33; ++i)
      for (int j = 0; j < 9; ++j) {
        std::complex<long double> sum = 0;
        long double size = 0;
        for (int l = 0; l < k; ++l) {
          auto const term = wide(A(0, i, l)) * wide(B(0, l, j));
          sum += term;
          size += std::abs(wide(A(0, i, l))) * std::abs(wide(B(0, l, j)));
        }
        // Rounding errors are as good as independent: √k of them, with a margin of 8.
        EXPECT_LE(std::abs(wide(C(0, i, j)) - sum),
                  8 * std::sqrt(2.0L * k) * eps * size / k + eps * size);
      }
  }
}

}  // namespace
