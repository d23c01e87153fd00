// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <carroll/als.hpp>
#include <carroll/predict.hpp>
#include <carroll/rating_metrics.hpp>
#include <carroll/split_ratings.hpp>
#include <cmath>
#include <cstddef>
#include <limits>
#include <stdexcept>

#include "recommenders/contender.hpp"
#include "recommenders/errors.hpp"

namespace carroll::perf {
namespace {

AlsOptions options_of(RecommenderCase const& the_case) {
  AlsOptions options;
  options.residual = false;
  options.iterations = 1;
  if (the_case.group == RecommenderGroup::als_implicit) {
    options.feedback = Feedback::implicit;
    options.confidence = 1;
    options.unobserved_weight = 0.1;
    options.regularization = 0.003;
  }
  if (the_case.method == "carroll_conjugate_gradients")
    options.solver = AlsSolver::conjugate_gradients;
  if (the_case.method == "carroll_block_coordinates") {
    options.solver = AlsSolver::block_coordinates;
    options.block = 16;
  }
  return options;
}

/// Iterations that go on from one another.
class AlsContender : public RecommenderContender {
 public:
  AlsContender(Exec const& exec, BenchRatings const& ratings, RecommenderCase const& the_case)
      : exec_(exec),
        ratings_(ratings),
        k_(the_case.k),
        options_(options_of(the_case)),
        model_(empty_model(ratings, k_)) {
    info_ = als(exec, ratings, model_.U, model_.V, options_);  // from random factors
    options_.start = AlsStart::given;
    workspace_ = als_workspace(exec, ratings, k_, options_);
  }

  void run() override { info_ = als(exec_, ratings_, model_.U, model_.V, workspace_); }
  void fence() override { exec_.fence("carroll_perf::AlsContender"); }

  [[nodiscard]] Work work() const override {
    double const count = double(ratings_.count()), k = k_;
    double const rows = double(ratings_.users()) + ratings_.items();
    double const bytes = 2 * count * 8 + 2 * rows * k * sizeof(float);
    if (options_.solver == AlsSolver::cholesky)
      return {2 * count * (k * k + 3 * k) + rows * (k * k * k / 3 + 2 * k * k), bytes};
    double const steps = options_.steps + 1;
    double const implicit = options_.feedback == Feedback::implicit ? 2 * rows * steps * k * k : 0;
    return {8 * count * steps * k + implicit, bytes};
  }

  std::string complaint() override {
    if (info_.status != Status::success) return "ended as " + std::string(to_string(info_.status));
    if (options_.solver == AlsSolver::cholesky) {
      // Sums in single precision of chunks of 512, and Cholesky's of order k.
      double const bound = (512 + k_) * double(std::numeric_limits<float>::epsilon());
      double const error = backward_error();
      if (!(error <= bound)) return "backward error of " + std::to_string(error);
      return {};
    }
    AlsOptions two = options_;
    two.iterations = 2;
    two.objective = true;
    auto const info = als(exec_, ratings_, model_.U, model_.V, two);
    auto const& values = info.objectives;
    if (values.size() != 2 || !(values[1] <= values[0] * 1.0001)) return "the objective grows";
    return {};
  }

 private:
  /// |b - A·x| over |A|·|x| + |b|, sums in double precision, the largest of some items' rows of
  /// normal equations: items have been solved for last, with the users as they are.
  [[nodiscard]] double backward_error() const {
    auto const by_item = ratings_.by_item();
    auto const offsets = fetched(by_item.offsets);
    auto const columns = fetched(by_item.columns);
    auto const values = fetched(by_item.values);
    auto const U = fetched(model_.U), V = fetched(model_.V);
    bool const is_implicit = options_.feedback == Feedback::implicit;
    double worst = 0;
    for (std::int32_t const item : some_of(ratings_.items())) {
      std::vector<double> residual(k_), scale(k_);
      auto const add = [&](std::int32_t user, double weight, double goal) {
        double score = 0, size = 0;
        for (int f = 0; f < k_; ++f) {
          score += double(U(user, f)) * V(item, f);
          size += std::abs(double(U(user, f)) * V(item, f));
        }
        for (int f = 0; f < k_; ++f) {
          residual[f] += (goal - weight * score) * U(user, f);
          scale[f] += (std::abs(goal) + weight * size) * std::abs(U(user, f));
        }
      };
      for (std::int64_t e = offsets(item); e < offsets(item + 1); ++e) {
        double const value = values(e), sure = 1 + options_.confidence * value;
        add(columns(e), is_implicit ? sure : 1, is_implicit ? sure : value);
      }
      double count = double(offsets(item + 1) - offsets(item));
      if (is_implicit) {
        for (std::int32_t u = 0; u < ratings_.users(); ++u) add(u, options_.unobserved_weight, 0);
        count += options_.unobserved_weight * ratings_.users();
      }
      double const ridge = options_.regularization * std::pow(count, options_.count_exponent);
      double above = 0, below = 0;
      for (int f = 0; f < k_; ++f) {
        double const x = V(item, f);
        above += std::pow(residual[f] - ridge * x, 2);
        below += std::pow(scale[f] + ridge * std::abs(x), 2);
      }
      if (below == 0) continue;  // a cold item
      double const error = std::sqrt(above / below);
      if (!(error <= worst)) worst = error;
    }
    return worst;
  }

  Exec exec_;
  BenchRatings ratings_;
  int k_;
  AlsOptions options_;
  BenchModel model_;
  AlsWorkspace<Exec, float> workspace_;
  AlsInfo info_;
};

}  // namespace

std::unique_ptr<RecommenderContender> als_contender(Exec const& exec, BenchRatings const& ratings,
                                                    RecommenderCase const& the_case) {
  return std::make_unique<AlsContender>(exec, ratings, the_case);
}

std::vector<DescentStep> als_descent(Exec const& exec, BenchRatings const& ratings,
                                     RecommenderCase const& the_case, int iterations) {
  auto const [train, test] = split_ratings(exec, ratings, {.fraction = 0.1, .seed = 7});
  AlsOptions options = options_of(the_case);
  options.biases = AlsBiases::mean;
  BenchModel model = empty_model(ratings, the_case.k);
  std::vector<DescentStep> steps;
  for (int i = 0; i < iterations; ++i) {
    auto const info = als(exec, train, model, options);
    if (info.status != Status::success)
      throw std::runtime_error("als: " + std::string(to_string(info.status)));
    steps.push_back({rmse(exec, model, train, train), rmse(exec, model, train, test)});
    options.start = AlsStart::given;
  }
  return steps;
}

}  // namespace carroll::perf
