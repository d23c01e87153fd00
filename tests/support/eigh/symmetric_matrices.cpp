// SPDX-License-Identifier: BSD-3-Clause
#include "support/eigh/symmetric_matrices.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <string_view>
#include <vector>

namespace carroll::test {
namespace {

template <class Real>
HostMatrix<Real> filled(int n, std::function<double(int, int)> const& lower) {
  HostMatrix<Real> A(n, n);
  for (int j = 0; j < n; ++j)
    for (int i = j; i < n; ++i) A(i, j) = A(j, i) = static_cast<Real>(lower(i, j));
  return A;
}

std::vector<double> spectrum(Random& random, SymmetricType type, int n, double eps) {
  std::vector<double> lambda(static_cast<std::size_t>(n), 1.0);
  double const last = std::max(n - 1, 1);
  for (int k = 0; k < n; ++k) {
    double& x = lambda[static_cast<std::size_t>(k)];
    if (type == SymmetricType::clustered) x = k % 3 == 0 ? 1 : 1 - eps * random.uniform();
    if (type == SymmetricType::geometric) x = std::pow(eps, k / last) * random.sign();
    if (type == SymmetricType::one_small) x = k == 0 ? eps : random.sign();
    if (type == SymmetricType::one_large) x = k == 0 ? 1 : eps * random.symmetric();
    if (type == SymmetricType::signs) x = random.sign();
    if (type == SymmetricType::low_rank) x = k < (n + 2) / 3 ? random.symmetric() : 0;
  }
  return lambda;
}

}  // namespace

std::string_view to_string(SymmetricType type) {
  constexpr std::array<std::string_view, symmetric_types> names{
      "random", "uniform01", "integers",  "diagonal",        "zero",
      "ones",   "clustered", "geometric", "one_small",       "one_large",
      "signs",  "low_rank",  "wilkinson", "tridiagonal",     "block_diagonal",
      "arrow",  "skew_like", "graded",    "scattered_zeros", "nearly_diagonal"};
  return names[static_cast<std::size_t>(type)];
}

template <class Real>
HostMatrix<Real> with_eigenvalues(Random& random, std::vector<double> const& lambda) {
  auto const n = static_cast<int>(lambda.size());
  // Reflections of a diagonal matrix, in extended precision.
  std::vector<long double> a(static_cast<std::size_t>(n) * static_cast<std::size_t>(n));
  auto const at = [&](int i, int j) -> long double& {
    return a[static_cast<std::size_t>(i) * static_cast<std::size_t>(n) +
             static_cast<std::size_t>(j)];
  };
  for (int k = 0; k < n; ++k) at(k, k) = lambda[static_cast<std::size_t>(k)];
  for (int times = 0; times < std::min(n, 3) && n > 1; ++times) {
    std::vector<long double> v(static_cast<std::size_t>(n)), w(v.size());
    long double square = 0;
    for (auto& x : v) {
      x = random.normal();
      square += x * x;
    }
    long double product = 0;
    for (std::size_t i = 0; i < v.size(); ++i) {
      for (std::size_t j = 0; j < v.size(); ++j)
        w[i] += 2 / square * at(static_cast<int>(i), static_cast<int>(j)) * v[j];
      product += w[i] * v[i];
    }
    for (std::size_t i = 0; i < v.size(); ++i) w[i] -= product / square * v[i];
    for (std::size_t i = 0; i < v.size(); ++i)
      for (std::size_t j = 0; j < v.size(); ++j)
        at(static_cast<int>(i), static_cast<int>(j)) -= v[i] * w[j] + w[i] * v[j];
  }
  return filled<Real>(n, [&](int i, int j) { return static_cast<double>(at(i, j)); });
}

template <class Real>
HostMatrix<Real> symmetric_matrix(Random& random, SymmetricType type, int n) {
  double const eps = static_cast<double>(std::numeric_limits<Real>::epsilon());
  using T = SymmetricType;
  auto const fill = [&](auto const& f) { return filled<Real>(n, f); };
  auto const banded = [&](int width, auto const& f) {
    return fill([&](int i, int j) { return i - j <= width ? f(i, j) : 0.0; });
  };
  auto const drawn = [&](int, int) { return random.symmetric(); };
  switch (type) {
    case T::random: return fill([&](int, int) { return random.normal() / 4; });
    case T::uniform01: return fill([&](int, int) { return random.uniform(); });
    case T::integers: return fill([&](int, int) { return random.index(7) - 3; });
    case T::diagonal: return banded(0, drawn);
    case T::zero: return fill([](int, int) { return 0.0; });
    case T::ones: return fill([](int, int) { return 1.0; });
    case T::wilkinson:
      return banded(1,
                    [&](int i, int j) { return i == j ? std::abs(i - (n - 1) / 2.0) / n : 1.0; });
    case T::tridiagonal: return banded(1, drawn);
    case T::block_diagonal:
      return fill([&](int i, int j) { return i / 3 == j / 3 ? random.symmetric() : 0.0; });
    case T::arrow:
      return fill([&](int i, int j) { return i == j || j == 0 ? random.symmetric() : 0.0; });
    case T::skew_like:  // eigenvalues in pairs of opposite sign
      return fill([&](int i, int j) { return (i + j) % 2 == 1 ? random.symmetric() : 0.0; });
    case T::graded:
      return fill(
          [&](int i, int j) { return std::pow(eps, (i + j) / (2.0 * n)) * random.symmetric(); });
    case T::scattered_zeros:
      return fill([&](int, int) { return random.chance(0.4) ? random.symmetric() : 0.0; });
    case T::nearly_diagonal:
      return fill([&](int i, int j) {
        return random.symmetric() * (i == j ? 1.0 : eps * std::ldexp(1.0, random.index(8) - 4));
      });
    default: return with_eigenvalues<Real>(random, spectrum(random, type, n, eps));
  }
}

template <class Real>
ScaledDefinite<Real> scaled_definite(Random& random, int n, double condition, int spread) {
  std::vector<double> lambda;
  for (int k = 0; k < n; ++k)
    lambda.push_back(std::pow(condition, -k / static_cast<double>(std::max(n - 1, 1))));
  auto const full = with_eigenvalues<double>(random, lambda);
  std::vector<int> exponents;
  for (int k = 0; k < n; ++k) exponents.push_back(random.index(2 * spread + 1) - spread);
  auto const entry = [&](int i, int j) {
    return i == j ? 1.0 : full(i, j) / std::sqrt(full(i, i) * full(j, j));
  };
  ScaledDefinite<Real> drawn{HostMatrix<Real>(n, n), filled<Real>(n, entry)};
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i)
      drawn.A(i, j) = std::ldexp(drawn.H(i, j), exponents[static_cast<std::size_t>(i)] +
                                                    exponents[static_cast<std::size_t>(j)]);
  return drawn;
}

template <class Real>
HostMatrix<Real> whole_gram(Random& random, int n, int rank) {
  HostMatrix<double> B(n, rank);
  for (double& x : B.data) x = random.index(7) - 3;
  return filled<Real>(n, [&](int i, int j) {
    double sum = 0;
    for (int k = 0; k < rank; ++k) sum += B(i, k) * B(j, k);
    return sum;
  });
}

#define CARROLL_TEST_INSTANTIATE(Real)                                             \
  template HostMatrix<Real> symmetric_matrix(Random&, SymmetricType, int);         \
  template HostMatrix<Real> with_eigenvalues(Random&, std::vector<double> const&); \
  template ScaledDefinite<Real> scaled_definite(Random&, int, double, int);        \
  template HostMatrix<Real> whole_gram(Random&, int, int)
CARROLL_TEST_INSTANTIATE(float);
CARROLL_TEST_INSTANTIATE(double);
#undef CARROLL_TEST_INSTANTIATE

}  // namespace carroll::test
