// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <carroll/als/types.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "recommenders/ratings/triples.hpp"

namespace carroll::test {

/// A host's matrix of double, rows side by side.
struct Factors {
  std::size_t rows = 0, k = 0;
  std::vector<double> entry;
  Factors() = default;
  Factors(std::size_t r, std::size_t c) : rows(r), k(c), entry(r * c) {}
  double operator()(std::size_t i, std::size_t j) const { return entry[i * k + j]; }
};

template <class View>
Factors factors_of(View const& view) {
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
  Factors f(view.extent(0), view.extent(1));
  for (std::size_t i = 0; i < f.rows; ++i)
    for (std::size_t j = 0; j < f.k; ++j) f.entry[i * f.k + j] = static_cast<double>(host(i, j));
  return f;
}

/// Random ratings: user 0 and item 1 have none, item 2 has one of every other user.
template <class Real>
HostTriples<Real> random_ratings(int users, int items, int of_user, std::uint64_t seed) {
  Random random(seed);
  HostTriples<Real> triples;
  for (int u = 1; u < users; ++u) {
    std::set<int> rated{2};
    for (int e = 0; e < of_user; ++e) rated.insert(random.index(items));
    rated.erase(1);
    for (int const i : rated) triples.add(u, i, static_cast<Real>(1 + 4 * random.uniform()));
  }
  return triples;
}

/// A row's equations as they are on paper: unknowns are factors, then a bias if `fitted`.
/// In more than the precision of what is tested: long rows have as many rounding errors.
struct DenseEquations {
  std::vector<std::vector<long double>> a;
  std::vector<long double> b;

  explicit DenseEquations(std::size_t d) : a(d, std::vector<long double>(d)), b(d) {}
};

struct RowOfRatings {
  std::vector<std::size_t> columns;
  std::vector<double> targets;  ///< of explicit feedback: rating - mean - biases that are known
  std::vector<double> values;
};

inline DenseEquations dense_equations(RowOfRatings const& row, Factors const& others,
                                      AlsOptions const& o) {
  std::size_t const k = others.k, d = k + (o.biases == AlsBiases::fitted ? 1 : 0);
  DenseEquations eq(d);
  // The lower half; the upper one at the end.
  std::vector<double> y(d, 1.0);
  auto const add = [&](std::size_t column, double weight, double right) {
    for (std::size_t i = 0; i < k; ++i) y[i] = others(column, i);
    for (std::size_t i = 0; i < d; ++i) {
      eq.b[i] += static_cast<long double>(right) * y[i];
      if (weight == 0) continue;
      auto const weighted = static_cast<long double>(weight) * y[i];
      long double* const entries = eq.a[i].data();
      for (std::size_t j = 0; j <= i; ++j) entries[j] += weighted * y[j];
    }
  };
  double count = static_cast<double>(row.columns.size());
  if (o.feedback == Feedback::implicit) {
    // Pair by pair: (weight, target) of each.
    std::map<std::size_t, double> rated;
    for (std::size_t e = 0; e < row.columns.size(); ++e) rated[row.columns[e]] = row.values[e];
    for (std::size_t c = 0; c < others.rows; ++c) {
      auto const found = rated.find(c);
      if (found == rated.end()) {
        add(c, o.unobserved_weight, 0);
      } else {
        double const sure = 1 + o.confidence * found->second;
        add(c, sure + (o.counts_all_pairs ? o.unobserved_weight : 0.0), sure);
      }
    }
    count += o.unobserved_weight * static_cast<double>(others.rows);
  } else {
    for (std::size_t e = 0; e < row.columns.size(); ++e) add(row.columns[e], 1, row.targets[e]);
  }
  for (std::size_t i = 0; i < d; ++i) {
    for (std::size_t j = 0; j < i; ++j) eq.a[j][i] = eq.a[i][j];
    eq.a[i][i] += o.regularization * std::pow(count, o.count_exponent);
  }
  return eq;
}

/// ‖A·x - b‖∞/(‖A‖∞·‖x‖∞ + ‖b‖∞)
inline double backward_error(DenseEquations const& eq, std::vector<double> const& x) {
  long double left = 0, norm_a = 0, norm_x = 0, norm_b = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    long double sum = -eq.b[i], row = 0;
    for (std::size_t j = 0; j < x.size(); ++j) {
      sum += eq.a[i][j] * x[j];
      row += std::fabs(eq.a[i][j]);
    }
    left = std::max(left, std::fabs(sum));
    norm_a = std::max(norm_a, row);
    norm_x = std::max(norm_x, std::fabs(static_cast<long double>(x[i])));
    norm_b = std::max(norm_b, std::fabs(eq.b[i]));
  }
  long double const size = norm_a * norm_x + norm_b;
  return static_cast<double>(size > 0 ? left / size : left);
}

/// x with A·x = b, by elimination with pivoting.
inline std::vector<double> dense_solution(DenseEquations eq) {
  std::size_t const d = eq.b.size();
  for (std::size_t j = 0; j < d; ++j) {
    std::size_t p = j;
    for (std::size_t i = j + 1; i < d; ++i)
      if (std::fabs(eq.a[i][j]) > std::fabs(eq.a[p][j])) p = i;
    std::swap(eq.a[j], eq.a[p]);
    std::swap(eq.b[j], eq.b[p]);
    for (std::size_t i = j + 1; i < d; ++i) {
      long double const factor = eq.a[i][j] / eq.a[j][j];
      for (std::size_t c = j; c < d; ++c) eq.a[i][c] -= factor * eq.a[j][c];
      eq.b[i] -= factor * eq.b[j];
    }
  }
  for (std::size_t j = d; j-- > 0;) {
    for (std::size_t c = j + 1; c < d; ++c) eq.b[j] -= eq.a[j][c] * eq.b[c];
    eq.b[j] /= eq.a[j][j];
  }
  return std::vector<double>(eq.b.begin(), eq.b.end());
}

/// The ratings of each item (or user), with what a mean and biases of the others leave of them.
template <class Real>
std::vector<RowOfRatings> rows_of(HostTriples<Real> const& triples, bool by_item, int count,
                                  double mean, std::vector<double> const& other_bias,
                                  std::vector<double> const& own_bias) {
  std::vector<RowOfRatings> rows(static_cast<std::size_t>(count));
  for (std::size_t e = 0; e < triples.count(); ++e) {
    auto const user = static_cast<std::size_t>(triples.users[e]);
    auto const item = static_cast<std::size_t>(triples.items[e]);
    std::size_t const own = by_item ? item : user, other = by_item ? user : item;
    auto const value = static_cast<double>(triples.values[e]);
    double target = value - mean;
    if (!other_bias.empty()) target -= other_bias[other];
    if (!own_bias.empty()) target -= own_bias[own];
    rows[own].columns.push_back(other);
    rows[own].values.push_back(value);
    rows[own].targets.push_back(target);
  }
  return rows;
}

template <class Real>
using FactorView = Kokkos::View<Real**, Kokkos::LayoutRight, Memory>;

/// Are all entries the same bits?
template <class View>
bool same_bits(View const& a, View const& b) {
  auto const x = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), a);
  auto const y = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), b);
  for (std::size_t i = 0; i < a.extent(0); ++i)
    for (std::size_t j = 0; j < a.extent(1); ++j)
      if (x(i, j) != y(i, j)) return false;
  return true;
}

}  // namespace carroll::test
