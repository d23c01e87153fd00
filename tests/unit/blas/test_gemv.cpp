// SPDX-License-Identifier: BSD-3-Clause
// Products of matrices and vectors against the inner products of their rows, bit by bit: layouts,
// operations, scalars and extents around rows and chunks of the tree; batches; what BLAS does not
// read.
#include <gtest/gtest.h>

#include <carroll/dot.hpp>
#include <carroll/gemv.hpp>
#include <limits>
#include <string>
#include <vector>

#include "gemv_instances.hpp"
#include "reduction_instances.hpp"
#include "support/random.hpp"
#include "unit/blas/strided_array.hpp"

namespace {

using namespace carroll::test;
using carroll::GemvInfo;
using carroll::GemvKernel;
using carroll::GemvOptions;
using carroll::MatrixOp;

constexpr MatrixOp gemv_ops[] = {MatrixOp::identity, MatrixOp::transpose,
                                 MatrixOp::conjugate_transpose};

/// How A lies: dimensions, that with the nearest entries first.
struct GemvLie {
  char const* name;
  StridedArray<float>::Index order;
  int gap, step;
};
constexpr GemvLie gemv_lies[] = {
    {"columns", {1, 2, 0}, 0, 1},        {"rows", {2, 1, 0}, 0, 1},
    {"padded columns", {1, 2, 0}, 8, 1}, {"padded rows", {2, 1, 0}, 3, 1},
    {"wide rows", {2, 1, 0}, 4, 1},      {"apart", {2, 1, 0}, 1, 3},
    {"members inside", {0, 1, 2}, 0, 1}};

template <class T>
struct GemvProblem {
  int m, n, members;
  MatrixOp op;
  bool shared;
  StridedArray<T> A, x, y;

  GemvProblem(int rows, int terms, int batch, MatrixOp operation, GemvLie const& lie,
              std::uint64_t seed, bool one_matrix = false)
      : m(rows),
        n(terms),
        members(batch),
        op(operation),
        shared(one_matrix),
        A({one_matrix ? 1 : batch, operation == MatrixOp::identity ? rows : terms,
           operation == MatrixOp::identity ? terms : rows},
          lie.order, lie.gap, lie.step),
        x({batch, terms, 1}, {1, 0, 2}, lie.gap, seed % 5 == 0 ? 2 : 1),
        y({batch, rows, 1}, {1, 0, 2}, lie.gap, seed % 7 == 0 ? 2 : 1) {
    Random random(seed);
    for (auto* const array : {&A, &x, &y}) array->fill([&] { return random_entry<T>(random); });
  }

  GemvInfo run(T const& alpha, T const& beta, bool with_workspace = true) const {
    Exec const exec;
    GemvOptions const options{op};
    if (!with_workspace)
      return carroll::gemv(exec, alpha, A.view(), x.vectors(), beta, y.vectors(), options);
    auto const workspace = carroll::gemv_workspace<T>(exec, {m, n, members}, options);
    if (shared)
      return carroll::gemv(exec, alpha, A.matrix(), x.vectors(), beta, y.vectors(), workspace);
    return carroll::gemv(exec, alpha, A.view(), x.vectors(), beta, y.vectors(), workspace);
  }

  /// Sums of all rows of a member, each by itself.
  std::vector<T> sums(int member) const {
    auto const matrix = A.matrix(shared ? 0 : member);
    auto const rows = op == MatrixOp::identity
                          ? matrix
                          : typename StridedArray<T>::template View<T**>(
                                matrix.data(), Kokkos::LayoutStride(size(m), matrix.stride(1),
                                                                    size(n), matrix.stride(0)));
    auto const vector = x.vector(member);
    typename StridedArray<T>::template View<T**> const same(
        vector.data(), Kokkos::LayoutStride(size(m), 0, size(n), vector.stride(0)));
    std::vector<T> values;
    for (auto const& info :
         carroll::dot(Exec(), rows, same, {.conjugate = op == MatrixOp::conjugate_transpose}))
      values.push_back(info.value);
    return values;
  }

  void check(T const& alpha, T const& beta, std::string const& what) {
    SCOPED_TRACE(what + ", op " + std::to_string(static_cast<int>(op)) + ", " + std::to_string(m) +
                 " rows, " + std::to_string(n) + " terms, batch of " + std::to_string(members));
    auto const before = y;
    run(alpha, beta);
    y.to_host();
    EXPECT_TRUE(y.rest_untouched());
    int wrong = 0;
    for (int b = 0; b < members; ++b) {
      auto const all = sums(b);
      for (int i = 0; i < m; ++i) {
        T expected = plain_multiple(alpha, all[size(i)]);
        expected = expected + (beta == T(0) ? T(0) : plain_multiple(beta, before(b, i, 0)));
        if (!same_number(expected, y(b, i, 0))) ++wrong;
      }
    }
    EXPECT_EQ(wrong, 0);
  }
};

constexpr int edges[] = {1, 2, 7, 31, 32, 33, 63, 64, 65, 128, 1023, 1024, 1025, 2500};

template <class T>
void check_extents(std::uint64_t seed) {
  for (int m : edges)
    for (int n : edges)
      for (int which = 0; which < 7; ++which) {
        // All pairs of small ones, and of large ones those that differ in size.
        if (m * n > 40'000 && !(m <= 33 || n <= 33)) continue;
        if (m * n > 4'000 && (seed + std::uint64_t(which)) % 3 != 0) {
          ++seed;
          continue;
        }
        auto const& lie = gemv_lies[which];
        ++seed;
        T const alpha = seed % 3 == 0 ? T(-1.375) : T(1);
        T const beta = seed % 2 == 0 ? T(0.625) : T(0);
        GemvProblem<T>(m, n, 1, gemv_ops[seed % 3], lie, seed).check(alpha, beta, lie.name);
      }
}

TEST(Gemv, RowsAreInnerProducts) {
  check_extents<float>(1);
  check_extents<double>(2);
}
TEST(Gemv, ComplexRowsAreInnerProducts) {
  check_extents<Kokkos::complex<float>>(3);
  check_extents<Kokkos::complex<double>>(4);
}

template <class T>
void check_batches(std::uint64_t seed) {
  int const extents[][2] = {{8, 8}, {5, 70}, {33, 17}, {2, 1025}, {70, 33}, {3, 5000}};
  for (auto const& [m, n] : extents)
    for (auto const& lie : gemv_lies)
      for (bool const shared : {false, true}) {
        ++seed;
        GemvProblem<T>(m, n, 1 + int(seed % 6), gemv_ops[seed % 3], lie, seed, shared)
            .check(T(2.5), T(seed % 2 == 0 ? 1 : 0), lie.name);
      }
}

TEST(Gemv, Batches) {
  check_batches<float>(10);
  check_batches<double>(20);
  check_batches<Kokkos::complex<float>>(30);
  check_batches<Kokkos::complex<double>>(40);
}

// Long rows, which several threads or teams add, whatever the layout.
TEST(Gemv, LongRows) {
  for (auto const& lie : {gemv_lies[0], gemv_lies[1], gemv_lies[5]}) {
    GemvProblem<float>(3, 70'001, 1, MatrixOp::transpose, lie, 50).check(1, 0, lie.name);
    GemvProblem<double>(8, 33'000, 2, MatrixOp::identity, lie, 51).check(1, 2, lie.name);
  }
}

template <class T>
void check_unread() {
  using Real = carroll::detail::RealOf<T>;
  T const nan = carroll::detail::quiet_nan<T>();
  for (auto const& lie : {gemv_lies[0], gemv_lies[1]})
    for (int n : {3, 40, 1500}) {
      GemvProblem<T> problem(5, n, 2, MatrixOp::identity, lie, 60);
      problem.y.fill([&] { return nan; });
      problem.check(T(1), T(0), "y is not read");
      problem.A.fill([&] { return nan; });
      problem.y.fill([&] { return T(3); });
      EXPECT_EQ(problem.run(T(0), T(2), false).kernel, GemvKernel::scale);
      problem.y.to_host();
      problem.y.for_each([&](int b, int i, int j) { EXPECT_EQ(problem.y(b, i, j), T(6)); });
      problem.run(T(0), T(0));
      problem.y.to_host();
      problem.y.for_each([&](int b, int i, int j) { EXPECT_EQ(problem.y(b, i, j), T(0)); });
      problem.run(T(1), T(1));
      problem.y.to_host();
      auto const real = [](T const& x) { return reinterpret_cast<Real const&>(x); };
      problem.y.for_each([&](int b, int i, int j) {
        EXPECT_TRUE(same_number(real(problem.y(b, i, j)), real(nan)));  // one NaN
      });
    }
}

TEST(Gemv, WhatIsNotRead) {
  check_unread<float>();
  check_unread<Kokkos::complex<double>>();
}

TEST(Gemv, NothingToAdd) {
  GemvProblem<double> no_terms(4, 0, 2, MatrixOp::transpose, gemv_lies[0], 70);
  no_terms.y.fill([] { return 3.0; });
  EXPECT_EQ(no_terms.run(1, -2).kernel, GemvKernel::scale);
  no_terms.y.to_host();
  no_terms.y.for_each([&](int b, int i, int j) { EXPECT_EQ(no_terms.y(b, i, j), -6); });
  GemvProblem<double> no_rows(0, 4, 2, MatrixOp::identity, gemv_lies[1], 71);
  EXPECT_EQ(no_rows.run(1, 0).kernel, GemvKernel::scale);
  GemvProblem<double> no_members(3, 4, 0, MatrixOp::identity, gemv_lies[1], 72);
  EXPECT_EQ(no_members.run(1, 0).kernel, GemvKernel::scale);
}

// One problem, with and without a workspace, with other threads or none.
TEST(Gemv, OneProblem) {
  GemvProblem<float> problem(200, 3000, 1, MatrixOp::identity, gemv_lies[0], 80);
  Exec const exec;
  carroll::gemv(exec, 1, problem.A.matrix(), problem.x.vector(), 0, problem.y.vector());
  problem.y.to_host();
  auto const alone = problem.y;
  problem.check(1, 0, "batch of one");
  for (int i = 0; i < problem.m; ++i)
    EXPECT_TRUE(same_number(alone(0, i, 0), problem.y(0, i, 0))) << i;
  auto const workspace = carroll::gemv_workspace<float>(exec, {200, 3000, 1});
  carroll::gemv_async(exec, 1, problem.A.matrix(), problem.x.vector(), 0, problem.y.vector(),
                      workspace);
  exec.fence("carroll_test::gemv");
  problem.y.to_host();
  for (int i = 0; i < problem.m; ++i)
    EXPECT_TRUE(same_number(alone(0, i, 0), problem.y(0, i, 0))) << i;
}

}  // namespace
