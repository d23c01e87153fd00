// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/metrics/types.hpp>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "arguments.hpp"
#include "files/host_matrix.hpp"
#include "files/ratings/table.hpp"
#include "progress.hpp"

namespace carroll::tool {

/// A model on the host: rows of factors side by side, as in FactorModel.
template <class Real>
struct HostModel {
  std::int64_t users = 0, items = 0, factors = 0;
  std::vector<Real> U, V;
  std::vector<Real> user_bias, item_bias;  ///< empty: none
  Real mean = 0;
};

/// How to learn. This header leaves Kokkos out, so that only the files behind it are compiled for
/// the device.
struct LearnOptions : LearnArguments {
  std::string method;
  std::uint64_t seed = 0;
  double lowest = -std::numeric_limits<double>::infinity();  ///< of predictions
  double highest = std::numeric_limits<double>::infinity();
};

/// After an iteration, of the ratings that are learnt from.
struct LearnStep {
  std::optional<double> objective, rmse;
};

struct RecommendTask {
  LearnOptions learn;
  RatingTable const* ratings = nullptr;
  std::int32_t users = 0, items = 0;
  std::string duplicates;
  RatingTable const* test = nullptr;
  double hold_out = 0;
  std::optional<double> relevant_from;
  int top = 10;
  std::vector<std::int32_t> asked;  ///< users who want recommendations
  bool copy_model = false;
};

struct TestSummary {
  RatingMetrics errors;
  std::int64_t cold_users = 0, cold_items = 0;  ///< predictions of those of whom nothing is known
  RankingMetrics ranking;
};

struct RecommendResult {
  std::string status = "success";
  std::string backend;
  double seconds = 0;        ///< of learning
  std::int64_t ratings = 0;  ///< that were learnt from
  std::int64_t factors = 0;
  std::vector<LearnStep> steps;
  std::optional<double> residual;  ///< largest, of the normal equations
  std::optional<TestSummary> test;
  std::vector<std::int32_t> items;  ///< asked users × top, best first; −1: no more
  std::vector<double> scores;
  std::int64_t columns = 0;  ///< of these: top, or all items where there are fewer
  std::vector<bool> cold;    ///< of the asked users
};

/// Learns, or takes `model`, then tests and recommends. Needs a Runtime. FileError of the ratings
/// that there are two of. `model` is what has been learnt, if the task wants it.
template <class Real>
[[nodiscard]] RecommendResult recommend_items(RecommendTask const& task, bool with_model,
                                              HostModel<Real>& model, Progress& progress);

}  // namespace carroll::tool
