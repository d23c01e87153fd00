// SPDX-License-Identifier: BSD-3-Clause
// How accurate are small singular values? carroll::svd and its peers on square matrices of growing
// condition number, against long double or quad precision.
//
//   bench_svd_accuracy [--hashes=core=…,solvers=…,measured=…,dirty=…] [Google Benchmark's options]
//                      [Kokkos' options]
//
// Names are accuracy/<kind>/<n>x<n>/<precision>/<nominal cond>/<method>, see
// svd/accuracy/matrices.hpp. perf/record.py runs this and keeps what matters.
#include <benchmark/benchmark.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <exception>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "harness/context.hpp"
#include "harness/main.hpp"
#include "harness/timed_run.hpp"
#include "support/svd/quad_reference.hpp"
#include "svd/accuracy/matrices.hpp"
#include "svd/carroll.hpp"
#include "svd/peers.hpp"
#include "svd/reference.hpp"

namespace carroll::perf {
namespace {

constexpr int seeds = 3;  // matrices of each kind, size and condition number

/// The matrices of one case and their singular values.
template <class Real>
struct Problems {
  std::array<std::vector<Real>, seeds> matrices;
  std::array<std::vector<long double>, seeds> values;

  Problems(AccuracyKind kind, int n, double cond) {
    for (int seed = 0; seed < seeds; ++seed) {
      matrices[seed] = accuracy_matrix<Real>(kind, n, cond, seed);
      values[seed] = reference(kind, n, matrices[seed]);
    }
  }

  /// Long double has 11 bits more than double, which cond takes where columns cannot be scaled.
  static std::vector<long double> reference(AccuracyKind kind, int n, std::vector<Real> const& A) {
    if (std::is_same_v<Real, float> || kind == AccuracyKind::scaled_columns)
      return precise_values<Real>(n, n, A);
    test::HostMatrix<Real> matrix(n, n);
    matrix.data = A;
    return test::quad_singular_values(matrix);
  }

  /// Of the matrix whose condition number is the largest.
  double cond() const {
    long double largest = 0;
    for (auto const& sigma : values) largest = std::max(largest, sigma.front() / sigma.back());
    return static_cast<double>(largest);
  }
};

/// The largest relative errors over all matrices of one case; NaN where a value is not finite.
struct Errors {
  double any = 0;       // of any singular value
  double smallest = 0;  // of the smallest one

  template <class Real>
  void add(std::vector<Real> const& sigma, std::vector<long double> const& reference) {
    for (std::size_t k = 0; k < reference.size(); ++k) {
      auto const error = static_cast<double>(std::abs(sigma[k] - reference[k]) / reference[k]);
      keep_larger(any, error);
      if (k + 1 == reference.size()) keep_larger(smallest, error);
    }
  }
};

template <class Real>
class Case {
 public:
  Case(Exec const& exec, AccuracyKind kind, int n, double cond)
      : exec_(exec), kind_(kind), shape_{1, n, n, true}, cond_(cond) {}

  void prepare() {
    if (!problems_) problems_ = std::make_unique<Problems<Real>>(kind_, shape_.cols, cond_);
  }

  /// Hands one benchmark for each method to Google Benchmark, which the case has to outlive.
  void enlist(std::string const& precision) {
    char cond[16];
    std::snprintf(cond, sizeof cond, "%.0e", cond_);
    std::string const n = std::to_string(shape_.cols);
    std::string const key = "accuracy/" + std::string(to_string(kind_)) + "/" + n + "x" + n + "/" +
                            precision + "/" + cond + "/";
    enlist(key + "carroll_" + method_name(default_method()), [this](std::span<Real const> A) {
      return make_carroll_svd<Real>(exec_, default_method(), shape_, A);
    });
    for (SvdPeer<Real> const& peer : svd_peers<Real>(exec_, shape_))
      enlist(key + peer.name, peer.make);
  }

 private:
  using Make = std::function<std::unique_ptr<SvdContender<Real>>(std::span<Real const>)>;

  void enlist(std::string const& name, Make const& make) {
    benchmark::RegisterBenchmark(name.c_str(),
                                 [this, make](benchmark::State& state) {
                                   try {
                                     measure(state, make);
                                   } catch (std::exception const& error) {
                                     state.SkipWithError(error.what());
                                   }
                                 })
        ->Iterations(1)
        ->UseManualTime()
        ->Unit(benchmark::kMillisecond);
  }

  void measure(benchmark::State& state, Make const& make) {
    prepare();
    auto const contender = make(problems_->matrices[0]);
    Errors errors;
    std::string complaint;
    for (auto _ : state) {
      double seconds = 0;
      for (int seed = 0; seed < seeds; ++seed) {
        contender->load(problems_->matrices[seed]);
        seconds += timed_run(*contender);
        errors.add(contender->solution({}).S, problems_->values[seed]);
        if (complaint.empty()) complaint = contender->complaint();
      }
      state.SetIterationTime(seconds);
    }
    state.counters["cond"] = problems_->cond();
    state.counters["max_error"] = errors.any;
    state.counters["smallest_error"] = errors.smallest;
    state.SetLabel("check=" + (complaint.empty() ? "ok" : complaint));
  }

  Exec exec_;
  AccuracyKind kind_;
  SvdShape shape_;
  double cond_;
  std::unique_ptr<Problems<Real>> problems_;
};

/// Condition numbers 10^step, 10^2·step … 10^last.
template <class Real>
std::vector<std::unique_ptr<Case<Real>>> make_cases(Exec const& exec, std::string const& precision,
                                                    int step, int last) {
  std::vector<std::unique_ptr<Case<Real>>> cases;
  for (AccuracyKind const kind : accuracy_kinds)
    for (int const n : {32, 128})
      for (int decade = step; decade <= last; decade += step) {
        cases.push_back(std::make_unique<Case<Real>>(exec, kind, n, std::pow(10.0, decade)));
        cases.back()->enlist(precision);
      }
  return cases;
}

/// All references at once: they take most of the time.
template <class Real>
void prepare(std::vector<std::unique_ptr<Case<Real>>> const& cases) {
#ifdef _OPENMP
#pragma omp parallel for schedule(dynamic, 1) num_threads(host_threads())
#endif
  for (std::size_t i = cases.size(); i > 0; --i) cases[i - 1]->prepare();
}

void run(Exec const& exec, std::string const& hashes) {
  add_context("bench_svd_accuracy", exec, MachineLimits{}, hashes);
  auto const single_cases = make_cases<float>(exec, "single", 1, 6);
  auto const double_cases = make_cases<double>(exec, "double", 2, 14);
  if (benchmark::GetBenchmarkFilter().empty()) {
    prepare(single_cases);
    prepare(double_cases);
  }
  benchmark::RunSpecifiedBenchmarks();
}

}  // namespace
}  // namespace carroll::perf

int main(int argc, char** argv) {
  return carroll::perf::main_of("bench_svd_accuracy", argc, argv, carroll::perf::run);
}
