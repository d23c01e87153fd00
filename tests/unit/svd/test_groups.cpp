// SPDX-License-Identifier: BSD-3-Clause
// Matrices that are worked on together: what one of them is or wants is nothing to the others.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "support/svd/drivers.hpp"
#include "support/svd/matrix_types.hpp"
#include "support/svd/ratios.hpp"
#include "support/tolerance.hpp"

namespace {

using namespace carroll::test;
using carroll::Status;
using carroll::SvdMethod;

template <class Real>
class SvdGroups : public ::testing::Test {};
using Reals = ::testing::Types<float, double>;
TYPED_TEST_SUITE(SvdGroups, Reals);

template <class Real>
HostMatrix<Real> random_matrix(int rows, int cols, std::uint64_t seed) {
  return make_matrix<Real>(MatrixType::random, rows, cols, seed);
}

template <class Real>
void scale_row(HostMatrix<Real>& A, int i, int exponent) {
  for (int j = 0; j < A.cols; ++j) A(i, j) = std::ldexp(A(i, j), exponent);
}

/// A square matrix graded by rows is worked on as its transpose, with left and right exchanged.
TYPED_TEST(SvdGroups, TransposedMembersGetTheirOwnVectors) {
  for (int const n : {2, 3, 5, 8, 16, 31}) {
    for (unsigned graded = 0; graded < 16; ++graded) {
      std::vector<HostMatrix<TypeParam>> batch;
      for (unsigned b = 0; b < 11; ++b) {
        batch.push_back(random_matrix<TypeParam>(n, n, 100 * static_cast<unsigned>(n) + b));
        if ((graded >> b % 4 & 1U) != 0) scale_row(batch.back(), static_cast<int>(b) % n, -20);
      }
      for (Wanted const wanted : {only_u, only_v, only_values}) {
        auto const results = run_svd_batch(batch, wanted);
        for (std::size_t b = 0; b < batch.size(); ++b) {
          EXPECT_TRUE(same_result(results[b], run_svd(batch[b], wanted)))
              << n << "x" << n << ", pattern " << graded << ", member " << b;
          auto const both = run_svd(batch[b]);
          EXPECT_TRUE(results[b].U.cols == 0 || same_bits(results[b].U, both.U));
          EXPECT_TRUE(results[b].V.cols == 0 || same_bits(results[b].V, both.V));
          EXPECT_TRUE(same_bits(results[b].S, both.S));
        }
      }
    }
  }
}

/// The second row of the second matrix is 2^-20 times that of the first one.
TYPED_TEST(SvdGroups, RightVectorsBesideATransposedMatrix) {
  HostMatrix<TypeParam> A(2, 2);
  A.data = {1, 3, 2, 4};
  auto B = A;
  scale_row(B, 1, -20);
  auto const results = run_svd_batch<TypeParam>({A, B}, only_v);
  EXPECT_NEAR(std::abs(double(results[1].V(0, 0))), 1 / std::sqrt(5.0), 1e-6);
  EXPECT_NEAR(std::abs(double(results[1].V(1, 0))), 2 / std::sqrt(5.0), 1e-6);
  EXPECT_LE(orthogonality_ratio(results[1].V), ratio_bar);
}

/// While others are rotated a matrix that is not gets zeros added to its columns.
TYPED_TEST(SvdGroups, SignsOfZerosDoNotDependOnNeighbours) {
  double const tiny = sizeof(TypeParam) == 4 ? 1e-30 : 1e-200;
  std::vector<HostMatrix<TypeParam>> hurt;
  double const values[] = {0, 1, -1, tiny, -tiny};
  for (double const a : values)
    for (double const b : values)
      for (double const c : values)
        for (double const d : values) {
          HostMatrix<TypeParam> A(2, 2);
          A.data = {static_cast<TypeParam>(a), static_cast<TypeParam>(b), static_cast<TypeParam>(c),
                    static_cast<TypeParam>(d)};
          hurt.push_back(A);
        }
  for (SvdMethod const method :
       {SvdMethod::preconditioned, SvdMethod::cyclic, SvdMethod::round_robin}) {
    SvdOptions const options{.method = method};
    std::vector<HostMatrix<TypeParam>> mixed;
    for (std::size_t k = 0; k < hurt.size(); ++k) {
      mixed.push_back(hurt[k]);
      for (unsigned b = 0; b < k % 3; ++b)
        mixed.push_back(random_matrix<TypeParam>(2, 2, k + 1000 * b));
    }
    auto const together = run_svd_batch(mixed, full_vectors, options);
    auto const ragged = run_svd_ragged(mixed, full_vectors, options);
    for (std::size_t k = 0; k < mixed.size(); ++k) {
      auto const alone = run_svd(mixed[k], full_vectors, options);
      EXPECT_TRUE(same_result(together[k], alone)) << static_cast<int>(method) << ' ' << k;
      EXPECT_TRUE(same_result(ragged[k], alone)) << static_cast<int>(method) << ' ' << k;
    }
  }
}

/// Thin vectors are the first ones of the full set, bit by bit, whatever the size.
TYPED_TEST(SvdGroups, ThinVectorsAreTheFirstOfAll) {
  for (int const cols : {5, 17, 32, 33, 35, 38, 40, 47, 62}) {
    for (int const rows : {cols + 1, cols + 7, cols + 40}) {
      auto const A = random_matrix<TypeParam>(rows, cols, 7);
      for (bool const wide : {false, true}) {
        auto const B = wide ? transposed(A) : A;
        auto const thin = run_svd(B), full = run_svd(B, full_vectors);
        EXPECT_TRUE(same_bits(thin.S, full.S));
        auto first = wide ? full.V : full.U;
        first.cols = cols;
        first.data.resize(static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols));
        EXPECT_TRUE(same_bits(wide ? thin.V : thin.U, first)) << B.rows << "x" << B.cols;
        EXPECT_TRUE(wide ? same_bits(thin.U, full.U) : same_bits(thin.V, full.V));
      }
    }
  }
}

}  // namespace
