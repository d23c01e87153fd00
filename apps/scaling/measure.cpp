// SPDX-License-Identifier: BSD-3-Clause
#include "scaling/measure.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <stdexcept>

#include "scaling/clock.hpp"
#include "scaling/loops.hpp"
#include "scaling/ranks/operations.hpp"

namespace carroll::tool {

namespace {

/// What is too short for the clock is run several times in a row.
constexpr double shortest_timing = 50e-6;

/// Powers of two, and all there are.
std::vector<int> powers_up_to(int most) {
  std::vector<int> numbers;
  for (int p = 1; p < most; p *= 2) numbers.push_back(p);
  numbers.push_back(most);
  return numbers;
}

std::vector<int> threads_to_use(ScalingWishes const& wishes) {
  int const most = most_threads();
  if (!wishes.threads.empty() && wishes.threads.back() > most) {
    throw std::runtime_error("--threads asks for " + std::to_string(wishes.threads.back()) +
                             ", there " + (most == 1 ? "is 1" : "are " + std::to_string(most)) +
                             "; with OpenMP --kokkos-num-threads=N changes that");
  }
  return wishes.threads.empty() ? powers_up_to(most) : wishes.threads;
}

/// Medians of the runs by each number of threads. They are taken in three rounds through all
/// numbers, so that what else the machine does falls on all alike; the first run of each in a
/// round, when threads are made or wake up, does not count.
std::map<int, double> times_by_threads(PreparedOperation const& prepared,
                                       std::function<void(int)> const& run_by,
                                       std::vector<int> const& threads, int repetitions) {
  constexpr int rounds = 3;
  std::map<int, std::vector<double>> seconds;
  std::map<int, int> in_a_row;
  for (int round = 0; round < rounds; ++round) {
    int const runs = repetitions / rounds + (round < repetitions % rounds ? 1 : 0);
    for (int const p : threads) {
      if (runs == 0) continue;
      run_by(p);
      int& count = in_a_row[p];
      if (count == 0) {
        prepared.start(p);
        double const once = prepared.same(seconds_of([&] { run_by(p); }));
        count = std::max(1, static_cast<int>(shortest_timing / std::max(once, 1e-9)));
      }
      for (int run = 0; run < runs; ++run) {
        prepared.start(p);
        double const all = prepared.same(seconds_of([&] {
          for (int k = 0; k < count; ++k) run_by(p);
        }));
        seconds[p].push_back(all / count);
      }
    }
  }
  std::map<int, double> medians;
  for (auto const& [p, times] : seconds) medians[p] = median(times);
  return medians;
}

/// The size whose work is p times as much.
std::int64_t grown(Operation const& operation, std::int64_t size, int p) {
  return std::llround(static_cast<double>(size) * std::pow(p, 1.0 / operation.exponent));
}

void measure_scaled(ScalingWishes const& wishes, std::vector<int> const& threads,
                    SizeScaling& found) {
  std::vector<ThreadTime> times;
  std::vector<double> one_thread;
  for (int const p : threads) {
    ScaledPoint point;
    point.threads = p;
    point.size = grown(*wishes.operation, found.size, p);
    auto const prepared = wishes.operation->prepare(point.size);
    auto const seconds = times_by_threads(
        prepared, prepared.run, p == 1 ? std::vector{1} : std::vector{1, p}, wishes.repetitions);
    point.seconds = seconds.at(p);
    point.one_thread_seconds = seconds.at(1);
    point.scaled_speedup = scaled_speedup(found.sequential_seconds, {p, point.seconds});
    found.scaled.push_back(point);
    times.push_back({p, point.seconds});
    one_thread.push_back(point.one_thread_seconds);
  }
  if (threads.size() >= 2) found.gustafson = fit_gustafson(times, one_thread);
}

SizeScaling measure_size(ScalingWishes const& wishes, std::vector<int> const& threads,
                         std::int64_t size) {
  SizeScaling found;
  found.size = size;
  {
    auto const prepared = wishes.operation->prepare(size);
    auto const seconds = times_by_threads(prepared, prepared.run, threads, wishes.repetitions);
    found.sequential_seconds = seconds.at(1);
    if (prepared.loop) {
      found.loop_seconds =
          prepared.same(median_seconds(std::min(wishes.repetitions, 5), prepared.loop));
      found.sequential_seconds = std::min(found.sequential_seconds, *found.loop_seconds);
    }
    for (auto const& other : prepared.others) {
      OtherTimes& found_other = found.others.emplace_back(OtherTimes{other.name, {}});
      for (auto const& [p, time] :
           times_by_threads(prepared, other.run, threads, wishes.repetitions))
        found_other.seconds.push_back(time);
    }
    std::vector<ThreadTime> times;
    for (auto const& [p, time] : seconds) {
      times.push_back({p, time});
      found.points.push_back(speedup({p, time}, found.sequential_seconds, seconds.at(1)));
    }
    if (times.size() >= 2) {
      found.amdahl = fit_amdahl(times);
      found.amdahl_overhead = fit_amdahl(times, found.sequential_seconds);
    }
  }
  if (wishes.scaled) measure_scaled(wishes, threads, found);
  return found;
}

}  // namespace

namespace {

void measure_sizes(ScalingWishes const& wishes, std::vector<int> const& numbers, Progress& progress,
                   ScalingReport& report) {
  report.operation = wishes.operation;
  report.backend = backend_name();
  report.repetitions = wishes.repetitions;
  for (std::int64_t const size : wishes.sizes) {
    progress.phase(std::string("measuring ") + wishes.operation->name + " of size " +
                   std::to_string(size));
    report.sizes.push_back(measure_size(wishes, numbers, size));
  }
}

}  // namespace

ScalingReport measure_scaling(ScalingWishes const& wishes, Progress& progress) {
  auto const threads = threads_to_use(wishes);
  ScalingReport report;
  report.most_threads = most_threads();
  progress.phase("measuring an addition, a hand-over and parallel regions");
  report.model = {addition_seconds(), hand_over_seconds()};
  for (int const p : threads) report.fork_joins.push_back({p, fork_join_seconds(p)});
  measure_sizes(wishes, threads, progress, report);
  return report;
}

ScalingReport measure_scaling_over(Ranks const& ranks, ScalingWishes const& wishes,
                                   Progress& progress) {
  auto const numbers = powers_up_to(ranks.size());
  ScalingReport report;
  report.worker = "rank";
  report.most_threads = ranks.size();
  progress.phase("measuring an addition and messages");
  double addition = 0;
  ranks.together([&] {
    if (ranks.first()) addition = addition_seconds();
  });
  report.network = measure_network(ranks, numbers);
  report.model = {ranks.of_first(addition), report.network->ping_pong.latency};
  measure_sizes(wishes, numbers, progress, report);
  return report;
}

}  // namespace carroll::tool
