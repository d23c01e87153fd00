// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace carroll::perf {

/// What is published of a collection of ratings: its sizes, and how few and how many ratings a user
/// has in it. The ratings themselves are made up.
struct RatingsShape {
  std::string name;
  std::int32_t users, items;
  std::int64_t count;
  std::int32_t least, most;  ///< of a user

  bool operator==(RatingsShape const&) const = default;
};

/// MovieLens (Harper and Konstan 2015) and the Netflix prize (Bennett and Lanning 2007).
inline RatingsShape ml_100k() {
  return {"ml-100k", 943, 1682, 100'000, 20, 737};
}
inline RatingsShape ml_1m() {
  return {"ml-1m", 6040, 3706, 1'000'209, 20, 2314};
}
inline RatingsShape ml_10m() {
  return {"ml-10m", 69878, 10677, 10'000'054, 20, 7359};
}
inline RatingsShape ml_20m() {
  return {"ml-20m", 138493, 26744, 20'000'263, 20, 9254};
}
inline RatingsShape netflix() {
  return {"netflix", 480189, 17770, 100'480'507, 1, 17653};
}

enum class RecommenderGroup { als, als_implicit, sgd, recommend, neighbours, descent };

/// The name of a group in that of an entry.
inline std::string group_name(RecommenderGroup group) {
  switch (group) {
    case RecommenderGroup::als: return "als";
    case RecommenderGroup::als_implicit: return "als_implicit";
    case RecommenderGroup::sgd: return "sgd";
    case RecommenderGroup::recommend: return "recommend";
    case RecommenderGroup::neighbours: return "neighbours";
    case RecommenderGroup::descent: return "descent";
  }
  return "unknown";
}

/// Times of one iteration (als), one epoch (sgd), the N best items of users (recommend), the most
/// similar items of each (neighbours); errors after each iteration (descent).
struct RecommenderCase {
  RecommenderGroup group;
  RatingsShape shape;
  int k;  ///< factors; of neighbours how many are kept
  std::string method;

  [[nodiscard]] std::string name() const {
    return "recommenders/" + group_name(group) + "/" + shape.name + "/" + std::to_string(k) +
           "/single/" + method;
  }
};

/// In the order in which they are measured; cases of one shape follow each other, as its ratings
/// are made once for them.
inline std::vector<RecommenderCase> recommender_cases(bool device) {
  using enum RecommenderGroup;
  std::vector<RecommenderCase> cases;
  if (device) {
    cases.push_back({als, ml_20m(), 128, "carroll_cholesky"});
    cases.push_back({recommend, ml_20m(), 128, "carroll_best"});
    cases.push_back({als, ml_20m(), 128, "carroll_conjugate_gradients"});
    cases.push_back({als_implicit, ml_20m(), 128, "carroll_cholesky"});
    cases.push_back({als_implicit, ml_20m(), 128, "carroll_conjugate_gradients"});
    cases.push_back({als, ml_10m(), 64, "carroll_cholesky"});
    for (int const k : {128, 64}) cases.push_back({sgd, ml_10m(), k, "carroll_sgd"});
    cases.push_back({als, netflix(), 100, "carroll_cholesky"});
  }
  for (RatingsShape const& shape : {ml_1m(), ml_100k()}) {
    cases.push_back({als, shape, 64, "carroll_cholesky"});
    for (int const k : {128, 64}) cases.push_back({sgd, shape, k, "carroll_sgd"});
    cases.push_back({recommend, shape, 64, "carroll_best"});
    cases.push_back({neighbours, shape, 40, "carroll_items"});
    cases.push_back({als, shape, 64, "carroll_conjugate_gradients"});
    cases.push_back({als_implicit, shape, 64, "carroll_cholesky"});
  }
  RatingsShape const shape = device ? ml_1m() : ml_100k();
  for (char const* method : {"carroll_cholesky", "carroll_conjugate_gradients",
                             "carroll_block_coordinates", "carroll_sgd"})
    cases.push_back({descent, shape, 32, method});
  return cases;
}

}  // namespace carroll::perf
