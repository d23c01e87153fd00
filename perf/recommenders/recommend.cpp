// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <carroll/detail/random.hpp>
#include <carroll/recommend.hpp>
#include <cmath>
#include <cstddef>
#include <limits>

#include "recommenders/contender.hpp"

namespace carroll::perf {
namespace {

/// Normal numbers, for which no training is needed.
struct FillNormal {
  BenchModel::Factors X;
  std::uint32_t stream;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    X.data()[i] = detail::random_normal<float>(25, stream, static_cast<std::uint64_t>(i));
  }
};

/// The best items of the first users, those that they have rated left out.
class BestContender : public RecommenderContender {
  using Indices = Kokkos::View<std::int32_t**, Kokkos::LayoutRight, Exec::memory_space>;

 public:
  BestContender(Exec const& exec, BenchRatings const& ratings, int k)
      : exec_(exec),
        ratings_(ratings),
        model_(empty_model(ratings, k)),
        asked_(std::min(asked_users, ratings.users())),
        users_("carroll_perf::users", static_cast<std::size_t>(asked_)),
        ids_("carroll_perf::ids", static_cast<std::size_t>(asked_), best_items),
        scores_("carroll_perf::scores", static_cast<std::size_t>(asked_), best_items) {
    auto const fill = [&](BenchModel::Factors const& X, std::uint32_t stream) {
      Kokkos::parallel_for("carroll_perf::normal",
                           Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(
                               exec, 0, static_cast<std::int64_t>(X.size())),
                           FillNormal{X, stream});
    };
    fill(model_.U, 1);
    fill(model_.V, 2);
    auto const host = Kokkos::create_mirror_view(users_);
    for (std::int32_t q = 0; q < asked_; ++q) host(q) = q;
    Kokkos::deep_copy(users_, host);
  }

  void run() override { info_ = recommend(exec_, model_, ratings_, users_, ids_, scores_); }
  void fence() override { exec_.fence("carroll_perf::BestContender"); }

  /// That of the product of the factors.
  [[nodiscard]] Work work() const override {
    double const k = double(model_.factors()), q = asked_, n = ratings_.items();
    return {2 * q * n * k, (q + n) * k * sizeof(float) + q * best_items * 8, true};
  }

  std::string complaint() override {
    if (info_.status != Status::success) return "ended as " + std::string(to_string(info_.status));
    auto const ids = fetched(ids_);
    auto const scores = fetched(scores_);
    auto const U = fetched(model_.U), V = fetched(model_.V);
    auto const offsets = fetched(ratings_.by_user().offsets);
    auto const columns = fetched(ratings_.by_user().columns);
    auto const item_offsets = fetched(ratings_.by_item().offsets);
    // Cold items, without a rating, score 0.
    auto const is_cold = [&](std::int32_t i) { return item_offsets(i) == item_offsets(i + 1); };
    for (std::int32_t const user : some_of(asked_)) {
      std::vector<bool> out(V.extent(0));
      for (std::int64_t e = offsets(user); e < offsets(user + 1); ++e) out[columns(e)] = true;
      auto const full = std::min<std::int64_t>(
          best_items, ratings_.items() - (offsets(user + 1) - offsets(user)));
      // Scores in double precision, and how far sums in single precision may be off.
      auto const score_of = [&](std::int32_t item) {
        double score = 0, size = 0;
        for (std::size_t f = 0; f < U.extent(1); ++f) {
          score += double(U(user, f)) * V(item, f);
          size += std::abs(double(U(user, f)) * V(item, f));
        }
        return std::pair{score, size * double(U.extent(1)) * std::numeric_limits<float>::epsilon()};
      };
      double last = std::numeric_limits<double>::infinity();
      for (std::int64_t n = 0; n < full; ++n) {
        std::int32_t const item = ids(user, n);
        if (item < 0 || item >= ratings_.items() || out[item]) return "a wrong item";
        auto const [score, bound] = is_cold(item) ? std::pair{0.0, 0.0} : score_of(item);
        if (!(std::abs(score - scores(user, n)) <= bound)) return "a wrong score";
        if (scores(user, n) > last) return "not in order";
        last = scores(user, n);
        out[item] = true;
      }
      if (full < best_items) continue;
      for (std::int32_t item = 0; item < ratings_.items(); ++item) {
        if (out[item]) continue;
        auto const [score, bound] = score_of(item);
        if (!is_cold(item) && score - bound > last) return "an item is missing";
      }
    }
    return {};
  }

 private:
  Exec exec_;
  BenchRatings ratings_;
  BenchModel model_;
  std::int32_t asked_;
  Kokkos::View<std::int32_t*, Exec::memory_space> users_;
  Indices ids_;
  Kokkos::View<float**, Kokkos::LayoutRight, Exec::memory_space> scores_;
  RecommendInfo info_;
};

}  // namespace

std::unique_ptr<RecommenderContender> recommend_contender(Exec const& exec,
                                                          BenchRatings const& ratings,
                                                          RecommenderCase const& the_case) {
  return std::make_unique<BestContender>(exec, ratings, the_case.k);
}

}  // namespace carroll::perf
