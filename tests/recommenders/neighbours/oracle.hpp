// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <carroll/neighbours/types.hpp>
#include <cmath>
#include <cstddef>
#include <optional>
#include <vector>

#include "recommenders/ratings/triples.hpp"

namespace carroll::test {

/// Neighbours and predictions as the formulas have them, in double precision on a dense table.
class NeighbourOracle {
 public:
  using Rating = std::optional<double>;

  template <class Real>
  NeighbourOracle(HostTriples<Real> const& triples, int users, int items,
                  NeighbourOptions const& options)
      : options_(options), of_users_(options.between == Between::users) {
    rows_ = of_users_ ? users : items;
    columns_ = of_users_ ? items : users;
    table_.assign(static_cast<std::size_t>(rows_),
                  std::vector<Rating>(static_cast<std::size_t>(columns_)));
    for (std::size_t e = 0; e < triples.count(); ++e) {
      int const row = of_users_ ? triples.users[e] : triples.items[e];
      int const column = of_users_ ? triples.items[e] : triples.users[e];
      at(row, column) = static_cast<double>(triples.values[e]);
    }
    double sum = 0;
    int count = 0;
    for (auto const& row : table_)
      for (auto const& r : row)
        if (r) sum += *r, ++count;
    mean_ = count > 0 ? sum / count : 0;
    fit_biases();
  }

  [[nodiscard]] int rows() const { return rows_; }
  [[nodiscard]] int columns() const { return columns_; }
  Rating& at(int i, int u) { return table_[std::size_t(i)][std::size_t(u)]; }
  [[nodiscard]] Rating const& at(int i, int u) const {
    return table_[std::size_t(i)][std::size_t(u)];
  }

  /// What is expected of a rating without neighbours.
  [[nodiscard]] double level(int i, int u) const {
    if (options_.centring == Centring::zero) return 0;
    if (options_.centring == Centring::row_mean) return row_mean(i);
    return mean_ + row_bias_[std::size_t(i)] + column_bias_[std::size_t(u)];
  }
  [[nodiscard]] double answer_alone(int i, int u) const {
    return options_.centring == Centring::zero ? mean_ : level(i, u);
  }
  [[nodiscard]] double row_mean(int i) const {
    double sum = 0;
    int count = 0;
    for (auto const& r : table_[std::size_t(i)])
      if (r) sum += *r, ++count;
    return count > 0 ? sum / count : mean_;
  }
  [[nodiscard]] int common(int i, int j) const {
    int n = 0;
    for (int u = 0; u < columns_; ++u) n += at(i, u) && at(j, u);
    return n;
  }

  /// With the shrinkage; nothing for rows that have too little in common.
  [[nodiscard]] std::optional<double> similarity(int i, int j) const {
    int const n = common(i, j);
    if (i == j || n == 0 || n < options_.least_common) return {};
    double ab = 0, aa = 0, bb = 0, distance = 0, mean_a = 0, mean_b = 0;
    for (int u = 0; u < columns_; ++u)
      if (at(i, u) && at(j, u)) mean_a += *at(i, u) / n, mean_b += *at(j, u) / n;
    bool const own = options_.similarity == Similarity::pearson_corated;
    bool const centred = options_.similarity == Similarity::pearson;
    for (int u = 0; u < columns_; ++u) {
      if (!at(i, u) || !at(j, u)) continue;
      double const a = *at(i, u) - (own ? mean_a : centred ? level(i, u) : 0);
      double const b = *at(j, u) - (own ? mean_b : centred ? level(j, u) : 0);
      ab += a * b;
      aa += a * a;
      bb += b * b;
      distance += (*at(i, u) - *at(j, u)) * (*at(i, u) - *at(j, u));
    }
    if (options_.similarity == Similarity::cosine_rows) aa = square(i), bb = square(j);
    double const tiny = 1e-20;
    double s = aa > tiny && bb > tiny ? ab / std::sqrt(aa * bb) : 0;
    if (options_.similarity == Similarity::euclid) s = 1 / (1 + std::sqrt(distance));
    return s * n / (n + options_.shrinkage);
  }

 private:
  [[nodiscard]] double square(int i) const {
    double sum = 0;
    for (auto const& r : table_[std::size_t(i)])
      if (r) sum += *r * *r;
    return sum;
  }
  /// Items first, then users, whichever of them rows are.
  void fit_biases() {
    row_bias_.assign(std::size_t(rows_), 0);
    column_bias_.assign(std::size_t(columns_), 0);
    auto const fit = [&](bool rows, double damping) {
      auto& bias = rows ? row_bias_ : column_bias_;
      auto const& other = rows ? column_bias_ : row_bias_;
      for (std::size_t a = 0; a < bias.size(); ++a) {
        double sum = 0;
        int count = 0;
        for (std::size_t b = 0; b < other.size(); ++b) {
          auto const& r = rows ? table_[a][b] : table_[b][a];
          if (r) sum += *r - mean_ - other[b], ++count;
        }
        bias[a] = count > 0 ? sum / (damping + count) : 0;
      }
    };
    for (int round = 0; round < options_.baseline.rounds; ++round) {
      fit(!of_users_, options_.baseline.item_damping);
      fit(of_users_, options_.baseline.user_damping);
    }
  }

  NeighbourOptions options_;
  bool of_users_;
  int rows_ = 0, columns_ = 0;
  double mean_ = 0;
  std::vector<std::vector<Rating>> table_;
  std::vector<double> row_bias_, column_bias_;
};

}  // namespace carroll::test
