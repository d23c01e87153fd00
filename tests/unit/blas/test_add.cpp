// SPDX-License-Identifier: BSD-3-Clause
// Sums and combinations of arrays against plain loops, bit by bit: ranks, layouts, arrays that are
// the same, what is not read, NaN.
#include <gtest/gtest.h>

#include <carroll/add.hpp>
#include <carroll/axpby.hpp>
#include <memory>
#include <string>

#include "support/random.hpp"
#include "unit/blas/strided_array.hpp"

namespace {

using namespace carroll::test;

template <class T>
using AddArray = StridedArray<T>;
using Index = StridedArray<float>::Index;

struct AddLie {
  Index order;
  int gap, step;
};
constexpr AddLie add_lies[] = {{{2, 1, 0}, 0, 1}, {{1, 2, 0}, 0, 1}, {{2, 1, 0}, 3, 1},
                               {{0, 1, 2}, 0, 1}, {{2, 1, 0}, 2, 2}, {{1, 2, 0}, 4, 1}};

constexpr Index add_extents[] = {{1, 1, 1},    {1, 1, 2},    {1, 1, 1025}, {1, 1, 70'000},
                                 {1, 33, 65},  {3, 31, 64},  {2, 300, 7},  {5, 1, 40},
                                 {1, 700, 33}, {4, 600, 20}, {2, 0, 3}};

template <class T>
struct Arrays {
  AddArray<T> X, Y, Z;

  Arrays(Index const& extents, int lie, std::uint64_t seed)
      : X(make(extents, lie)), Y(make(extents, lie / 2)), Z(make(extents, lie / 3 + 1)) {
    Random random(seed);
    for (auto* const array : {&X, &Y, &Z}) array->fill([&] { return random_entry<T>(random); });
  }
  static AddArray<T> make(Index const& extents, int lie) {
    auto const& [order, gap, step] = add_lies[lie % 6];
    return AddArray<T>(extents, order, gap, step);
  }
};

/// f(i, j, k) is what each entry of the array must be.
template <class T, class F>
void expect_entries(AddArray<T>& array, F const& f) {
  array.to_host();
  EXPECT_TRUE(array.rest_untouched());
  int wrong = 0;
  array.for_each([&](int b, int i, int j) {
    if (!same_number(array(b, i, j), T(f(b, i, j)))) ++wrong;
  });
  EXPECT_EQ(wrong, 0);
}

template <class T>
void check_all(std::uint64_t seed) {
  Exec const exec;
  for (auto const& extents : add_extents)
    for (int lie = 0; lie < 12; ++lie) {
      SCOPED_TRACE(std::to_string(extents[0]) + "×" + std::to_string(extents[1]) + "×" +
                   std::to_string(extents[2]) + ", " + std::to_string(lie));
      Arrays<T> a(extents, lie, ++seed);
      auto const [X, Y, Z] = a;
      carroll::add(exec, a.X.view(), a.Y.view(), a.Z.view());
      expect_entries(a.Z,
                     [&, &x = X, &y = Y](int b, int i, int j) { return x(b, i, j) + y(b, i, j); });
      T alpha = random_entry<T>(*std::make_unique<Random>(seed)), beta = alpha + T(1);
      if (lie % 4 == 1) alpha = T(1);
      if (lie % 4 == 2) beta = T(0);
      if (lie % 4 == 3) alpha = T(0);
      a.Y = Y;
      a.Y.buffer = Kokkos::View<T*, Memory>("carroll_test::array", Y.image.size());
      a.Y.to_device();
      carroll::axpby(exec, alpha, a.X.view(), beta, a.Y.view());
      expect_entries(a.Y, [&, &x = X, &y = Y](int b, int i, int j) {
        if (alpha == T(0)) return plain_multiple(beta, y(b, i, j));
        return plain_multiple(alpha, x(b, i, j)) +
               (beta == T(0) ? T(0) : plain_multiple(beta, y(b, i, j)));
      });
    }
}

TEST(Add, AgainstPlainLoops) {
  check_all<float>(1);
  check_all<double>(2);
  check_all<Kokkos::complex<float>>(3);
  check_all<Kokkos::complex<double>>(4);
}

TEST(Add, VectorsAndMatrices) {
  Exec const exec;
  Arrays<double> a({1, 40, 3000}, 1, 5);
  auto const [X, Y, Z] = a;
  carroll::add_async(exec, a.X.matrix(), a.Y.matrix(), a.Z.matrix());
  exec.fence("carroll_test::add");
  expect_entries(a.Z, [&, &x = X, &y = Y](int b, int i, int j) { return x(b, i, j) + y(b, i, j); });
  Arrays<float> v({1, 50'000, 1}, 0, 6);
  auto const [x1, y1, z1] = v;
  carroll::axpby_async(exec, 2.0F, v.X.vector(), -3.0F, v.Y.vector());
  exec.fence("carroll_test::add");
  expect_entries(v.Y, [&, &x = x1, &y = y1](int b, int i, int j) {
    return plain_multiple(2.0F, x(b, i, j)) + plain_multiple(-3.0F, y(b, i, j));
  });
}

// Z may be X, Y, or both.
TEST(Add, InPlace) {
  Exec const exec;
  for (int lie = 0; lie < 6; ++lie) {
    Arrays<double> a({2, 33, 1000}, lie, 7);
    auto const [X, Y, Z] = a;
    carroll::add(exec, a.X.view(), a.Y.view(), a.X.view());
    expect_entries(a.X,
                   [&, &x = X, &y = Y](int b, int i, int j) { return x(b, i, j) + y(b, i, j); });
    carroll::axpby(exec, 2.0, a.Y.view(), 3.0, a.Y.view());
    expect_entries(a.Y, [&, &y = Y](int b, int i, int j) {
      return plain_multiple(2.0, y(b, i, j)) + plain_multiple(3.0, y(b, i, j));
    });
  }
}

TEST(Add, WhatIsNotRead) {
  Exec const exec;
  auto const nan = carroll::detail::quiet_nan<double>();
  for (int lie : {0, 4}) {
    Arrays<double> a({1, 9, 77}, lie, 8);
    a.Y.fill([&] { return nan; });
    carroll::axpby(exec, 0.0, a.Y.view(), 0.0, a.X.view());
    expect_entries(a.X, [](int, int, int) { return 0.0; });
    carroll::axpby(exec, -1.0, a.X.view(), 0.0, a.Y.view());
    expect_entries(a.Y, [](int, int, int) { return 0.0; });
    a.Y.fill([&] { return -nan; });
    carroll::add(exec, a.X.view(), a.Y.view(), a.Z.view());
    expect_entries(a.Z, [&](int, int, int) { return nan; });
  }
}

}  // namespace
