// SPDX-License-Identifier: BSD-3-Clause
// Times carroll::sum, dot, norm2 and asum and their peers on the same data in one process.
//
//   bench_reduction [--hashes=core=…,blas=…,solvers=…,measured=…,dirty=…] [--entry-time=SECONDS]
//                   [--time-limit=SECONDS] [Google Benchmark's options] [Kokkos' options]
//
// Names are reduction/<function>/<length>/<precision>/<method>. Calls of Carroll's are those that
// return a value; of the device libraries those that leave it on the device, with a fence.
#include <benchmark/benchmark.h>

#include <Kokkos_Core.hpp>
#include <carroll/asum.hpp>
#include <carroll/dot.hpp>
#include <carroll/norm2.hpp>
#include <carroll/reduction_study.hpp>
#include <carroll/sum.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>

#include "harness/bandwidth.hpp"
#include "harness/harness.hpp"
#include "harness/timing_main.hpp"
#include "reduction/vectors.hpp"
#include "reduction_instances.hpp"

namespace carroll::perf {
namespace {

template <class T>
class CarrollReduction : public ReductionContender {
 public:
  CarrollReduction(Exec const& exec, ReductionVectors<T> const& vectors, ReductionFunction function,
                   Summation summation)
      : exec_(exec),
        vectors_(vectors),
        function_(function),
        workspace_(reduction_workspace<T>(exec, {.length = vectors.length()}, {summation})) {}
  void run() override {
    auto const& x = vectors_.x();
    switch (function_) {
      case ReductionFunction::sum: value_ = sum(exec_, x, workspace_).value; return;
      case ReductionFunction::dot: value_ = dot(exec_, x, vectors_.y(), workspace_).value; return;
      case ReductionFunction::norm2: value_ = norm2(exec_, x, workspace_).value; return;
      case ReductionFunction::asum: value_ = asum(exec_, x, workspace_).value; return;
    }
  }
  double value() override { return value_; }

 private:
  Exec exec_;
  ReductionVectors<T> const& vectors_;
  ReductionFunction function_;
  ReductionWorkspace<Exec, T> workspace_;
  double value_ = 0;
};

/// A strategy of the course, of a sum or an inner product.
template <class T, class Strategy>
class StudyContender : public ReductionContender {
 public:
  StudyContender(Exec const& exec, ReductionVectors<T> const& vectors, Strategy strategy)
      : exec_(exec), vectors_(vectors), study_(exec, vectors.length(), strategy) {}
  void run() override {
    if constexpr (std::is_same_v<Strategy, SumStrategy>)
      value_ = study_.sum(exec_, vectors_.x());
    else
      value_ = study_.dot(exec_, vectors_.x(), vectors_.y());
  }
  double value() override { return value_; }

 private:
  Exec exec_;
  ReductionVectors<T> const& vectors_;
  ReductionStudy<Exec, T, Strategy> study_;
  T value_{};
};

template <class Strategy>
struct NamedStrategy {
  char const* name;
  Strategy strategy;
  std::int64_t longest;  // beyond which it takes too long
};
constexpr NamedStrategy<SumStrategy> sum_strategies[] = {
    {"one_collects", SumStrategy::one_collects, std::int64_t{1} << 28},
    {"tree", SumStrategy::tree, std::int64_t{1} << 28},
    {"tree_to_all", SumStrategy::tree_to_all, std::int64_t{1} << 28}};
constexpr NamedStrategy<DotStrategy> dot_strategies[] = {
    {"naive", DotStrategy::naive, std::int64_t{1} << 24},
    {"divergent", DotStrategy::divergent, std::int64_t{1} << 28},
    {"conflict_free", DotStrategy::conflict_free, std::int64_t{1} << 28}};

struct NamedSummation {
  char const* name;
  Summation summation;
};
constexpr NamedSummation summations[] = {{"canonical", Summation::canonical},
                                         {"compensated", Summation::compensated},
                                         {"exact", Summation::exact}};

/// What is measured first, second …
enum class Priority { sum_and_dot, studies, others };

class Bench : public TimedBench {
 public:
  using TimedBench::TimedBench;

  void add(ReductionCase const& the_case) {
    add<float>(the_case);
    add<double>(the_case);
  }

 private:
  template <class T>
  void add(ReductionCase const& the_case) {
    std::string const key = "reduction/" + the_case.key() + "/" + precision_name<T> + "/";
    bool const first =
        the_case.function == ReductionFunction::sum || the_case.function == ReductionFunction::dot;
    Priority const priority = first ? Priority::sum_and_dot : Priority::others;
    for (auto const& [name, summation] : summations)
      plan<T>(priority, the_case, key + "carroll_" + name,
              [exec = exec_, the_case, summation = summation](
                  ReductionVectors<T> const& vectors) -> std::unique_ptr<ReductionContender> {
                return std::make_unique<CarrollReduction<T>>(exec, vectors, the_case.function,
                                                             summation);
              });
    for (ReductionEntrant<T> const& peer : reduction_peers<T>(exec_, the_case.function))
      plan<T>(priority, the_case, key + peer.name, peer.make);
    if (the_case.function == ReductionFunction::sum)
      add_studies<T>(the_case, key, sum_strategies);
    else if (the_case.function == ReductionFunction::dot)
      add_studies<T>(the_case, key, dot_strategies);
  }

  template <class T, class Strategy, std::size_t N>
  void add_studies(ReductionCase const& the_case, std::string const& key,
                   NamedStrategy<Strategy> const (&strategies)[N]) {
    for (NamedStrategy<Strategy> const& study : strategies)
      if (the_case.length <= study.longest)
        plan<T>(Priority::studies, the_case, key + "study_" + study.name,
                [exec = exec_, strategy = study.strategy](
                    ReductionVectors<T> const& vectors) -> std::unique_ptr<ReductionContender> {
                  return std::make_unique<StudyContender<T, Strategy>>(exec, vectors, strategy);
                });
  }

  template <class T, class Make>
  void plan(Priority priority, ReductionCase const& the_case, std::string const& name,
            Make const& make) {
    harness_.plan(priority, name, [this, the_case, make](benchmark::State& state) {
      auto const& vectors = vectors_of<T>(the_case.length);
      auto const contender = make(vectors);
      double const first_run = timed_run(*contender);
      std::string const fault = fault_of(the_case, vectors, contender->value());
      auto const times = harness_.samples(*contender, first_run);
      auto const bytes = double(the_case.vectors()) * double(the_case.length) * double(sizeof(T));
      harness_.report_times<T>(state, times, double(the_case.vectors() * the_case.length), bytes,
                               true);
      state.counters["read_fraction"] = read_seconds_(bytes) / median(times);
      report_check(state, fault);
    });
  }

  /// Against the exact value: what any order of additions may be off by.
  template <class T>
  std::string fault_of(ReductionCase const& the_case, ReductionVectors<T> const& vectors,
                       double value) const {
    CarrollReduction<T> exact(exec_, vectors, the_case.function, Summation::exact);
    exact.run();
    double const terms = std::sqrt(double(the_case.length));
    double const size = the_case.function == ReductionFunction::norm2 ? exact.value() / terms : 1;
    double const bound =
        16 * std::numeric_limits<T>::epsilon() * terms * std::sqrt(terms) * std::max(size, 1.0) +
        4 * std::numeric_limits<T>::epsilon() * std::abs(exact.value()) * std::sqrt(terms);
    bool const good = std::abs(value - exact.value()) <= bound;
    return good ? "" : "value " + std::to_string(value) + ", not " + std::to_string(exact.value());
  }

  /// Made once for consecutive contenders.
  template <class T>
  ReductionVectors<T> const& vectors_of(std::int64_t length) {
    auto& held = std::get<std::optional<ReductionVectors<T>>>(vectors_);
    if (!held || held->length() != length) {
      vectors_ = {};  // frees the memory first
      std::get<std::optional<ReductionVectors<T>>>(vectors_).emplace(exec_, length);
    }
    return *std::get<std::optional<ReductionVectors<T>>>(vectors_);
  }

  std::tuple<std::optional<ReductionVectors<float>>, std::optional<ReductionVectors<double>>>
      vectors_;
  KnownSeconds read_seconds_{exec_, read_seconds};
};

}  // namespace
}  // namespace carroll::perf

int main(int argc, char** argv) {
  using namespace carroll::perf;
  return timing_main<Bench>("bench_reduction", argc, argv, {.entry_time = 0.03, .time_limit = 120},
                            [](Bench& bench) {
                              for (ReductionCase const& the_case : reduction_cases(on_device))
                                bench.add(the_case);
                            });
}
