// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/status.hpp>
#include <cstdint>
#include <limits>

namespace carroll {

/// How far predictions are from ratings.
struct RatingMetrics {
  Status status = Status::success;  ///< non_finite: a prediction or a rating is NaN or infinite
  double rmse = 0;                  ///< √(Σ (prediction − rating)² / count); 0 for none
  double mae = 0;                   ///< Σ |prediction − rating| / count; 0 for none
  std::int64_t count = 0;
};

struct RankingOptions {
  int at = 10;  ///< how many of the best count, from 1
  /// Ratings of the test below this are no hits: those from here on are the relevant ones.
  double relevant_from = -std::numeric_limits<double>::infinity();
};

/// How many relevant items are among the first k recommended ones, and how far in front: means over
/// the users who have relevant items in the test.
struct RankingMetrics {
  Status status = Status::success;  ///< non_finite: a user's scores are none; the user has no hit
  double precision = 0;             ///< hits / k
  double recall = 0;                ///< hits / relevant items
  /// Σ over hits of hits so far / place, divided by the smaller of k and the relevant items.
  double map = 0;
  /// Σ over hits of 1/log₂(1 + place), divided by what it could be at most.
  double ndcg = 0;
  double hit_rate = 0;          ///< 1 for a user with a hit
  std::int64_t users = 0;       ///< over whom the means are
  std::int64_t cold_users = 0;  ///< of these, those without a rating to learn from
};

}  // namespace carroll
