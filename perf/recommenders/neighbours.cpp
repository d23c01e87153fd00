// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <carroll/neighbours.hpp>
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>

#include "recommenders/contender.hpp"

namespace carroll::perf {
namespace {

/// Pearson's correlation of all items, of their deviations from their means, shrunk.
class NeighboursContender : public RecommenderContender {
 public:
  NeighboursContender(Exec const& exec, BenchRatings const& ratings, int kept)
      : exec_(exec),
        ratings_(ratings),
        ids_("carroll_perf::ids", static_cast<std::size_t>(ratings.items()),
             static_cast<std::size_t>(kept)),
        similarities_("carroll_perf::similarities", static_cast<std::size_t>(ratings.items()),
                      static_cast<std::size_t>(kept)) {
    options_.shrinkage = 50;
    options_.nearest = kept;
    auto const offsets = fetched(ratings.by_user().offsets);
    for (std::int32_t u = 0; u < ratings.users(); ++u)
      pairs_ += std::pow(double(offsets(u + 1) - offsets(u)), 2);
  }

  void run() override { info_ = neighbours(exec_, ratings_, ids_, similarities_, options_); }
  void fence() override { exec_.fence("carroll_perf::NeighboursContender"); }

  /// Three products and sums of each pair of a user's ratings, which caches hold.
  [[nodiscard]] Work work() const override {
    return {6 * pairs_, double(ratings_.count()) * 16 + double(ids_.size()) * 8, false};
  }

  std::string complaint() override {
    if (info_.status != Status::success) return "ended as " + std::string(to_string(info_.status));
    auto const offsets = fetched(ratings_.by_item().offsets);
    auto const users = fetched(ratings_.by_item().columns);
    auto const values = fetched(ratings_.by_item().values);
    auto const found = fetched(similarities_);
    auto const mean_of = [&](std::int32_t item) {
      double sum = 0;
      for (std::int64_t e = offsets(item); e < offsets(item + 1); ++e) sum += values(e);
      return sum / double(offsets(item + 1) - offsets(item));
    };
    for (std::int32_t const item : some_of(ratings_.items())) {
      std::vector<double> deviation(static_cast<std::size_t>(ratings_.users()));
      std::vector<bool> rated(deviation.size());
      double const mean = mean_of(item);
      for (std::int64_t e = offsets(item); e < offsets(item + 1); ++e) {
        deviation[users(e)] = values(e) - mean;
        rated[users(e)] = true;
      }
      std::vector<double> wanted(found.extent(1));  // 0 where there are not so many
      for (std::int32_t other = 0; other < ratings_.items(); ++other) {
        if (other == item || offsets(other) == offsets(other + 1)) continue;
        double const other_mean = mean_of(other);
        double xy = 0, xx = 0, yy = 0, common = 0;
        for (std::int64_t e = offsets(other); e < offsets(other + 1); ++e) {
          if (!rated[users(e)]) continue;
          double const x = deviation[users(e)], y = values(e) - other_mean;
          xy += x * y;
          xx += x * x;
          yy += y * y;
          ++common;
        }
        if (xx > 0 && yy > 0)
          wanted.push_back(xy / std::sqrt(xx * yy) * common / (common + options_.shrinkage));
      }
      std::sort(wanted.begin(), wanted.end(), std::greater<>());
      // Sums of so many products, whose sizes add up to at most 1.
      double const bound = (double(offsets(item + 1) - offsets(item)) + 8) *
                           double(std::numeric_limits<float>::epsilon());
      for (std::size_t n = 0; n < found.extent(1); ++n)
        if (!(std::abs(found(item, n) - wanted[n]) <= bound))
          return "item " + std::to_string(item) + ": similarity " + std::to_string(found(item, n)) +
                 ", should be " + std::to_string(wanted[n]);
    }
    return {};
  }

 private:
  Exec exec_;
  BenchRatings ratings_;
  Kokkos::View<std::int32_t**, Kokkos::LayoutRight, Exec::memory_space> ids_;
  Kokkos::View<float**, Kokkos::LayoutRight, Exec::memory_space> similarities_;
  NeighbourOptions options_;
  NeighbourInfo info_;
  double pairs_ = 0;
};

}  // namespace

std::unique_ptr<RecommenderContender> neighbours_contender(Exec const& exec,
                                                           BenchRatings const& ratings,
                                                           RecommenderCase const& the_case) {
  return std::make_unique<NeighboursContender>(exec, ratings, the_case.k);
}

}  // namespace carroll::perf
