// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <benchmark/benchmark.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <carroll/distributed/communicator.hpp>
#include <carroll/distributed/environment.hpp>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "distributed/sizes.hpp"
#include "harness/context.hpp"
#include "harness/harness.hpp"

namespace carroll::perf {

using Ranks = distributed::Communicator<Exec>;

/// A call over some ranks, bound to its data. Ranks go through all of it together.
class RankContender {
 public:
  virtual ~RankContender() = default;
  virtual void restore() {}
  /// The timed call; what it enqueues is waited for.
  virtual void run() = 0;
  /// Calls that run() makes.
  [[nodiscard]] virtual int calls() const { return 1; }
  /// Runs that count, at least, after the first, which warms up; 1: the first is the only one; 0:
  /// as the settings say.
  [[nodiscard]] virtual int runs() const { return 0; }
  /// Of one call, of all ranks together; 0: not told.
  [[nodiscard]] virtual double flops() const { return 0; }
  [[nodiscard]] virtual double bytes() const { return 0; }
  /// What went wrong in the last run; empty if nothing did.
  virtual std::string complaint() { return {}; }
  /// Of the bits of the last run's result, which do not depend on who has found it; 0: not told.
  virtual std::uint64_t digest() { return 0; }
  /// More seconds of the last run, by name: of the slowest rank, at their least.
  virtual std::map<std::string, double> parts() { return {}; }
};

/// Times calls by the first p ranks, for several p: every rank runs the same entries, the others
/// wait. A time is the slowest rank's, from a barrier to its fence; so all come to the same
/// decisions.
class RankBench {
 public:
  using Make = std::function<std::unique_ptr<RankContender>(Ranks const&)>;
  using Transport = distributed::Transport;

  RankBench(Ranks const& world, Settings const& settings)
      : world_(world), settings_(settings), start_(Clock::now()) {
    for (int p = 1; p < world.size(); p *= 2) add_part(p);
    add_part(world.size());
  }

  [[nodiscard]] Ranks const& world() const { return world_; }
  /// 1, 2, 4, … and all.
  [[nodiscard]] std::vector<int> rank_numbers() const {
    std::vector<int> numbers;
    for (auto const& part : parts_)
      if (part.first.second == world_.transport()) numbers.push_back(part.first.first);
    return numbers;
  }
  /// The world's, and MPI through memory of the host beside NCCL.
  [[nodiscard]] std::vector<Transport> transports() const {
    if (world_.transport() == Transport::mpi) return {Transport::mpi};
    return {world_.transport(), Transport::mpi};
  }

  /// An entry "distributed/NAME/P/TRANSPORT" for each of the numbers of ranks and each transport,
  /// or those that are given.
  void plan(std::string const& name, Make make, std::vector<int> ranks = {},
            std::vector<Transport> by = {}) {
    if (ranks.empty()) ranks = rank_numbers();
    if (by.empty()) by = transports();
    for (int const p : ranks)
      for (Transport const transport : by)
        if (parts_.contains({p, transport}))
          plan_.push_back({"distributed/" + name + "/" + std::to_string(p) +
                               (transport == Transport::nccl ? "/nccl" : "/mpi"),
                           p, transport, make});
  }

  /// Has Google Benchmark run what was planned; the first rank tells.
  void run() {
    for (Planned const& planned : plan_)
      benchmark::RegisterBenchmark(
          planned.name.c_str(),
          [this, planned](benchmark::State& state) { measure(state, planned); })
          ->Iterations(1)
          ->UseManualTime()
          ->Unit(benchmark::kMillisecond);
    if (world_.rank() == 0) {
      benchmark::RunSpecifiedBenchmarks();
    } else {
      Silent silent;
      benchmark::RunSpecifiedBenchmarks(&silent);
    }
    benchmark::ClearRegisteredBenchmarks();  // what they hold of Kokkos must not outlive it
  }

 private:
  using Clock = std::chrono::steady_clock;
  struct Planned {
    std::string name;
    int ranks;
    Transport transport;
    Make make;
  };
  struct Silent : benchmark::BenchmarkReporter {
    bool ReportContext(Context const&) override { return true; }
    void ReportRuns(std::vector<Run> const&) override {}
  };
  /// What the first rank found, for all.
  struct Outcome {
    double median = 0, least = 0, runs = 0, flops = 0, bytes = 0;
    std::uint64_t digest = 0;
    bool skipped = false;
  };

  void add_part(int p) {
    auto const part = world_.split(world_.rank() < p ? 0 : 1, world_.rank());
    for (Transport const transport : transports())
      parts_.emplace(
          std::pair{p, transport},
          transport == world_.transport()
              ? part
              : Ranks::duplicate_from_raw(part.raw(), part.exec(), {.transport = transport}));
  }

  void measure(benchmark::State& state, Planned const& planned) {
    Outcome outcome;
    std::string fault;
    std::map<std::string, double> parts;
    std::chrono::duration<double> const elapsed = Clock::now() - start_;
    outcome.skipped = world_.broadcast_value(elapsed.count() > settings_.time_limit, 0);
    if (!outcome.skipped && world_.rank() < planned.ranks)
      outcome = sample(parts_.at({planned.ranks, planned.transport}), planned, fault, parts);
    outcome = world_.broadcast_value(outcome, 0);
    if (outcome.skipped)
      return state.SkipWithError(fault.empty() ? "skipped: the time limit is reached"
                                               : fault.c_str());
    for (auto _ : state) state.SetIterationTime(outcome.median);
    auto& counters = state.counters;
    counters["median_seconds"] = outcome.median;
    counters["min_seconds"] = outcome.least;
    counters["runs"] = outcome.runs;
    counters["ranks"] = planned.ranks;
    if (outcome.flops > 0) counters["flops_per_second"] = outcome.flops / outcome.median;
    if (outcome.bytes > 0) counters["bytes_per_second"] = outcome.bytes / outcome.median;
    for (auto const& [name, seconds] : parts) counters[name] = seconds;
    report_check(state, fault, digest_label(outcome.digest));
  }

  static std::string digest_label(std::uint64_t digest) {
    if (digest == 0) return {};
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), ";digest=%016llx",
                  static_cast<unsigned long long>(digest));
    return text.data();
  }

  Outcome sample(Ranks const& part, Planned const& planned, std::string& fault,
                 std::map<std::string, double>& parts) const {
    Outcome outcome;
    distributed::detail::agreed_failure = -1;
    try {
      auto const contender = planned.make(part);
      double const first = timed(part, *contender, parts);
      fault = contender->complaint();
      parts.clear();
      std::vector<double> times;
      auto const asked = static_cast<std::size_t>(contender->runs());
      std::size_t const least = asked > 0                   ? asked
                                : first > settings_.slowish ? 2
                                                            : settings_.least_runs;
      bool const once = asked == 1 || (asked == 0 && first > settings_.slow);
      if (once) times.push_back(first);
      for (double total = 0; !once && (total < settings_.entry_time || times.size() < least);) {
        times.push_back(timed(part, *contender, parts));
        total += times.back();
      }
      double const calls = contender->calls();
      outcome = {median(times) / calls,
                 *std::min_element(times.begin(), times.end()) / calls,
                 static_cast<double>(times.size()),
                 contender->flops(),
                 contender->bytes(),
                 contender->digest(),
                 false};
    } catch (std::exception const& error) {
      // Of what only one rank knows the others would wait for it.
      if (part.size() > 1 && distributed::detail::agreed_failure < 0)
        distributed::abort_all("bench_distributed", planned.name + ": " + error.what());
      fault = error.what();
      outcome.skipped = true;
    }
    return outcome;
  }

  static double timed(Ranks const& part, RankContender& contender,
                      std::map<std::string, double>& parts) {
    contender.restore();
    part.exec().fence("carroll::perf::RankBench");
    MPI_Barrier(part.raw());
    auto const start = Clock::now();
    contender.run();
    part.exec().fence("carroll::perf::RankBench");
    std::chrono::duration<double> const elapsed = Clock::now() - start;
    auto const slowest = [&](double seconds) {
      MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, part.raw());
      return seconds;
    };
    for (auto const& [name, seconds] : contender.parts()) {
      double const now = slowest(seconds);
      auto const [entry, is_new] = parts.try_emplace(name, now);
      if (!is_new) entry->second = std::min(entry->second, now);
    }
    return slowest(elapsed.count());
  }

  Ranks world_;
  Settings settings_;
  Clock::time_point start_;
  std::map<std::pair<int, Transport>, Ranks> parts_;
  std::vector<Planned> plan_;
};

}  // namespace carroll::perf
