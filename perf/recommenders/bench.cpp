// SPDX-License-Identifier: BSD-3-Clause
// Times Carroll's recommenders on made-up ratings of the shapes of published collections.
//
//   bench_recommenders [--hashes=core=…,recommenders=…,measured=…,dirty=…] [--entry-time=SECONDS]
//                      [--time-limit=SECONDS] [Google Benchmark's options] [Kokkos' options]
//
// Names are recommenders/<group>/<shape>/<k>/<precision>/<method>, see shapes.hpp; the peer of the
// best items of users is another library's matrix product of the same sizes. What matters most is
// measured first, so that the time limit cuts off the rest.
#include <benchmark/benchmark.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gemm/peers.hpp"
#include "harness/bandwidth.hpp"
#include "harness/context.hpp"
#include "harness/harness.hpp"
#include "harness/timing_main.hpp"
#include "recommenders/contender.hpp"
#include "recommenders/shapes.hpp"

namespace carroll::perf {
namespace {

/// What is measured first, second …
enum class Priority { all };

class Bench : public TimedBench {
 public:
  Bench(Exec const& exec, Settings const& settings, MachineLimits const& limits)
      : TimedBench(exec, settings, limits), gemm_rate_(limits.gemm_single) {}

  void add(RecommenderCase const& the_case) {
    if (the_case.group == RecommenderGroup::descent) {
      harness_.plan(Priority::all, the_case.name(), [this, the_case](benchmark::State& state) {
        measure_descent(state, the_case);
      });
      return;
    }
    if (the_case.group == RecommenderGroup::recommend) add_products(the_case);
    harness_.plan(Priority::all, the_case.name(),
                  [this, the_case](benchmark::State& state) { measure(state, the_case); });
  }

 private:
  /// What the best items are chosen from.
  void add_products(RecommenderCase const& the_case) {
    RatingsShape const& shape = the_case.shape;
    GemmShape const product{1, std::min(asked_users, shape.users), shape.items, the_case.k};
    for (ProblemEntrant<GemmProblem<float>> const& peer : gemm_peers<float>(exec_)) {
      RecommenderCase named = the_case;
      named.method = peer.name + "_gemm";
      harness_.plan(Priority::all, named.name(),
                    [this, product, make = peer.make](benchmark::State& state) {
                      GemmProblem<float> const problem(exec_, product);
                      auto const contender = make(problem);
                      problem.clear();
                      double const first_run = timed_run(*contender);
                      std::string const fault = problem.fault();
                      harness_.report_times<float>(state, harness_.samples(*contender, first_run),
                                                   2 * product.multiplications(),
                                                   double(product.entries()) * sizeof(float), true);
                      report_check(state, fault);
                    });
    }
  }

  void measure(benchmark::State& state, RecommenderCase const& the_case) {
    auto const contender = make(the_case);
    double const first_run = timed_run(*contender);
    std::string const fault = contender->complaint();
    auto const times = harness_.samples(*contender, first_run);
    Work const work = contender->work();
    harness_.report_times<float>(state, times, work.flops, work.bytes, true);
    if (work.is_bound && gemm_rate_ > 0)
      state.counters["floor_fraction"] =
          std::max(work.flops / gemm_rate_, work.bytes / read_rate()) / median(times);
    for (auto const& [name, value] : contender->counters()) state.counters[name] = value;
    report_check(state, fault);
  }

  /// The time is that of all of it, with what measures the errors.
  void measure_descent(benchmark::State& state, RecommenderCase const& the_case) {
    constexpr int iterations = 20;
    auto const descent = the_case.method == "carroll_sgd" ? &sgd_descent : &als_descent;
    BenchRatings const& ratings = ratings_of(the_case.shape);
    std::vector<DescentStep> steps;
    for (auto _ : state) {
      auto const start = std::chrono::steady_clock::now();
      steps = descent(exec_, ratings, the_case, iterations);
      std::chrono::duration<double> const elapsed = std::chrono::steady_clock::now() - start;
      state.SetIterationTime(elapsed.count());
    }
    for (std::size_t i = 0; i < steps.size(); ++i) {
      std::string const number = std::to_string(1001 + i).substr(1);  // in order as text, too
      state.counters["training:" + number] = steps[i].training;
      state.counters["test:" + number] = steps[i].test;
    }
    bool const is_down = steps.back().training < steps.front().training;
    report_check(state, is_down ? "" : "the error does not go down");
  }

  std::unique_ptr<RecommenderContender> make(RecommenderCase const& the_case) {
    BenchRatings const& ratings = ratings_of(the_case.shape);
    switch (the_case.group) {
      case RecommenderGroup::sgd: return sgd_contender(exec_, ratings, the_case);
      case RecommenderGroup::recommend: return recommend_contender(exec_, ratings, the_case);
      case RecommenderGroup::neighbours: return neighbours_contender(exec_, ratings, the_case);
      default: return als_contender(exec_, ratings, the_case);
    }
  }

  /// Made once for consecutive cases.
  BenchRatings const& ratings_of(RatingsShape const& shape) {
    if (!held_ || held_->first != shape) {
      held_.reset();  // frees the memory first
      held_.emplace(shape, bench_ratings(exec_, shape));
    }
    return held_->second;
  }

  /// Bytes per second of reading what no cache holds.
  double read_rate() {
    if (read_rate_ == 0) {
      std::size_t const bytes = std::size_t(1) << (on_device ? 31 : 27);
      read_rate_ = double(bytes) / read_seconds(exec_, bytes);
    }
    return read_rate_;
  }

  double gemm_rate_, read_rate_ = 0;
  std::optional<std::pair<RatingsShape, BenchRatings>> held_;
};

}  // namespace
}  // namespace carroll::perf

int main(int argc, char** argv) {
  using namespace carroll::perf;
  return timing_main<Bench>("bench_recommenders", argc, argv,
                            {.entry_time = 0.1, .time_limit = 240}, [](Bench& bench) {
                              for (RecommenderCase const& the_case : recommender_cases(on_device))
                                bench.add(the_case);
                            });
}
