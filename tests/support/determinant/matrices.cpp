// SPDX-License-Identifier: BSD-3-Clause
#include "support/determinant/matrices.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <numeric>
#include <utility>

#include "support/random.hpp"

namespace carroll::test {

namespace {

/// Entries f(i, j) with indices from 1, as in the formulas.
template <class F>
HostMatrix<double> filled(int n, F const& f) {
  HostMatrix<double> A(n, n);
  for (int j = 1; j <= n; ++j)
    for (int i = 1; i <= n; ++i) A(i - 1, j - 1) = f(i, j);
  return A;
}

LongNumber number(long double x) {
  LongNumber result;
  result.multiply(x);
  return result;
}

LongNumber power(long double x, int k) {
  LongNumber result;
  for (; k > 0; --k) result.multiply(x);
  return result;
}

int totient(int k) {
  int result = k;
  for (int p = 2, rest = k; rest > 1; ++p) {
    if (p * p > rest) p = rest;
    if (rest % p != 0) continue;
    while (rest % p == 0) rest /= p;
    result -= result / p;
  }
  return result;
}

/// Möbius' function, summed up to n.
int mertens(int n) {
  int sum = 0;
  for (int k = 1; k <= n; ++k) {
    int mu = 1;
    int rest = k;
    for (int p = 2; rest > 1 && mu != 0; ++p) {
      if (p * p > rest) p = rest;
      if (rest % p != 0) continue;
      rest /= p;
      mu = rest % p == 0 ? 0 : -mu;
    }
    sum += mu;
  }
  return sum;
}

/// Products of Chebyshev-like nodes and the like are rounded: their reference is computed.
KnownDeterminant rounded(std::string name, HostMatrix<double> A, double condition) {
  auto const reference = quad_determinant(A);
  return {std::move(name), std::move(A), reference, condition, false};
}

void add_integer_matrices(std::vector<KnownDeterminant>& cases, int n) {
  double const n2 = double(n) * n;
  cases.push_back({"min(i,j)", filled(n, [](int i, int j) { return std::min(i, j); }), number(1),
                   2 * (2 * n + 1.0) * (2 * n + 1.0), true});
  cases.push_back(
      {"tri(-1,2,-1)",
       filled(n, [](int i, int j) { return i == j                 ? 2
                                           : std::abs(i - j) == 1 ? -1
                                                                  : 0; }),
       number(n + 1.0L), std::max(1.0, 4 * (n + 1.0) * (n + 1.0) / 9), true});
  cases.push_back({"3 on the diagonal, 1 elsewhere",
                   filled(n, [](int i, int j) { return i == j ? 3 : 1; }),
                   power(2, n - 1).multiply(n + 2.0L), (n + 2.0) / 2, true});
  LongNumber totients;
  for (int k = 1; k <= n; ++k) totients.multiply(totient(k));
  cases.push_back(
      {"gcd(i,j)", filled(n, [](int i, int j) { return std::gcd(i, j); }), totients, n2 * n, true});
  cases.push_back({"Redheffer",
                   filled(n, [](int i, int j) { return j == 1 || j % i == 0 ? 1 : 0; }),
                   number(mertens(n)), 10 * n2, true});
  cases.push_back(
      {"Wilkinson", wilkinson(n, false), power(2, n - 1), std::max(1.0, double(n)), true});
  cases.push_back(
      {"Wilkinson, turned", wilkinson(n, true), power(2, n - 1), std::max(1.0, double(n)), true});
  if ((n & (n - 1)) == 0 && n >= 4)
    cases.push_back({"Hadamard", hadamard(n), power(std::sqrt((long double)n), n), 1, true});
  if (n <= 12) {
    // Frank's matrix: upper Hessenberg, condition growing like a factorial.
    double condition = 1;
    for (int k = 1; k <= n; ++k) condition *= std::max(1.0, k / 1.3);
    cases.push_back(
        {"Frank", filled(n, [n](int i, int j) { return j < i - 1 ? 0 : n + 1 - std::max(i, j); }),
         number(1), 10 * condition, true});
    auto const binomial = [](int m, int k) {
      double result = 1;
      for (int l = 1; l <= k; ++l) result = result * (m - k + l) / l;
      return std::round(result);
    };
    cases.push_back(
        {"Pascal", filled(n, [&](int i, int j) { return binomial(i + j - 2, std::min(i, j) - 1); }),
         number(1), std::pow(16, n), true});
  }
  if (n % 2 == 0 && n <= 40) {
    LongNumber clement = number(n / 2 % 2 == 0 ? 1 : -1);
    for (int k = 1; k < n; k += 2) clement.multiply(double(k) * k);
    cases.push_back(
        {"Kac-Clement",
         filled(n, [n](int i, int j) { return j == i + 1   ? i
                                              : j == i - 1 ? n - j
                                                           : 0; }), clement,
         std::pow(2.0, n), true});
  }
}

void add_rounded_matrices(std::vector<KnownDeterminant>& cases, int n) {
  // (2n)! / (2^n n!^3)
  LongNumber lehmer;
  for (int k = 1; k <= n; ++k) lehmer.multiply((2.0L * k - 1) / (1.0L * k * k));
  cases.push_back({"Lehmer",
                   filled(n, [](int i, int j) { return double(std::min(i, j)) / std::max(i, j); }),
                   lehmer, 4.0 * n * n, false});
  cases.push_back({"Kac-Murdock-Szego",
                   filled(n, [](int i, int j) { return std::ldexp(1.0, -std::abs(i - j)); }),
                   power(0.75L, n - 1), 9, n < 100});
  Random random(static_cast<std::uint64_t>(n));
  std::vector<double> v(static_cast<std::size_t>(n));
  double square = 0;
  for (double& x : v) {
    x = random.normal();
    square += x * x;
  }
  auto const at = [&](int i) { return v[static_cast<std::size_t>(i - 1)]; };
  cases.push_back(
      {"Householder",
       filled(n, [&](int i, int j) { return (i == j ? 1 : 0) - 2 * at(i) * at(j) / square; }),
       number(-1), 1, false});
  cases.push_back({"I + v v^T / v^T v",
                   filled(n, [&](int i, int j) { return (i == j) + at(i) * at(j) / square; }),
                   number(2), 2, false});
  cases.push_back({"cosine transform",
                   filled(n,
                          [n](int i, int j) {
                            double const scale = std::sqrt((i == 1 ? 1.0 : 2.0) / n);
                            // Reduced, so that the angle is exact.
                            int const turn = (i - 1) * (2 * j - 1) % (4 * n);
                            return scale * std::cos(std::numbers::pi * turn / (2.0 * n));
                          }),
                   number((n / 2) % 2 == 0 ? 1 : -1), 1, false});
  if (n <= 10) {
    cases.push_back(rounded("Hilbert", filled(n, [](int i, int j) { return 1.0 / (i + j - 1); }),
                            std::pow(33.97, n)));
    cases.push_back(rounded("Cauchy",
                            filled(n, [](int i, int j) { return 1 / (i + 0.25 * j * j); }),
                            std::pow(40.0, n)));
    cases.push_back(rounded("Vandermonde",
                            filled(n, [n](int i, int j) { return std::pow((i - 0.5) / n, j - 1); }),
                            std::pow(12.0, n)));
  }
}

}  // namespace

HostMatrix<double> hadamard(int n) {
  return filled(n, [](int i, int j) {
    int parity = 0;
    for (int common = (i - 1) & (j - 1); common != 0; common &= common - 1) parity ^= 1;
    return parity == 0 ? 1 : -1;
  });
}

HostMatrix<double> wilkinson(int n, bool turned) {
  return filled(n, [&](int i, int j) {
    bool const ones = turned ? i == 1 : j == n;
    return ones || i == j ? 1 : i > j ? -1 : 0;
  });
}

std::vector<KnownDeterminant> known_determinants(int n) {
  std::vector<KnownDeterminant> cases;
  add_integer_matrices(cases, n);
  add_rounded_matrices(cases, n);
  return cases;
}

}  // namespace carroll::test
