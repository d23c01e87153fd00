// SPDX-License-Identifier: BSD-3-Clause
#include <carroll/sgd.hpp>
#include <carroll/split_ratings.hpp>
#include <chrono>
#include <cmath>
#include <memory>
#include <stdexcept>
#include <utility>

#include "recommenders/contender.hpp"
#include "recommenders/errors.hpp"

namespace carroll::perf {
namespace {

constexpr auto path = detail::SgdPath::automatic;

SgdOptions options_of(int epochs) {
  SgdOptions options;
  options.epochs = epochs;
  return options;
}

/// What `sgd` does, epoch by epoch: the schedule, which the host makes, is made before.
class SgdEpochs {
 public:
  SgdEpochs(Exec const& exec, BenchRatings const& ratings, BenchModel model,
            SgdOptions const& options) {
    auto const start = std::chrono::steady_clock::now();
    auto const rows = ratings.by_user();
    Kokkos::View<double*, Exec::memory_space> const sums("carroll_perf::sums", rows.row_count);
    if (options.subtract_mean)
      model.mean = static_cast<float>(detail::mean_rating(exec, rows, sums));
    detail::SgdSchedule<float> const schedule(
        detail::on_host(exec, rows.offsets), detail::on_host(exec, rows.columns),
        detail::on_host(exec, rows.values), rows.column_count,
        detail::SgdSchedule<float>::blocks_for(rows.rating_count(), rows.row_count,
                                               rows.column_count),
        options.seed);
    mean_ = model.mean;
    run_ = std::make_unique<detail::SgdRun<Exec, float>>(exec, schedule, model, options);
    std::chrono::duration<double> const elapsed = std::chrono::steady_clock::now() - start;
    seconds_ = elapsed.count();
    run_->load();
  }
  [[nodiscard]] detail::SgdRun<Exec, float>& run() const { return *run_; }
  [[nodiscard]] float mean() const { return mean_; }
  /// In which it was made ready.
  [[nodiscard]] double seconds() const { return seconds_; }

 private:
  std::unique_ptr<detail::SgdRun<Exec, float>> run_;
  double seconds_ = 0;
  float mean_ = 0;
};

class SgdContender : public RecommenderContender {
 public:
  SgdContender(Exec const& exec, BenchRatings const& ratings, int k)
      : exec_(exec),
        ratings_(ratings),
        k_(k),
        epochs_(exec, ratings, empty_model(ratings, k), options_of(1)),
        before_(epochs_.run().measure(path)) {}

  // Always as the first one: with a step that does not go down.
  void run() override { epochs_.run().epoch(0, path); }
  void fence() override { exec_.fence("carroll_perf::SgdContender"); }

  /// Of a rating: 8k flops; two rows of factors read and written, and itself.
  [[nodiscard]] Work work() const override {
    double const count = double(ratings_.count());
    return {8.0 * k_ * count, (16.0 * k_ + 12) * count};
  }
  [[nodiscard]] std::map<std::string, double> counters() override {
    return {{"prepare_seconds", epochs_.seconds()}};
  }
  std::string complaint() override {
    auto const now = epochs_.run().measure(path);
    if (!std::isfinite(now.objective)) return "not finite";
    if (!(now.rmse < before_.rmse)) return "the error does not go down";
    return {};
  }

 private:
  Exec exec_;
  BenchRatings ratings_;
  int k_;
  SgdEpochs epochs_;
  SgdMeasure before_;
};

}  // namespace

std::unique_ptr<RecommenderContender> sgd_contender(Exec const& exec, BenchRatings const& ratings,
                                                    RecommenderCase const& the_case) {
  return std::make_unique<SgdContender>(exec, ratings, the_case.k);
}

std::vector<DescentStep> sgd_descent(Exec const& exec, BenchRatings const& ratings,
                                     RecommenderCase const& the_case, int epochs) {
  auto const [train, test] = split_ratings(exec, ratings, {.fraction = 0.1, .seed = 7});
  BenchModel model = empty_model(ratings, the_case.k);
  SgdEpochs const sgd(exec, train, model, options_of(epochs));
  model.mean = sgd.mean();
  std::vector<DescentStep> steps;
  for (int t = 0; t < epochs; ++t) {
    sgd.run().epoch(t, path);
    sgd.run().store(true);
    steps.push_back({rmse(exec, model, train, train), rmse(exec, model, train, test)});
  }
  return steps;
}

}  // namespace carroll::perf
