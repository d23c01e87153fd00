// SPDX-License-Identifier: BSD-3-Clause
// Times carroll::svd and its peers on the same data in one process.
//
//   bench_svd [--hashes=core=…,solvers=…,dirty=…] [--entry-time=SECONDS] [--time-limit=SECONDS]
//             [Google Benchmark's options] [Kokkos' options]
//
// Names are svd/<group>/<batch>x<rows>x<cols>/<precision>/<vectors|values>/<method> for times and
// kernels/… for the share of each kernel. perf/record.py runs this and keeps what matters.
#include <benchmark/benchmark.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "carroll_contender.hpp"
#include "context.hpp"
#include "kernel_clock.hpp"
#include "models.hpp"
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
  double time_limit = 360;  // seconds after which the remaining entries are skipped
  // An entry whose first run takes longer than `slow` is not run again, one that takes longer than
  // `slowish` once more, every other at least `least_runs` times.
  double slow = 1;
  double slowish = 0.4;
  std::size_t least_runs = 3;
};

double median(std::vector<double> samples) {
  auto const middle = samples.begin() + static_cast<std::ptrdiff_t>(samples.size() / 2);
  std::nth_element(samples.begin(), middle, samples.end());
  return *middle;
}

/// Data and reference of the case at hand, made once for all its contenders.
class Problem {
 public:
  template <class Real>
  std::vector<Real> const& matrices(SvdShape const& shape) {
    prepare(shape);
    if constexpr (std::is_same_v<Real, float>)
      return single_;
    else
      return double_;
  }
  std::vector<long double> const& reference(SvdShape const& shape) {
    prepare(shape);
    return reference_;
  }

 private:
  void prepare(SvdShape shape) {
    shape.vectors = false;  // the matrices are the same with and without
    if (shape == shape_) return;
    single_ = uniform_matrices<float>(shape);
    double_ = uniform_matrices<double>(shape);
    reference_ = reference_values(shape, double_);
    shape_ = shape;
  }

  SvdShape shape_{};
  std::vector<float> single_;
  std::vector<double> double_;
  std::vector<long double> reference_;
};

/// Everything one benchmark needs: who solves what.
template <class Real>
struct Entry {
  std::string key;     // of the case, shared by its contenders
  std::string method;  // of the contender
  bool peer;
  bool device;  // runs on the default execution space
  double tolerance;
  SvdShape shape;
  std::function<std::unique_ptr<Contender<Real>>(std::span<Real const>)> make;
};

class Bench {
 public:
  Bench(Exec const& exec, Settings const& settings, MachineLimits const& limits)
      : exec_(exec), settings_(settings), limits_(limits), start_(Clock::now()) {}

  void add(SvdCase const& the_case) {
    for (bool const vectors : {true, false}) {
      add<float>(the_case, vectors);
      add<double>(the_case, vectors);
    }
  }

  void add_kernel_shares(SvdCase const& the_case) {
    SvdShape const shape{the_case.batch, the_case.rows, the_case.cols, true};
    for (SvdOptions const& options : carroll_methods()) {
      std::string const name =
          "kernels/" + the_case.extents() + "/single/vectors/carroll_" + method_name(options);
      benchmark::RegisterBenchmark(name.c_str(),
                                   [this, shape, options](benchmark::State& state) {
                                     guarded(state,
                                             [&] { measure_kernels(state, shape, options); });
                                   })
          ->Iterations(1)
          ->UseManualTime()
          ->Unit(benchmark::kMillisecond);
    }
  }

 private:
  template <class Real>
  struct Running {
    std::string name;
    std::unique_ptr<Contender<Real>> contender;
    double first_run = 0;
    SvdCheck check;
    std::vector<double> samples;
  };
  template <class Real>
  Running<Real>& running() {
    if constexpr (std::is_same_v<Real, float>)
      return single_;
    else
      return double_;
  }

  template <class Real>
  void add(SvdCase const& the_case, bool vectors) {
    SvdShape const shape{the_case.batch, the_case.rows, the_case.cols, vectors};
    std::string const key = "svd/" + the_case.group + "/" + the_case.extents() + "/" +
                            precision_name<Real> + "/" + (vectors ? "vectors" : "values");
    add_peers<Real>(key, shape);
    std::vector<SvdOptions> methods = carroll_methods();
    if (the_case.group == "study" && vectors)
      for (SvdOptions options : carroll_methods()) {
        options.tolerance = study_tolerance;
        methods.push_back(options);
      }
    for (SvdOptions const& options : methods)
      add(Entry<Real>{key, "carroll_" + method_name(options), false, true, options.tolerance, shape,
                      [this, options, shape](std::span<Real const> A) {
                        return make_carroll<Real>(exec_, options, shape, A);
                      }});
  }

  template <class Real>
  void add_peers([[maybe_unused]] std::string const& key, [[maybe_unused]] SvdShape const& shape) {
#ifdef CARROLL_PERF_HAVE_LAPACKE
    for (HostDriver const driver : host_drivers) {
      if (!host_peer_fits(driver, shape)) continue;
      add(Entry<Real>{key, "lapack_" + std::string(to_string(driver)), true, !on_device, 0, shape,
                      [driver, shape](std::span<Real const> A) {
                        return make_host_peer<Real>(driver, shape, A, host_threads());
                      }});
    }
#endif
#ifdef CARROLL_PERF_HAVE_CUSOLVER
    for (CudaDriver const driver : cuda_drivers) {
      if (!cuda_peer_fits(driver, shape)) continue;
      add(Entry<Real>{key, "cusolver_" + std::string(to_string(driver)), true, true, 0, shape,
                      [this, driver, shape](std::span<Real const> A) {
                        return make_cuda_peer<Real>(driver, shape, A, native_stream(exec_));
                      }});
    }
#endif
  }

  template <class Real>
  void add(Entry<Real> entry) {
    std::string const name = entry.key + "/" + entry.method;
    benchmark::RegisterBenchmark(
        name.c_str(),
        [this, entry](benchmark::State& state) { guarded(state, [&] { measure(state, entry); }); })
        ->MinTime(settings_.entry_time)
        ->UseManualTime()
        ->Unit(benchmark::kMillisecond);
  }

  /// One failing entry must not end the run.
  void guarded(benchmark::State& state, std::function<void()> const& body) {
    if (seconds_since(start_) > settings_.time_limit) {
      state.SkipWithError("skipped: the time limit is reached");
      return;
    }
    try {
      body();
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

  /// Builds the contender and runs it once, which warms it up, and checks what it returned.
  template <class Real>
  void prepare(Entry<Real> const& entry, std::string const& name) {
    single_ = {};  // frees the memory of the contender before
    double_ = {};
    Running<Real>& next = running<Real>();
    std::vector<Real> const& A = problem_.matrices<Real>(entry.shape);
    next.contender = entry.make(A);
    next.first_run = timed_run(*next.contender);
    next.check = check_solution<Real>(entry.shape, A, next.contender->solution(),
                                      problem_.reference(entry.shape), entry.tolerance);
    if (std::string const complaint = next.contender->complaint(); !complaint.empty())
      next.check.fault = complaint;
    next.name = name;
  }

  template <class Real>
  void measure(benchmark::State& state, Entry<Real> const& entry) {
    std::string const name = entry.key + "/" + entry.method;
    Running<Real>& current = running<Real>();
    if (current.name != name) prepare(entry, name);
    bool const slow = current.first_run > settings_.slow;
    for (auto _ : state) {
      double const seconds = slow ? current.first_run : timed_run(*current.contender);
      state.SetIterationTime(seconds);
      current.samples.push_back(seconds);
    }
    std::size_t const least = current.first_run > settings_.slowish ? 1 : settings_.least_runs;
    while (current.samples.size() < least) current.samples.push_back(timed_run(*current.contender));
    report(state, entry, current);
  }

  template <class Real>
  void report(benchmark::State& state, Entry<Real> const& entry, Running<Real>& current) {
    double const seconds = median(current.samples);
    SvdCheck const& check = current.check;
    double const flops = svd_flops(entry.shape) / seconds;
    double const bytes = svd_bytes<Real>(entry.shape) / seconds;
    auto& counters = state.counters;
    counters["batch"] = entry.shape.batch;
    counters["rows"] = entry.shape.rows;
    counters["cols"] = entry.shape.cols;
    counters["tolerance"] = entry.tolerance;
    counters["median_seconds"] = seconds;
    counters["min_seconds"] = *std::min_element(current.samples.begin(), current.samples.end());
    counters["runs"] = static_cast<double>(current.samples.size());
    counters["flops_per_second"] = flops;
    counters["bytes_per_second"] = bytes;
    double const gemm = std::is_same_v<Real, float> ? limits_.gemm_single : limits_.gemm_double;
    if (entry.device && gemm > 0) counters["gemm_fraction"] = flops / gemm;
    if (entry.device) counters["copy_fraction"] = bytes / limits_.copy_bytes;
    counters["residual"] = check.residual;
    counters["orthogonality"] = check.orthogonality;
    if (check.mean_square_error >= 0) counters["mse"] = check.mean_square_error;
    if (int const sweeps = current.contender->sweeps(); sweeps > 0) counters["sweeps"] = sweeps;

    // A peer that returned something wrong is nobody to be compared with.
    if (entry.peer && check.fault.empty()) peers_[entry.key][entry.method] = seconds;
    std::string label = check.fault.empty() ? "check=ok" : "check=" + check.fault;
    auto const& peers = peers_[entry.key];
    auto const best =
        std::min_element(peers.begin(), peers.end(),
                         [](auto const& a, auto const& b) { return a.second < b.second; });
    if (!entry.peer && best != peers.end()) {
      counters["best_peer_ratio"] = best->second / seconds;  // above 1: faster than every peer
      label += ";best_peer=" + best->first;
    }
    state.SetLabel(label);
  }

  void measure_kernels(benchmark::State& state, SvdShape const& shape, SvdOptions const& options) {
    auto const contender =
        make_carroll<float>(exec_, options, shape, problem_.matrices<float>(shape));
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
    state.counters["rows"] = shape.rows;
    state.counters["cols"] = shape.cols;
  }

  Exec exec_;
  Settings settings_;
  MachineLimits limits_;
  Clock::time_point start_;
  Problem problem_;
  Running<float> single_;
  Running<double> double_;
  std::map<std::string, std::map<std::string, double>> peers_;
};

/// Takes --name=value out of the command line, which Google Benchmark would reject.
std::string take_option(int& argc, char** argv, std::string const& name) {
  std::string const prefix = "--" + name + "=";
  for (int i = 1; i < argc; ++i)
    if (std::string const argument = argv[i]; argument.starts_with(prefix)) {
      std::move(argv + i + 1, argv + argc + 1, argv + i);  // the null at the end moves too
      --argc;
      return argument.substr(prefix.size());
    }
  return {};
}

int run(int argc, char** argv) {
  std::string hashes = take_option(argc, argv, "hashes");
  if (char const* const variable = std::getenv("CARROLL_HASHES"); hashes.empty() && variable)
    hashes = variable;
  Settings settings;
  if (auto const text = take_option(argc, argv, "entry-time"); !text.empty())
    settings.entry_time = std::stod(text);
  if (auto const text = take_option(argc, argv, "time-limit"); !text.empty())
    settings.time_limit = std::stod(text);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;

  Exec const exec;
  MachineLimits const limits = measure_limits(exec);
  add_context(exec, limits, hashes);
  Bench bench(exec, settings, limits);
  std::vector<SvdCase> const cases = svd_cases(on_device);
  for (SvdCase const& the_case : cases) {
    bench.add(the_case);
    if (the_case.group == "study") bench.add_kernel_shares(the_case);
  }
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}

}  // namespace
}  // namespace carroll::perf

int main(int argc, char** argv) {
  Kokkos::ScopeGuard const kokkos(argc, argv);
  try {
    return carroll::perf::run(argc, argv);
  } catch (std::exception const& error) {
    std::fprintf(stderr, "bench_svd: %s\n", error.what());
    return 1;
  }
}
