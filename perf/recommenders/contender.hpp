// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/factor_model.hpp>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "harness/contender.hpp"
#include "recommenders/shapes.hpp"
#include "recommenders/synthetic.hpp"

namespace carroll::perf {

/// What one run has to do at least: its time is no less than flops at the rate of a matrix product,
/// nor than bytes at the rate at which memory is read. `is_bound` is false where neither says much.
struct Work {
  double flops = 0, bytes = 0;
  bool is_bound = true;
};

/// A method bound to ratings; complaint() looks at the result of the run before.
class RecommenderContender : public Contender {
 public:
  [[nodiscard]] virtual Work work() const = 0;
  /// More counters.
  [[nodiscard]] virtual std::map<std::string, double> counters() { return {}; }
};

/// The best items of so many users at most, and how many of each.
inline constexpr std::int32_t asked_users = 100'000, best_items = 100;

/// Each makes contenders of its group for the case's k and method.
std::unique_ptr<RecommenderContender> als_contender(Exec const& exec, BenchRatings const& ratings,
                                                    RecommenderCase const& the_case);
std::unique_ptr<RecommenderContender> sgd_contender(Exec const& exec, BenchRatings const& ratings,
                                                    RecommenderCase const& the_case);
std::unique_ptr<RecommenderContender> recommend_contender(Exec const& exec,
                                                          BenchRatings const& ratings,
                                                          RecommenderCase const& the_case);
std::unique_ptr<RecommenderContender> neighbours_contender(Exec const& exec,
                                                           BenchRatings const& ratings,
                                                           RecommenderCase const& the_case);

/// Root mean square errors after an iteration: of the ratings learnt from, and of a tenth that was
/// set apart.
struct DescentStep {
  double training, test;
};
std::vector<DescentStep> als_descent(Exec const& exec, BenchRatings const& ratings,
                                     RecommenderCase const& the_case, int iterations);
std::vector<DescentStep> sgd_descent(Exec const& exec, BenchRatings const& ratings,
                                     RecommenderCase const& the_case, int epochs);

/// Numbers of a View on the host.
template <class View>
auto fetched(View const& view) {
  return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
}

using BenchModel = FactorModel<float, Exec::memory_space>;

inline BenchModel empty_model(BenchRatings const& ratings, int k) {
  BenchModel model;
  auto const size = [](auto n) { return static_cast<std::size_t>(n); };
  model.U = BenchModel::Factors("carroll_perf::U", size(ratings.users()), size(k));
  model.V = BenchModel::Factors("carroll_perf::V", size(ratings.items()), size(k));
  return model;
}

/// Some rows of so many, the first and the last among them.
inline std::vector<std::int32_t> some_of(std::int32_t rows) {
  std::vector<std::int32_t> chosen;
  for (std::int64_t s = 0; s < 7; ++s)
    chosen.push_back(static_cast<std::int32_t>(s * (rows - 1) / 6));
  return chosen;
}

}  // namespace carroll::perf
