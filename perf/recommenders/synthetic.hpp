// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/ratings.hpp>
#include <cstdint>
#include <vector>

#include "harness/context.hpp"
#include "recommenders/shapes.hpp"

namespace carroll::perf {

using BenchRatings = Ratings<float, Exec::memory_space>;

/// Triples on the host, by user.
struct SyntheticRatings {
  std::vector<std::int32_t> users, items;
  std::vector<float> values;
};

/// Made-up ratings of a shape, as many as it says, no item twice by a user: users have log-normal
/// numbers of ratings (σ = 1.1) between the published least and most, an item of rank i the weight
/// (i + 10)^−0.9, and values are those of a planted model of 8 factors with biases and noise,
/// rounded to 0.5, 1, …, 5. Random numbers are functions of user and draw: the same ratings for any
/// number of threads.
SyntheticRatings synthetic_ratings(RatingsShape const& shape);

/// The same where kernels read them.
BenchRatings bench_ratings(Exec const& exec, RatingsShape const& shape);

}  // namespace carroll::perf
