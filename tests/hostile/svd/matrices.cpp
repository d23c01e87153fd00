// SPDX-License-Identifier: BSD-3-Clause
#include "hostile/svd/matrices.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "support/svd/matrix_types.hpp"

namespace carroll::test {
namespace {

template <class Real>
using Limits = std::numeric_limits<Real>;

template <class Real>
struct Kind {
  char const* name;
  HostMatrix<Real> (*make)(Random&, int, int);
};

template <class Real, class F>
HostMatrix<Real> filled(int rows, int cols, F const& f) {
  HostMatrix<Real> A(rows, cols);
  for (Real& entry : A.data) entry = static_cast<Real>(f());
  return A;
}

template <class Real>
HostMatrix<Real> normal(Random& random, int rows, int cols) {
  return filled<Real>(rows, cols, [&] { return random.normal(); });
}

template <class Real>
HostMatrix<Real> zero(Random& random, int rows, int cols) {
  return filled<Real>(rows, cols, [&] { return random.sign() * 0.0; });
}

/// Small integers, so that sums and products are exact and ties abound.
template <class Real>
HostMatrix<Real> integers(Random& random, int rows, int cols) {
  int const most = 1 + random.index(9);
  return filled<Real>(rows, cols, [&] { return random.index(2 * most + 1) - most; });
}

/// Mostly zeros of both signs.
template <class Real>
HostMatrix<Real> sparse(Random& random, int rows, int cols) {
  double const share = random.uniform();
  return filled<Real>(
      rows, cols, [&] { return random.chance(share) ? random.symmetric() : random.sign() * 0.0; });
}

/// A row or a column becomes a multiple, a power of two as a rule, of another, or a sum of others.
template <class Real>
void depend(Random& random, HostMatrix<Real>& A, bool rows) {
  int const count = rows ? A.rows : A.cols;
  int const length = rows ? A.cols : A.rows;
  if (count < 2) return;
  auto const at = [&](int line, int k) -> Real& { return rows ? A(line, k) : A(k, line); };
  int const to = random.index(count);
  int const from = (to + 1 + random.index(count - 1)) % count;
  int const also = random.index(count);
  double const factors[] = {1, -1, -0.5, 0.5, 2, 3, 1.0 / 3, 1e-8, 0x1p-40};
  auto const factor = static_cast<Real>(factors[random.index(9)]);
  Real const second = random.chance(0.3) && also != to ? Real(1) : Real(0);
  for (int k = 0; k < length; ++k) at(to, k) = factor * at(from, k) + second * at(also, k);
}

template <class Real>
HostMatrix<Real> dependent(Random& random, int rows, int cols) {
  HostMatrix<Real> A =
      random.chance(0.5) ? integers<Real>(random, rows, cols) : normal<Real>(random, rows, cols);
  for (int times = 1 + random.index(3); times > 0; --times) depend(random, A, random.chance(0.5));
  return A;
}

/// B·C with few columns in B, of integers or of rounded products.
template <class Real>
HostMatrix<Real> low_rank(Random& random, int rows, int cols) {
  int const rank = random.index(std::min(rows, cols));
  bool const exact = random.chance(0.5);
  auto const B = exact ? integers<Real>(random, rows, rank) : normal<Real>(random, rows, rank);
  auto const C = exact ? integers<Real>(random, rank, cols) : normal<Real>(random, rank, cols);
  HostMatrix<Real> A(rows, cols);
  for (int j = 0; j < cols; ++j)
    for (int k = 0; k < rank; ++k)
      for (int i = 0; i < rows; ++i) A(i, j) += B(i, k) * C(k, j);
  return A;
}

/// Columns that differ in their last digits only.
template <class Real>
HostMatrix<Real> nearly_parallel(Random& random, int rows, int cols) {
  auto A = normal<Real>(random, rows, cols);
  double const apart = std::pow(2.0, -random.index(Limits<Real>::digits + 4));
  for (int j = 1; j < cols; ++j)
    if (random.chance(0.6))
      for (int i = 0; i < rows; ++i)
        A(i, j) = A(i, j - 1) * static_cast<Real>(1 + apart * random.symmetric());
  return A;
}

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
HostMatrix<Real> any_base(Random& random, int rows, int cols) {
  return random.chance(0.5) ? integers<Real>(random, rows, cols) : normal<Real>(random, rows, cols);
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

template <class Real>
HostMatrix<Real> diagonal(Random& random, int rows, int cols) {
  HostMatrix<Real> A(rows, cols);
  bool const equal = random.chance(0.5);
  for (int k = 0; k < std::min(rows, cols); ++k)
    A(k, k) = static_cast<Real>(equal ? random.sign() : random.normal());
  return A;
}

/// Coordinate vectors in any order, some of them twice or not at all.
template <class Real>
HostMatrix<Real> coordinates(Random& random, int rows, int cols) {
  HostMatrix<Real> A(rows, cols);
  for (int j = 0; j < cols; ++j) A(random.index(rows), j) = static_cast<Real>(random.sign());
  return A;
}

/// Zero rows and columns in something else.
template <class Real>
HostMatrix<Real> holes(Random& random, int rows, int cols) {
  auto A = any_base<Real>(random, rows, cols);
  for (int times = 1 + random.index(3); times > 0; --times) {
    int const i = random.index(rows), j = random.index(cols);
    bool const row = random.chance(0.5);
    for (int k = 0; row && k < cols; ++k) A(i, k) = static_cast<Real>(random.sign() * 0.0);
    for (int k = 0; !row && k < rows; ++k) A(k, j) = static_cast<Real>(random.sign() * 0.0);
  }
  return A;
}

template <class Real>
HostMatrix<Real> triangular(Random& random, int rows, int cols) {
  auto A = any_base<Real>(random, rows, cols);
  bool const upper = random.chance(0.5);
  for (int j = 0; j < cols; ++j)
    for (int i = 0; i < rows; ++i)
      if (upper ? i > j : i < j) A(i, j) = 0;
  return A;
}

template <class Real>
constexpr Kind<Real> kinds[] = {
    {"normal", normal<Real>},
    {"zero", zero<Real>},
    {"integers", integers<Real>},
    {"sparse", sparse<Real>},
    {"dependent", dependent<Real>},
    {"dependent", dependent<Real>},
    {"low_rank", low_rank<Real>},
    {"nearly_parallel", nearly_parallel<Real>},
    {"graded_rows", graded_rows<Real>},
    {"graded_columns", graded_columns<Real>},
    {"graded_both", graded_both<Real>},
    {"far_apart", far_apart<Real>},
    {"small_row", small_row<Real>},
    {"denormal", denormal<Real>},
    {"huge", huge<Real>},
    {"extremes", extremes<Real>},
    {"tiny_entries", tiny_entries<Real>},
    {"non_finite", non_finite<Real>},
    {"diagonal", diagonal<Real>},
    {"coordinates", coordinates<Real>},
    {"holes", holes<Real>},
    {"triangular", triangular<Real>},
};

}  // namespace

template <class Real>
HostileMatrix<Real> hostile_matrix(Random& random, int rows, int cols) {
  if (rows == 0 || cols == 0) return {HostMatrix<Real>(rows, cols), "empty"};
  auto const seed = static_cast<std::uint64_t>(random.index(1 << 30));
  constexpr int own = static_cast<int>(std::size(kinds<Real>));
  int const drawn = random.index(own + 8);
  if (drawn < own) return {kinds<Real>[drawn].make(random, rows, cols), kinds<Real>[drawn].name};
  if (drawn < own + 2) {
    double const decades = random.uniform() * (sizeof(Real) == 4 ? 9 : 100);
    if (rows == cols && random.chance(0.5))
      return {transposed(scaled_columns<Real>(rows, cols, 100, decades, true, seed)), "scaled_rows",
              true};
    if (rows >= cols)
      return {scaled_columns<Real>(rows, cols, 100, decades, true, seed), "scaled_columns", true};
    return {transposed(scaled_columns<Real>(cols, rows, 100, decades, true, seed)), "scaled_rows",
            true};
  }
  auto const& types = all_matrix_types();
  MatrixType const type =
      types[static_cast<std::size_t>(random.index(static_cast<int>(types.size())))];
  return {make_matrix<Real>(type, rows, cols, seed), to_string(type)};
}

template HostileMatrix<float> hostile_matrix<float>(Random&, int, int);
template HostileMatrix<double> hostile_matrix<double>(Random&, int, int);

}  // namespace carroll::test
