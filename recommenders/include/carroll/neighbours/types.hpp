// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/baseline.hpp>
#include <carroll/status.hpp>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>

namespace carroll {

/// What is compared: the rows of ratings of users, or those of items.
enum class Between { users, items };

/// How alike two rows a and b are, whose common columns are I. All are 0 where a denominator is.
enum class Similarity {
  /// Σ_I x_a·x_b / √(Σ_I x_a² · Σ_I x_b²) of what is left of ratings after the centring: with
  /// Centring::row_mean the course's correlation of Pearson, its means those of whole rows; with
  /// Centring::baseline Surprise's `pearson_baseline`; with Centring::zero the cosine.
  pearson,
  /// The correlation of the common ratings, about their own means, as Surprise has it.
  pearson_corated,
  /// Σ_I r_a·r_b / √(Σ_I r_a² · Σ_I r_b²) of the ratings themselves.
  cosine,
  /// The same with the norms of whole rows.
  cosine_rows,
  /// 1 / (1 + √(Σ_I (r_a − r_b)²)): the course's Euclidean distance, made a similarity.
  euclid,
};

/// What ratings are measured from.
enum class Centring {
  zero,      ///< 0: not at all
  row_mean,  ///< the mean of the row: of a user's ratings, or of an item's
  baseline,  ///< mean + user bias + item bias, see rating_baseline
};

struct NeighbourOptions {
  Between between = Between::items;
  Similarity similarity = Similarity::pearson;
  Centring centring = Centring::row_mean;
  /// β: similarities are multiplied by n/(n + β), n the number of common columns. Surprise's form
  /// is (n−1)/(n−1+β).
  double shrinkage = 0;
  /// Rows with fewer common columns are no neighbours. With 1, Pearson's correlation of a single
  /// common rating is ±1.
  std::int32_t least_common = 1;
  /// Rows of no or negative similarity are neighbours, too, and weigh as the course has it:
  /// Σ sim·(r−μ) / Σ sim. That denominator comes near 0, and predictions go anywhere: an error of
  /// 56 on ratings of 1 to 5 has been seen where positive neighbours give 0.95.
  bool signed_weights = false;
  BaselineOptions baseline = {};  ///< of Centring::baseline

  /// n: a prediction is made of so many of the most similar rows that rated what is asked for.
  std::int32_t nearest = 40;
  /// Predictions are moved into this range.
  double lowest = -std::numeric_limits<double>::infinity();
  double highest = std::numeric_limits<double>::infinity();
};

struct NeighbourInfo {
  Status status = Status::success;  ///< or non_finite
  std::size_t bytes = 0;            ///< of device memory taken meanwhile, the baseline's included
};

struct NeighbourPredictionInfo {
  Status status = Status::success;  ///< or non_finite
  std::size_t bytes = 0;            ///< of device memory taken meanwhile
  std::int64_t cold_users = 0;      ///< predictions asked of users without a rating
  std::int64_t cold_items = 0;      ///< predictions asked of items without a rating
  /// Predictions that no neighbour had a part in, those of cold users and items among them: the
  /// row's mean or the baseline, and without a centring the mean of all ratings.
  std::int64_t bias_only = 0;
};

[[nodiscard]] constexpr std::string_view to_string(Between between) noexcept {
  return between == Between::users ? "users" : "items";
}
[[nodiscard]] constexpr std::string_view to_string(Similarity similarity) noexcept {
  switch (similarity) {
    case Similarity::pearson: return "pearson";
    case Similarity::pearson_corated: return "pearson_corated";
    case Similarity::cosine: return "cosine";
    case Similarity::cosine_rows: return "cosine_rows";
    case Similarity::euclid: return "euclid";
  }
  return "unknown";
}
[[nodiscard]] constexpr std::string_view to_string(Centring centring) noexcept {
  switch (centring) {
    case Centring::zero: return "zero";
    case Centring::row_mean: return "row_mean";
    case Centring::baseline: return "baseline";
  }
  return "unknown";
}

}  // namespace carroll
