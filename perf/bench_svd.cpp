// SPDX-License-Identifier: BSD-3-Clause
// Times carroll::svd and its peers on the same data in one process.
//
//   bench_svd [--hashes=core=…,solvers=…,measured=…,dirty=…] [--entry-time=SECONDS]
//             [--time-limit=SECONDS] [Google Benchmark's options] [Kokkos' options]
//
// Names are svd/<group>/<batch>x<rows>x<cols>/<precision>/<vectors|values>/<method> for times and
// kernels/… for the share of each kernel. What matters most is measured first, so that the time
// limit cuts off the rest. perf/record.py runs this, and finds the best peer of each case.
#include <benchmark/benchmark.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <array>
#include <chrono>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "carroll_contender.hpp"
#include "context.hpp"
#include "kernel_clock.hpp"
#include "main.hpp"
#include "models.hpp"
#include "options.hpp"
#include "peers.hpp"
#include "svd_cases.hpp"
#include "svd_reference.hpp"

namespace carroll::perf {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

template <class Real>
constexpr char const* precision_name = std::is_same_v<Real, float> ? "single" : "double";

struct Settings {
  double entry_time = 0.1;  // seconds of measuring per entry, at least
  double time_limit = 400;  // seconds after which the remaining entries are skipped
  // The first run warms up and is not counted, unless it takes longer than `slow`: then it is the
  // only one. After one longer than `slowish` there are two, otherwise at least `least_runs`.
  double slow = 1;
  double slowish = 0.4;
  std::size_t least_runs = 3;
};

double median(std::vector<double> samples) {
  auto const middle = samples.begin() + static_cast<std::ptrdiff_t>(samples.size() / 2);
  std::nth_element(samples.begin(), middle, samples.end());
  return *middle;
}

/// Data of the case at hand, made once for consecutive contenders, and the references of all.
class Problem {
 public:
  template <class Real>
  std::vector<Real> const& matrices(SvdShape shape) {
    shape.vectors = false;  // the matrices are the same with and without
    auto& data = std::get<Data<Real>>(data_);
    if (shape != data.shape) {
      data = {};  // frees the memory first
      data.matrices = uniform_matrices<Real>(shape);
      data.shape = shape;
    }
    return data.matrices;
  }
  std::vector<long double> const& reference(SvdShape const& shape) {
    auto const [entry, is_new] =
        references_.try_emplace(std::array{shape.batch, shape.rows, shape.cols});
    if (is_new) entry->second = reference_values(shape);
    return entry->second;
  }

 private:
  template <class Real>
  struct Data {
    SvdShape shape{};
    std::vector<Real> matrices;
  };
  std::tuple<Data<float>, Data<double>> data_;
  std::map<std::array<int, 3>, std::vector<long double>> references_;
};

/// Everything one benchmark needs: who solves what.
template <class Real>
struct Entry {
  std::string name;
  bool device;      // runs on the default execution space
  bool has_phases;  // those of svd_phases
  double tolerance;
  SvdShape shape;
  std::function<std::unique_ptr<Contender<Real>>(std::span<Real const>)> make;
};

/// What is measured first, second …
enum class Priority {
  first,         // Carroll's default method; vectors of all of cuSOLVER and LAPACK's fastest driver
  slow_vectors,  // of LAPACK's other drivers
  kernels,       // shares of the kernels of Carroll's default method
  peers_values,  // of the peers of the first line
  study,         // vectors of Carroll's other methods
  remainder,
};

Priority peer_priority(std::string const& name, SvdShape const& shape) {
  bool const fast = !name.starts_with("lapack") || (name == "lapack_gesdd" && shape.rank() <= 1024);
  if (shape.vectors) return fast ? Priority::first : Priority::slow_vectors;
  return fast ? Priority::peers_values : Priority::remainder;
}

/// Host drivers beyond a rank at which they take many seconds are nobody's best peer.
bool too_slow(std::string const& name, SvdShape const& shape) {
  bool const single = shape.batch == 1;
  if (name == "lapack_gesdd") return shape.rank() > (single ? 2048 : 512);
  if (name == "lapack_gesvd") return shape.rank() > (single ? 512 : 200);
  if (name == "lapack_gesvj" || name == "lapack_gejsv")
    return shape.rank() > (!single ? 150 : on_device ? 512 : 1024);
  return false;
}

class Bench {
 public:
  Bench(Exec const& exec, Settings const& settings, MachineLimits const& limits)
      : exec_(exec), settings_(settings), limits_(limits), start_(Clock::now()) {}

  void add(SvdCase const& the_case) {
    for (bool const vectors : {true, false}) {
      if (the_case.group == "scaling" && !vectors) continue;
      add<float>(the_case, vectors);
      add<double>(the_case, vectors);
    }
    if (the_case.group == "scaling") return;
    add_kernel_shares<float>(the_case);
    add_kernel_shares<double>(the_case);
  }

  /// Hands what was added to Google Benchmark, in the order of the priorities.
  void enlist() {
    std::stable_sort(plan_.begin(), plan_.end(),
                     [](auto const& a, auto const& b) { return a.priority < b.priority; });
    for (Planned const& planned : plan_)
      benchmark::RegisterBenchmark(
          planned.name.c_str(),
          [this, body = planned.body](benchmark::State& state) { guarded(state, body); })
          ->Iterations(1)
          ->UseManualTime()
          ->Unit(benchmark::kMillisecond);
  }

 private:
  using Body = std::function<void(benchmark::State&)>;
  struct Planned {
    Priority priority;
    std::string name;
    Body body;
  };

  template <class Real>
  void add(SvdCase const& the_case, bool vectors) {
    SvdShape const shape{the_case.batch, the_case.rows, the_case.cols, vectors};
    std::string const key = "svd/" + the_case.group + "/" + the_case.extents() + "/" +
                            precision_name<Real> + "/" + (vectors ? "vectors" : "values") + "/";
    if (the_case.group != "scaling")
      for (Peer<Real> const& peer : peers_for<Real>(exec_, shape))
        if (!too_slow(peer.name, shape))
          add(peer_priority(peer.name, shape),
              Entry<Real>{key + peer.name, peer.device, false, 0, shape, peer.make});

    auto const add_carroll = [&](Priority priority, SvdOptions const& options) {
      add(priority, Entry<Real>{key + "carroll_" + method_name(options), true,
                                the_case.group == "square" && vectors, options.tolerance, shape,
                                [this, options, shape](std::span<Real const> A) {
                                  return make_carroll<Real>(exec_, options, shape, A);
                                }});
    };
    add_carroll(Priority::first, default_method());
    if (the_case.group != "study" || !vectors) return;
    std::vector<SvdOptions> methods = study_methods();
    for (SvdOptions const& options : methods) add_carroll(Priority::study, options);
    methods.push_back(default_method());
    for (SvdOptions& options : methods) {
      options.tolerance = study_tolerance;
      add_carroll(Priority::study, options);
    }
  }

  template <class Real>
  void add(Priority priority, Entry<Real> const& entry) {
    plan_.push_back(
        {priority, entry.name, [this, entry](benchmark::State& state) { measure(state, entry); }});
  }

  template <class Real>
  void add_kernel_shares(SvdCase const& the_case) {
    SvdShape const shape{the_case.batch, the_case.rows, the_case.cols, true};
    auto const add_carroll = [&](Priority priority, SvdOptions const& options) {
      plan_.push_back({priority,
                       "kernels/" + the_case.extents() + "/" + precision_name<Real> +
                           "/vectors/carroll_" + method_name(options),
                       [this, shape, options](benchmark::State& state) {
                         measure_kernels<Real>(state, shape, options);
                       }});
    };
    add_carroll(Priority::kernels, default_method());
    if (the_case.group == "study" && std::is_same_v<Real, float>)
      for (SvdOptions const& options : study_methods()) add_carroll(Priority::study, options);
  }

  /// One failing entry must not end the run.
  void guarded(benchmark::State& state, Body const& body) {
    if (seconds_since(start_) > settings_.time_limit) {
      state.SkipWithError("skipped: the time limit is reached");
      return;
    }
    try {
      body(state);
    } catch (std::exception const& error) {
      state.SkipWithError(error.what());
    }
  }

  template <class Real>
  double timed_run(Contender<Real>& contender) {
    contender.restore();
    contender.fence();
    auto const start = Clock::now();
    contender.run();
    contender.fence();
    return seconds_since(start);
  }

  /// Times of the runs that count.
  template <class Real>
  std::vector<double> samples(Contender<Real>& contender, double first_run) {
    if (first_run > settings_.slow) return {first_run};
    std::size_t const least = first_run > settings_.slowish ? 2 : settings_.least_runs;
    std::vector<double> times;
    for (double total = 0; total < settings_.entry_time || times.size() < least;) {
      times.push_back(timed_run(contender));
      total += times.back();
    }
    return times;
  }

  template <class Real>
  void measure(benchmark::State& state, Entry<Real> const& entry) {
    std::vector<Real> const& A = problem_.matrices<Real>(entry.shape);
    auto const contender = entry.make(A);
    double const first_run = timed_run(*contender);
    SvdCheck check =
        check_solution<Real>(entry.shape, A, contender->solution(sampled_members(entry.shape)),
                             problem_.reference(entry.shape), entry.tolerance);
    if (std::string const complaint = contender->complaint(); !complaint.empty())
      check.fault = complaint;
    std::vector<double> const times = samples(*contender, first_run);
    for (auto _ : state) state.SetIterationTime(median(times));
    report(state, entry, times, check, contender->sweeps());
  }

  template <class Real>
  void report(benchmark::State& state, Entry<Real> const& entry, std::vector<double> const& times,
              SvdCheck const& check, int sweeps) {
    double const seconds = median(times);
    double const flops = svd_flops(entry.shape) / seconds;
    double const bytes = svd_bytes<Real>(entry.shape) / seconds;
    auto& counters = state.counters;
    counters["tolerance"] = entry.tolerance;
    counters["median_seconds"] = seconds;
    counters["min_seconds"] = *std::min_element(times.begin(), times.end());
    counters["runs"] = static_cast<double>(times.size());
    counters["flops_per_second"] = flops;
    counters["bytes_per_second"] = bytes;
    double const gemm = std::is_same_v<Real, float> ? limits_.gemm_single : limits_.gemm_double;
    if (entry.device && gemm > 0) counters["gemm_fraction"] = flops / gemm;
    if (entry.device) counters["copy_fraction"] = bytes / limits_.copy_bytes;
    counters["residual"] = check.residual;
    counters["orthogonality"] = check.orthogonality;
    if (check.mean_square_error >= 0) counters["mse"] = check.mean_square_error;
    if (sweeps > 0) counters["sweeps"] = sweeps;
    if (entry.has_phases && sweeps > 0)
      for (SvdPhase const& phase : svd_phases<Real>(entry.shape, sweeps)) {
        counters["flops:" + std::string(phase.name)] = phase.flops;
        counters["bytes:" + std::string(phase.name)] = phase.bytes;
      }
    state.SetLabel("check=" + (check.fault.empty() ? "ok" : check.fault));
  }

  template <class Real>
  void measure_kernels(benchmark::State& state, SvdShape const& shape, SvdOptions const& options) {
    auto const contender =
        make_carroll<Real>(exec_, options, shape, problem_.matrices<Real>(shape));
    timed_run(*contender);
    for (auto _ : state) {
      double const undisturbed = timed_run(*contender);
      KernelClock const clock;
      contender->run();
      contender->fence();
      double total = 0;
      for (auto const& [label, record] : clock.records()) {
        total += record.seconds;
        state.counters["time:" + label] = record.seconds;
        state.counters["launches:" + label] = static_cast<double>(record.launches);
      }
      state.SetIterationTime(total);
      state.counters["undisturbed_seconds"] = undisturbed;
    }
  }

  Exec exec_;
  Settings settings_;
  MachineLimits limits_;
  Clock::time_point start_;
  Problem problem_;
  std::vector<Planned> plan_;
};

int run(int argc, char** argv) {
  std::string const hashes = take_hashes(argc, argv);
  Settings settings;
  if (auto const text = take_option(argc, argv, "entry-time"); !text.empty())
    settings.entry_time = std::stod(text);
  if (auto const text = take_option(argc, argv, "time-limit"); !text.empty())
    settings.time_limit = std::stod(text);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;

  Exec const exec;
  MachineLimits const limits = measure_limits(exec);
  add_context("bench_svd", exec, limits, hashes);
  Bench bench(exec, settings, limits);
  for (SvdCase const& the_case : svd_cases(on_device)) bench.add(the_case);
  bench.enlist();
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}

}  // namespace
}  // namespace carroll::perf

int main(int argc, char** argv) {
  return carroll::perf::main_of("bench_svd", argc, argv, carroll::perf::run);
}
