// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "hostile/svd/entries.hpp"

/// Kinds by the range of their numbers: graded, far apart, at the ends of it, beyond them.
namespace carroll::test::svd_kinds {

template <class Real>
HostMatrix<Real> shifted(Random& random, HostMatrix<Real> A, bool rows, bool cols) {
  int const spread = 1 + random.index(Limits<Real>::max_exponent * 9 / 20);
  auto const shifts = [&](int count) {
    std::vector<int> all;
    for (int k = 0; k < count; ++k) all.push_back(random.index(2 * spread + 1) - spread);
    return all;
  };
  auto const by_row = shifts(A.rows), by_col = shifts(A.cols);
  for (int j = 0; j < A.cols; ++j)
    for (int i = 0; i < A.rows; ++i)
      A(i, j) = std::ldexp(A(i, j), (rows ? by_row[static_cast<std::size_t>(i)] : 0) +
                                        (cols ? by_col[static_cast<std::size_t>(j)] : 0));
  return A;
}

template <class Real>
HostMatrix<Real> graded_rows(Random& random, int rows, int cols) {
  return shifted(random, any_base<Real>(random, rows, cols), true, false);
}
template <class Real>
HostMatrix<Real> graded_columns(Random& random, int rows, int cols) {
  return shifted(random, any_base<Real>(random, rows, cols), false, true);
}
template <class Real>
HostMatrix<Real> graded_both(Random& random, int rows, int cols) {
  return shifted(random, any_base<Real>(random, rows, cols), true, true);
}
/// Columns, or rows, so far apart that products of their entries underflow.
template <class Real>
HostMatrix<Real> far_apart(Random& random, int rows, int cols) {
  auto A = filled<Real>(rows, cols, [&] { return random.index(3) - 1; });
  int const down = Limits<Real>::max_exponent * (2 + random.index(7)) / 10;
  bool const by_rows = random.chance(0.3);
  std::vector<int> shifts;
  for (int k = 0; k < std::max(rows, cols); ++k) shifts.push_back(random.chance(0.5) ? -down : 0);
  for (int j = 0; j < cols; ++j)
    for (int i = 0; i < rows; ++i)
      A(i, j) = std::ldexp(A(i, j), shifts[static_cast<std::size_t>(by_rows ? i : j)]);
  return A;
}

/// One row 2^-20 times the others: on the verge of being worked on as the transpose.
template <class Real>
HostMatrix<Real> small_row(Random& random, int rows, int cols) {
  auto A = any_base<Real>(random, rows, cols);
  int const row = random.index(rows);
  int const down = 6 + random.index(20);
  for (int j = 0; j < cols; ++j) A(row, j) = std::ldexp(A(row, j), -down);
  return A;
}

template <class Real>
HostMatrix<Real> denormal(Random& random, int rows, int cols) {
  int const most = 1 + random.index(40);
  return filled<Real>(rows, cols, [&] {
    return Limits<Real>::denorm_min() * static_cast<Real>(random.index(2 * most + 1) - most);
  });
}

template <class Real>
HostMatrix<Real> huge(Random& random, int rows, int cols) {
  double const share = random.uniform();
  return filled<Real>(rows, cols, [&] {
    return random.chance(share)
               ? random.sign() * (0.5 + random.uniform() / 2) * double(Limits<Real>::max())
               : random.symmetric();
  });
}

/// Each entry any of what hurts.
template <class Real>
HostMatrix<Real> extremes(Random& random, int rows, int cols) {
  double const small = sizeof(Real) == 4 ? 1e-30 : 1e-200;
  int const kinds = 1 + random.index(255);
  return filled<Real>(rows, cols, [&] {
    int kind = random.index(8);
    while ((kinds >> kind & 1) == 0) kind = random.index(8);
    double const values[] = {0,
                             1,
                             double(Limits<Real>::denorm_min()),
                             double(Limits<Real>::min()),
                             small,
                             double(Limits<Real>::max()),
                             random.symmetric(),
                             std::sqrt(double(Limits<Real>::min()))};
    return random.sign() * values[kind];
  });
}

/// One extreme value among 0 and ±1.
template <class Real>
HostMatrix<Real> tiny_entries(Random& random, int rows, int cols) {
  double const small = std::ldexp(1.0, Limits<Real>::min_exponent * (2 + random.index(4)) / 5);
  return filled<Real>(rows, cols, [&] {
    double const values[] = {0, 1, small, small};
    return random.sign() * values[random.index(4)];
  });
}

template <class Real>
HostMatrix<Real> non_finite(Random& random, int rows, int cols) {
  auto A = any_base<Real>(random, rows, cols);
  Real const bad = random.chance(0.6) ? Limits<Real>::quiet_NaN() : Limits<Real>::infinity();
  for (int times = 1 + random.index(3); times > 0; --times)
    A.data[static_cast<std::size_t>(random.index(rows * cols))] = random.sign() < 0 ? -bad : bad;
  return A;
}

}  // namespace carroll::test::svd_kinds
